"""Text in roles, broken into lines."""

from holdfast.hosts.terminal.draw.spans import wrapped_text


def test_a_command_between_backticks_stays_whole() -> None:
    """
    Broken between lines, it would be another command where it is pasted; only one that is too long is broken.
    """
    assert ["To add it,", "type", "`a b c`."] == wrapped_text("To add it, type `a b c`.", 10)
    assert ["type `x a", "b c d e", "f`."] == wrapped_text("type `x a b c d e f`.", 10)
