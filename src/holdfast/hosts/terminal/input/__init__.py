"""The input line: keys, pastes, completion, and what was typed and not sent."""
