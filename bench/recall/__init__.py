"""How well questions find what was said: dialogues, their questions, and where the answers stand."""
