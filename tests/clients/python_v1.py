"""The Python SDK's first major version as a client; prints one line of JSON.

Arguments as for typescript.mjs. Runs in an environment of its own, with mcp 1.x in it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def main(asked: dict[str, Any]) -> None:
    async with AsyncExitStack() as ending:
        if "url" in asked:
            headers = {"Authorization": f"Bearer {asked['token']}"}
            streams = await ending.enter_async_context(
                streamablehttp_client(asked["url"], headers=headers)
            )
        else:
            server = StdioServerParameters(
                command=asked["command"], args=asked["args"], cwd=asked["cwd"], env=asked["env"]
            )
            streams = await ending.enter_async_context(stdio_client(server))
        session = await ending.enter_async_context(ClientSession(streams[0], streams[1]))
        await session.initialize()
        print(json.dumps(await play(session, asked)))


async def play(session: ClientSession, asked: dict[str, Any]) -> dict[str, Any]:
    key = {"project_key": asked["project"]}
    tools = [tool.name for tool in (await session.list_tools()).tools]
    letter = {"subject": "From Python", "body_md": "Grüße ☃", "to": asked["to"]}
    sent = await session.call_tool("send_message", key | {"sender_name": asked["me"]} | letter)
    refused = await session.call_tool("fetch_inbox", key | {"agent_name": asked["to"]})
    mine = {"agent_name": asked["me"], "include_bodies": True}
    inbox = await session.call_tool("fetch_inbox", key | mine)
    agents = await session.read_resource("gitmail://agents")  # type: ignore[arg-type]
    return {
        "tools": tools,
        "sent": sent.structuredContent,
        "refused": {"isError": refused.isError, **(refused.structuredContent or {})},
        "inbox": inbox.structuredContent,
        "agents": json.loads(agents.contents[0].text),  # type: ignore[union-attr]
    }


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
