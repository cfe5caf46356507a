"""Logs in files that a person can read."""
