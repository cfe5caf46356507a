"""Which model answers, why that one, and how it is made."""
