"""Runs the application with uvicorn on a socket of its own, patient with browsers but not for ever."""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable
from typing import Any, ClassVar

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from murk.errors import InputError
from murk.web.limits import Limits

__all__ = ["address_of", "is_loopback", "listen", "serve"]

BACKLOG = 128
MOST_HEADERS = 16 * 1024


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free.

    Raises:
        InputError: the address cannot be used.
    """
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, proto)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot listen on {host!r}: {reason}; expected an address of this machine") from None
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} is in use: name another with --port, or 0 for any") from None
        raise InputError(f"cannot listen on {host} port {port}: {error.strerror or error}") from None
    return sock


def address_of(sock: socket.socket) -> str:
    """Return the address to open in a browser."""
    host, port = sock.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = "localhost"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_loopback(sock: socket.socket) -> bool:
    """Tell whether only this machine can reach a socket."""
    return ipaddress.ip_address(sock.getsockname()[0]).is_loopback


def serve(app: Starlette, sock: socket.socket, limits: Limits, *, on_start: Callable[[], None] | None = None) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    config = uvicorn.Config(
        app,
        http=_patient_http(limits.request_seconds, limits.send_seconds),
        ws=_patient_websocket(limits.send_seconds),
        ws_max_size=limits.message * 4,  # bytes; the limit itself counts characters
        ws_per_message_deflate=False,
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=4 * limits.connections,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=MOST_HEADERS,
    )
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # rude clients are no news
    asyncio.run(_run(_Server(config), sock, on_start))


class _Server(uvicorn.Server):
    """Leaves signals to :func:`_run`: uvicorn raises them again afterwards, and Ctrl-C is an ordinary end here."""

    def capture_signals(self) -> Any:
        """Do nothing."""
        return contextlib.nullcontext()


async def _run(server: _Server, sock: socket.socket, on_start: Callable[[], None] | None) -> None:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if on_start is not None and not serving.done():
        on_start()
    await serving


class _Stalling(asyncio.Protocol):
    """Stands before a protocol of uvicorn, and cuts a browser that has stopped reading for ``patience`` seconds."""

    patience: ClassVar[float]
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(self.patience, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._stalled)

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._stalled)
        super().connection_lost(exc)


def _patient_http(request_seconds: float, send_seconds: float) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with an end to its patience: for a request's headers, and for a reader that stops."""

    class PatientHttp(_Stalling, H11Protocol):
        patience = send_seconds
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                _cancel(self._waiting)
                self._waiting = None
            elif self._waiting is None and self.transport.get_protocol() is self:
                self._wait()

        def _wait(self) -> None:
            self._waiting = self.loop.call_later(request_seconds, self.transport.abort)

        def handle_websocket_upgrade(self, event: Any) -> None:
            _cancel(self._waiting)
            super().handle_websocket_upgrade(event)

        def connection_lost(self, exc: Exception | None) -> None:
            _cancel(self._waiting)
            super().connection_lost(exc)

    return PatientHttp


def _patient_websocket(send_seconds: float) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol, which cuts a browser that has stopped reading."""

    class PatientWebSocket(_Stalling, WebSocketsSansIOProtocol):
        patience = send_seconds

    return PatientWebSocket


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
