"""The sentence of a commit that changes reservations, with the trailers that find it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gitmail.values import sentences
from gitmail.values.reservation import Reservation
from gitmail.values.sentences import THREAD, Message


def reserved(one: Reservation) -> Message:
    """Say that somebody holds, or waits for, something new."""
    said = sentences.queued if one.waiting else sentences.reserved
    return _in_threads(said(one.holder, one.targets, [one.id]), [one])


def renewed(holder: str, some: Sequence[Reservation]) -> Message:
    """Say that reservations of one holder last longer."""
    return _in_threads(sentences.renewed(holder, _targets(some), _ids(some)), some)


def released(holder: str, some: Sequence[Reservation]) -> Message:
    """Say what a holder has given up."""
    return _in_threads(sentences.released(holder, _targets(some), _ids(some)), some)


def forced(by: str, one: Reservation) -> Message:
    """Say that a reservation was taken from its holder."""
    return _in_threads(sentences.forced(by, one.holder, one.targets, [one.id]), [one])


def granted(some: Sequence[Reservation]) -> Message:
    """Say whose turn it was in a commit in which only the queue moved."""
    holders = ", ".join(dict.fromkeys(one.holder for one in some))
    return _in_threads(sentences.reserved(holders, _targets(some), _ids(some)), some)


def _in_threads(message: Message, some: Iterable[Reservation]) -> Message:
    threads = dict.fromkeys(one.thread for one in some if one.thread is not None)
    more = tuple((THREAD, thread) for thread in threads)
    return replace(message, trailers=message.trailers + more)


def _targets(some: Iterable[Reservation]) -> list[str]:
    return [target for one in some for target in one.targets]


def _ids(some: Iterable[Reservation]) -> list[str]:
    return [one.id for one in some]
