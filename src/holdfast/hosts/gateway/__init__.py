"""The gateway: the conversations of one store for browsers, phones and programs."""
