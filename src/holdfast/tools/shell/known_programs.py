"""Known programs that do more than their name says.

Two kinds: programs that start others or run code whatever they are told, and programs that do so, or
write files, when given certain options. Options are known by any abbreviation, as programs know them.
The list is never complete, which is why nothing is allowed by a list: only by a rule of the user.
"""

import re
from collections.abc import Sequence

from holdfast.records.parts import Value


class Wrapper(Value, frozen=True, kw_only=True):
    """A program that starts another and does nothing else of note."""

    valued: tuple[str, ...] = ()
    """Options that take the next argument."""
    operands: int = 0
    """Arguments before the command."""


WRAPPERS = {
    "catatonit": Wrapper(),
    "chdir": Wrapper(operands=1),  # as `cmake -E` has it
    "command": Wrapper(),
    "dumb-init": Wrapper(valued=("-r", "--rewrite")),
    "nice": Wrapper(valued=("-n", "--adjustment")),
    "nohup": Wrapper(),
    "s6-setuidgid": Wrapper(operands=1),
    "stdbuf": Wrapper(valued=("-i", "-o", "-e", "--input", "--output", "--error")),
    "time": Wrapper(valued=("-f", "-o", "--format", "--output")),
    **dict.fromkeys(("tini", "tini-static"), Wrapper(valued=("-p", "-e"))),
    "timeout": Wrapper(valued=("-k", "-s", "--kill-after", "--signal"), operands=1),
}
"""Looked through: what they start is a subject beside them."""


class Options(Value, frozen=True, kw_only=True):
    """Options with which a program runs something else, or writes somewhere else."""

    long: tuple[str, ...] = ()
    short: str = ""
    """Letters, alone or among others."""
    words: tuple[str, ...] = ()
    """Beginnings of arguments."""


