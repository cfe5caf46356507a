"""Text, Markdown and status lines as a terminal shows them."""
