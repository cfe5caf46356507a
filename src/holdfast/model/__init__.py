"""What a model is asked and what it answers, whoever provides it."""
