"""Finding what was said, as pure code: text to terms, questions to features, features to a score. No database."""
