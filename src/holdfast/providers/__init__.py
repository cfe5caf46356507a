"""Models, each behind the same protocol."""
