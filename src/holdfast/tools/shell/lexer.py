"""Lexer for shell commands: words and operators, as POSIX and bash read them.

Only as much is understood as is needed to tell words that stand for themselves from words that the
shell computes. What is computed is never computed here: it is marked, and the commands inside it are
handed out, so that a denied one is found there too. What cannot be read is marked as well, and the
reading goes on, for the same reason.
"""

import re
import unicodedata

from holdfast.records.parts import Value


class Word(Value, frozen=True, kw_only=True):
    """One word."""

    text: str
    """What it stands for, quotes taken away."""
    raw: str
    """As it was written."""
    plain: bool = True
    """Whether it stands for itself."""

    @property
    def shown(self) -> str:
        """One way to write each plain word, so that rules need not know the others."""
        if not self.plain:
            return self.raw
        if not self.text or (_SPECIAL.search(self.text) and self.text != "["):
            return "'" + self.text.replace("'", "'\\''") + "'"
        return self.text


class Operator(Value, frozen=True, kw_only=True):
    """What stands between words: `;`, `&&`, `(`, `>` and their like."""

    text: str


Token = Word | Operator
"""One piece of a command."""


class LexedCommand(Value, frozen=True, kw_only=True):
    """A command, read."""

    tokens: tuple[Token, ...]
    surprises: tuple[str, ...]
    """What makes it do more than its words say, in words for a person."""
    inner: tuple[str, ...]
    """Commands inside it: substitutions and the bodies of here-documents."""


_SPECIAL = re.compile(r"""[\s'"\\|&;()<>$`*?\[]|^[~#]|[=:]~|\{(?!(?:(?!\.\.)[\w./+:-])*\}[\w^~:/-]*$)""", re.ASCII)
_SINGLE_BRACES = re.compile(r"\{(?=[\s;]|$)|\{(?:(?!\.\.)[\w./+:-])*\}(?=[\w^~:/-]*(?:[\s;&|<>()]|$))", re.ASCII)
"""Braces that stand for themselves: `{ …; }`, `{}`, `HEAD@{1}`."""
_OPERATOR = re.compile(r"&>>|;;&|<<<|<<-|&>|&&|\|\||\|&|;;|;&|>>|>&|>\||<<|<&|<>|[;&|()<>\n]")
_BARE = re.compile(r"[^\s'\"\\|&;()<>$`*?\[~{#]+")
_DIGITS = re.compile(r"[0-9]+")
_DESCRIPTOR = re.compile(r"\{[A-Za-z_]\w*\}", re.ASCII)
_BACKTICK_ESCAPE = re.compile(r"\\([\\`$])")
_QUOTED = re.compile(r'[^"\\$`]+')
_NAME = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])", re.ASCII)
_BORDERS = re.compile(r"[;&|\n(){}`'\"]+")
"""Where a command may begin, whatever the quotes around it mean."""
_LOOKALIKE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"})
"""Characters that cannot be seen, or that change the one before them."""


def read(text: str) -> LexedCommand:
    """The tokens of a command; never fails."""
    return _Reader(text).read()


