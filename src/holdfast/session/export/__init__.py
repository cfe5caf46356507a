"""A conversation as a document for people or programs: pure, one record at a time."""
