"""`make recall` and `make recall-learn`: dialogues are judged and learned from as they say."""

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from bench.recall import written
from bench.recall.dialogues import NoDialoguesError, load
from bench.recall.judge import fts5, ours, result
from bench.recall.learn import examples, finds, learn, main
from bench.recall.near_words import nearest, words_of

SAID = {
    1: [("Ada", "I repaired the engine of my boat"), ("Grace", "Mine is a bicycle"), ("Ada", "Lovely weather")],
    2: [("Grace", "My sister married in Lisbon"), ("Ada", "What is her husband called?"), ("Grace", "Bruno")],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one dialogue in the form of LoCoMo."""
    talk = {
        "speaker_a": "Ada",
        **{
            f"session_{number}": [
                {"speaker": name, "dia_id": f"D{number}:{at}", "text": text} for at, (name, text) in enumerate(said, 1)
            ]
            for number, said in SAID.items()
        },
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_2_date_time": "9:00 am on 2 July, 2023",
    }
    asked = [
        {"question": "Which engine did Ada repair?", "evidence": ["D1:1"], "category": 4},
        {"question": "Who is getting married in Lisbon?", "evidence": ["D2:1", "D2:3"], "category": 1},
        {"question": "What did Grace repair?", "evidence": ["D1:1"], "category": 5},
        {"question": "Who sings?", "evidence": ["D9:1"], "category": 4},
        {"question": "Who dances?", "category": 3},
    ]
    (tmp_path / "talk.json").write_text(json.dumps([{"sample_id": "one", "conversation": talk, "qa": asked}]))
    return tmp_path


async def test_each_question_is_judged_by_the_turns_that_answer_it(folder: Path) -> None:
    """
    Questions without evidence are left out; adversarial ones are not in the mean.
    """
    (dialogue,) = load(folder)
    found = await ours(dialogue, folder)

    assert ["D1:1", "D2:1", "D1:1"] == [one.turns[0] for one in found]
    figures = result("holdfast", found).figures
    assert {"adversarial": 1, "all": 2, "multi-hop": 1, "sessions": 2, "single-hop": 1} == {
        name: each.questions for name, each in figures.items()
    }
    assert (100.0, 100.0) == (figures["all"].mrr, figures["all"].recall[1])


def test_fts5_is_asked_for_any_of_the_words(folder: Path) -> None:
    """
    It finds what has a stem of one of them, and nothing else.
    """
    (dialogue,) = load(folder)

    assert {"D2:1", "D1:2", "D2:2"} == set(fts5(dialogue)[1].turns)


def test_weights_are_learned_that_find_what_they_were_learned_from(folder: Path) -> None:
    """
    And the same ones each time.
    """
    (dialogue,) = load(folder)
    known = examples(dialogue)
    weights = learn(known)

    assert weights == learn(known)
    assert ["D1:1", "D2:1"] == [finds(one, weights).turns[0] for one in known[:2]]


@pytest.mark.parametrize("module", ["bench.recall.__main__", "bench.recall.learn"])
def test_figures_are_printed(
    folder: Path, module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    As a table; a folder without dialogues is refused.
    """
    (one,) = json.loads((folder / "talk.json").read_text())
    (folder / "other.json").write_text(json.dumps([{**one, "sample_id": "two"}]))
    monkeypatch.setenv("DATA", str(folder))
    monkeypatch.setenv("ONLY", "data")
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    assert ended.value.code == 0
    assert "R@10" in capsys.readouterr().out

    monkeypatch.setenv("DATA", str(folder / "none"))
    with pytest.raises(SystemExit) as refused:
        runpy.run_module(module, run_name="__main__")
    assert refused.value.code == 2
    assert "no dialogues" in capsys.readouterr().err


def test_one_dialogue_is_not_enough_to_learn_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Figures on what was learned from would say nothing.
    """
    monkeypatch.setenv("DATA", str(folder))

    assert main() == 2
    assert "not enough" in capsys.readouterr().err


def test_dialogues_are_written_as_promised() -> None:
    """
    So many talks and questions, the same each time, and each question has a turn that answers it.
    """
    talks = {
        "people": written.dialogues("people"),
        "chinese": written.dialogues("chinese", each=1),
        "japanese": written.dialogues("japanese", each=1),
        "assistant": written.assistant(),
        "dates": [written.dated()],
        "short": written.short(),
    }

    assert {"people": 6, "chinese": 4, "japanese": 4, "assistant": 20, "dates": 1, "short": 4} == {
        name: len(each) for name, each in talks.items()
    }
    asked = {name: sum(len(one.questions) for one in each) for name, each in talks.items() if name != "people"}
    assert {"chinese": 200, "japanese": 200, "assistant": 200, "dates": 60, "short": 100} == asked
    assert {100} == {sum(len(session.turns) for session in one.sessions) for one in talks["assistant"]}
    assert talks["dates"] == [written.dated()]
    for one in (one for each in talks.values() for one in each):
        ids = {turn.id for session in one.sessions for turn in session.turns}
        assert all(question.evidence <= ids and "{" not in question.text for question in one.questions)


def test_near_words_are_those_with_the_nearest_vectors() -> None:
    """
    The nearest first, none that is farther than allowed, and never the word itself.
    """
    units = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, -1.0]])

    assert [[(1, 0.8), (2, 0.6)], [(2, 0.96), (0, 0.8)], [(1, 0.96), (0, 0.6)], []] == nearest(units)


def test_words_of_the_model_are_whole_and_say_something(tmp_path: Path) -> None:
    """
    No pieces of words, no stop words, no signs; in order, with their numbers in the model.
    """
    (tmp_path / "vocab.txt").write_text("[PAD]\nzebra\n##ing\nthe\napple\n1999\nox\n")

    assert [("apple", 4), ("zebra", 1)] == list(words_of(tmp_path / "vocab.txt").items())


def test_a_folder_without_dialogues_is_an_error(tmp_path: Path) -> None:
    """
    It says what belongs there.
    """
    with pytest.raises(NoDialoguesError, match="DATA="):
        load(tmp_path)
