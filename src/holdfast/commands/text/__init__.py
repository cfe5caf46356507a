"""Text for people: how wide it is, its blocks, and times, sizes and counts in words."""
