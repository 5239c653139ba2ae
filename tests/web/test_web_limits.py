"""Strangers are turned away, and whoever is slow or rude harms nobody else."""

import contextlib
import json
import socket
import urllib.request

import pytest
from web_server import WAIT, Player, Server, eventually, gone
from websockets.exceptions import ConnectionClosed, InvalidStatus

from murk.web.guard import HEADERS, is_own_host, is_same_origin
from murk.web.limits import Bucket

GAME = {"kind": "play", "agent": "random", "colour": "white", "level": 0, "control": None}


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1", "file://"])
def test_other_origins_open_no_socket(shared: Server, origin: str | None):
    game = shared.new(**GAME)
    with pytest.raises(InvalidStatus) as refused, shared.join(game, origin=origin):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "https://127.0.0.1"])
def test_other_origins_begin_no_game(shared: Server, origin: str):
    status, text = shared.ask("/api/games", GAME, Origin=origin)
    assert (status, text) == (403, "this must be asked from a page of this server\n")


@pytest.mark.parametrize(
    ("host", "status"),
    [("evil.example", 403), ("127.0.0.1.evil.example", 403), ("murk.test", 200), ("localhost:1", 200), ("[::1]", 200)],
)
def test_names_that_are_not_ours_are_not_served(shared: Server, host: str, status: int):
    """A page whose name was given our address (DNS rebinding) still has its own name."""
    assert shared.ask("/api/options", Host=host)[0] == status


def test_hosts():
    names = frozenset({"chess.example"})
    good = ["localhost", "localhost:80", "murk.localhost", "127.0.0.1:8765", "[::1]:80", "10.0.0.7", "Chess.Example:9"]
    bad = [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "[::1",
        "x@localhost",
        "localhost/x",
        "a:b",
    ]
    assert all(is_own_host(host, names) for host in good)
    assert not any(is_own_host(host, names) for host in bad)
    assert is_same_origin(["http://localhost:1"], "localhost:1")
    assert not is_same_origin(["http://localhost:1", "http://localhost:1"], "localhost:1")
    assert not is_same_origin([], "localhost:1")


@pytest.mark.parametrize("path", ["/api/options", "/api/nothing", "/nothing.js"])
def test_every_answer_has_the_headers(shared: Server, path: str):
    request = urllib.request.Request(shared.origin + path)
    try:
        answer = urllib.request.urlopen(request, timeout=WAIT)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert "Server" not in answer.headers


def test_no_answer_leaves_the_folder(shared: Server):
    for path in ("/../app.py", "/assets/../../app.py", "/%2e%2e/app.py", "/..%5capp.py", "//etc/passwd"):
        assert shared.ask(path)[0] in (400, 403, 404)


def test_long_messages_end_the_connection(shared: Server):
    player = shared.play(agent="random", colour="white")
    player.socket.send("x" * 5000)
    assert gone(player.socket) == (1009, "the message is too long")
    player.close()
    other = Player(shared, player.game)
    other.socket.send("x" * 50_000)
    assert gone(other.socket)[0] == 1009
    other.close()
    again = Player(shared, player.game)
    again.socket.send(b"\x00\x01")
    assert gone(again.socket)[0] == 1009
    again.close()


def test_too_many_messages_end_the_connection_and_not_the_game(serve):
    server = serve()
    player = server.play(agent="random", colour="white")
    with contextlib.suppress(ConnectionClosed):
        for _ in range(200):
            player.say(type="nothing")
    assert gone(player.socket) == (1008, "too many messages")
    player.close()
    again = Player(server, player.game)
    assert again.move("e2e4")["type"] == "ply"
    again.close()


def test_long_requests_are_refused(shared: Server):
    status, answer = shared.ask("/api/games", json.dumps({"kind": "analyse", "pgn": "x" * 300_000}).encode())
    assert (status, answer["error"]) == (400, "the request has more than 262,144 bytes")


def test_the_number_of_games_is_limited(serve):
    server = serve(agents=["web_agents:Sleeper(label=sleeper)"], limits={"games": 2, "new_games": 5})
    players = [server.play(agent="sleeper", colour="black") for _ in range(2)]
    game = {**GAME, "agent": "random"}
    assert server.ask("/api/games", game) == (429, {"error": "2 games are going on, and this server takes no more now"})
    players[0].say(type="resign")
    players[0].next("state")
    players[0].close()
    eventually(lambda: server.ask("/api/games", game)[0] == 201)
    players[1].close()


def test_games_begun_are_limited(serve):
    server = serve(limits={"new_games": 3})
    answers = [server.ask("/api/games", {**GAME, "pgn": "1. e4 *", "kind": "analyse"})[0] for _ in range(5)]
    assert answers == [201, 201, 201, 429, 429]


def test_connections_are_limited(serve):
    server = serve(limits={"connections_each": 2})
    player = server.play(agent="random", colour="white")
    other = Player(server, player.game)
    with server.join(player.game) as third:
        assert gone(third)[0] == 1013
    assert player.move("e2e4")["type"] == "ply"
    other.close()
    player.close()


def test_who_does_not_read_is_cut_and_harms_nobody(serve):
    """A player asks much and reads nothing; another plays meanwhile."""
    server = serve(limits={"messages": 1e6, "burst": 10**6, "send_seconds": 0.5, "backlog": 8})
    game = server.new(**{**GAME, "agent": "random"})
    hello = (
        f"GET /api/games/{game} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    flood = _masked(b'{"type":"nonsense"}') * 1000
    with socket.socket() as rude:
        rude.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # so that it is soon full
        rude.settimeout(WAIT)
        rude.connect(("127.0.0.1", server.port))
        rude.sendall(hello.encode())
        with contextlib.suppress(ConnectionError):  # reset, or a broken pipe; a timeout is neither
            for _ in range(1 << 16):
                rude.sendall(flood)
            pytest.fail("the server took it all")
        polite = server.play(agent="random", colour="white")  # while it may still be on its way out
        for move in ("a2a3", "b2b3", "h2h3"):
            assert polite.until_my_turn()
            assert polite.move(move)["type"] == "ply"
        polite.close()


def _masked(text: bytes) -> bytes:
    """Return a frame of a client, with a mask of zeros."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


def test_requests_that_never_end_are_cut(serve):
    server = serve(limits={"request_seconds": 0.3})
    for data in (b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "):
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as slow:
            slow.sendall(data)
            assert read_to_the_end(slow) == b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as slow:
        # A first request that is in order buys no patience for the second.
        slow.sendall(b"GET /api/options HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\n")
        assert b"reviewer" in slow.makefile("rb").read()
    head = b"POST /api/games HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: close\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as slow:
        slow.sendall(head + b"Content-Length: 99\r\n\r\n{")
        assert b"the request took too long" in slow.makefile("rb").read()
    assert server.ask("/api/options")[0] == 200


def read_to_the_end(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize(
    "data", [b"\x00" * 64, b"GET / HTTP/9\r\n\r\n", b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_http(shared: Server, data: bytes):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=WAIT) as rude:
        rude.sendall(data)
        read_to_the_end(rude)
    assert shared.ask("/api/options")[0] == 200


def test_a_bucket():
    now = 0.0
    bucket = Bucket(2.0, 3, lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    assert not bucket.full
    now = 10.0
    assert bucket.full
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
