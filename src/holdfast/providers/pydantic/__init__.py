"""Models that pydantic-ai knows how to talk to: those of Bedrock, of Mistral, and of services that are not listed.

Loading it takes most of a second, so nobody imports this package before such a model is asked for.
"""
