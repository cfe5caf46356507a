"""Claude, behind Anthropic's Messages API or whatever speaks as it does."""

from holdfast.providers.anthropic.model import AnthropicModel

__all__ = ["AnthropicModel"]
