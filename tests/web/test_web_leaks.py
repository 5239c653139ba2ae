"""Every byte that the server sends before the end of a game is a function of what the player may know.

A forwarder between player and server keeps all bytes of both directions. Whole games are compared with pyffish, which
computes the fog on its own, and pairs of games that look the same to the player must be told in the same words.
"""

import json
import random
import re
import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyffish
import pytest
from web_server import Player, Server
from websockets.frames import Frame
from websockets.streams import StreamReader

from murk.darkchess import Board, Colour

VARIANT = """
[fogofwar:chess]
king = -
commoner = k
castlingKingPiece = k
extinctionValue = loss
extinctionPieceTypes = k
"""
BEFORE_THE_END = {
    "state": {"type", "game", "over", "sheet", "clocks", "thinking"},
    "ply": {"type", "ply", "line", "view", "clocks", "thinking"},
    "time": {"type", "clocks", "thinking"},
}
VIEW = {"fen", "turn", "stopped", "felt", "passing", "captured", "moves"}
LINE = {"by", "text", "squares", "took"}


class Recorder:
    """Forwards one port to another and keeps what comes back."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.streams: list[bytearray] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            self.streams.append(bytearray())
            thread = threading.Thread(target=_forward, args=(client, server, self.streams[-1]))
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def messages(self) -> list[str]:
        """Return the texts of all frames of the last connection, decoded from its bytes."""
        head, _, frames = bytes(self.streams[-1]).partition(b"\r\n\r\n")
        assert b" 101 " in head.splitlines()[0]
        reader = StreamReader()
        reader.feed_data(frames)
        texts = []
        while True:
            steps = Frame.parse(reader.read_exact, mask=False, max_size=None)
            try:
                next(steps)
            except StopIteration as done:
                if done.value.opcode == 1:
                    texts.append(bytes(done.value.data).decode())
            else:
                return texts

    def everything(self) -> bytes:
        return b"".join(map(bytes, self.streams))


def _forward(client: socket.socket, server: socket.socket, received: bytearray) -> None:
    """Pass bytes both ways until either side is gone."""
    with client, server, selectors.DefaultSelector() as selector:
        selector.register(client, selectors.EVENT_READ, server)
        selector.register(server, selectors.EVENT_READ, client)
        while True:
            for key, _ in selector.select():
                try:
                    data = key.fileobj.recv(65536)
                    if key.fileobj is server:
                        received += data
                    key.data.sendall(data)
                except OSError:
                    data = b""
                if not data:
                    return


@contextmanager
def recorded(server: Server) -> Iterator[tuple[Recorder, Server]]:
    """Yield a recorder, and the server as it is reached through it."""
    recorder = Recorder(server.port)
    behind = Server.__new__(Server)
    behind.__dict__ |= server.__dict__
    behind.port = recorder.port
    behind.address = f"http://127.0.0.1:{recorder.port}/"
    behind.origin = f"http://127.0.0.1:{recorder.port}"
    try:
        yield recorder, behind
    finally:
        recorder.close()


def fog_by_pyffish(moves: list[str], colour: str) -> str:
    """Return what a player sees, by a program that is not ours."""
    fen = pyffish.start_fen("fogofwar")
    reached = pyffish.get_fen("fogofwar", fen, moves)
    fields = reached.split()
    if fields[1] != colour[0]:
        # pyffish shows the side to move.
        reached = " ".join([fields[0], colour[0], *fields[2:3], "-", *fields[4:]])
    return pyffish.get_fog_fen(reached, "fogofwar").split()[0]


def unfolded(placement: str) -> str:
    return re.sub(r"\d", lambda run: "." * int(run.group()), placement)


@pytest.fixture(scope="module", autouse=True)
def fogofwar() -> None:
    pyffish.load_variant_config(VARIANT)


@pytest.mark.parametrize("colour", ["white", "black"])
@pytest.mark.parametrize("agent", ["random", "greedy"])
def test_every_byte_of_whole_games(shared: Server, colour: str, agent: str):
    with recorded(shared) as (recorder, server):
        player = Player(server, server.new(kind="play", agent=agent, colour=colour))
        end = player.play_out(random.Random(f"{colour}{agent}"))
        player.close()
        texts = recorder.messages()
        everything = recorder.everything().decode("latin-1")
    assert texts == player.sent
    *before, last = [json.loads(text) for text in texts]
    assert last["over"]
    moves = [line["move"] for line in end["record"]["lines"][1:]]
    lines = (shared.folder / f"{player.game}.jsonl").read_text().splitlines()
    seeds = json.loads(lines[0])["seeds"]
    told = everything[: everything.index('"over":true')]
    assert not any(str(seed) in told for seed in seeds)
    views = []
    for message in before:
        assert set(message) == BEFORE_THE_END[message["type"]]
        assert not message.get("over")
        if message["type"] == "state":
            assert set(message["sheet"]) == {"lines", "views"}
            views += message["sheet"]["views"]
        elif message["type"] == "ply":
            assert set(message["line"]) == LINE
            views.append(message["view"])
    assert len(views) == len(moves)  # the last ply is told with the end
    board = Board()
    for ply, view in enumerate(views):
        assert set(view) == VIEW
        if ply:
            board.push(moves[ply - 1])
        if board.outcome() is None:
            _compare(view, board, moves[:ply], colour)


def _compare(view: dict[str, Any], board: Board, moves: list[str], colour: str) -> None:
    told, theirs = unfolded(view["fen"]), unfolded(fog_by_pyffish(moves, colour))
    assert len(told.replace("/", "")) == 64
    if view["passing"] is None:
        assert told == theirs
    else:  # the pawn that can be taken en passant is seen here, and not there
        assert sum(a != b for a, b in zip(told, theirs, strict=True)) <= 2
    if view["turn"] == colour[0]:
        assert sorted(view["moves"]) == sorted(map(str, board.legal_moves))
    else:
        assert view["moves"] == []


PAIRS = [
    # What the person plays, and two ways for the agent that look the same to her: no move of the two is the same.
    ("white", "h2h4 g1h3 c2c4 b1c3 h3g1", "a7a5 c7c5 g7g6 d8b6 e7e5", "c7c5 a7a6 a6a5 e7e5 b7b6"),
    ("white", "h2h4 g1h3 c2c4 b1a3 a1b1", "e7e6 g8h6 d8e7 e7f6 d7d6", "h7h6 b8c6 c6b8 e7e6 g7g6"),
    ("black", "g8f6 a7a5 a8a7 b8a6 b7b6", "h2h4 a2a4 g1h3 h1h2 f2f4", "a2a4 c2c3 a1a2 g1h3 b1a3"),
    ("black", "g8f6 a7a5 a8a6 f6g8 a5a4", "e2e3 g1f3 e1e2 e2d3 c2c3", "h2h3 h1h2 g1f3 e2e3 g2g4"),
]


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose agents play what they are told: the moves are the name."""
    scripts = [moves for *_, one, other in PAIRS for moves in (one, other)]
    specs = [f"web_agents:Scripted(moves='{moves}',label='{moves}')" for moves in scripts]
    server = Server(tmp_path_factory.mktemp("games"), agents=specs, limits={"messages": 1000.0})
    yield server
    server.stop()


