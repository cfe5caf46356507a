"""Slash commands, the same in every host: they return values, and print nothing."""
