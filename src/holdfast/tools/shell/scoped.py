"""A program that starts another, which cannot connect to abstract sockets of other programs.

Such sockets have no path, so no mount hides them: they belong to the network, and are reached as soon as a command
has it. Some of them take orders from anybody (X11, containerd). From Linux 6.12 on, Landlock shuts them off, and
a program can still use its own. On older kernels no Unix socket can be opened at all then, by a seccomp filter.

It is run as a file, with the standard library alone: `python scoped.py PROGRAM ARGUMENTS…`.
"""

import ctypes
import os
import platform
import struct
import sys

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_VERSION, _SCOPE_ABSTRACT, _FIRST_WITH_SCOPES = 1, 1, 6
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2

_LOAD, _AND, _EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 97  # the last is EAFNOSUPPORT
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_UNIX, _STREAM, _TYPES = 1, 1, 0xF

_MACHINES = {
    "x86_64": {0xC000003E: (41, 53), 0x40000003: (359, 360)},
    "aarch64": {0xC00000B7: (198, 199), 0x40000028: (281, 288)},
}
"""By architecture the numbers of `socket` and `socketpair`; the second is that of 32-bit programs."""
_SOCKETCALL, _X32 = 102, 0x40000000


def main(command: list[str]) -> None:
    """Shut abstract sockets off, and become the command."""
    library = ctypes.CDLL(None, use_errno=True)
    _check(library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    old = command[:1] == ["--filter"]
    if not old and library.syscall(_CREATE_RULESET, None, 0, _VERSION) >= _FIRST_WITH_SCOPES:
        attributes = struct.pack("QQQ", 0, 0, _SCOPE_ABSTRACT)
        rules = _check(library.syscall(_CREATE_RULESET, attributes, len(attributes), 0))
        _check(library.syscall(_RESTRICT_SELF, rules, 0))
        os.close(rules)
    elif platform.machine() in _MACHINES:
        code = _program(_MACHINES[platform.machine()])
        buffer = ctypes.create_string_buffer(code)
        _check(library.prctl(_SECCOMP, _FILTER, struct.pack("HL", len(code) // 8, ctypes.addressof(buffer)), 0, 0))
    else:
        sys.exit("With the network on, this kernel cannot keep commands from the sockets of other programs.")
    os.execv(command[old], command[old:])  # noqa: S606 - what it is for


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _program(numbers: dict[int, tuple[int, int]]) -> bytes:
    """What refuses to open Unix sockets, except for pairs of streams, which lead nowhere else."""
    (native, (socket, pair)), (small, (small_socket, small_pair)) = numbers.items()
    refused = [_jump(_RETURN, _REFUSE)]
    lines = [
        *_if(_ARCHITECTURE, native, _sockets(socket, pair) + _sockets(socket | _X32, pair | _X32)),
        *_if(_ARCHITECTURE, small, _sockets(small_socket, small_pair) + _if(_NUMBER, _SOCKETCALL, refused)),
        _jump(_RETURN, _ALLOW),
    ]
    return b"".join(lines)


def _sockets(socket: int, pair: int) -> list[bytes]:
    refused = [_jump(_RETURN, _REFUSE)]
    streams = [_jump(_LOAD, _SECOND), _jump(_AND, _TYPES), _jump(_EQUAL, _STREAM, 1, 0), *refused]
    return _if(_NUMBER, socket, _if(_FIRST, _UNIX, refused)) + _if(_NUMBER, pair, _if(_FIRST, _UNIX, streams))


def _if(field: int, value: int, then: list[bytes]) -> list[bytes]:
    return [_jump(_LOAD, field), _jump(_EQUAL, value, 0, len(then)), *then]


def _jump(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("HBBI", code, true, false, value)


if __name__ == "__main__":
    main(sys.argv[1:])
