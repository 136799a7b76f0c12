"""Registration tokens: how a process that speaks for somebody else proves that it may.

A token is shown once, when it is issued; the store keeps its hash, in private state, readable by
the owner of the store only. (Tokens are long and random, so a plain hash gives nothing away.)
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress

from gitmail.store.private import PrivateState
from gitmail.values.names import fold

_PREFIX = "gitmail-"


class Credentials:
    """The registration tokens of one store."""

    def __init__(self, private: PrivateState) -> None:
        self._root = private.credentials

    def issue(self, name: str) -> str:
        """Return a new token for the agent `name`; tokens issued before go on working.

        Raises OSError on a store that cannot be written.
        """
        token = _PREFIX + secrets.token_urlsafe(24)
        os.makedirs(self._root, mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self._root / fold(name), flags, 0o600)
        with os.fdopen(descriptor, "a", encoding="ascii") as file:
            file.write(_hash(token) + "\n")
        return token

    def accepts(self, name: str, token: str) -> bool:
        """Tell whether `token` was issued for the agent `name`."""
        wanted = _hash(token)
        known: list[str] = []
        with suppress(OSError, UnicodeDecodeError):
            known = (self._root / fold(name)).read_text(encoding="ascii").split()
        return any(hmac.compare_digest(wanted, one) for one in known)

    def owner(self, token: str) -> str | None:
        """Return the (folded) name of the agent that `token` was issued for, None for no token."""
        try:
            names = sorted(os.listdir(self._root))
        except OSError:
            return None
        found = [name for name in names if self.accepts(name, token)]
        return found[0] if found else None

    def issued(self, name: str) -> bool:
        """Tell whether any token of the agent `name` is worth something."""
        with suppress(OSError):
            return os.stat(self._root / fold(name)).st_size > 0
        return False

    def revoke(self, name: str) -> None:
        """Make every token of the agent `name` worthless."""
        with suppress(FileNotFoundError):
            os.unlink(self._root / fold(name))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
