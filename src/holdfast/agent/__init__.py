"""The agent: one turn after the other, each step in the log before the next one begins."""
