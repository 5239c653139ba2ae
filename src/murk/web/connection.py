"""One browser's WebSocket: what it says, within limits, and what it is told, at its own speed."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from murk.web.limits import Bucket, Limits

__all__ = ["POLICY", "TOO_BIG", "TRY_LATER", "Connection"]

POLICY, TOO_BIG, TRY_LATER = 1008, 1009, 1013
"""Codes of RFC 6455 to close with."""


class Connection:
    """Sends from a queue of its own, so that a slow browser holds up nobody; one that is too slow is dropped.

    Args:
        socket: accepted already.
        limits: what is too much.
    """

    def __init__(self, socket: WebSocket, limits: Limits) -> None:
        self._socket, self._limits = socket, limits
        self._queue: asyncio.Queue[str] = asyncio.Queue(limits.backlog)
        self._bucket = Bucket(limits.messages, limits.burst)
        self._goodbye: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()

    def tell(self, text: str) -> None:
        """Send a message some time."""
        try:
            self._queue.put_nowait(text)
        except asyncio.QueueFull:
            self.close(TRY_LATER, "too slow")

    def close(self, code: int = 1000, reason: str = "") -> None:
        """End the connection. The browser may come back, and is told everything again."""
        if not self._goodbye.done():
            self._goodbye.set_result((code, reason))

    async def serve(self, on_message: Callable[[dict[str, Any]], None]) -> None:
        """Pass on what the browser says until the connection ends."""
        tasks = [asyncio.create_task(self._receive(on_message)), asyncio.create_task(self._send())]
        try:
            waiting: list[asyncio.Future[Any]] = [*tasks, self._goodbye]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self._goodbye.done():
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close(*self._goodbye.result())

    async def _send(self) -> None:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            while True:
                await self._socket.send_text(await self._queue.get())

    async def _receive(self, on_message: Callable[[dict[str, Any]], None]) -> None:
        while not self._goodbye.done():
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if not self._bucket.take():
                self.close(POLICY, "too many messages")
            elif text is None or len(text) > self._limits.message:
                self.close(TOO_BIG, "the message is too long")
            else:
                self._take(text, on_message)

    def _take(self, text: str, on_message: Callable[[dict[str, Any]], None]) -> None:
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            fields = None
        if isinstance(fields, dict):
            on_message(fields)
        else:
            self.tell('{"type":"error","message":"the message is not a JSON object"}')
