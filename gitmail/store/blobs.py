"""Git's name for a file's content, computed without git (gitformat-pack: object names)."""

from __future__ import annotations

import hashlib


def blob_id(data: bytes) -> str:
    """Return the 40 hex digits that git gives a blob with this content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
