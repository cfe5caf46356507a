"""How many files this process may have open: a socket is one, and so is each session in use."""

import resource


def raise_limit() -> int:
    """Raise the soft limit of open files to the hard one; gives what it is now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard
