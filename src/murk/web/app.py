"""The web application: the page, a little HTTP, and one WebSocket a game."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket

from murk import __version__
from murk.errors import InputError, MurkError
from murk.web.connection import TRY_LATER, Connection
from murk.web.guard import Guard
from murk.web.hub import Hub, TooManyError
from murk.web.journal import Store, is_id
from murk.web.levels import DEFAULT_LEVEL, LEVELS, REVIEW, Level, Offers
from murk.web.limits import Limits
from murk.web.setup import analysis_setup, read_setup
from murk.web.telling import pgn_text

__all__ = ["NO_SUCH_GAME", "STATIC", "WebConfig", "make_app"]

STATIC = Path(__file__).with_name("static")
"""Where ``make web`` puts the page."""
NO_SUCH_GAME = 4404
"""Code that closes the WebSocket of a game that is not there."""


@dataclass(frozen=True)
class WebConfig:
    """What a server offers.

    Attributes:
        data: where games are kept.
        offers: the agents.
        levels: how strong they can be.
        level: the one that is proposed.
        review: how much the reviewer may think about a ply.
        names: names that the server goes by, besides addresses and ``localhost``.
        limits: what is too much.
    """

    data: Path
    offers: Offers = field(default_factory=Offers)
    levels: tuple[Level, ...] = LEVELS
    level: int = DEFAULT_LEVEL
    review: Level = REVIEW
    names: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


def make_app(config: WebConfig) -> Starlette:
    """Return the application.

    Raises:
        InputError: the games cannot be kept where they should.
    """
    store = Store(config.data)
    hub = Hub(store, config.limits, config.offers.reviewer, config.review)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await hub.start()
        try:
            yield
        finally:
            await hub.close()

    api = _Api(config, hub)
    return Starlette(
        routes=[
            Route("/", _index),
            Route("/api/options", api.options),
            Route("/api/games", api.create, methods=["POST"]),
            Route("/api/games/{game}/pgn", api.pgn),
            WebSocketRoute("/api/games/{game}", api.game),
            Mount("/", _Static(directory=STATIC, check_dir=False)),
        ],
        middleware=[Middleware(Guard, names=config.names)],
        lifespan=lifespan,
    )


async def _index(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})


class _Static(StaticFiles):
    """Files with a digest in their names never change."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if path.startswith("assets/"):
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


class _Api:
    def __init__(self, config: WebConfig, hub: Hub) -> None:
        self._config, self._hub = config, hub

    async def options(self, request: Request) -> Response:
        """Return what can be played."""
        config = self._config
        return JSONResponse(
            {
                "version": __version__,
                "agents": [{"name": o.name, "about": o.about, "fair": o.fair} for o in config.offers],
                "levels": [{"name": level.name, "seconds": level.seconds} for level in config.levels],
                "level": config.level,
                "reviewer": config.offers.reviewer.name,
            },
            headers={"Cache-Control": "no-store"},
        )

    async def create(self, request: Request) -> Response:
        """Begin a game, or the analysis of one."""
        try:
            fields = await self._body(request)
            setup = await asyncio.to_thread(self._setup, fields)
            name = await self._hub.create(setup, _address(request))
        except TooManyError as error:
            return _problem(str(error), 429)
        except InputError as error:
            return _problem(str(error), 400)
        except MurkError as error:
            return _problem(str(error), 500)
        except ClientDisconnect:
            return Response(status_code=400)
        return JSONResponse({"id": name}, 201)

    def _setup(self, fields: Any) -> Any:
        if isinstance(fields, dict) and fields.get("kind") == "analyse":
            return analysis_setup(fields.get("pgn"), self._config.offers.reviewer, self._config.review)
        return read_setup(fields, self._config.offers, self._config.levels)

    async def _body(self, request: Request) -> Any:
        limits = self._config.limits
        body = bytearray()
        try:
            async with asyncio.timeout(limits.request_seconds):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > limits.body:
                        raise InputError(f"the request has more than {limits.body:,} bytes")
        except TimeoutError:
            raise InputError("the request took too long") from None
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise InputError("the request is not JSON") from None

    async def pgn(self, request: Request) -> Response:
        """Return a game that is over."""
        name = request.path_params["game"]
        try:
            game = await self._hub.find(name, _address(request)) if is_id(name) else None
        except MurkError as error:
            return _problem(str(error), 503)
        if game is None:
            return _problem("there is no such game", 404)
        if game.ending is None:
            return _problem("the game is not over", 409)
        return PlainTextResponse(
            pgn_text(game),
            media_type="application/x-chess-pgn",
            headers={"Content-Disposition": 'attachment; filename="murk.pgn"', "Cache-Control": "no-store"},
        )

    async def game(self, socket: WebSocket) -> None:
        """Play, watch or look at a game."""
        name = socket.path_params["game"]
        address = socket.client.host if socket.client else ""
        await socket.accept()
        try:
            found = await self._hub.find(name, address) if is_id(name) else None
        except MurkError as error:
            await socket.close(TRY_LATER, str(error)[:120])
            return
        if found is None:
            await socket.close(NO_SUCH_GAME, "there is no such game")
            return
        connection = Connection(socket, self._config.limits)
        try:
            with self._hub.listening(name, connection):
                await connection.serve(lambda fields: self._hub.receive(name, fields, connection))
        except TooManyError as error:
            await socket.close(TRY_LATER, str(error)[:120])


def _problem(message: str, status: int) -> Response:
    return JSONResponse({"error": message}, status, headers={"Cache-Control": "no-store"})


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
