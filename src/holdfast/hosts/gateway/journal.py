"""What the gateway tells whoever runs it: one line an event, which nothing that a client sends can forge."""

import sys
from datetime import UTC, datetime

from holdfast.records.printable import printable_line

LONGEST = 200


class Journal:
    """Lines on standard error."""

    def note(self, event: str, **said: object) -> None:
        """Tell of an event; what comes from outside is shown on one line, without control characters."""
        pieces = [f"{name}={printable_line(str(value), LONGEST)!r}" for name, value in said.items()]
        now = datetime.now(UTC)
        print(f"{now:%Y-%m-%dT%H:%M:%SZ} {event}", *pieces, file=sys.stderr, flush=True)
