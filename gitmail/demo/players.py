"""The players: one `gitmail serve` process each, and a real MCP client to speak to it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from gitmail.demo.failure import DemoFailed
from gitmail.demo.script import Player, Script
from gitmail.demo.stage import Stage

if TYPE_CHECKING:
    from mcp.client import Client

_ANSWER_SECONDS = 20.0
_LOG_TAIL = 800


@asynccontextmanager
async def seated(script: Script, stage: Stage) -> AsyncIterator[Mapping[str, Client]]:
    """Start every player's server and client; yield the clients by name; end all on leaving.

    A server's standard error goes to the stage's log of that player.
    Raises DemoFailed, naming the player, when a server does not start or does not speak MCP.
    """
    async with AsyncExitStack() as stack:
        clients = {}
        for player in script.players:
            clients[player.name] = await _seat(stack, stage, player)
        yield clients


async def call(client: Client, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a tool and return its structured result.

    Raises DemoFailed when the call is refused, fails on the wire, or has no structured result.
    """
    from mcp import MCPError

    try:
        answer = await client.call_tool(tool, dict(arguments))
    except (MCPError, RuntimeError) as error:
        # RuntimeError is how the SDK says that a result does not satisfy its published schema.
        raise DemoFailed(f"The call of {tool} failed: {error}.") from error
    if answer.is_error:
        refusal = answer.structured_content or {}
        words = " ".join(getattr(part, "text", "") for part in answer.content)
        raise DemoFailed(f"{tool} was refused: {refusal.get('message', words)}", refusal=refusal)
    if not isinstance(answer.structured_content, dict):
        raise DemoFailed(f"{tool} answered without a structured result.")
    return answer.structured_content


async def _seat(stack: AsyncExitStack, stage: Stage, player: Player) -> Client:
    from mcp import MCPError
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    log = stack.enter_context(stage.log_of(player).open("w", encoding="utf-8"))
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gitmail", "serve", "--agent", player.name],
        env=dict(stage.environment),
        cwd=stage.checkout(player),
    )
    client = Client(
        stdio_client(server, errlog=log), mode=player.era, read_timeout_seconds=_ANSWER_SECONDS
    )
    try:
        return await stack.enter_async_context(client)
    except* (MCPError, OSError) as group:
        # The transport's task group wraps what it raises, whatever the era.
        lost = "; ".join(str(error) for error in group.exceptions)
    said = stage.log_of(player).read_text(encoding="utf-8", errors="replace").strip()
    raise DemoFailed(
        f"The server of {player.name} did not start: {said[-_LOG_TAIL:] or lost}",
        f"Its standard error is in {stage.log_of(player)}.",
    )
