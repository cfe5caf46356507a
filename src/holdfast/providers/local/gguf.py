"""What a GGUF file says of the model in it: its name, its context length, its chat template.

Only the beginning of the file is read, which the format defines as keys with typed values. A vocabulary
is passed over but for its control tokens: a person who types one of those could forge a message.
"""

import mmap
import os
import struct
from pathlib import Path

from holdfast.errors import ModelError
from holdfast.records.parts import Value

_MAGIC = b"GGUF"
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""How a number of each type is unpacked; 8 is a text, 9 an array."""
_TEXT, _ARRAY = 8, 9
_CONTROL = 3
"""The type of a token that only the chat template may write."""
_MOST = 10_000_000
"""Items of an array; a file that claims more is damaged."""
LEAST_WINDOW, USUAL_WINDOW = 2_048, 32_768


class Gguf(Value, frozen=True, kw_only=True):
    """A model in a file."""

    name: str
    """As in `local:NAME`."""
    window: int
    """Tokens that a conversation may take: its own context length, or as much of it as the memory here holds."""
    takes_tools: bool
    """Whether its chat template can show it tools."""
    control: tuple[str, ...] = ()
    """The tokens that its template tells messages apart by."""


def read_gguf(path: Path) -> Gguf:
    """What a file says of its model. Raises `ModelError` if it is not a GGUF file."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            found = _Reader(data).keys()
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read: {error.strerror or error}.", hint="Check the path in HOLDFAST_WEIGHTS."
        ) from error
    except (ValueError, struct.error, UnicodeDecodeError) as error:
        hint = "HOLDFAST_WEIGHTS names a GGUF file with a model that can chat."
        raise ModelError(f"{path} is not a GGUF file, or it is damaged.", hint=hint) from error
    template = str(found.get("tokenizer.chat_template") or "")
    types, tokens = found.get("tokenizer.ggml.token_type"), found.get("tokenizer.ggml.tokens")
    control: tuple[str, ...] = ()
    if isinstance(types, list) and isinstance(tokens, list):
        control = tuple(
            token for kind, token in zip(types, tokens, strict=False) if kind == _CONTROL and len(token) > 1
        )
    return Gguf(
        name="-".join(str(found.get("general.name") or path.stem).split()) or path.stem,
        window=_window(found),
        takes_tools="tools" in template,
        control=control,
    )


def _window(found: dict[str, object]) -> int:
    """The context length, as far as half of the memory of this machine holds it."""

    def number(name: str) -> int:
        value = found.get(f"{found.get('general.architecture')}.{name}")
        return value if isinstance(value, int) else 0

    length = number("context_length") or USUAL_WINDOW
    heads = number("attention.head_count_kv") or number("attention.head_count")
    of_head = number("embedding_length") // (number("attention.head_count") or 1)
    wide = (number("attention.key_length") or of_head) + (number("attention.value_length") or of_head)
    of_token = 2 * number("block_count") * heads * wide  # llama.cpp keeps two bytes of each number
    if not of_token:
        return min(length, USUAL_WINDOW)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(length, max(LEAST_WINDOW, memory // 2 // of_token))


class _Reader:
    """Goes through the keys at the beginning of a file."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data, self._at = data, 0

    def keys(self) -> dict[str, object]:
        """Every key with its value."""
        if self._take(4) != _MAGIC:
            raise ValueError("no GGUF")
        version, _tensors, count = self._unpack("<IQQ")
        if not 2 <= version <= 3 or count > _MOST:  # noqa: PLR2004 - version 1 had shorter counts
            raise ValueError("unknown version")
        return {self._text(): self._value(self._unpack("<I")[0]) for _ in range(count)}

    def _value(self, kind: int) -> object:
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            of, count = self._unpack("<IQ")
            if count > _MOST:
                raise ValueError("too long")
            if of in _FORMATS:
                return list(self._unpack(f"<{count}{_FORMATS[of]}"))
            return [self._value(of) for _ in range(count)]
        if kind not in _FORMATS:
            raise ValueError("unknown type")
        return self._unpack(f"<{_FORMATS[kind]}")[0]

    def _text(self) -> str:
        return self._take(self._unpack("<Q")[0]).decode(errors="replace")

    def _unpack(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self._take(struct.calcsize(form)))

    def _take(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        if len(found) < size:
            raise ValueError("cut off")
        self._at += size
        return found
