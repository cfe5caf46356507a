"""What is remembered from one session to the next: drawn from people's words, shown, corrected and forgotten."""
