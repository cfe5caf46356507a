"""Links that lead in a circle where the store should be.

To most calls such a path looks like one where nothing is yet: a list of sessions would be empty.
"""

import errno
from pathlib import Path

from holdfast.errors import Unreadable


def refuse_circle(root: Path) -> None:
    """Raise `Unreadable` where the path of the store leads to itself."""
    try:
        root.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            hint = "Remove one of the links, or name another folder in HOLDFAST_STORE."
            raise Unreadable(root, "its links lead in a circle", hint=hint) from error
