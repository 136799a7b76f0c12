"""A model for Claude Code that answers from a script and keeps what it was asked.

Its first answer calls a shell tool, every later one is a sentence, so one turn passes through all
of a host's hooks. Only what the host needs of the messages API is there.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


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

    def answer(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events of the next answer."""
        if request.get("tools"):
            self.asked.append(json.dumps(request["messages"]))
            if len(self.asked) == 1:
                return _events({"command": "echo hi", "description": "Say hi"})
        return _events(f"answer {len(self.asked)}")


def _events(content: str | dict[str, Any]) -> list[dict[str, Any]]:
    tool = not isinstance(content, str)
    block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(content)}
    if not tool:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": content}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    ending = {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": usage},
        {"type": "message_stop"},
    ]


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if not body.get("stream"):
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for event in model.answer(body):
                data = json.dumps(event)
                self.wfile.write(f"event: {event['type']}\ndata: {data}\n\n".encode())

        def log_message(self, format: str, *arguments: object) -> None:
            del format, arguments

    return Handler