@pytest.mark.parametrize(("colour", "own", "one", "other"), PAIRS)
def test_what_looks_the_same_is_told_the_same(scripted: Server, colour: str, own: str, one: str, other: str):
    """Two truths, one sequence of observations: equal bytes."""
    assert observations(colour, own, one) == observations(colour, own, other)
    assert all(a != b for a, b in zip(one.split(), other.split(), strict=True))
    told = []
    for agent in (one, other):
        with recorded(scripted) as (recorder, behind):
            player = Player(behind, behind.new(kind="play", agent=agent, colour=colour))
            for move in own.split()[:-1]:
                assert player.until_my_turn()
                assert player.move(move)["type"] == "ply"
            assert player.until_my_turn()
            again = Player(behind, player.game)
            assert player.move(own.split()[-1])["type"] == "ply"
            if colour == "white":  # else the script is over
                assert player.until_my_turn()
            texts = [*player.sent, *again.sent]
            for one_player in (player, again):
                one_player.close()
            http = bytes(recorder.streams[0]).replace(player.game.encode(), b"")
        # The agents' names and the time since it thinks differ; nothing else may.
        plain = [re.sub(r'"elapsed":[\d.]+', "", text).replace(agent, "agent") for text in texts]
        told.append((plain, re.sub(rb"\r\ndate: [^\r]*", b"", http)))
    assert told[0] == told[1]


def observations(colour: str, own: str, theirs: str) -> list[str]:
    """Return what the person sees along the game."""
    side = Colour.WHITE if colour == "white" else Colour.BLACK
    board, mine, others = Board(), iter(own.split()), iter(theirs.split())
    seen = [board.observation(side).text]
    for _ in range(2 * len(own.split())):
        board.push(next(mine if board.turn == side else others))
        seen.append(board.observation(side).text)
    return seen
