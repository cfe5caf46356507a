"""A model in this process, without a key or a network."""
