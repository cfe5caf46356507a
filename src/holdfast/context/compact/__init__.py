"""Compaction: less to show, and nothing lost, because the log keeps every word."""
