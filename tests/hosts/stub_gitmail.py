"""A stand-in for the `gitmail` program: a version, an MCP server with one tool, and hooks.

Its hooks go through the real adapters, answer one line wherever a hook may speak, and leave a
trace in the home.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]


def hook(host: str, word: str) -> int:
    sys.path[:0] = [str(TOP), str(TOP / "hooks")]
    from gitmail_hooks import hosts

    data = sys.stdin.buffer.read()
    event = hosts.read_event(host, word, data)
    said = f"gitmail: {event.kind} was here." if hosts.may_speak(event) else ""
    output = hosts.render(event, hosts.HookAnswer(said))
    with Path.home().joinpath("hooks.log").open("a", encoding="utf-8") as log:
        log.write(json.dumps([host, word, event.session_id, event.cwd]) + "\n")
    sys.stdout.write(output.stdout)
    sys.stderr.write(output.stderr)
    return output.exit_code


def serve() -> None:
    from mcp.server import MCPServer

    server = MCPServer("gitmail")

    @server.tool()
    def fetch_inbox() -> str:
        """List what waits."""
        return "nothing"

    server.run("stdio")


def main(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        print("gitmail 0.0 (stub)")
    elif arguments == ["serve"]:
        serve()
    elif arguments[:1] == ["hook"]:
        return hook(arguments[1], arguments[2])
    else:
        raise SystemExit(f"unexpected arguments: {arguments}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
