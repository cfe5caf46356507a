"""The list and the search index of a file store: derived from the logs, and never in front of them."""
