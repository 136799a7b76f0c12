"""Agents and people: by name, by id, all of them. Files at agents/ that do not parse are broken."""

from __future__ import annotations

from typing import Any

from gitmail.index.index import Index, Row
from gitmail.index.rows import AgentRow, from_list, maybe_moment
from gitmail.index.schema import AGENT_COLUMNS, column_list
from gitmail.values.agent import Agent
from gitmail.values.names import fold

_VALUES = AGENT_COLUMNS[3:]
_SELECT = f"SELECT path, blob, {column_list(_VALUES)} FROM agents"  # noqa: S608


def agent_by_name(index: Index, name: str) -> AgentRow | None:
    """Return the agent whose name this is, in whatever case.

    Where a merge left two profiles of one name, the one that is written just so, else the first.
    """
    found = index.rows(f"{_SELECT} WHERE fold = ? ORDER BY path", (fold(name),))
    rows = [_row(one) for one in found]
    exact = [row for row in rows if row.agent.name == name]
    return next(iter(exact or rows), None)


def agents_by_id_prefix(index: Index, prefix: str, limit: int = 20) -> list[AgentRow]:
    """Return the agents whose id begins with `prefix`, by id."""
    sql = f"{_SELECT} WHERE id >= ? AND id < ? ORDER BY id, path LIMIT ?"
    return [_row(row) for row in index.rows(sql, (prefix, prefix + "g", limit))]


def all_agents(index: Index, *, include_retired: bool = False) -> list[AgentRow]:
    """Return all agents and people, by name."""
    condition = "" if include_retired else " WHERE retired_at IS NULL"
    return [_row(row) for row in index.rows(f"{_SELECT}{condition} ORDER BY fold, path")]


def agents_of_project(index: Index, project: str) -> list[AgentRow]:
    """Return the agents, not retired, whose project is exactly that, by name."""
    sql = f"{_SELECT} WHERE project = ? AND retired_at IS NULL ORDER BY fold, path"
    return [_row(row) for row in index.rows(sql, (project,))]


def agent_names(index: Index) -> list[str]:
    """Return every name in use, retired ones too: what a new name is checked against."""
    return [row[0] for row in index.rows("SELECT name FROM agents ORDER BY fold, path")]


def _row(row: Row) -> AgentRow:
    path, blob, *values = row
    named: dict[str, Any] = dict(zip(_VALUES, values, strict=True))
    for column in _VALUES:
        if column.endswith(("_at", "expires")):
            named[column] = maybe_moment(named[column])
    named["person"] = bool(named["person"])
    named["contacts"] = from_list(named["contacts"])
    return AgentRow(Agent(**named), path, blob)
