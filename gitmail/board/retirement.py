"""Retiring an agent and taking it back: its mailbox moves, whole and unchanged, in one commit.

A retired agent receives nothing and sends nothing, in every path; its letters stay readable. The
move keeps the folder of mailboxes narrow, however many agents a project has seen (docs/format.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gitmail.board.caller import Caller
from gitmail.errors import NotFound
from gitmail.format.agents import update_agent
from gitmail.git.commits import Person
from gitmail.git.trees import list_tree
from gitmail.index.agents import agent_by_name
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.agent import Agent
from gitmail.values.names import agent_email
from gitmail.values.paths import keep_path, mailbox_path


def retire(store: Store, caller: Caller) -> Agent:
    """Retire the agent `caller`; one that is retired already stays as it is.

    Raises NotFound `agent_not_found` for a name that was never registered.
    """
    return _set(store, caller, retiring=True)


def unretire(store: Store, caller: Caller) -> Agent:
    """Take the agent `caller` back from retirement, mailbox included; else as `retire`."""
    return _set(store, caller, retiring=False)


def _set(store: Store, caller: Caller, *, retiring: bool) -> Agent:
    def decide(view: View) -> Change[Agent] | NoChange[Agent]:
        row = agent_by_name(view.index, caller.name)
        if row is None:
            raise NotFound(
                "agent_not_found",
                f"{caller.name} is not registered, so there is nothing to retire.",
                "`gitmail agents --all` lists who is.",
                near=[],
            )
        agent = row.agent
        if (agent.retired_at is not None) == retiring:
            return NoChange(agent)
        when = view.now if retiring else None
        profile = update_agent(view.content(row.path, row.blob), row.path, {"retired_at": when})
        files = {row.path: profile, **_moved_mailbox(view, agent.name, to_retired=retiring)}
        said = sentences.retired if retiring else sentences.unretired
        author = Person(agent.name, agent_email(agent.name))
        return Change(files, said(agent.name), replace(agent, retired_at=when), author)

    return store.write(caller.author, decide).result


def _moved_mailbox(view: View, name: str, *, to_retired: bool) -> Mapping[str, bytes | None]:
    """Return the changes that move every file of a mailbox, also one that cannot be read."""
    source, target = mailbox_path(name, not to_retired), mailbox_path(name, to_retired)
    files: dict[str, bytes | None] = {keep_path(name, to_retired): b""}
    for path, entry in list_tree(view.reader, view.reader.commit(view.main).tree, source):
        files[target + path.removeprefix(source)] = view.content(path, entry.sha)
        files[path] = None
    return files
