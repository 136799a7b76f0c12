"""What a commit says: a sentence for people, trailers for machines.

Each kind of change writes its own sentence. A sentence stays on one line of about 72 columns and
holds no control characters, so nothing anybody wrote can forge a trailer. Blind copies are named
nowhere: the sentence of a letter is made of its visible header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gitmail.values.letter import Letter
from gitmail.values.text import columns, shorten

COLUMNS = 72
MESSAGE_ID = "Message-Id"
MEMORY_ID = "Memory-Id"
UNDOES = "Undoes"
THREAD = "Thread"
CODE_THREAD = "Gitmail-Thread"
"""In a commit of the code: the conversation of the store that it belongs to."""

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*): (.*)")
_NAMED = 2
_LEAST_SUBJECT = 16

Trailers = tuple[tuple[str, str], ...]
LetterRef = tuple[str, str]
"""A letter's id and subject."""


@dataclass(frozen=True, slots=True)
class Message:
    """A commit's message: one sentence, then trailers as (key, value) in order."""

    subject: str
    trailers: Trailers = ()


def render(message: Message) -> str:
    """Return the message as git stores it, ending in one line feed."""
    lines = [shorten(_one_line(message.subject), COLUMNS)]
    if message.trailers:
        lines.append("")
        lines += [f"{key}: {_one_line(value)}" for key, value in message.trailers]
    return "\n".join(lines) + "\n"


def parse_trailers(message: str) -> dict[str, list[str]]:
    """Return the trailers of a commit message: the last paragraph, when all of it is `Key: value`.

    A subject line is never taken for a trailer.
    """
    paragraphs = re.split(r"\n[ \t]*\n", message.strip("\n"))
    found: dict[str, list[str]] = {}
    if len(paragraphs) < 2:
        return found
    for line in paragraphs[-1].splitlines():
        match = _TRAILER.fullmatch(line)
        if match is None:
            return {}
        found.setdefault(match[1], []).append(match[2])
    return found


def mail(letter: Letter) -> Message:
    """`mail: BlueLake -> GreenCastle: Auth refactor needs your review`."""
    trailers = [(MESSAGE_ID, letter.id)]
    trailers += [("To", name) for name in letter.to]
    trailers += [("Cc", name) for name in letter.cc]
    if letter.thread is not None:
        trailers.append(("Thread", letter.thread))
    start = f"mail: {letter.sender} -> {_some((*letter.to, *letter.cc))}: "
    return Message(_with_tail(start, letter.subject), tuple(trailers))


def adopted(owner: str, letter: Letter) -> Message:
    """`mail: found in GreenCastle's inbox: Auth refactor`: a letter some program put there."""
    start = f"mail: found in {owner}'s inbox: "
    return Message(_with_tail(start, letter.subject), ((MESSAGE_ID, letter.id),))


def received(reader: str, letters: Sequence[LetterRef]) -> Message:
    """`receive: GreenCastle was given 3 letters`: first shown, still unread."""
    return _marks("receive", reader, "was given", letters)


def read(reader: str, letters: Sequence[LetterRef]) -> Message:
    """`read: GreenCastle read 3 letters`, or the subject of the one."""
    return _marks("read", reader, "read", letters)


def acknowledged(reader: str, letters: Sequence[LetterRef]) -> Message:
    """`ack: GreenCastle acknowledged 3 letters`, or the subject of the one."""
    return _marks("ack", reader, "acknowledged", letters)


def archived(owner: str, letters: Sequence[LetterRef]) -> Message:
    """`archive: put away 3 letters of GreenCastle`: moved as they are, nothing acknowledged."""
    trailers = tuple((MESSAGE_ID, letter_id) for letter_id, _ in letters)
    return Message(f"archive: put away {_count(letters, 'letter')} of {owner}", trailers)


def registered(name: str, program: str | None = None, model: str | None = None) -> Message:
    """`board: BlueLake registered (claude-code, opus)`."""
    with_what = ", ".join(word for word in (program, model) if word)
    return Message(f"board: {name} registered" + (f" ({with_what})" if with_what else ""))


def profile(name: str, changed: Sequence[str]) -> Message:
    """`board: BlueLake changed task and status`."""
    words = [key.replace("_", " ") for key in changed]
    return Message(f"board: {name} changed {_listed(words)}")


def contact(name: str, other: str, accepted: bool) -> Message:
    """`board: BlueLake accepts letters from RedHill`."""
    did = "accepts letters from" if accepted else "takes no letters from"
    return Message(f"board: {name} {did} {other}")


def status(name: str, text: str) -> Message:
    """`board: BlueLake: reviewing the auth branch`."""
    return Message(_with_tail(f"board: {name}: ", text))


def parked(name: str, reason: str, needs: str | None = None) -> Message:
    """`board: BlueLake parked, blocked: needs the staging password`."""
    start = f"board: {name} parked, {reason.replace('_', ' ')}"
    return Message(_with_tail(f"{start}: needs ", needs) if needs else start)


def unparked(name: str) -> Message:
    """`board: BlueLake is back`."""
    return Message(f"board: {name} is back")


def retired(name: str) -> Message:
    """`board: BlueLake retired`."""
    return Message(f"board: {name} retired")


