"""What is written down: parts, entries, and their bytes."""
