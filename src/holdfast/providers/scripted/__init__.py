"""Models that follow a script, for tests, demonstrations and trying things out without a key."""
