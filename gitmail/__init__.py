"""gitmail: mail and memory for coding agents, kept as Markdown in a git repository.

    import gitmail

    with gitmail.open("path/to/project", agent="BlueLake") as mailbox:
        mailbox.send(["GreenCastle"], "Auth refactor", "It needs your review.")
        for delivery in mailbox.inbox():
            print(delivery.letter.sender, delivery.letter.subject)
            mailbox.acknowledge(delivery.letter.id)

Importing the package loads nothing else: each name below is fetched when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gitmail.api import Mailbox, open
    from gitmail.errors import (
        BrokenFile,
        GitmailError,
        InvalidInput,
        NotFound,
        Refused,
        StoreBusy,
        StoreUnavailable,
    )
    from gitmail.values.agent import Agent
    from gitmail.values.letter import Delivery, Letter, Marks

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BrokenFile",
    "Delivery",
    "GitmailError",
    "InvalidInput",
    "Letter",
    "Mailbox",
    "Marks",
    "NotFound",
    "Refused",
    "StoreBusy",
    "StoreUnavailable",
    "__version__",
    "open",
]

_HOMES = {
    "Mailbox": "gitmail.api",
    "open": "gitmail.api",
    "Agent": "gitmail.values.agent",
    "Delivery": "gitmail.values.letter",
    "Letter": "gitmail.values.letter",
    "Marks": "gitmail.values.letter",
}


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    if name not in __all__:
        raise AttributeError(f"module 'gitmail' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES.get(name, "gitmail.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
