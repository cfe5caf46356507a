"""One chat in a terminal, from its opening to its end."""