class _Reader:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._tokens: list[Token] = []
        self._surprises: dict[str, None] = {}
        self._inner: list[str] = []
        self._documents: list[tuple[str, bool]] = []
        self._awaits_document = ""
        self._start, self._plain, self._open = 0, True, False
        self._pieces: list[str] = []

    def read(self) -> LexedCommand:
        if strange(self._text):
            self._surprises["characters that cannot be seen or look like others"] = None
        while self._at < len(self._text):
            self._step(self._text[self._at])
        self._end_word()
        if self._documents or self._awaits_document:
            self._surprise("a here-document that does not end")
        return LexedCommand(tokens=tuple(self._tokens), surprises=tuple(self._surprises), inner=tuple(self._inner))

    def _step(self, char: str) -> None:
        if char in " \t":
            self._end_word()
            self._at += 1
        elif self._text.startswith("\\\n", self._at):
            self._join_lines()
        elif char == "#" and not self._open:
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
        elif char in "<>" and self._text[self._at + 1 : self._at + 2] == "(":
            self._inside(self._at + 2, ")", "process substitution")
        elif char in "\n;&|()<>":
            self._operator()
        else:
            self._word(char)

    def _word(self, char: str) -> None:
        self._begin()
        match char:
            case "'":
                self._single()
            case '"':
                self._at += 1
                self._double()
            case "\\":
                self._escape()
            case "$" | "`":
                self._expansion(char)
            case "*" | "?" | "[":
                self._take(char, "a pattern of file names" if not self._is_test(char) else "")
            case "~" if not self._pieces or self._pieces[-1][-1:] in {"=", ":"}:
                self._take(char, "`~`, which stands for a home folder")
            case "{" if not _SINGLE_BRACES.match(self._text, self._at):
                self._take(char, "braces that stand for several words")
            case _:
                bare = _BARE.match(self._text, self._at)
                self._take(bare[0] if bare else char)

    def _is_test(self, char: str) -> bool:
        """Whether this is `[` or `[[`, the command."""
        before = self._text[self._start : self._at]
        return char == "[" and before in {"", "["} and self._text[self._at + 1 : self._at + 2] in {" ", "["}

    def _begin(self) -> None:
        if not self._open:
            self._start, self._plain, self._open = self._at, True, True
            self._pieces = []

    def _take(self, text: str, surprise: str = "", *, length: int = 0) -> None:
        """Add to the word what stands for itself, or with a surprise what does not."""
        self._pieces.append(text)
        self._at += length or len(text)
        if surprise:
            self._plain = False
            self._surprise(surprise)

    def _surprise(self, what: str) -> None:
        self._surprises[what] = None

    def _end_word(self) -> None:
        if not self._open:
            return
        word = Word(text="".join(self._pieces), raw=self._text[self._start : self._at], plain=self._plain)
        self._open = False
        if self._awaits_document:
            self._documents.append((word.text, self._awaits_document == "<<-"))
            self._awaits_document = ""
        self._tokens.append(word)

    def _operator(self) -> None:
        if self._open and self._text[self._at] in "<>":
            self._descriptor()
        self._end_word()
        found = _OPERATOR.match(self._text, self._at)
        text = found[0] if found else self._text[self._at]
        self._at += len(text)
        self._tokens.append(Operator(text=text))
        if text in {"<<", "<<-"}:
            self._awaits_document = text
            self._surprise("a here-document")
        elif text == "\n" and self._documents:
            self._skip_documents()

    def _descriptor(self) -> None:
        """A number directly before `<` or `>` is a file descriptor, not an argument; `{PATH}` there sets `PATH`."""
        if _DIGITS.fullmatch(self._text, self._start, self._at):
            self._open = False
        elif _DESCRIPTOR.fullmatch(self._text, self._start, self._at):
            self._open = False
            self._surprise("a variable that is set")

    def _skip_documents(self) -> None:
        for delimiter, tabs in self._documents:
            lines: list[str] = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                line = self._text[self._at : end if end >= 0 else len(self._text)]
                self._at += len(line) + 1
                if (line.lstrip("\t") if tabs else line) == delimiter:
                    break
                lines.append(line)
            else:
                self._surprise("a here-document that does not end")
            self._inner.append("\n".join(lines))
        self._documents.clear()

    def _single(self) -> None:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            self._take(self._text[self._at :], "a quote that does not end")
        else:
            self._take(self._text[self._at + 1 : end], length=end + 1 - self._at)

    def _double(self) -> None:
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == '"':
                self._at += 1
                return
            if char == "\\" and self._text[self._at + 1 : self._at + 2] not in set('$`"\\\n'):
                self._take(char)
            elif char == "\\":
                self._escape()
            elif char in "$`":
                self._expansion(char, quoted=True)
            elif run := _QUOTED.match(self._text, self._at):
                self._take(run[0])
        self._plain = False
        self._surprise("a quote that does not end")

    def _escape(self) -> None:
        following = self._text[self._at + 1 : self._at + 2]
        if following == "\n":
            self._join_lines()
        elif following:
            self._take(following, length=2)
        else:
            self._take("\\", "a backslash at the end")

    def _join_lines(self) -> None:
        self._at += 2
        self._surprise("a line that goes on in the next")

    def _expansion(self, char: str, *, quoted: bool = False) -> None:
        following = self._text[self._at + 1 : self._at + 2]
        if char == "`":
            self._inside(self._at + 1, "`", "command substitution")
        elif following == "(":
            self._inside(self._at + 2, ")", "command substitution")
        elif following == "{":
            self._inside(self._at + 2, "}", "a variable")
        elif following == "[":
            self._inside(self._at + 2, "]", "a calculation")
        elif following in {"'", '"'} and not quoted:
            self._take("", "`$` before a quote", length=1)
            if following == "'":
                self._inside(self._at + 1, "'", "`$` before a quote")
        elif name := _NAME.match(self._text, self._at):
            self._take(name[0], "a variable")
        else:
            self._take("$")

    def _inside(self, start: int, close: str, what: str) -> None:
        """Step over something that the shell computes, and keep the commands in it."""
        self._begin()
        end = _end(self._text, start, close)
        inner = self._text[start:end]
        self._inner.append(_BACKTICK_ESCAPE.sub(r"\1", inner) if close == "`" else inner)
        if close == "}" and ("'" in inner or '"' in inner):  # which of these count depends on where it stands
            self._inner += pieces(inner)
        if end >= len(self._text):
            self._surprise(f"{what} that does not end")
        self._take(self._text[self._at : end + 1], what)


def _end(text: str, start: int, close: str) -> int:
    """Where something opened just before `start` is closed; the end of the text if it is not."""
    opening = {")": "(", "}": "{", "]": "["}.get(close, "")
    depth, quote, at = 1, "", start
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and opening:
            quote = char
        elif char == close:
            depth -= 1
            if not depth:
                return at
        elif char == opening:
            depth += 1
        at += 1
    return len(text)


def pieces(text: str) -> list[str]:
    """What stands between quotes, brackets and operators: where a command may stand in a text of another language."""
    return [each for each in _BORDERS.split(text) if each.strip()]


def strange(text: str) -> bool:
    """Whether some of it cannot be seen, or is another way to write common characters."""
    if text.isascii() and text.isprintable():
        return False
    if any(char not in " \n\t" and unicodedata.category(char) in _LOOKALIKE for char in text):
        return True
    return unicodedata.normalize("NFKC", text) != text
