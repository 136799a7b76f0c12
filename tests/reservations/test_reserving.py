"""Reserving, renewing, releasing and forcing in a real store."""

from __future__ import annotations

from pathlib import Path

import pytest
from post_office import BLUE, GREEN, RED, assert_sound, caller, git

from gitmail.board.caller import Caller
from gitmail.board.presence import Presence
from gitmail.errors import GitmailError, InvalidInput, NotFound, Refused
from gitmail.mail.inbox import waiting
from gitmail.reservations.listing import check_files, check_targets, list_reservations
from gitmail.reservations.release import force_release, release
from gitmail.reservations.reserve import Request, renew, reserve
from gitmail.reservations.waiters import wait_for_turn
from gitmail.store.store import Store

B, G, R = caller(BLUE), caller(GREEN), caller(RED)


def take(store: Store, who: Caller, *targets: str, **more: object):
    return reserve(store, who, Request(targets, **more)).reservation  # type: ignore[arg-type]


def held(store: Store) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (one.reservation.holder, one.reservation.targets)
        for one in list_reservations(store)[0]
        if one.turn is None
    ]


def in_line(store: Store) -> list[str]:
    return [one.reservation.holder for one in list_reservations(store)[0] if one.turn]


def subjects(path: Path, count: int = 1) -> list[str]:
    return git(path, "log", f"-{count}", "--format=%an %s").splitlines()


def letters(store: Store, name: str) -> list[str]:
    return [row.letter.subject for row in waiting(store, name).waiting]


# -- reserving ----------------------------------------------------------------------------------


def test_a_reservation_is_one_file_and_one_commit_of_its_holder(store: Store, path: Path) -> None:
    main = store.main()
    one = take(store, B, "src/auth/**", "port:8080", reason="login", thread="FEAT-1")
    assert git(path, "rev-list", "--count", f"{main}..main") == "1"
    assert subjects(path) == ["BlueLake reserve: BlueLake holds src/auth/**, port:8080"]
    message = git(path, "log", "-1", "--format=%B")
    assert f"Reservation-Id: {one.id}" in message
    assert "Thread: FEAT-1" in message
    assert (path / f"reservations/{one.id[:8]}-src-auth.md").is_file()
    assert_sound(path)


def test_an_overlap_is_refused_with_holder_time_and_reason_and_nothing_is_written(
    store: Store,
) -> None:
    one = take(store, B, "src/**", reason="Reworking the login")
    main = store.main()
    with pytest.raises(Refused) as refused:
        take(store, G, "docs/x.md", "src/a.py")
    assert refused.value.code == "reservation_conflict"
    (holder,) = refused.value.facts["holders"]
    assert (holder["holder"], holder["reason"]) == (BLUE, "Reworking the login")
    assert holder["overlaps"] == [
        {"requested": "src/a.py", "held": "src/**", "example": "src/a.py"}
    ]
    assert f"{one.expires:%Y-%m-%d %H:%M}" in refused.value.message
    assert store.main() == main
    assert held(store) == [(BLUE, ("src/**",))]


def test_shared_beside_shared_and_own_beside_own_are_granted(store: Store) -> None:
    take(store, B, "docs/**", exclusive=False)
    take(store, G, "docs/*.md", exclusive=False)
    with pytest.raises(Refused):
        take(store, R, "docs/x.md")
    take(store, B, "lib/**")
    take(store, B, "lib/a.py")
    assert len(held(store)) == 4


def test_the_same_again_is_a_renewal_and_no_second_reservation(store: Store, path: Path) -> None:
    first = take(store, B, "src/a.py", ttl_seconds=60)
    again = reserve(store, B, Request(("src/a.py",), ttl_seconds=3600))
    assert (again.created, again.reservation.id) == (False, first.id)
    assert again.reservation.expires > first.expires
    assert subjects(path) == ["BlueLake reserve: BlueLake renewed src/a.py"]
    assert len(held(store)) == 1


def test_an_expired_one_hinders_nobody_at_once_and_goes_with_the_next_write(
    store: Store, path: Path, clock
) -> None:
    take(store, B, "src/**", ttl_seconds=60)
    clock.turn(seconds=61)
    assert list_reservations(store)[0] == []
    assert check_targets(store, GREEN, ["src/a.py"])[0].conflicts == ()
    assert len(list((path / "reservations").glob("*.md"))) == 1
    take(store, G, "src/a.py")
    assert held(store) == [(GREEN, ("src/a.py",))]
    assert len(list((path / "reservations").glob("*.md"))) == 1
    assert_sound(path)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (Request(()), "invalid_paths"),
        (Request(("!src",)), "invalid_paths"),
        (Request(("src",), ttl_seconds=0), "invalid_ttl_seconds"),
        (Request(("src",), reason="a\nb"), "invalid_reason"),
        (Request(("src",), thread=""), "invalid_thread"),
        (Request(("src",), reason="key ghp_" + "a1B2" * 9), "secret_like"),
    ],
)
def test_what_cannot_be_reserved_is_an_error_and_no_commit(
    store: Store, request_: Request, code: str
) -> None:
    main = store.main()
    with pytest.raises(GitmailError) as error:
        reserve(store, B, request_)
    assert (error.value.code, store.main()) == (code, main)


