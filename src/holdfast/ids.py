"""Typed identifiers: a position is never mistaken for a count, nor a key for a title."""

from typing import NewType

SessionKey = NewType("SessionKey", str)
"""What a session is called by those who open it: any non-empty string."""

Position = NewType("Position", int)
"""Where an entry stands in its log, counted from 0."""

CallId = NewType("CallId", str)
"""The model's name for one tool call."""

ClientId = NewType("ClientId", str)
"""A client's own name for a message, so that a resend is not said twice."""

BlobId = NewType("BlobId", str)
"""The SHA-256 of an attachment's bytes, in hexadecimal."""

FactId = NewType("FactId", str)
"""What a remembered fact is called: `F` and a short hash of where it was written down."""
