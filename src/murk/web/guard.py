"""Who may talk to the server: pages that it served itself, under a name that is its own.

A page of another site can make a browser send requests here, and can give its own name our address (DNS rebinding). The
``Host`` of a request must therefore be an address, ``localhost`` or a name that the server was told; and whatever
changes something, or opens a WebSocket, must come from the same ``Origin``. Each answer forbids the browser to load
anything from elsewhere.
"""

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "is_own_host", "is_same_origin"]

SAFE_METHODS = frozenset({"GET", "HEAD"})

HEADERS = {
    # The board component moves a dragged piece by its style attribute; style elements stay forbidden.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Turns strangers away, and adds the headers that keep browsers in.

    Args:
        app: what is guarded.
        names: names that the server goes by, besides addresses and ``localhost``.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            await PlainTextResponse(refusal + "\n", 403)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not is_own_host(hosts[0], self._names):
            return "this server does not go by that name"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and not is_same_origin(headers.getlist("origin"), hosts[0]):
            return "this must be asked from a page of this server"
        return None


def is_own_host(host: str, names: frozenset[str]) -> bool:
    """Tell whether a ``Host`` header can be ours: an address, ``localhost``, or a name that is known."""
    try:
        name = urlsplit(f"//{host}")
        hostname = (name.hostname or "").lower()
        _ = name.port
    except ValueError:
        return False
    if name.username is not None or name.path or name.query:
        return False
    if hostname == "localhost" or hostname.endswith(".localhost") or hostname in names:
        return True
    try:
        ipaddress.ip_address(hostname)
    except ValueError:
        return False
    return True


def is_same_origin(origins: list[str], host: str) -> bool:
    """Tell whether the one ``Origin`` header is a page of ``host``."""
    return len(origins) == 1 and origins[0].lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return wrapped