def test_a_first_action_registers_its_agent_in_the_same_commit(store: Store, path: Path) -> None:
    main = store.main()
    take(store, Caller("NewHand", "ab" * 16), "src/**")
    assert git(path, "rev-list", "--count", f"{main}..main") == "1"
    assert (path / "agents/NewHand.md").is_file()


# -- renewing and releasing -----------------------------------------------------------------------


def test_renewing_lasts_longer_never_shorter_and_only_ones_own(store: Store) -> None:
    one = take(store, B, "src/**", ttl_seconds=3600)
    (same,) = renew(store, B, ["src/**"], ttl_seconds=60)
    assert same.expires == one.expires
    (longer,) = renew(store, B, [one.id[:8]], extend_seconds=1800)
    assert 1790 < (longer.expires - one.expires).total_seconds() < 1810
    with pytest.raises(Refused) as refused:
        renew(store, G, [one.id])
    assert refused.value.code == "reservation_not_yours"
    with pytest.raises(NotFound):
        renew(store, G)


def test_an_expired_one_cannot_be_renewed_but_released(store: Store, clock) -> None:
    take(store, B, "src/**", ttl_seconds=60)
    clock.turn(minutes=2)
    with pytest.raises(Refused) as refused:
        renew(store, B, ["src/**"])
    assert refused.value.code == "reservation_expired"
    assert len(release(store, B, ["src/**"]).reservations) == 1


def test_one_target_of_several_can_be_released_and_notes_in_the_file_stay(
    store: Store, path: Path
) -> None:
    one = take(store, B, "src/a.py", "src/b.py", "port:8080")
    release(store, B, ["src/a.py", "PORT:8080"])
    assert held(store) == [(BLUE, ("src/b.py",))]
    release(store, B, [one.id[:8]])
    assert held(store) == []
    assert release(store, B).reservations == ()
    assert_sound(path)


def test_releasing_what_is_not_there_or_not_yours_is_refused_whole(store: Store) -> None:
    one = take(store, B, "src/a.py")
    take(store, G, "docs/**")
    main = store.main()
    for wanted, code in (
        (["docs/**", "nothing"], "reservation_not_found"),
        ([one.id], "reservation_not_yours"),
        (["f" * 8], "reservation_not_found"),
    ):
        with pytest.raises(GitmailError) as error:
            release(store, G, wanted)
        assert (error.value.code, store.main()) == (code, main)


# -- the queue ------------------------------------------------------------------------------------


def test_whoever_waits_gets_it_with_the_release_and_is_told_in_the_same_commit(
    store: Store, path: Path
) -> None:
    take(store, B, "src/**")
    waits = reserve(store, G, Request(("src/a.py",), wait=True))
    assert waits.reservation.waiting
    assert [one.reservation.holder for one in waits.behind] == [BLUE]
    assert subjects(path) == ["GreenCastle reserve: GreenCastle waits for src/a.py"]
    done = release(store, B)
    assert [one.holder for one in done.granted] == [GREEN]
    assert held(store) == [(GREEN, ("src/a.py",))]
    assert letters(store, GREEN) == ["src/a.py is now reserved by GreenCastle"]
    assert "Message-Id: " in git(path, "log", "-1", "--format=%B")
    assert subjects(path) == ["BlueLake release: BlueLake released src/**"]
    assert_sound(path)


def test_the_queue_is_served_in_order_and_nobody_overtakes(store: Store) -> None:
    take(store, B, "src/**")
    take(store, G, "src/a.py", wait=True)
    take(store, R, "src/**", wait=True)
    assert in_line(store) == [GREEN, RED]
    with pytest.raises(Refused):
        take(store, R, "src/a.py")
    release(store, B)
    assert (held(store), in_line(store)) == ([(GREEN, ("src/a.py",))], [RED])
    release(store, G)
    assert held(store) == [(RED, ("src/**",))]


