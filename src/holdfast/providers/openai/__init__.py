"""Models behind OpenAI's APIs, and behind the many services that speak as they do."""
