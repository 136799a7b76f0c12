"""Who acts at a shell: the order in which a name is looked for (docs/architecture.md, identity).

A name that somebody gave (an option, the environment, the checkout's git config) counts above the
git user, who is a person. Everything here is told what it decides from; only entry points read
the environment. (A server, which speaks for one agent all along, has an order of its own.)
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from gitmail.values.names import check_agent_name, fold, name_from_person

if TYPE_CHECKING:
    from gitmail.board.caller import Caller

AGENT_KEY = "gitmail.agent"
"""The key of the project's git config that holds the checkout's lasting name."""
PERSON_FALLBACK = "Person"


class Source(StrEnum):
    """Where a name comes from, strongest first."""

    ARGUMENT = "argument"
    ENVIRONMENT = "environment"
    CHECKOUT = "checkout"
    PERSON = "person"


class Identity(NamedTuple):
    """A name and where it comes from; nobody needs to be registered under it yet."""

    name: str
    source: Source

    @property
    def person(self) -> bool:
        """True for the git user, who is a person and not an agent."""
        return self.source is Source.PERSON

    def caller(self, maintainers: Sequence[str] = ()) -> Caller:
        """Return the caller of this name; its first write registers it under a new id.

        Letters count as a maintainer's only from the person at the shell, and only when
        `maintainers` (gitmail.toml) lists that name.
        """
        from gitmail.board.caller import Caller  # whoever only looks around needs none
        from gitmail.values.ids import new_id

        listed = fold(self.name) in {fold(name) for name in maintainers}
        origin = "maintainer" if self.person and listed else "agent"
        return Caller(self.name, new_id(), person=self.person, origin=origin)


def identify(
    *,
    argument: str | None = None,
    environment: str | None = None,
    checkout: str | None = None,
    git_user: str | None = None,
    login: str | None = None,
) -> Identity:
    """Return who acts; unset and blank count as not given.

    `argument` is an option of the command line, `environment` the value of GITMAIL_AGENT,
    `checkout` the git config's gitmail.agent, `git_user` git's user.name, `login` the name of the
    account. Raises InvalidInput `invalid_agent` for a given name that nobody can have.
    """
    given = (
        (Source.ARGUMENT, argument),
        (Source.ENVIRONMENT, environment),
        (Source.CHECKOUT, checkout),
    )
    for source, name in given:
        if name is not None and name.strip():
            return Identity(check_agent_name(name.strip(), "agent"), source)
    return Identity(person_name(git_user, login), Source.PERSON)


def person_name(git_user: str | None, login: str | None = None) -> str:
    """Return the name of the person at the shell: the git user's, else the login name's."""
    for name in (git_user, login):
        if name is not None and name.strip():
            return name_from_person(name, PERSON_FALLBACK)
    return PERSON_FALLBACK
