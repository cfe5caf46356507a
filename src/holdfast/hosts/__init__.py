"""Where people and programs meet Holdfast."""
