"""Answers to questions by single keys, without ever taking a letter of a sentence for one.

While somebody types, a question waits: their keys go on into what they write. Only after a moment of
quiet is that put aside, and the keys answer; then it is put back as it was. A key answers once nothing
has followed it for a moment, because an answer in words may begin with the same letter.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document

from holdfast.agent.permissions import Answer, Question
from holdfast.commands.run import is_command
from holdfast.hosts.terminal.dialogs.questions import by_key, by_words, is_own, refusal
from holdfast.hosts.terminal.input.paste import Pastes
from holdfast.hosts.terminal.input.surface import UserActions
from holdfast.hosts.terminal.input.unsent import Draft

QUIET = 0.4
"""Seconds without a key press before keys answer."""
PENSIVE = 1.5
"""The same where somebody is in the middle of writing something."""
ALONE = 0.5
"""Seconds for which nothing follows a key that answers."""


class AnswerKeys:
    """The questions that wait, and the keys that answer them."""

    def __init__(self, buffer: Buffer, pastes: Pastes, actions: UserActions, changed: Callable[[], None]) -> None:
        """Answer with what is typed into a buffer."""
        self._buffer, self._pastes, self._actions, self._changed = buffer, pastes, actions, changed
        self._questions: deque[Question] = deque()
        self._aside: Document | None = None
        self._pressed = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def question(self) -> Question | None:
        """The question that is put."""
        return self._questions[0] if self._questions else None

    @property
    def armed(self) -> bool:
        """Whether what is typed is an answer."""
        return self._aside is not None

    @property
    def unsent(self) -> str:
        """What was being written when the question was put, and below it the words of an answer that is not given."""
        answer = self._buffer.text
        if self._aside is None:
            return answer
        if self.question is not None and by_key(self.question, answer) is not None:
            return self._aside.text
        return "\n".join(each for each in (self._aside.text, answer) if each)

    def put(self, text: str) -> None:
        """Put words before those that were being written when the question was put."""
        if self._aside is not None:
            self._aside = Document("\n".join(each for each in (text, self._aside.text) if each))

    def pressed(self) -> None:
        """A key was pressed."""
        self._pressed = asyncio.get_running_loop().time()

    def ask(self, question: Question) -> None:
        """Put a question, after those that wait."""
        self._questions.append(question)
        self._arm()
        self._changed()

    def withdraw(self, number: str) -> None:
        """A question needs no answer any more."""
        if any(each.id == number for each in self._questions):
            if self.armed and self._questions[0].id == number:  # words that nobody waits for any more are not lost
                self._aside = Document(self.unsent)
            self._next(deque(each for each in self._questions if each.id != number))

    def typed(self) -> None:
        """What is typed as an answer has changed."""
        self._wait(None)
        question, text = self.question, self._buffer.text
        if self.armed and question is not None and by_key(question, text) is not None:
            self._wait(asyncio.get_running_loop().call_later(ALONE, self.enter))

    def enter(self) -> None:
        """Answer with what was typed; a command is run, and the question goes on waiting."""
        question, text = self.question, self._buffer.text
        if question is None:
            return
        if is_command(text):
            self._buffer.append_to_history()
            self._buffer.set_document(Document(), bypass_readonly=True)
            if is_own(question):  # of a command, which has to end before the next one
                self.refuse()
            self._actions.said(Draft(text=text, pasted=dict(self._pastes.texts)))
        elif text.strip() or question.ask is not None:
            self._give(question, by_words(question, self._pastes.whole(text)))

    def refuse(self) -> None:
        """Turn the question down."""
        if self.question is not None:
            self._give(self.question, refusal(self.question))

    def _give(self, question: Question, answer: Answer) -> None:
        self._actions.answered(question, answer)
        self._next(deque(each for each in self._questions if each.id != question.id))

    def _next(self, left: deque[Question]) -> None:
        self._questions = left
        if self._aside is not None:
            aside, self._aside = self._aside, None
            self._buffer.set_document(aside, bypass_readonly=True)
        self._arm()
        self._changed()

    def _arm(self) -> None:
        """Let keys answer, now or as soon as it is quiet."""
        self._wait(None)
        if self.question is None or self.armed:
            return
        loop = asyncio.get_running_loop()
        wait = self._pressed + (PENSIVE if self._buffer.text else QUIET) - loop.time()
        if wait > 0:
            self._wait(loop.call_later(wait, self._arm))
            return
        self._aside = self._buffer.document
        self._buffer.set_document(Document(), bypass_readonly=True)
        self._changed()

    def _wait(self, timer: asyncio.TimerHandle | None) -> None:
        """Wait for this, and for nothing else any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = timer
