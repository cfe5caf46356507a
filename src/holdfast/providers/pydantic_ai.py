"""Where `PydanticModel` is found."""

from holdfast.providers.pydantic.model import PydanticModel

__all__ = ["PydanticModel"]
