"""The chat in a terminal: an input that is always there, and everything else printed above it."""
