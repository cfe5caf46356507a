"""Gemini, behind Google's generateContent or whatever speaks as it does."""

from holdfast.providers.gemini.model import GeminiModel

__all__ = ["GeminiModel"]
