"""`gitmail where`: the store's path."""

from __future__ import annotations

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command

_TOUR = (
    "",
    "Plain git reads it from that folder, with paths from its top:",
    "    git log -- mail/NAME    git show main:agents/NAME.md    git grep WORD main",
)


@gitmail_command("where")
def command(app: App) -> None:
    """Print the path of this project's store."""
    store = app.open_quietly()
    project = app.place.project
    shape = {
        "store": str(store.path),
        "name": store.config().name,
        "project": str(project.top or project.common_dir),
    }
    app.answer(shape, [str(store.path), *(_TOUR if app.output.terminal else ())])
