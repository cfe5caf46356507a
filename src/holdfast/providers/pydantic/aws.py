"""A client for Bedrock that tries once.

The one pydantic-ai makes tries five times, unseen, and takes no setting for it.
"""

import boto3  # type: ignore[import-untyped]
from botocore import config, exceptions, session, tokens  # type: ignore[import-untyped]
from pydantic_ai.providers import Provider
from pydantic_ai.providers.bedrock import BedrockProvider

from holdfast.errors import Refused

_ONCE = config.Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=300)


def provider(key: str, base_url: str | None) -> Provider[object]:
    """Bedrock by its key, or else by the AWS credentials the machine has."""
    settings = _ONCE.merge(config.Config(signature_version="bearer")) if key else _ONCE
    opened = boto3.Session(botocore_session=_Bearer(key) if key else None)
    try:
        client = opened.client("bedrock-runtime", config=settings, endpoint_url=base_url)
    except exceptions.NoRegionError as error:
        raise Refused("Bedrock needs a region.", hint="Set AWS_DEFAULT_REGION, as in us-east-1.") from error
    return BedrockProvider(bedrock_client=client)


class _Bearer(session.Session):  # type: ignore[misc]
    """A session that shows a key instead of signing."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def get_auth_token(self, **_: object) -> tokens.FrozenAuthToken:
        return tokens.FrozenAuthToken(self._key)

    def get_credentials(self) -> None:
        return None