def unretired(name: str) -> Message:
    """`board: BlueLake is back from retirement`."""
    return Message(f"board: {name} is back from retirement")


def memory_stored(name: str, number: int, title: str) -> Message:
    """`memory: BlueLake stored #12 Staging box is haze-02`."""
    subject = _with_tail(f"memory: {name} stored #{number} ", title)
    return Message(subject, ((MEMORY_ID, str(number)),))


def memory_replaced(name: str, old: Sequence[int], new: int, word: str = "consolidated") -> Message:
    """`memory: BlueLake consolidated #3 #7 into #15`; `word` may be `corrected`."""
    trailers = ((MEMORY_ID, str(new)), *(("Supersedes", str(number)) for number in old))
    return Message(f"memory: {name} {word} {_numbers(old)} into #{new}", trailers)


def memory_forgotten(name: str, numbers: Sequence[int]) -> Message:
    """`memory: BlueLake forgot #3 #7`."""
    return Message(f"memory: {name} forgot {_numbers(numbers)}")


def memory_reinstated(name: str, number: int) -> Message:
    """`memory: BlueLake reinstated #3`."""
    return Message(f"memory: {name} reinstated #{number}")


def reserved(name: str, paths: Sequence[str], reservation_ids: Sequence[str]) -> Message:
    """`reserve: BlueLake holds src/auth/** and 2 more`."""
    return _reservation("reserve", f"{name} holds", paths, reservation_ids)


def queued(name: str, paths: Sequence[str], reservation_ids: Sequence[str]) -> Message:
    """`reserve: BlueLake waits for src/auth/**`."""
    return _reservation("reserve", f"{name} waits for", paths, reservation_ids)


def renewed(name: str, paths: Sequence[str], reservation_ids: Sequence[str]) -> Message:
    """`reserve: BlueLake renewed src/auth/**`."""
    return _reservation("reserve", f"{name} renewed", paths, reservation_ids)


def released(name: str, paths: Sequence[str], reservation_ids: Sequence[str]) -> Message:
    """`release: BlueLake released src/auth/**`."""
    return _reservation("release", f"{name} released", paths, reservation_ids)


def forced(name: str, holder: str, paths: Sequence[str], reservation_ids: Sequence[str]) -> Message:
    """`release: BlueLake took src/auth/** from GreenCastle`: a forced release."""
    trailers = tuple(("Reservation-Id", one) for one in reservation_ids)
    return Message(f"release: {name} took {_some(paths)} from {holder}", trailers)


def edited(person: str, paths: Sequence[str]) -> Message:
    """`edit: PatPerson changed agents/BlueLake.md`: a person's edit in place."""
    return Message(f"edit: {person} changed {_some(paths)}")


def undone(who: str, commit: str, subject: str) -> Message:
    """`undo: PatPerson undid 3f9a1c2 (ack: GreenCastle acknowledged 3 letters)`."""
    start = f"undo: {who} undid {commit[:7]} ("
    room = COLUMNS - columns(start) - 1
    return Message(f"{start}{shorten(_one_line(subject), room)})", ((UNDOES, commit),))


def joined(tips: Sequence[str]) -> Message:
    """`doctor: joined 2 histories`: the merge that mends a main forced by hand."""
    return Message(f"doctor: joined {len(tips)} histories", tuple(("Joins", tip) for tip in tips))


def mended(paths: Sequence[str]) -> Message:
    """`doctor: mended gitmail.toml`."""
    return Message(f"doctor: mended {_some(paths)}")


def initialised(store_name: str) -> Message:
    """`init: a new store for shop`."""
    return Message(f"init: a new store for {store_name}")


def _marks(verb: str, reader: str, did: str, letters: Sequence[LetterRef]) -> Message:
    trailers = tuple((MESSAGE_ID, letter_id) for letter_id, _ in letters)
    if len(letters) == 1:
        return Message(_with_tail(f"{verb}: {reader} {did}: ", letters[0][1]), trailers)
    return Message(f"{verb}: {reader} {did} {_count(letters, 'letter')}", trailers)


def _reservation(
    verb: str, did: str, paths: Sequence[str], reservation_ids: Sequence[str]
) -> Message:
    trailers = tuple(("Reservation-Id", one) for one in reservation_ids)
    return Message(f"{verb}: {did} {_some(paths)}", trailers)


def _with_tail(start: str, tail: str) -> str:
    """Append what somebody wrote, cut so that the sentence ends at COLUMNS where it can."""
    room = max(COLUMNS - columns(start), _LEAST_SUBJECT)
    return start + shorten(_one_line(tail), room)


def _some(names: Sequence[str]) -> str:
    """Name all of up to three, else the first two and how many more; nobody is `undisclosed`."""
    if not names:
        return "undisclosed"
    if len(names) <= _NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words) or "nothing"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _numbers(numbers: Sequence[int]) -> str:
    shown = " ".join(f"#{number}" for number in numbers[:5])
    more = len(numbers) - 5
    return f"{shown} and {more} more" if more > 0 else shown


def _count(things: Sequence[object], word: str) -> str:
    return f"{len(things)} {word}" + ("" if len(things) == 1 else "s")


def _one_line(text: str) -> str:
    return " ".join(_SURROGATE.sub("\ufffd", _UNSAFE.sub(" ", text)).split())
