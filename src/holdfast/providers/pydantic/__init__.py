"""Models that pydantic-ai knows how to talk to: Anthropic, Gemini, Bedrock, Mistral and their like.

Loading it takes most of a second, so nobody imports this package before such a model is asked for.
"""
