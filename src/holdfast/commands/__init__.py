"""What a person can ask of a conversation or a store: one implementation for every host."""