_RUN_OTHERS = frozenset(
    # builtins that run text, or change what later words mean
    "eval exec source . trap alias unalias enable hash bind builtin complete compgen declare typeset local readonly "
    "export let read mapfile readarray getopts unset shopt fc coproc "
    # programs that start others
    "env sudo doas su runuser pkexec xargs parallel ssh watch script scriptreplay strace ltrace gdb lldb perf nsenter "
    "unshare chroot setsid setarch setpriv capsh flock systemd-run at batch crontab ionice chrt taskset numactl "
    "busybox toybox tmux screen expect socat nc ncat netcat telnet docker podman kubectl pnpx bunx uvx pipx entr "
    "start-stop-daemon run-parts unbuffer dbus-launch dbus-run-session xvfb-run proot fakeroot bwrap firejail prlimit "
    "choom coreutils linux32 linux64 catchsegv valgrind rlwrap chronic ifne hyperfine watchexec caffeinate sg newgrp "
    "runcon gosu su-exec chpst setuidgid sshpass autossh ssh-agent rsh proxychains proxychains4 torsocks direnv "
    "nix-shell systemd-inhibit systemd-nspawn machinectl jshell lftp fzf ldd "
    # programs whose arguments are programs
    "awk mawk nawk sed ed ex vi vim nvim view vimdiff rvim rview emacs nano less more most man info m4 dc "
    "osascript tclsh wish guile sqlite3 psql mysql mariadb gnuplot octave".split()
)
_SHELL = re.compile(r"(?:[abdkoz]|ba|c|da|fi|lk|mk|pdk|po|rba|tc|xon|ya)?sh[0-9.]*|elvish|nu|pwsh")
_LOADER = re.compile(r"ld(?:64)?(?:-[\w.-]+)?\.so[0-9.]*")
"""With what the system starts programs; called itself, it starts any."""
_INTERPRETER = re.compile(
    rf"{_SHELL.pattern}|i?python[0-9.]*|pypy[0-9.]*|perl[0-9.]*|"
    r"ruby[0-9.]*|node|nodejs|deno|bun|php[0-9.]*|lua[0-9.]*|luajit|R|Rscript|julia|ghci|scala|groovy|irb"
)
_INLINE_LETTERS = {
    **dict.fromkeys(("python", "pypy"), "ci"),
    **dict.fromkeys(("sh", "bash", "dash", "ksh", "zsh"), "cis"),
}
_ANY_INLINE_LETTERS = "BEFMRcdeilprs"
_INPUT = re.compile(r"(?:\./)*(?:/|\.\./)(?:\.{0,2}/)*(?:dev|proc)/.*")
"""What stands for the output of the command before it."""
_INLINE = Options(
    long=(
        *("--eval", "--print", "--command", "--require", "--import", "--init-file", "--rcfile", "--interactive"),
        *("--loader", "--experimental-loader", "--env-file", "--openssl-config", "--snapshot-blob", "--run"),
        *("--env-file-if-exists", "--experimental-config-file", "--experimental-default-config-file"),
        *("--test-reporter", "--test-global-setup", "--test-reporter-destination"),
        *("--cpu-prof-dir", "--heap-prof-dir", "--diagnostic-dir", "--report-directory", "--redirect-warnings"),
        *("--trace-event-file-pattern", "--tls-keylog"),
    ),
    words=("eval", "repl"),
)
_GIT = Options(
    long=(
        *("--upload-pack", "--receive-pack", "--exec", "--extcmd", "--ext-diff", "--open-files-in-pager"),
        *("--output", "--output-directory", "--config", "--template", "--unsafe-paths"),
        *("--export-marks", "--import-marks", "--import-marks-if-exists", "--export-pack-edges"),
        *("--separate-git-dir", "--build-fake-ancestor", "--index-output"),
    ),
)
_GIT_LETTERS = {
    **dict.fromkeys(("archive", "bugreport", "diagnose", "format-patch", "index-pack", "mailsplit"), "o"),
    "clone": "cu",
    "grep": "O",
    "rebase": "x",
}
_GIT_COMMANDS = frozenset(
    "bisect config credential credential-cache credential-store cvsserver daemon difftool filter-branch filter-repo "
    "for-each-repo help hook instaweb maintenance merge-index mergetool remote-ext remote-fd send-email shell "
    "submodule web--browse".split()
)
_FROM_FILE = "@"
"""`@name`: more arguments, from a file."""
_COMPILER = Options(
    words=(
        *("-wrapper", "-fplugin", "-fpass-plugin", "-B", "-specs", "--specs", "-fuse-ld", "--ld-path", "-load"),
        *("-Wl,", "-Xlinker", "-Xclang", "--config", _FROM_FILE),
    )
)
_PACKAGES = Options(
    long=("--prefix", "--dir", "--cwd", "--script-shell", "--node-options", "--userconfig", "--globalconfig"), short="C"
)
_APT = Options(long=("--option", "--config-file"), short="oc")
_GO = (
    *(
        "exec",
        "toolexec",
        "vettool",
        "overlay",
        "C",
        "ldflags",
        "gcflags",
        "gccgoflags",
        "asmflags",
        "modfile",
        "pkgdir",
    ),
    *("o", "w", "blockprofile", "coverprofile", "cpuprofile", "memprofile", "mutexprofile", "trace", "test."),
)
"""Options of go, which takes them with one dash or two, and never shortened."""
_OPENSSL = ("config", "engine", "keyout", "out", "provider", "sess_out", "writerand")
_PYTEST = Options(
    long=(
        *("--config-file", "--rootdir", "--confcutdir", "--override-ini", "--basetemp", "--junitxml", "--junit-xml"),
        *("--log-file", "--pdbcls", "--debug", "--cov-config"),
    ),
    short="cpo",
    words=(_FROM_FILE,),
)
_FD = Options(long=("--exec", "--exec-batch"), short="xX")
_OPTIONS = {
    "find": Options(words=("-exec", "-ok", "-delete", "-fprint", "-fls")),
    **dict.fromkeys(
        ("apt", "apt-cache", "apt-get", "aptitude"), Options(long=("--option", "--config-file"), short="oc")
    ),
    **dict.fromkeys(
        ("ar", "ld", "nm", "objdump", "ranlib", "strip"), Options(long=("--plugin",), words=("-plugin", _FROM_FILE))
    ),
    "cargo": Options(long=("--config", "--manifest-path", "--target-dir", "--artifact-dir", "--out-dir"), short="CZ"),
    **dict.fromkeys(("ack", "ag", "bat", "batcat", "delta"), Options(long=("--pager", "--output"))),
    **dict.fromkeys(("diff3", "sdiff"), Options(long=("--diff-program", "--output"), short="o")),
    "cpio": Options(long=("--rsh-command",)),
    "curl": Options(
        long=(
            *("--output", "--output-dir", "--remote-name", "--remote-name-all", "--config", "--cookie-jar", "--stderr"),
            *("--dump-header", "--trace", "--trace-ascii", "--libcurl", "--etag-save", "--hsts", "--alt-svc"),
            "--engine",
        ),
        short="oOKcD",
    ),
    "fd": _FD,
    "fdfind": _FD,
    **dict.fromkeys(("cc", "c++", "gcc", "g++", "clang", "clang++"), _COMPILER),
    "dpkg": Options(long=("--pre-invoke", "--post-invoke", "--root", "--instdir", "--admindir")),
    "eslint": Options(
        long=(
            *("--config", "--format", "--output-file", "--parser", "--plugin", "--rulesdir"),
            "--resolve-plugins-relative-to",
        ),
        short="cfo",
    ),
    "flake8": Options(long=("--config", "--append-config", "--output-file")),
    "go": Options(words=tuple(f"{dashes}{each}" for dashes in ("-", "--") for each in _GO)),
    "gradle": Options(
        long=("--init-script", "--project-dir", "--include-build", "--gradle-user-home", "--project-cache-dir"),
        short="Ipg",
    ),
    "history": Options(short="anrw"),
    "jobs": Options(short="x"),
    "make": Options(long=("--eval", "--file", "--makefile", "--directory", "--include-dir"), short="fECI"),
    **dict.fromkeys(("jest", "vitest"), Options(long=("--config", "--globalSetup", "--rootDir", "--root"), short="cr")),
    "mypy": Options(long=("--config-file", "--python-executable", "--cache-dir")),
    "ninja": Options(short="Cf"),
    "nix": Options(long=("--command",), short="c", words=("run", "shell", "develop", "eval", "repl", "bundle")),
    "npm": _PACKAGES,
    "openssl": Options(
        words=("engine", *(f"{dashes}{each}" for dashes in ("-", "--") for each in _OPENSSL)),
    ),
    "pandoc": Options(long=("--filter", "--lua-filter", "--pdf-engine", "--output"), short="FLo"),
    "pnpm": _PACKAGES,
    "printf": Options(short="v"),
    "prettier": Options(long=("--config", "--plugin")),
    **dict.fromkeys(("pytest", "py.test"), _PYTEST),
    "pylint": Options(long=("--init-hook", "--load-plugins", "--rcfile")),
    "rg": Options(long=("--pre", "--hostname-bin")),
    "rsync": Options(long=("--rsh", "--rsync-path"), short="e"),
    "scp": Options(short="SoF"),
    "set": Options(short="kH", words=("keyword", "histexpand")),
    "sftp": Options(short="SoFb"),
    "sort": Options(long=("--compress-program", "--output"), short="o"),
    "ssh-add": Options(short="sS"),
    "ssh-keygen": Options(short="Dw"),
    "split": Options(long=("--filter",)),
    **dict.fromkeys(
        ("svn", "svnlook"),
        Options(long=("--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-dir", "--config-option")),
    ),
    "tar": Options(
        long=(
            *("--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--rmt-command"),
            *("--info-script", "--new-volume-script"),
        ),
        short="IF",
    ),
    "test": Options(short="vR"),
    "[": Options(short="vR"),
    "tcpdump": Options(short="zw"),
    "wait": Options(short="p"),
    "wget": Options(
        long=(
            *("--execute", "--use-askpass", "--output-document", "--output-file", "--append-output", "--config"),
            *("--directory-prefix", "--save-cookies", "--warc-file", "--hsts-file"),
        ),
        short="eOoaP",
    ),
    "uv": Options(words=("tool",)),
    "yarn": _PACKAGES,
    "zip": Options(long=("--unzip-command", "--test"), short="T"),
}
_OTHERWISE = {
    **{
        f"g{name}": name for name in "awk env find make nice nohup sed sort split stdbuf tar time timeout xargs".split()
    },
    "bsdtar": "tar",
}
"""How programs are called where a system has another of the name."""
_SHORTEST = 3
"""`--` and one letter is the shortest abbreviation."""


