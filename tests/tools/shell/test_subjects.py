"""What a command is about: each simple command once, written in one way, and whatever may be more is opaque."""

import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdfast.errors import ToolFailed
from holdfast.tools.shell.lexer import Word, read
from holdfast.tools.shell.subjects import understood

needs_bash = pytest.mark.skipif(not Path("/bin/bash").exists(), reason="there is no /bin/bash here")
PLAIN = {
    "one": ("git status", ["git status"]),
    "spaces and tabs": ("  git \t status  ", ["git status"]),
    "a list": ("a; b && c || d | e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]),
    "without spaces": ("a;b&&c||d|e&f", ["a", "b", "c", "d", "e", "f"]),
    "a pipe of both outputs": ("a |& b", ["a", "b"]),
    "a subshell": ("(cd a && make)", ["cd a", "make"]),
    "a group": ("{ a; b; }", ["a", "b"]),
    "a negation": ("! a", ["a"]),
    "quotes": ("\"r\"m 'a b' c\\ d", ["rm 'a b' 'c d'"]),
    "an operator in quotes": ("echo 'a; rm b' \"c && d\"", ["echo 'a; rm b' 'c && d'"]),
    "a quote in quotes": ('echo "it\'s"', ["echo 'it'\\''s'"]),
    "a backslash before the name": ("\\rm x", ["rm x"]),
    "a backslash in quotes": (r'echo "a\n\"b"', [r"""echo 'a\n"b'"""]),
    "an empty word": ("a '' b", ["a '' b"]),
    "a path of a program": ("/bin/rm x", ["/bin/rm x", "rm x"]),
    "a program here": ("./rm x", ["./rm x", "rm x"]),
    "a wrapper": ("timeout -k 1 5 rm x", ["timeout -k 1 5 rm x", "rm x"]),
    "wrappers": ("nice -n 5 nohup rm x", ["nice -n 5 nohup rm x", "nohup rm x", "rm x"]),
    "a wrapper by its path": ("/usr/bin/nohup rm", ["/usr/bin/nohup rm", "nohup rm", "rm"]),
    "a wrapper alone": ("nohup", ["nohup"]),
    "time": ("time -p make", ["time -p make", "make"]),
    "a comment": ("a # b; rm c\nd", ["a", "d"]),
    "no comment": ("a b#c", ["a b#c"]),
    "outputs joined": ("make 2>&1 >/dev/null </dev/null", ["make"]),
    "a number that is an argument": ("echo 2 >/dev/null", ["echo 2"]),
    "git's names of commits": ("git show HEAD~1 HEAD^ HEAD@{1}", ["git show HEAD~1 HEAD^ HEAD@{1}"]),
    "a dollar alone": ("echo a$ 'x$y'", ["echo 'a$' 'x$y'"]),
    "a test": ("[ -f x ] && a", ["[ -f x ]", "a"]),
    "stars in quotes": ("grep 'a*' x", ["grep 'a*' x"]),
    "a module of python": ("python -m pytest -q tests", ["python -m pytest -q tests"]),
    "a script": ("bash build.sh", ["bash build.sh"]),
    "other letters in words": ("git commit -m 'größer 日本'", ["git commit -m 'größer 日本'"]),
    "the same twice": ("a; a", ["a"]),
    "nothing but a comment": ("# a", ["# a"]),
}
OPAQUE = {
    "command substitution": ("a $(rm x)", "rm x"),
    "in quotes": ('a "$(rm x)"', "rm x"),
    "in a substitution": ("a $(b $(rm x))", "rm x"),
    "backticks": ("a `rm x`", "rm x"),
    "process substitution": ("diff <(rm x) y", "rm x"),
    "a default that runs": ("a ${b:-$(rm x)}", "rm x"),
    "a variable": ("a $b", "a $b"),
    "a variable as the command": ("$a b", "$a b"),
    "a calculation": ("echo $((1+1))", "echo $((1+1))"),
    "a pattern": ("cat .en?", "cat .en?"),
    "a pattern as the command": ("/bin/r? x", "/bin/r? x"),
    "a home": ("cat ~/x", "cat ~/x"),
    "a home behind a sign": ("dd if=~/x", "dd if=~/x"),
    "braces": ("r{m,} x", "r{m,} x"),
    "braces with spaces": ('echo {"a b",c}', 'echo {"a b",c}'),
    "braces behind braces": ("echo {a},b}", "echo {a},b}"),
    "a range": ("echo {1..3}", "echo {1..3}"),
    "dollar and quote": ("$'rm' x", "rm"),
    "dollar and double quote": ('a $"b"', 'a $"b"'),
    "a variable for one command": ("LD_PRELOAD=x rm y", "rm y"),
    "a variable for all": ("PATH=x; rm y", "rm y"),
    "an array": ("a[0]=x rm y", "rm y"),
    "a file written": ("echo x > a", "> a"),
    "a file added to": ("echo x >>'a b'", "> 'a b'"),
    "both outputs to a file": ("a &> b", "> b"),
    "a file by its number": ("a 3<> b", "> b"),
    "a file read": ("a < b", "< b"),
    "a here-document": ("sh <<EOF\nrm x\nEOF\n", "rm x"),
    "a here-document with tabs": ("sh <<-'EOF'\n\trm x\n\tEOF\nrm y", "rm y"),
    "what follows a here-document": ("cat <<EOF; a\nEOF\nrm x", "rm x"),
    "a here-document without an end": ("cat <<EOF\nrm x", "rm x"),
    "a here-string": ("sh <<< x", "sh"),
    "a joined line": ("r\\\nm x", "rm x"),
    "a joined line in quotes": ('"r\\\nm" x', "rm x"),
    "a joined line between words": ("rm \\\n x", "rm x"),
    "a quote without an end": ("echo 'a; b", "echo 'a; b"),
    "a double quote without an end": ('echo "a', 'echo "a'),
    "a substitution without an end": ("echo $(rm x", "rm x"),
    "a backslash at the end": ("echo \\", "echo \\"),
    "a function": ("git() { rm x; }; git status", "rm x"),
    "another function": ("function git { rm x; }", "rm x"),
    "a loop": ("while a; do rm x; done", "rm x"),
    "a loop over names": ("for a in b; do rm x; done", "rm x"),
    "a condition": ("if a; then rm x; fi", "rm x"),
    "a case": ("case a in b) rm x;; esac", "rm x"),
    "double parentheses": ("((a))", "a"),
    "a carriage return": ("git status\r", "git 'status\r'"),
    "an escape": ("echo \x1b[2J", "echo \x1b[2J"),
    "a space that is none": ("git\u00a0status", "git\u00a0status"),
    "a sign that cannot be seen": ("cat a\u200bb", "cat a\u200bb"),
    "a letter that looks like another": ("g\u0456t status", "g\u0456t status"),
    "a wide letter": ("cat \uff41", "cat \uff41"),
    "text turned round": ("echo \u202ea", "echo \u202ea"),
    "an empty name": ("'' x", "'' x"),
    "a name with a space": ("'git status'", "'git status'"),
    "eval": ("eval 'rm x'", "rm x"),
    "source": (". ./x", "x"),
    "a shell": ("bash -lc 'cd a; rm x'", "rm x"),
    "a shell that reads": ("a | sh", "sh"),
    "a shell that reads a dash": ("a | sh -", "sh -"),
    "sudo": ("sudo -u root /bin/rm x", "rm x"),
    "env": ("env -i A=b rm x", "rm x"),
    "env with a text": ("env -S 'rm x'", "rm x"),
    "xargs": ("a | xargs -n 1 rm x", "rm x"),
    "find": ("find . -exec rm {} +", "rm {} +"),
    "find that deletes": ("find . -delete", "find . -delete"),
    "ssh": ("ssh host rm x", "rm x"),
    "busybox": ("busybox rm x", "rm x"),
    "python": ("python3 -c 'x'", "python3 -c x"),
    "python behind an option": ("python -W error -c x", "python -W error -c x"),
    "python in one word": ("python -Ic'x'", "python -Icx"),
    "perl": ("perl -e x", "perl -e x"),
    "node": ("node --eval x", "node --eval x"),
    "node, abbreviated": ("node --ev=x", "node --ev=x"),
    "awk": ("awk 'BEGIN{system(\"rm x\")}'", "awk 'BEGIN{system(\"rm x\")}'"),
    "sed": ("sed -n '1e rm x' a", "sed -n '1e rm x' a"),
    "tar": ("tar xf a --to-command=sh", "tar xf a --to-command=sh"),
    "tar, abbreviated": ("tar xf a --to-c=sh", "tar xf a --to-c=sh"),
    "tar without a dash": ("tar xIf sh a", "tar xIf sh a"),
    "git with a setting": ("git -c alias.x='!rm y' x", "git x"),
    "git elsewhere": ("git -C a push", "git push"),
    "git with a folder": ("git --git-dir a push", "git push"),
    "git that runs": ("git fetch --upload-pack=x", "git fetch --upload-pack=x"),
    "git that rebases and runs": ("git rebase -x rm", "git rebase -x rm"),
    "git with an address that runs": ("git clone 'ext::sh -c x'", "git clone 'ext::sh -c x'"),
    "git's settings": ("git config alias.x y", "git config alias.x y"),
    "git to a file": ("git log --output=x", "git log --output=x"),
    "make with a variable": ("make SHELL=x", "make SHELL=x"),
    "sort to a file": ("sort -o a b", "sort -o a b"),
    "printf into a variable": ("printf -v 'a[$(x)]' b", "printf -v 'a[$(x)]' b"),
    "export": ("export PATH=a", "export PATH=a"),
    "a trap": ("trap 'rm x' EXIT", "rm x"),
    "a command in a wrapper": ("nice sh -c 'rm x'", "rm x"),
    "deep inside": ("eval 'eval \"eval a\"'", "a"),
    "deep in substitutions": ("a " + "$(" * 40 + "b" + ")" * 40, "b"),
    "a calculation in the old way": ('a "$[b=1]"', 'a "$[b=1]"'),
    "a variable that takes a number": ("a {b}>/dev/null", "a"),
    "a substitution in backticks in backticks": ("a `b \\`rm x\\``", "rm x"),
    "a quote in a variable in quotes": ('a "${b:-\'}"; rm x; c "\'}"', "rm x"),
    "a loop over arguments": ("for a do rm x; done", "rm x"),
    "a wrapper's letters joined": ("timeout -vk 1 5 sh -c 'rm x'", "rm x"),
}


@pytest.mark.parametrize(("command", "subjects"), PLAIN.values(), ids=PLAIN)
def test_a_plain_command_is_what_it_says(command: str, subjects: list[str]) -> None:
    """
    Words that stand for themselves give subjects in one way of writing, and nothing else is suspected.
    """
    about = understood(command)

    assert subjects == list(about.subjects)
    assert () == about.surprises


@pytest.mark.parametrize(("command", "subject"), OPAQUE.values(), ids=OPAQUE)
def test_what_may_do_more_is_opaque_and_still_looked_into(command: str, subject: str) -> None:
    """
    The reason is told, and what can be read of it is a subject, so that a denied command is found in it.
    """
    about = understood(command)

    assert about.surprises
    assert subject in about.subjects


@pytest.mark.parametrize("opening", ["$(", '"$(', "${", "<<a\n"])
def test_what_cannot_be_seen_to_its_bottom_is_not_run(opening: str) -> None:
    """
    A denied command could stand there; however deep a person nests commands, it is not that deep.
    """
    with pytest.raises(ToolFailed, match="more than 40 deep"):
        understood(f"a {opening * 100}rm x")


@given(st.lists(st.text("ab'\"\\ $*;~{},\n", min_size=1), min_size=1, max_size=4))
def test_each_plain_word_is_written_so_that_it_is_read_as_itself(words: list[str]) -> None:
    """
    Two commands with other words never give the same subject.
    """
    command = " ".join(["x", *(Word(text=word, raw="").shown for word in words)])
    reading = read(command)

    assert () == reading.surprises
    assert ["x", *words] == [token.text for token in reading.tokens]
    assert (command,) == understood(command).subjects


@needs_bash
@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [*"ab '\"\\$*?[]{}~#!=,.;&|<>()^%-:@/1\t\n", *("''", "{a,b}", "a=~", "..", "$a", "{a}", "@{1}", '"$[1]"')]
        ),
        max_size=9,
    )
)
def test_what_is_called_plain_is_plain_to_bash(pieces: list[str]) -> None:
    """
    Where no word is suspected, bash itself takes the same words from the same text.
    """
    reading = read("x " + "".join(pieces))
    words = [token.text for token in reading.tokens if isinstance(token, Word)]
    assume(not reading.surprises and len(words) == len(reading.tokens))
    with TemporaryDirectory() as folder:
        Path(folder, "a").touch()
        script = "printf '%s\\0' x " + "".join(pieces)
        done = subprocess.run(["/bin/bash", "-c", script], cwd=folder, env={}, capture_output=True, check=True)

    assert words == done.stdout.decode().split("\0")[:-1]


