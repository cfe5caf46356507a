"""A conversation: what its log means, who writes it, where it branches."""
