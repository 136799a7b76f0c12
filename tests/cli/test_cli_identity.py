"""Who acts, and in which project: the order in which both are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmail_shell import Shell, git, new_project

from gitmail.board.identity import Identity, Source, identify, person_name
from gitmail.errors import InvalidInput


def profile(shop: Shell, name: str) -> dict[str, object]:
    return next(one for one in shop.ask("agents")["agents"] if one["name"] == name)


def test_a_persons_first_send_registers_them_in_the_same_commit(fresh: Shell) -> None:
    fresh("init")
    fresh("register", "BlueLake")
    before = fresh.commits()
    assert fresh.ask("inbox")["agent"] == "PatPerson"
    assert fresh.commits() == before
    sent = fresh.ask("send", "BlueLake", "-m", "hello")
    assert (sent["from"], sent["origin"]) == ("PatPerson", "maintainer")
    assert fresh.commits() == before + 1
    assert profile(fresh, "PatPerson")["person"] is True


def test_a_maintainer_is_one_only_as_the_git_user(shop: Shell) -> None:
    shop("send", "BlueLake", "-m", "x")
    as_agent = shop.ask("send", "BlueLake", "-m", "x", "--as", "PatPerson")
    assert as_agent["origin"] == "agent"
    unlisted = {"GIT_CONFIG_GLOBAL": "/dev/null", "LOGNAME": "Mallory"}
    stranger = shop.ask("send", "BlueLake", "-m", "x", env=unlisted)
    assert (stranger["from"], stranger["origin"]) == ("Mallory", "agent")


def test_a_typing_error_in_as_makes_no_agent(shop: Shell) -> None:
    before = shop.commits()
    failed = shop("send", "BlueLake", "-m", "x", "--as", "GrenCastle", "--json", code=1).json
    assert (failed["error"], failed["near"]) == ("agent_not_found", ["GreenCastle"])
    assert shop.commits() == before


def test_the_environment_counts_above_the_config_and_registers(shop: Shell) -> None:
    git(shop.folder, "config", "gitmail.agent", "FromConfig")
    try:
        assert shop.ask("send", "BlueLake", "-m", "x")["from"] == "FromConfig"
        named = {"GITMAIL_AGENT": "FromEnv"}
        assert shop.ask("send", "BlueLake", "-m", "x", env=named)["from"] == "FromEnv"
        assert shop.ask("send", "BlueLake", "-m", "x", env={"GITMAIL_AGENT": ""})["from"] == (
            "FromConfig"
        )
        assert shop.ask("inbox", "--as", "bluelake", env=named)["agent"] == "BlueLake"
    finally:
        git(shop.folder, "config", "--unset", "gitmail.agent")
    assert profile(shop, "FromEnv")["person"] is False


def test_a_name_of_one_checkout_is_not_inherited_by_another(shop: Shell, tmp_path: Path) -> None:
    git(shop.folder, "worktree", "add", "-q", str(tmp_path / "linked"))
    git(shop.folder, "config", "gitmail.agent", "MainOnly")
    try:
        assert shop.ask("inbox", cwd=tmp_path / "linked")["agent"] == "PatPerson"
        assert shop.ask("where", cwd=tmp_path / "linked")["store"] == str(shop.store)
    finally:
        git(shop.folder, "config", "--unset", "gitmail.agent")
        git(shop.folder, "worktree", "remove", "--force", str(tmp_path / "linked"))


@pytest.mark.parametrize(
    ("env", "name"),
    [
        ({"LOGNAME": "", "USER": "jo"}, "jo"),
        ({"LOGNAME": "", "USER": "", "LNAME": "", "USERNAME": ""}, "Person"),
        ({"LOGNAME": "maintainer"}, "maintainerPerson"),
    ],
)
def test_without_a_git_identity_the_login_name_counts(
    shop: Shell, env: dict[str, str], name: str
) -> None:
    assert shop.ask("inbox", env={"GIT_CONFIG_GLOBAL": "/dev/null", **env})["agent"] == name


def test_which_project_is_asked_in_order(shop: Shell, tmp_path: Path) -> None:
    other = Shell(new_project(tmp_path / "other"))
    other("init")
    here, there = str(shop.folder), str(other.folder)

    def store(*args: str, **env: str) -> str:
        return shop.ask("where", *args, cwd=tmp_path, env=env)["store"]

    assert store(CLAUDE_PROJECT_DIR=here) == str(shop.store)
    assert store(GITMAIL_PROJECT=there, CLAUDE_PROJECT_DIR=here) == str(other.store)
    assert store("--project", here, GITMAIL_PROJECT=there) == str(shop.store)
    assert store("--project", "other") == str(other.store)
    assert store(GITMAIL_PROJECT="", CLAUDE_PROJECT_DIR=here) == str(shop.store)
    assert shop("where", "--json", cwd=tmp_path, code=1).json["error"] == "project_not_found"
    windows = shop("init", "--project", "C:\\x\\y", "--json", cwd=tmp_path, code=2).json
    assert windows["error"] == "invalid_project"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["other"]


# -- the rule itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"argument": "A", "environment": "B", "checkout": "C"}, Identity("A", Source.ARGUMENT)),
        (
            {"argument": None, "environment": "B", "checkout": "C"},
            Identity("B", Source.ENVIRONMENT),
        ),
        ({"environment": " ", "checkout": "C"}, Identity("C", Source.CHECKOUT)),
        ({"git_user": "Pat Person", "login": "pat"}, Identity("PatPerson", Source.PERSON)),
        ({"git_user": " ", "login": "pat"}, Identity("pat", Source.PERSON)),
        ({}, Identity("Person", Source.PERSON)),
    ],
)
def test_the_strongest_name_given_counts(given: dict[str, str], expected: Identity) -> None:
    assert identify(**given) == expected


def test_a_given_name_that_nobody_can_have_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        identify(environment="all")
    assert refused.value.code == "invalid_agent"


def test_a_persons_name_always_becomes_one() -> None:
    assert person_name("Zoë Ünder") == "ZoeUnder"
    assert person_name("陳大文") == "Person"
    assert person_name("deadbeef00") == "deadbeef00Person"