@given(st.text("ab 'm\"\\$`(){}[]<>|&;\n\t#*?~=!-é\r0", max_size=60))
def test_any_text_can_be_taken_apart(command: str) -> None:
    """
    Nothing that a model can send breaks it, and there is always something to decide by.
    """
    assert understood(command).subjects


@given(st.text("ab 'm\"\\$`(){}<>|&;\n#", max_size=30), st.sampled_from(["; rm x", "\nrm x", " && rm x", "| rm x"]))
def test_a_command_at_the_end_is_seen_or_suspected(before: str, denied: str) -> None:
    """
    Whatever stands before it, a command is found, or is part of quotes and comments, or the whole is opaque.
    """
    about = understood(before + denied)
    hidden = "#" in before or "'" in before or '"' in before

    assert "rm x" in about.subjects or about.surprises or hidden


@pytest.mark.parametrize(
    "piece",
    ["$(", "`", "${", "a;", "{", "'\"", "<<a\n", "\\", "a$b ", "((", '"$(', "eval '", "~", "nice ", "for a do "],
)
def test_a_long_command_is_taken_apart_in_time(piece: str) -> None:
    """
    The longest command that is taken, made to be slow, is not.
    """
    with suppress(ToolFailed):  # too deep
        assert understood(piece * (32_000 // len(piece))).subjects
