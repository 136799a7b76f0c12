"""The real hosts read what setup wrote. They run where `make hosts` has installed them.

HOST_PROGRAMS names the folder with the hosts' programs (tests/hosts/install_hosts.sh makes one);
without it, and for each host that is not there, these tests are skipped. The hosts run without a
login, with an emptied environment and a throw-away HOME, and go through a whole turn with a
scripted model on this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fake_model import FakeModel

from gitmail_hooks.setup.apply import apply
from gitmail_hooks.setup.command import check_command
from gitmail_hooks.setup.plan import plan, plan_undo
from gitmail_hooks.setup.shapes import Scope

PROGRAMS = os.environ.get("HOST_PROGRAMS", "")
PLUGIN = Path(__file__).parents[2] / "plugins" / "claude-code"
STUB = Path(__file__).with_name("stub_gitmail.py")
COMMAND = (sys.executable, str(STUB))

pytestmark = pytest.mark.timeout(180)


class Machine:
    """A home, a project and the host programs, away from everything of the user's."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.output = folder / "output"
        self.home.mkdir()
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)

    def setup(self, host: str, scope: Scope, *, rewake: bool = False) -> None:
        apply(plan(host, scope, str(self.project), str(self.home), COMMAND, rewake=rewake))
        if host == "gemini":
            trusted = {str(self.project): "TRUST_FOLDER"}
            folder = self.home / ".gemini"
            folder.mkdir(exist_ok=True)
            (folder / "trustedFolders.json").write_text(json.dumps(trusted))

    def undo(self, host: str, scope: Scope) -> None:
        apply(plan_undo(host, scope, str(self.project), str(self.home)))

    def start(self, host: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        program = Path(PROGRAMS, host)
        if not PROGRAMS or not program.exists():
            pytest.skip(f"{host} is not installed; see tests/hosts/install_hosts.sh")
        own = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "dumb"}
        with self.output.open("wb") as output:
            return subprocess.Popen(
                [str(program), *arguments],
                cwd=self.project,
                env=own | environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def finish(self, process: subprocess.Popen[bytes]) -> str:
        """End a host with the processes it started, and return what it printed."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)
        return self.output.read_text(encoding="utf-8", errors="replace")

    def run(self, host: str, *arguments: str, **environment: str) -> str:
        process = self.start(host, *arguments, **environment)
        try:
            code = process.wait(timeout=150)
        finally:
            output = self.finish(process)
        assert code == 0, output
        return output

    def hook_calls(self) -> list[list[str]]:
        log = self.home / "hooks.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [json.loads(line) for line in lines]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_stub_is_a_command_that_setup_accepts() -> None:
    assert check_command(COMMAND) == "gitmail 0.0 (stub)"


def test_claude_code_accepts_the_plugin_strictly(machine: Machine) -> None:
    output = machine.run("claude", "plugin", "validate", str(PLUGIN), "--strict")
    assert "Validation passed" in output
    assert "refuses" not in output


def test_claude_code_connects_to_the_server_of_the_users_settings(machine: Machine) -> None:
    machine.setup("claude", "user")
    assert "Connected" in machine.run("claude", "mcp", "list")
    machine.undo("claude", "user")
    assert "gitmail" not in machine.run("claude", "mcp", "list")


def test_claude_code_finds_the_projects_server_and_asks_for_approval(machine: Machine) -> None:
    machine.setup("claude", "project")
    output = machine.run("claude", "mcp", "list")
    assert "gitmail" in output
    assert "approv" in output.casefold()


@pytest.mark.parametrize("scope", ["user", "project"])
def test_gemini_cli_connects_to_the_server_in_a_trusted_folder(
    machine: Machine, scope: Scope
) -> None:
    machine.setup("gemini", scope)
    output = machine.run("gemini", "mcp", "list")
    assert "gitmail" in output
    assert "Connected" in output


def test_codex_reads_the_server_from_the_users_settings(machine: Machine) -> None:
    machine.setup("codex", "user")
    shown = machine.run("codex", "mcp", "get", "gitmail", "--json")
    transport = json.loads(shown[shown.index("{") : shown.rindex("}") + 1])["transport"]
    assert transport["command"] == COMMAND[0]
    assert transport["args"] == [str(STUB), "serve"]
    machine.undo("codex", "user")
    assert "gitmail" not in machine.run("codex", "mcp", "list")


CODEX_MODEL = (
    'model_providers.fake={name="fake",base_url="%s/v1",env_key="KEY",wire_api="responses"}'
)


def arguments_for(host: str, url: str) -> tuple[list[str], dict[str, str]]:
    """How a host is told to say hello to a model at `url` and be done."""
    if host == "claude":
        environment = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}
        environment["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
        return ["-p", "hello", "--allowedTools", "Bash"], environment
    if host == "gemini":
        environment = {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none"}
        return ["-m", "gemini-2.5-flash", "-p", "hello"], environment
    model = ["-c", CODEX_MODEL % url, "-c", "model_provider=fake", "-m", "fake"]
    trust = ["--trust", "--dangerously-bypass-hook-trust"]
    return ["exec", *trust, *model, "hello"], {"KEY": "none"}


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_a_host_hands_the_agent_each_hooks_line_and_goes_on_after_a_stop_once(
    machine: Machine, host: str, scope: Scope
) -> None:
    if host == "gemini":
        chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (machine.home / ".gemini").mkdir()
        (machine.home / ".gemini/settings.json").write_text(json.dumps(chosen))
    machine.setup(host, scope, rewake=True)
    with FakeModel() as model:
        arguments, environment = arguments_for(host, model.url)
        output = machine.run(host, *arguments, **environment)
    calls = machine.hook_calls()
    words = [call[1] for call in calls]
    assert words[:4] == ["session-start", "prompt", "tool-used", "stop"], output
    assert words.count("stop") == 2
    assert len({call[2] for call in calls}) == 1
    assert {os.path.realpath(call[3]) for call in calls} == {str(machine.project.resolve())}
    kinds = ("session_start", "prompt", "tool_used", "stop")
    heard = [[kind for kind in kinds if f"{kind} was" in turn] for turn in model.asked]
    assert heard == [list(kinds[:2]), list(kinds[:3]), list(kinds)], output
    assert "answer 3" in output
