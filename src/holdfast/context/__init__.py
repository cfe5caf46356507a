"""What the model sees of a conversation: legal, bounded, cheap to cache."""
