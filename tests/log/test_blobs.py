"""Content by its hash."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from holdfast.log.blobs import blob_id


@given(st.binary())
def test_the_name_of_content_is_its_hash(data: bytes) -> None:
    """
    `sha256sum` says the same, so anyone can check what lies in the folder.
    """
    assert sha256(data).hexdigest() == blob_id(data)