def is_shell(name: str) -> bool:
    """Whether a program reads commands where it is given nothing else to do."""
    return _SHELL.fullmatch(name) is not None


def usual(name: str) -> str:
    """The name under which a program is known here."""
    return _OTHERWISE.get(name, name)


def hazard(name: str, arguments: Sequence[str]) -> str:
    """Why a program with these arguments may do more than it says; '' if it does not."""
    if name in _RUN_OTHERS or _LOADER.fullmatch(name):
        return f"`{name}`, which runs or changes other commands"
    if _INTERPRETER.fullmatch(name):
        if _inline(name, arguments):
            return f"code that `{name}` gets in the command"
        at = arguments.index("-m") + 1 if "-m" in arguments else len(arguments)
        return hazard(arguments[at], arguments[at + 1 :]) if at < len(arguments) else ""
    if name == "make" and any("=" in argument and not argument.startswith("-") for argument in arguments):
        return "a variable of `make`"
    options = _OPTIONS.get(name)
    listed = options is not None and any(_is(argument, options) for argument in arguments)
    if listed or (name == "git" and _git(arguments)) or (name == "tar" and _old_tar(arguments)):
        return f"an option of `{name}` that runs or writes something else"
    return ""


def _inline(name: str, arguments: Sequence[str]) -> bool:
    """Whether an interpreter gets its program in the command, or from the command before it."""
    letters = _INLINE_LETTERS.get(name.rstrip("0123456789."), _ANY_INLINE_LETTERS)
    scripts = [argument for argument in arguments if not argument.startswith("-")]
    if not scripts or "-" in arguments or any(map(_INPUT.fullmatch, arguments)):
        return True
    return any(_is(each, _INLINE) or _has(each, letters) for each in arguments)


def _git(arguments: Sequence[str]) -> bool:
    """Whether git may run or write something else; options before its command can set anything."""
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    early = bool(arguments) and arguments[0].startswith("-") and arguments[0] not in {"--version", "--no-pager"}
    letters = _GIT_LETTERS.get(command, "")
    if early or command in _GIT_COMMANDS or any("ext::" in each for each in arguments):
        return True
    return any(_is(each, _GIT) or _has(each, letters) for each in arguments)


def _old_tar(arguments: Sequence[str]) -> bool:
    """Whether the first argument of tar, which needs no dash, has a letter of an option."""
    return bool(arguments) and _has(f"-{arguments[0]}", _OPTIONS["tar"].short)


def _has(argument: str, letters: str) -> bool:
    single = argument.startswith("-") and not argument.startswith("--")
    return single and any(letter in argument[1:] for letter in letters)


def _is(argument: str, options: Options) -> bool:
    option = argument.split("=", 1)[0]
    abbreviated = len(option) >= _SHORTEST and any(each.startswith(option) for each in options.long)
    return abbreviated or _has(argument, options.short) or argument.startswith(options.words)
