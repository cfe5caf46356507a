"""The `holdfast` command: looks after sessions from a shell."""
