"""What each family of models demands of a request: how one is written, and how one is checked."""
