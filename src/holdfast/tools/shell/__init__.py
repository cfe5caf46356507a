"""The shell, what its commands are about, and the sandbox that they run in."""
