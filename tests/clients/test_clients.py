"""Independent clients against real servers, over stdio and HTTP; run by `make clients`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from server_desk import BLUE, GREEN, Project, environment, serve_command
from workshop import Workshop

from gitmail.board.credentials import Credentials

HERE = Path(__file__).parent
pytestmark = pytest.mark.timeout(600)


@contextmanager
def http_server(project: Project) -> Iterator[str]:
    command = serve_command("--http", "127.0.0.1:0", "--toolset", "full")
    with _running(command, project, "stderr") as line:
        yield line.split()[-1]


@contextmanager
def _running(command: list[str], project: Project, stream: str) -> Iterator[str]:
    server = subprocess.Popen(
        command, cwd=project.path, env=environment(), text=True, **{stream: subprocess.PIPE}
    )
    try:
        pipe = getattr(server, stream)
        line = pipe.readline()
        assert "http://" in line, line + pipe.read()
        yield line.strip()
    finally:
        server.terminate()
        server.wait(20)
        getattr(server, stream).close()


@contextmanager
def target(project: Project, transport: str) -> Iterator[dict[str, Any]]:
    """Say how a client reaches a server for BlueLake."""
    asked: dict[str, Any] = {"project": str(project.path), "me": BLUE, "to": GREEN}
    if transport == "stdio":
        command = serve_command("--agent", BLUE, "--toolset", "full")
        asked |= {"command": command[0], "args": command[1:], "cwd": str(project.path)}
        yield asked | {"env": environment()}
        return
    with project.open() as store:
        token = Credentials(store.private).issue(BLUE)
    with http_server(project) as url:
        yield asked | {"url": url, "token": token}


def check(said: dict[str, Any]) -> None:
    assert {"memory_message", "fetch_inbox", "send_message"} <= set(said["tools"])
    assert said["sent"]["deliveries"][0]["recipient"] == GREEN
    assert (said["refused"]["isError"], said["refused"]["error"]) == (True, "not_authorized")
    assert said["inbox"]["result"] == []
    assert BLUE in [one["name"] for one in said["agents"]["result"]]


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("era", ["default", "legacy", "modern"])
def test_the_typescript_client(
    workshop: Workshop, project: Project, transport: str, era: str
) -> None:
    with target(project, transport) as asked:
        given = json.dumps(asked | {"era": era})
        done = workshop.run(workshop.node, HERE / "typescript.mjs", given)
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout))


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_first_python_client(workshop: Workshop, project: Project, transport: str) -> None:
    with target(project, transport) as asked:
        done = workshop.run(workshop.python, HERE / "python_v1.py", json.dumps(asked))
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout))


def test_the_inspector(workshop: Workshop, project: Project) -> None:
    inspector = workshop.folder / "node_modules" / ".bin" / "mcp-inspector"
    given = {"project_key": str(project.path), "agent_name": BLUE}
    serve = serve_command("--agent", BLUE, "--project", str(project.path))
    call = ["--method", "tools/call", "--tool-name", "fetch_inbox", "--format", "json"]
    done = workshop.run(
        workshop.node, inspector, "--cli", *serve, *call, "--tool-args-json", json.dumps(given)
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["structuredContent"]["total"] == 0
    given["agent_name"] = "Nobody"
    failed = workshop.run(
        workshop.node, inspector, "--cli", *serve, *call, "--tool-args-json", json.dumps(given)
    )
    assert failed.returncode == 5, failed.stderr
    assert "agent_not_found" in failed.stdout + failed.stderr


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_conformance_suite(
    workshop: Workshop, project: Project, tmp_path: Path, revision: str
) -> None:
    listed = yaml.safe_load((HERE / "expected-failures.yml").read_text(encoding="utf-8"))
    baseline = tmp_path / "baseline.yml"
    baseline.write_text(yaml.safe_dump({"server": [*listed["both"], *listed[revision]]}))
    command = [sys.executable, str(HERE / "conformance_server.py"), str(project.path), BLUE]
    suite = workshop.folder / "node_modules" / ".bin" / "conformance"
    options = ["--requirements", revision, "--expected-failures", str(baseline)]
    with _running(command, project, "stdout") as url:
        done = workshop.run(workshop.node, suite, "server", "--url", url, *options)
    assert done.returncode == 0, done.stdout[-3000:]
