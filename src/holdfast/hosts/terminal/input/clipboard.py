"""Pictures from the clipboard: read by a program of the desktop, and kept beside what was typed.

A terminal passes on text and no pictures, so a program is asked: `wl-paste` on Wayland, `xclip` on X11, and on macOS
what the system has.
"""

import asyncio
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from holdfast.commands.typed_lines import typed_folder
from holdfast.config.own_files import write_own
from holdfast.errors import BadInput
from holdfast.hosts.terminal.input.paste import LARGEST_MEDIA
from holdfast.records.images import image_type

SECONDS = 10.0
"""How long a program may take: over a slow connection a picture takes its time."""
_OSASCRIPT = 'write (the clipboard as «class PNGf») to (open for access POSIX file "/dev/stdout" with write permission)'
_NOTHING = "The clipboard holds no picture."


def command(environment: Mapping[str, str], platform: str = sys.platform) -> list[str]:
    """The program that writes the picture in the clipboard as PNG. Raises `BadInput` that says what to install."""
    path = environment.get("PATH")
    if platform == "darwin":
        pngpaste = shutil.which("pngpaste", path=path)
        return [pngpaste, "-"] if pngpaste else ["osascript", "-e", _OSASCRIPT]
    wanted = [
        ("WAYLAND_DISPLAY", "wl-paste", "wl-clipboard", ["--no-newline", "--type", "image/png"]),
        ("DISPLAY", "xclip", "xclip", ["-selection", "clipboard", "-target", "image/png", "-out"]),
    ]
    for variable, program, package, arguments in wanted:
        if environment.get(variable):
            found = shutil.which(program, path=path)
            if found is None:
                raise BadInput(f"Pasting a picture needs `{program}`.", hint=f"Install the package {package}.")
            return [found, *arguments]
    raise BadInput("There is no clipboard here: no desktop is reached.", hint="Name the file: @picture.png.")


async def picture(environment: Mapping[str, str]) -> bytes:
    """The picture in the clipboard. Raises `BadInput` if there is none."""
    process = await asyncio.create_subprocess_exec(
        *command(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environment),
    )
    try:
        data, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise BadInput("The clipboard does not answer.", hint="Name the file: @picture.png.") from error
    if not image_type(data):
        raise BadInput(_NOTHING, hint="Copy a picture first, or name a file: @picture.png.")
    if len(data) > LARGEST_MEDIA:
        raise BadInput(f"The picture is {len(data):,} bytes, which is too large to attach.", hint="Copy a part of it.")
    return data


async def keep_picture(environment: Mapping[str, str], session: Path | None) -> str:
    """Keep the picture in the clipboard with what is typed in a session; gives its name there."""
    if session is None:
        raise BadInput("A picture cannot be pasted where nothing is kept.", hint="Name a file: @picture.png.")
    data = await picture(environment)
    return await asyncio.to_thread(_keep, data, typed_folder(session))


def _keep(data: bytes, folder: Path) -> str:
    name = f"clipboard-{1 + len(list(folder.glob('clipboard-*')))}.{image_type(data).partition('/')[2]}"
    write_own(folder / name, data, synced=False)
    return name
