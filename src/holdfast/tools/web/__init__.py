"""The tool that reads pages of the web, and what it may reach."""
