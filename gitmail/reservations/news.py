"""The letter that goes with a change of reservations: to whom something was given or taken.

It is part of the same commit, so nobody gets or loses a reservation without being told; but a
mailbox that takes no letter keeps nobody from releasing. One letter tells all who are concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from gitmail.board.caller import Acting, Caller
from gitmail.board.presence import Presence
from gitmail.errors import Refused
from gitmail.index.agents import agent_by_name
from gitmail.mail.deliver import Addressee, Draft, Sent, delivery_change
from gitmail.reservations.rules import same_agent
from gitmail.store.change import Change
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.ids import new_id
from gitmail.values.reservation import Reservation
from gitmail.values.sentences import MESSAGE_ID
from gitmail.values.text import SUBJECT_LIMIT, shorten

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class News:
    """What happened to others: `granted` to those who waited, `taken` from a holder, and why."""

    granted: Sequence[Reservation] = ()
    taken: Reservation | None = None
    note: str | None = None


class Teller:
    """Adds the letter to the change of one caller; made once a call, for a decision may be redone.

    Attribute `untold` holds the names that could not be told, after the last `with_letter`.
    """

    def __init__(self, store: Store, caller: Caller) -> None:
        self._presence = Presence(store.private)
        self._origin = caller.origin
        self._letter_id = new_id()
        self.untold: tuple[str, ...] = ()

    def with_letter(self, view: View, acting: Acting, change: Change[T], news: News) -> Change[T]:
        """Return `change` together with the letter about `news`; as it is when nobody needs it."""
        concerned = _concerned(news, acting)
        letter = self._letter(view, acting, news, concerned)
        self.untold = tuple(concerned) if letter is None else _left_out(concerned, letter.result)
        if letter is None:
            return change
        trailers = (*change.message.trailers, (MESSAGE_ID, letter.result.letter.id))
        trailers += tuple(("To", name) for name in letter.result.letter.to)
        return replace(
            change,
            files={**letter.files, **change.files},
            message=replace(change.message, trailers=trailers),
        )

    def _letter(
        self, view: View, acting: Acting, news: News, concerned: Iterable[str]
    ) -> Change[Sent] | None:
        """Return the delivery, to all who can be reached."""
        rows = [agent_by_name(view.index, name) for name in concerned]
        agents = [row.agent for row in rows if row is not None and row.agent.retired_at is None]
        addressees = [Addressee(agent) for agent in agents]
        whole = self._try(view, acting, news, addressees)
        if whole is None and len(addressees) > 1:
            able = [one for one in addressees if self._try(view, acting, news, [one])]
            return self._try(view, acting, news, able)
        return whole

    def _try(
        self, view: View, acting: Acting, news: News, addressees: Sequence[Addressee]
    ) -> Change[Sent] | None:
        """Return the delivery; None for nobody, and where a mailbox or a limit refuses it."""
        if not addressees:
            return None
        draft = Draft(
            id=self._letter_id,
            subject=subject_of(news),
            text=text_of(news),
            addressees=addressees,
            thread=_thread(news),
            origin=self._origin,
        )
        try:
            return delivery_change(view, self._presence, acting, draft)
        except Refused:
            return None


def subject_of(news: News) -> str:
    """Return the letter's subject."""
    parts = []
    if news.taken is not None:
        parts.append(f"{_some(news.taken)} was taken from {news.taken.holder}")
    parts += [f"{_some(one)} is now reserved by {one.holder}" for one in news.granted]
    return shorten("; ".join(parts), SUBJECT_LIMIT)


def text_of(news: News) -> str:
    """Return the letter's text: what is whose now, until when, and what to do next."""
    parts = []
    if news.taken is not None:
        parts.append(_taken(news.taken, news.note))
    parts += [_granted(one) for one in news.granted]
    return "\n\n".join(parts)


def _taken(one: Reservation, note: str | None) -> str:
    said = f"\n\n{note}" if note else ""
    return (
        f"The reservation {one.id[:8]} of {one.holder} was released by force:\n\n"
        f"{_listed(one)}{said}\n\n"
        "Before you go on with these files, reserve them again and look at what changed."
    )


def _granted(one: Reservation) -> str:
    kind = "" if one.exclusive else ", shared"
    return (
        f"It is the turn of {one.holder} (reservation {one.id[:8]}{kind}, "
        f"until {one.expires:%Y-%m-%d %H:%M} UTC):\n\n"
        f"{_listed(one)}\n\n"
        "Renew it while the work goes on, release it when it is done."
    )


def _listed(one: Reservation) -> str:
    return "\n".join(f"    {target}" for target in one.targets)


def _some(one: Reservation) -> str:
    more = len(one.targets) - 1
    return one.targets[0] + (f" and {more} more" if more else "")


def _thread(news: News) -> str | None:
    """Return the conversation that all of it belongs to, None where there are several."""
    about = [*news.granted, *([news.taken] if news.taken is not None else [])]
    threads = {one.thread for one in about}
    return threads.pop() if len(threads) == 1 else None


def _concerned(news: News, acting: Acting) -> list[str]:
    """Return the names to tell, each once, without the one who acts."""
    names = [one.holder for one in news.granted]
    if news.taken is not None:
        names.insert(0, news.taken.holder)
    return [name for name in dict.fromkeys(names) if not same_agent(name, acting.agent.name)]


def _left_out(concerned: Iterable[str], sent: Sent) -> tuple[str, ...]:
    reached = [receipt.recipient.name for receipt in sent.receipts]
    return tuple(
        name for name in concerned if not any(same_agent(name, other) for other in reached)
    )
