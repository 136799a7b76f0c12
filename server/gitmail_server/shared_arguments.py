"""What the tools of the second vocabulary have in common: their first arguments, and lists."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from gitmail_server.tool import Arguments


def _one_or_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[
    list[str],
    BeforeValidator(_one_or_list),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
]
"""A list of strings; one string counts as a list of one. Published as a plain list."""

PROJECT_KEY = "absolute path inside the project, or its short name"
WITH_TOKEN = "registration token, when the caller is not bound to that agent"  # noqa: S105 - what it is, for the schema


class ProjectArguments(Arguments):
    """The arguments of a tool that asks about the project."""

    project_key: str = Field(description=PROJECT_KEY)


class AgentArguments(ProjectArguments):
    """The arguments of a tool that acts for an agent."""

    agent_name: str
    registration_token: str | None = Field(None, description=WITH_TOKEN)
