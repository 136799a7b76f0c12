"""A model for three hosts that answers from a script and keeps what it was asked.

Its first answer calls a harmless tool, every later one is a sentence, so one turn passes through
all of a host's hooks. Of each vendor's interface only what its host needs is there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Event = dict[str, Any]


class FakeModel:
    """A server on a free local port: `url`, and `asked`, the text of every turn's request."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> FakeModel:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, request: dict[str, Any]) -> list[Event] | None:
        """Return the events of the next answer, None for a path that no dialect has."""
        dialect = next((one for end, one in DIALECTS.items() if end in path), None)
        if dialect is None:
            return None
        if not request.get("tools"):
            return dialect(request, "title")
        self.asked.append(json.dumps(request))
        return dialect(request, None if len(self.asked) == 1 else f"answer {len(self.asked)}")


def _messages(_request: dict[str, Any], said: str | None) -> list[Event]:
    """Claude Code's dialect; `said` None means a tool call, as below."""
    if said is None:
        block: Event = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
        tool = {"command": "echo hi", "description": "Say hi"}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(tool)}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": said}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    ending = {"stop_reason": "tool_use" if said is None else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(request: dict[str, Any], said: str | None) -> list[Event]:
    """Codex's dialect; its shell tool has had several names."""
    names = {tool.get("name") for tool in request.get("tools", [])}
    if said is not None:
        text = {"type": "output_text", "text": said}
        item: Event = {"type": "message", "id": "m1", "role": "assistant", "content": [text]}
    else:
        name, arguments = next(
            (name, arguments) for name, arguments in SHELL_TOOLS.items() if name in names
        )
        item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": name}
        item |= {"arguments": json.dumps(arguments)}
    usage: Event = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": None, "output_tokens_details": None}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "usage": usage}},
    ]


def _generate(_request: dict[str, Any], said: str | None) -> list[Event]:
    """Gemini CLI's dialect."""
    call = {"functionCall": {"name": "list_directory", "args": {"dir_path": "."}}}
    part = call if said is None else {"text": said}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return [{"candidates": [candidate], "usageMetadata": usage}]


SHELL_TOOLS: dict[str, Event] = {
    "exec_command": {"cmd": "echo hi"},
    "shell_command": {"command": "echo hi"},
    "shell": {"command": ["echo", "hi"]},
}
DIALECTS: dict[str, Callable[[dict[str, Any], str | None], list[Event]]] = {
    "/v1/messages": _messages,
    "/responses": _responses,
    ":streamGenerateContent": _generate,
}


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            events = model.answer(self.path, body)
            if events is None or "count_tokens" in self.path:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for event in events:
                name = f"event: {event['type']}\n" if "type" in event else ""
                self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())

        def log_message(self, format: str, *arguments: object) -> None:
            del format, arguments

    return Handler
