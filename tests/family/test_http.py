"""`gitmail serve --http`: many agents, one server (contract: fetch_inbox; docs/architecture.md)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from server_desk import (
    BLUE,
    ERAS,
    GREEN,
    RED,
    Project,
    Voice,
    environment,
    process,
    serve_command,
    voice,
)

from gitmail.board.credentials import Credentials
from gitmail.board.presence import Presence
from gitmail.errors import GitmailError
from gitmail_server.http import read_address


@dataclass
class Served:
    """A running server and the tokens of its agents."""

    url: str
    tokens: dict[str, str]
    pid: int

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").removesuffix("/mcp").rpartition(":")
        return host, int(port)

    @asynccontextmanager
    async def voice(self, name: str, era: str = "auto") -> AsyncIterator[Voice]:
        async with (
            self.http(self.tokens[name]) as http,
            voice(streamable_http_client(self.url, http_client=http), era) as one,
        ):
            yield one

    def http(self, token: str | None) -> httpx2.AsyncClient:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx2.AsyncClient(headers=headers, timeout=30)


@contextmanager
def served(project: Project, *options: str) -> Iterator[Served]:
    with project.open() as store:
        credentials = Credentials(store.private)
        tokens = {name: credentials.issue(name) for name in (BLUE, GREEN, RED)}
    command = serve_command("--http", "127.0.0.1:0", "--toolset", "full", *options)
    server = subprocess.Popen(
        command, cwd=project.path, env=environment(), stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        assert line.startswith("gitmail serve: http://127.0.0.1:"), line + server.stderr.read()
        yield Served(line.split()[-1], tokens, server.pid)
    finally:
        if server.poll() is None:
            began = time.monotonic()
            server.send_signal(signal.SIGTERM)
            server.wait(20)
            assert time.monotonic() - began < 15
        assert server.stderr is not None
        server.stderr.close()


@pytest.mark.parametrize("era", [ERAS[0], pytest.param(ERAS[1], marks=pytest.mark.storm)])
def test_many_agents_speak_through_one_server_and_one_beside_it(project: Project, era: str) -> None:
    async def main(there: Served) -> None:
        async with (
            there.voice(BLUE, era) as blue,
            there.voice(GREEN, era) as green,
            process(project.path, "--agent", RED, "--toolset", "full", era=era) as red,
        ):
            key = {"project_key": str(project.path)}
            letter = {"subject": "Hello", "body_md": "Over the wire."}
            sent = await blue("send_message", **key, sender_name=BLUE, to=[GREEN, RED], **letter)
            assert sent.error is None
            for one, name in ((green, GREEN), (red, RED)):
                inbox = await one("fetch_inbox", **key, agent_name=name)
                assert [shown["id"] for shown in inbox["result"]] == [sent["id"]]
                assert inbox["waiting"] == 1
            other = await green("fetch_inbox", **key, agent_name=BLUE)
            assert other.error == "not_authorized"
            forged = await green("send_message", **key, sender_name=BLUE, to=RED, **letter)
            assert forged.error == "not_authorized"
            said = await red(
                "memory_message", action="send", to=GREEN, text="From a pipe.", request_id="pipe"
            )
            assert said["path"] == "pull"
            page = await green("memory_message", action="receive", ack=True)
            assert page["acknowledged"] == 2
            board = await blue("memory_agents", action="list")
            present = {one["name"]: one["presence"] for one in board["agents"]}
            assert present == {BLUE: "attached", GREEN: "attached", RED: "attached"}

            async def call(number: int) -> None:
                speaker, name = ((blue, BLUE), (green, GREEN), (red, RED))[number % 3]
                much = {"subject": f"Part {number}", "body_md": "At once."}
                done = await speaker("send_message", **key, sender_name=name, to=GREEN, **much)
                assert done.error is None

            async with anyio.create_task_group() as group:
                for number in range(15):
                    group.start_soon(call, number)
            inbox = await green("fetch_inbox", **key, agent_name=GREEN, limit=1000)
            assert inbox["total"] == 17

    with served(project) as there:
        anyio.run(main, there)
    with project.open() as store:
        assert not Presence(store.private).living(BLUE)


def test_only_a_token_that_holds_gets_in(project: Project) -> None:
    async def main(there: Served) -> None:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        headers = {"Accept": "application/json, text/event-stream"}
        for token in (None, "wrong", there.tokens[BLUE] + "x", there.tokens[BLUE][:-1]):
            async with there.http(token) as http:
                answer = await http.post(there.url, json=call, headers=headers)
            assert answer.status_code == 401, token
        async with there.voice(RED) as red:
            key = {"project_key": str(project.path), "agent_name": RED}
            assert (await red("fetch_inbox", **key)).error is None
            with project.open() as store:
                Credentials(store.private).revoke(RED)
            with pytest.raises(Exception):  # noqa: B017 - the client's own kind of failure
                await red("fetch_inbox", **key)
        async with there.voice(BLUE) as blue:
            assert (await blue("whois", project_key="shop", agent_name=RED)).error is None

    with served(project) as there:
        anyio.run(main, there)


def test_a_web_page_can_reach_nothing(project: Project) -> None:
    async def main(there: Served) -> None:
        call = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        plain = {"Accept": "application/json, text/event-stream"}
        async with there.http(there.tokens[BLUE]) as http:
            for wrong, status in [
                ({"Host": "evil.example:80"}, 421),
                ({"Origin": "http://evil.example"}, 403),
                ({"Origin": "null"}, 403),
                ({"Content-Type": "text/plain"}, 400),
            ]:
                answer = await http.post(
                    there.url,
                    content=json.dumps(call),
                    headers=plain | {"Content-Type": "application/json"} | wrong,
                )
                assert answer.status_code == status, wrong

    with served(project) as there:
        anyio.run(main, there)


def test_nonsense_huge_and_stalled_requests_disturb_nobody(project: Project) -> None:
    async def main(there: Served) -> None:
        bearer = f"Authorization: Bearer {there.tokens[BLUE]}"
        stalled = []
        for head in (
            b"",
            b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n",
            f"POST /mcp HTTP/1.1\r\nHost: {there.url[7:-4]}\r\n{bearer}\r\n"
            "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{".encode(),
        ):
            for _ in range(20):
                one = socket.create_connection(there.address)
                one.sendall(head)
                stalled.append(one)
        async with there.http(there.tokens[BLUE]) as http:
            for path in ("/nonsense", "/", "/mcp/deeper", "/.well-known/x", "/mail"):
                answer = await http.get(there.url.removesuffix("/mcp") + path)
                assert answer.status_code == 404, path
            huge = await http.post(
                there.url, content=b"[" * 3_000_000, headers={"Content-Type": "application/json"}
            )
            assert huge.status_code == 413
            for rubbish in (b"", b"{", b"[]", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"[" * 100_000):
                answer = await http.post(
                    there.url,
                    content=rubbish,
                    headers={"Content-Type": "application/json", "Accept": "application/json"},
                )
                assert 400 <= answer.status_code < 500, rubbish[:20]
        with anyio.fail_after(30):
            async with there.voice(GREEN) as green:
                key = {"project_key": str(project.path), "agent_name": GREEN}
                for _ in range(5):
                    assert (await green("fetch_inbox", **key)).error is None
        for one in stalled:
            one.close()

    with served(project) as there:
        anyio.run(main, there)


def test_a_call_that_waits_ends_with_the_server(project: Project) -> None:
    async def main(there: Served) -> None:
        async with there.voice(BLUE) as blue, anyio.create_task_group() as group:

            async def stop() -> None:
                await anyio.sleep(1)
                os.kill(there.pid, signal.SIGTERM)

            group.start_soon(stop)
            answer = await blue("wait_for_mail", timeout=50)
            assert answer["woke"] is False

    with served(project) as there:
        anyio.run(main, there)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0.0.0.0:80", "not_loopback"),
        ("192.168.1.5:80", "not_loopback"),
        ("[::]:80", "not_loopback"),
        ("example.org:80", "not_loopback"),
        ("127.0.0.1", "invalid_http"),
        ("127.0.0.1:port", "invalid_http"),
        ("127.0.0.1:65536", "invalid_http"),
        ("", "invalid_http"),
    ],
)
def test_other_addresses_than_loopback_need_a_switch(text: str, code: str) -> None:
    with pytest.raises(GitmailError) as refused:
        read_address(text)
    assert refused.value.code == code
    if code == "not_loopback":
        assert read_address(text, anywhere=True).port == 80


def test_loopback_is_loopback_however_it_is_written() -> None:
    for text in ("127.0.0.1:0", "localhost:1", "[::1]:8765", ":8765", "127.8.0.1:9"):
        assert read_address(text).loopback, text


def test_a_port_in_use_is_told(project: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = serve_command("--http", f"127.0.0.1:{taken.getsockname()[1]}")
        done = subprocess.run(
            command, cwd=project.path, env=environment(), capture_output=True, text=True
        )
    assert done.returncode != 0
    assert "Choose another port" in done.stderr


def test_the_server_answers_a_plain_client_of_the_sdk(project: Project) -> None:
    async def main(there: Served) -> None:
        async with (
            there.http(there.tokens[BLUE]) as http,
            Client(streamable_http_client(there.url, http_client=http)) as client,
        ):
            tools = (await client.list_tools()).tools
        assert {"send_message", "memory_message"} <= {tool.name for tool in tools}

    with served(project) as there:
        anyio.run(main, there)
