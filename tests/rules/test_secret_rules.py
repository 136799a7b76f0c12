"""Credentials are refused, look-alikes pass, and a refusal never repeats the value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from secret_corpus import LOOK_ALIKES, SECRETS

from gitmail.errors import Refused
from gitmail.values.secrets import KINDS, find_secret, refuse_secrets


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(SECRETS) >= 20
    assert len(LOOK_ALIKES) >= 20


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize(
    "form", ["{}", "Here: {} (keep it safe)", "```\nkey = '{}'\n```", "x={}\n"]
)
def test_a_credential_is_found_wherever_it_stands(secret: str, form: str) -> None:
    assert find_secret(form.format(secret)) is not None


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_a_credential_is_found_inside_json(secret: str) -> None:
    assert find_secret(json.dumps({"a": 1, "value": secret})) is not None


@pytest.mark.parametrize("text", LOOK_ALIKES.values(), ids=LOOK_ALIKES.keys())
def test_a_look_alike_passes(text: str) -> None:
    assert find_secret(text) is None


def test_all_look_alikes_together_pass_too() -> None:
    assert find_secret("\n".join(LOOK_ALIKES.values())) is None


def test_this_repository_itself_passes() -> None:
    top = Path(__file__).parents[2]
    files = [*top.glob("gitmail/**/*.py"), *top.glob("docs/**/*.md"), *top.glob("tests/**/*.py")]
    found = {str(file): find_secret(file.read_text(encoding="utf-8")) for file in files}
    assert {file for file, kind in found.items() if kind is not None} == set()


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_the_refusal_names_field_and_kind_and_never_the_value(secret: str) -> None:
    with pytest.raises(Refused) as raised:
        refuse_secrets({"subject": "a key", "clears": None, "text": f"take {secret} please"})
    error = raised.value
    assert error.code == "secret_like"
    assert error.facts["field"] == "text"
    assert error.facts["kind"] in error.message
    told = json.dumps(error.as_dict())
    assert not any(secret[at : at + 12] in told for at in range(20, len(secret) - 12))


def test_fields_without_a_credential_pass() -> None:
    refuse_secrets({"text": "All tests pass.", "subject": None, "thread": ""})


def test_every_kind_of_the_table_is_in_the_corpus() -> None:
    missing = [
        f"{kind.name} {kind.marker}"
        for kind in KINDS
        if not any(kind.within(secret) for secret in SECRETS.values())
    ]
    assert missing == []


@pytest.mark.parametrize(
    "unit", ["eyJ-", "sk-", "a.eyJa", "xoxb-1 ", "-----BEGIN A ", "AIza-", "."]
)
def test_a_quarter_of_a_mebibyte_of_beginnings_is_searched_all_the_same(unit: str) -> None:
    text = (unit * 262_144)[:262_144]
    assert find_secret(text + "T3Blbk PRIVATE KEY") is None