def test_an_expiry_moves_the_queue_with_whoever_writes_next_even_in_vain(
    store: Store, clock
) -> None:
    take(store, B, "src/**", ttl_seconds=60)
    take(store, G, "src/a.py", wait=True)
    clock.turn(seconds=61)
    with pytest.raises(Refused) as refused:
        take(store, R, "src/a.py")
    assert refused.value.facts["holders"][0]["holder"] == GREEN
    assert held(store) == [(GREEN, ("src/a.py",))]
    assert letters(store, GREEN) == ["src/a.py is now reserved by GreenCastle"]


def test_waiting_ends_with_the_grant_or_the_time_and_leaving_the_queue_is_told(
    store: Store, clock
) -> None:
    take(store, B, "src/**", ttl_seconds=60)
    one = take(store, G, "src/a.py", wait=True)
    assert wait_for_turn(store, G, one.id, 0).waiting
    clock.turn(seconds=61)
    assert not wait_for_turn(store, G, one.id, 30).waiting
    assert letters(store, GREEN) == []
    release(store, G)
    with pytest.raises(NotFound):
        wait_for_turn(store, G, one.id, 1)


def test_a_full_mailbox_keeps_nobody_from_releasing_and_is_named(store: Store, path: Path) -> None:
    clone = path.parent / "clone"
    git(path.parent, "clone", "-q", str(path), str(clone))
    settings = clone / "gitmail.toml"
    settings.write_text(
        settings.read_text().replace("# unhandled_per_mailbox = 1000", "unhandled_per_mailbox = 1")
    )
    git(clone, "commit", "-qam", "settings")
    git(clone, "push", "-q", "origin", "main")
    take(store, B, "/a", "/b")
    take(store, G, "/a", wait=True)
    release(store, B, ["/a"])
    take(store, G, "/b", wait=True)
    done = release(store, B)
    assert (done.untold, len(held(store))) == ((GREEN,), 2)
    assert (done.untold, len(held(store))) == ((GREEN,), 2)


# -- force ----------------------------------------------------------------------------------------


def test_force_waits_for_half_an_hour_without_an_action_and_tells_the_holder(
    store: Store, path: Path, clock
) -> None:
    take(store, B, "src/**", ttl_seconds=7200)
    take(store, R, "src/a.py", wait=True)
    presence = Presence(store.private)
    clock.turn(minutes=20)
    presence.acted(BLUE, clock())
    clock.turn(minutes=20)
    with pytest.raises(Refused) as refused:
        force_release(store, G, "src/**")
    assert refused.value.code == "holder_active"
    clock.turn(minutes=11)
    done = force_release(store, G, "src/**", note="You seem to be gone.")
    assert [one.holder for one in done.granted] == [RED]
    (subject,) = letters(store, BLUE)
    assert subject == letters(store, RED)[0]
    assert subject == "src/** was taken from BlueLake; src/a.py is now reserved by RedHill"
    assert "You seem to be gone." in git(path, "grep", "-h", "seem", "main", "--", "mail/BlueLake")
    assert subjects(path) == ["GreenCastle release: GreenCastle took src/** from BlueLake"]
    assert_sound(path)


def test_a_maintainer_at_a_shell_may_force_at_once_an_agent_of_that_name_not(
    store: Store,
) -> None:
    take(store, B, "src/**")
    with pytest.raises(Refused):
        force_release(store, Caller(RED, R.id, origin="agent"), "src/**")
    force_release(store, Caller(RED, R.id, person=True, origin="maintainer"), "src/**")
    assert held(store) == []


def test_a_target_held_by_several_needs_the_id(store: Store) -> None:
    one = take(store, B, "docs/**", exclusive=False)
    take(store, G, "docs/**", exclusive=False)
    with pytest.raises(NotFound) as error:
        force_release(store, B, "docs/**")
    assert one.id[:8] in error.value.hint
    force_release(store, B, one.id[:8])
    with pytest.raises(InvalidInput):
        force_release(store, B, "no such path")


# -- looking --------------------------------------------------------------------------------------


def test_looking_changes_nothing(store: Store) -> None:
    take(store, B, "src/**", "port:8080")
    main = store.main()
    found = check_targets(store, GREEN, ["src/*.py", "docs/**", "port:8080"])
    assert [bool(one.conflicts) for one in found] == [True, False, True]
    assert not any(one.conflicts for one in check_targets(store, BLUE, ["src/**"]))
    assert [one.path for one in check_files(store, None, [b"src/[x].py", b"x"])] == [b"src/[x].py"]
    assert list_reservations(store, "bluelake")[0] == list_reservations(store)[0]
    assert list_reservations(store, GREEN)[0] == []
    assert store.main() == main
