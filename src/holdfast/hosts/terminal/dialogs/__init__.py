"""What a person is asked beside the conversation: choices, questions, sessions that others hold."""
