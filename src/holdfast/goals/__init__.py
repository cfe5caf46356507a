"""Goals: work that goes on by itself until it is done, and that a person can always see, steer and stop."""
