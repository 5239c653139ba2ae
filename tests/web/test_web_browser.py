"""The page in a real browser: games by clicking, dragging and keys, the fog, the promotion, the review."""

import json
import random
import shutil
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from web_server import Server

from murk.darkchess import BLACK, WHITE, Board, Colour, Move, pgn
from murk.darkchess.sheet import Sheet
from murk.web.app import STATIC

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
QUICK_LOSS = "a7a6 b7b6 a6a5"
"""Black's moves against 1. e4, 2. Qh5, 3. Qxf7, 4. Qxe8."""
PGN = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Bxf7 Qxg2 6. Bxe8 1-0"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert program is not None, "there is no Chromium: make chromium installs it"
    assert (STATIC / "index.html").is_file(), "the page is not built: make web does it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def board_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    agents = [
        "random",
        f"web_agents:Scripted(moves='{QUICK_LOSS}',label=loser)",
        "web_agents:Scripted(moves='h8h7 h7h8 h8h7',label=shuffler)",
        "greedy",
        "web_agents:Sleeper(label=sleeper)",
    ]
    server = Server(tmp_path_factory.mktemp("games"), agents=agents, limits={"new_games": 1000.0})
    yield server
    server.stop()


@pytest.fixture
def open_page(browser: Browser, board_server: Server) -> Iterator[Callable[..., "BoardPage"]]:
    """Open pages; afterwards none may have asked another host for anything, or broken a rule of its own."""
    pages: list[BoardPage] = []

    def open_page(server: Server = board_server, **options: Any) -> BoardPage:
        context = browser.new_context(accept_downloads=True, **options)
        pages.append(BoardPage(context.new_page(), server))
        return pages[-1]

    yield open_page
    for page in pages:
        page.check()
        page.page.context.close()


class BoardPage:
    """A page, and the hand that uses it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.set_default_timeout(20_000)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        page.goto(server.address)
        expect(page.locator("form")).to_be_visible()

    def check(self) -> None:
        own = (self.server.address, self.server.address.replace("http", "ws", 1), "blob:", "data:")
        assert self.asked
        assert [url for url in self.asked if not url.startswith(own)] == []
        assert self.complaints == []

    def play(self, agent: str, *, colour: str = "White", fen: str = "") -> None:
        self.page.select_option("select[name=agent]", agent)
        self.page.locator(".segments").get_by_text(colour, exact=True).click()
        if fen:
            self.page.get_by_text("Begin from another position").click()
            self.page.fill("input[name=fen]", fen)
        self.page.get_by_role("button", name="Play", exact=True).click()
        expect(self.page.locator(".game .status")).not_to_be_empty()

    def square(self, name: str) -> tuple[float, float]:
        box = self.page.locator(f".board rect[data-square='{name}']").bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def click(self, *names: str) -> None:
        for name in names:
            self.page.mouse.click(*self.square(name))

    def my_move(self, plies: int) -> None:
        """Wait until so many plies were made, and it is the person's turn."""
        expect(self.page.locator(".moves button")).to_have_count(plies)
        expect(self.page.locator(".status")).to_contain_text("Your move")

    def moves(self) -> list[str]:
        return self.page.locator(".moves button").all_inner_texts()

    def labels(self) -> dict[str, str]:
        """Return what is said of each square to those who cannot see."""
        cells = self.page.locator("[data-cell]")
        texts = cells.evaluate_all("cells => cells.map(cell => cell.getAttribute('aria-label'))")
        return {text.split(", ")[0]: text.partition(", ")[2] for text in texts}

    def count(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def resign(self) -> None:
        self.page.get_by_role("button", name="Resign").click()
        self.page.get_by_role("button", name="Really resign?").click()

    def reviewed(self) -> None:
        """Wait until everything is thought through."""
        expect(self.page.locator(".review")).to_be_visible()
        expect(self.page.locator(".errors")).to_be_visible()
        expect(self.page.locator(".reviewing")).to_have_count(0)


def fog_of(moves: list[str], colour: Colour) -> set[str]:
    board = Board()
    for move in moves:
        board.push(move)
    view = board.observation(colour)
    return {f"{'abcdefgh'[s % 8]}{s // 8 + 1}" for s in range(64) if not view.visible >> s & 1}


def known_to(moves: list[Move], colour: Colour) -> list[str]:
    """Return the moves as a side knows them."""
    board = Board()
    sheet = Sheet(board.observation(colour))
    for move in moves:
        own = board.turn == colour
        board.push(move)
        sheet.add(board.observation(colour), move if own else None)
    return [line["text"] for line in sheet.lines]


def test_a_whole_game_by_clicking(open_page):
    board = open_page()
    board.play("loser")
    played: list[str] = []
    theirs = iter(QUICK_LOSS.split())
    for move in ("e2e4", "d1h5", "h5f7"):
        board.my_move(len(played))
        fog = fog_of(played, WHITE)
        expect(board.count(".fog")).to_have_count(len(fog))
        assert {name for name, text in board.labels().items() if text.startswith("in the fog")} == fog
        pieces = board.count(".pieces > g").evaluate_all("all => all.map(g => g.dataset.square)")
        assert not set(pieces) & fog
        board.click(move[:2])
        expect(board.count(".target")).not_to_have_count(0)
        board.click(move[2:])
        played += [move, next(theirs)]
    board.my_move(6)
    assert board.moves() == ["e4", "a6", "Qh5", "?", "Qxf7", "?"]
    assert "♔" not in board.page.content()
    board.click("f7", "e8")
    expect(board.count(".status")).to_contain_text("You won: king captured")
    assert board.moves() == ["e4", "a6", "Qh5", "b6", "Qxf7", "a5", "Qxe8"]
    expect(board.count(".fog")).to_have_count(0)
    board.reviewed()
    board.page.keyboard.press("3")  # the agent does not know where the person erred
    expect(board.count(".errors")).to_have_count(0)
    expect(board.count(".moves button").nth(2)).to_have_text("?")
    board.page.keyboard.press("1")
    board.reviewed()


def test_a_whole_game_against_chance(open_page):
    """Captures where there is one to click on, else whatever is legal; the other side does not know better."""
    source = random.Random(11)
    board = open_page()
    board.play("random", colour="Black")
    for _ in range(25):
        expect(board.count(".status:has-text('Your move'), .over .status")).to_be_visible()
        if board.count(".over").count():
            break
        own = [name for name, text in board.labels().items() if text.startswith("black")]
        source.shuffle(own)
        for name in own:
            board.click(name)
            targets = board.page.locator(".target").evaluate_all(
                "all => all.map(c => [c.classList.contains('ring'), c.getBoundingClientRect()])"
            )
            if targets:
                _, box = max(targets, key=lambda target: (target[0], source.random()))
                before = len(board.moves())
                board.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                board.page.wait_for_function(
                    "n => document.querySelectorAll('.moves button').length > n"
                    " || document.querySelector('.promotion-dialog-button')",
                    arg=before,
                )
                if board.count(".promotion-dialog-button").count():
                    board.count(".promotion-dialog-button").first.click()
                expect(board.count(".moves button").nth(before)).to_be_attached()
                expect(board.count(".status")).not_to_contain_text("is thinking")
                break
    if not board.count(".over").count():
        board.resign()
    expect(board.count(".status")).to_contain_text("You ")
    board.reviewed()


def test_promotion_by_clicking_and_by_keys(open_page):
    board = open_page()
    board.play("shuffler", fen="7k/P7/8/8/8/8/1P6/4K3 w - - 0 1")
    board.click("a7", "a8")
    expect(board.count(".promotion-dialog-button")).to_have_count(4)
    board.page.keyboard.press("Escape")
    expect(board.count(".promotion-dialog-button")).to_have_count(0)
    assert board.moves() == []
    assert board.labels()["a7"] == "white pawn"
    board.click("a7", "a8")
    board.page.locator(".promotion-dialog-button[data-piece=wn]").click()
    expect(board.count(".moves button")).to_have_count(2)
    assert board.moves()[0] == "a8=N"
    assert board.labels()["a8"] == "white knight"
    board.resign()

    keys = open_page()
    keys.play("shuffler", fen="7k/P7/8/8/8/8/1P6/4K3 w - - 0 1")
    keys.page.locator("[data-cell=a7]").focus()
    for key in ("Enter", "ArrowUp", "Enter"):
        keys.page.keyboard.press(key)
    expect(keys.count(".promotion-dialog-button")).to_have_count(4)
    keys.page.wait_for_timeout(50)
    keys.page.keyboard.press("Enter")
    expect(keys.count(".moves button").first).to_have_text("a8=Q")


def test_dragging_and_the_keyboard(open_page):
    board = open_page()
    board.play("random")
    board.my_move(0)
    board.page.mouse.move(*board.square("e2"))
    board.page.mouse.down()
    board.page.mouse.move(*board.square("e3"), steps=4)
    expect(board.count(".target")).to_have_count(2)
    expect(board.count(".cm-chessboard-draggable-piece")).to_be_visible()
    board.page.mouse.move(*board.square("e4"), steps=4)
    board.page.mouse.up()
    expect(board.count(".moves button").first).to_have_text("e4")
    board.my_move(2)
    board.page.locator("[data-cell=e2]").focus()
    for key in ("ArrowLeft", "Enter"):
        board.page.keyboard.press(key)
    assert board.labels()["d2"] == "white pawn, selected"
    assert board.labels()["d4"].endswith("can be moved to")
    for key in ("ArrowUp", "ArrowUp", "Enter"):
        board.page.keyboard.press(key)
    expect(board.count(".moves button").nth(2)).to_have_text("d4")
    board.my_move(4)
    board.page.get_by_role("button", name="One ply back").click()
    expect(board.count(".steps output")).to_have_text("3 / 4")
    board.click("g1", "f3")  # the past cannot be changed
    assert len(board.moves()) == 4
    board.page.keyboard.press("End")
    expect(board.count(".steps output")).to_have_text("4 / 4")
    board.click("g1", "f3")
    expect(board.count(".moves button").nth(4)).to_have_text("Nf3")


def test_blocked_pawns_and_en_passant_are_shown(open_page):
    board = open_page()
    board.play("shuffler", fen="7k/8/4n3/4P3/8/8/8/4K3 w - - 0 1")
    expect(board.count(".mark-felt")).to_have_count(1)
    assert board.labels()["e6"] == "in the fog, something stands here"
    passing = open_page()
    passing.play("shuffler", fen="7k/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    expect(passing.count(".mark-passing")).to_have_count(1)
    passing.click("e5", "d6")
    expect(passing.count(".moves button").first).to_have_text("exd6")
    expect(passing.count(".strip").last.locator("svg[aria-label='black pawn']")).to_have_count(1)


def test_the_review(open_page, tmp_path: Path):
    board = open_page()
    page = board.page
    page.get_by_role("tab", name="Analyse").click()
    page.fill("textarea", PGN)
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator(".status")).to_contain_text("White won")
    board.reviewed()
    page.keyboard.press("Home")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".insight h3")).to_have_text("In White's place, before Nxe5")
    expect(page.locator(".mixture tbody tr")).not_to_have_count(0)
    expect(page.locator(".arrow-label").first).to_contain_text("%")
    expect(page.locator(".facts")).to_contain_text("gadget")
    assert page.locator(".chart .series").count() == 4
    assert page.locator(".errors li").count() > 0
    for key, colour in (("1", WHITE), ("3", BLACK)):
        page.keyboard.press(key)
        moves = pgn.parse_game(PGN).moves
        expect(page.locator(".fog")).to_have_count(len(fog_of([str(move) for move in moves[:6]], colour)))
        assert page.locator(".heat").count() > 0
        # From one side's view there is what that side knew: White, whose turn it is, its own mixture too.
        assert board.moves() == known_to(moves, colour)
        assert "?" in board.moves()
        assert (page.locator(".arrow").count() > 0) == (page.locator(".mixture").count() > 0) == (colour == WHITE)
    page.keyboard.press("2")
    expect(page.locator(".insight h3")).to_have_text("In White's place, before Nxe5")
    king = page.locator(".controls select")
    king.select_option("k")
    assert 0 < page.locator(".heat").count() < 64
    king.select_option("off")
    expect(page.locator(".heat")).to_have_count(0)
    page.locator(".errors button").first.click()
    expect(page.locator(".moves [aria-current]")).to_have_count(1)
    saved = {name: _saved(page, name, tmp_path) for name in ("PGN", "SVG", "PNG")}
    assert [str(m) for m in pgn.parse_game(saved["PGN"].decode()).moves] == [str(m) for m in pgn.parse_game(PGN).moves]
    picture = ET.fromstring(saved["SVG"])
    links = {value for element in picture.iter() for name, value in element.attrib.items() if name.endswith("href")}
    assert links
    assert all(link.startswith("#") for link in links)
    assert saved["PNG"][:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", saved["PNG"][16:24]) == (1080, 1080)


def test_steps_that_come_faster_than_they_can_be_drawn(open_page):
    """A key that is held down: of what comes within a frame only the last is drawn, and the board is there at once."""
    board = open_page()
    page = board.page
    page.get_by_role("tab", name="Analyse").click()
    page.fill("textarea", PGN)
    page.get_by_role("button", name="Analyse", exact=True).click()
    board.reviewed()
    page.keyboard.press("Home")
    expect(page.locator(".steps output")).to_have_text("0 / 11")
    drawn = page.evaluate(
        """async () => {
            const drawn = [];
            const output = document.querySelector('.steps output');
            new MutationObserver(() => drawn.push(output.textContent)).observe(output, {childList: true});
            for (const key of [...Array(9).fill('ArrowRight'), 'ArrowLeft'])
                document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, repeat: true}));
            for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
            return drawn;
        }"""
    )
    assert drawn == ["8 / 11"]
    truth = Board()
    for move in pgn.parse_game(PGN).moves[:8]:
        truth.push(move)
    pieces = board.count(".pieces > g").evaluate_all("all => all.map(g => [g.dataset.square, g.dataset.piece])")
    names = {f"{'abcdefgh'[s % 8]}{s // 8 + 1}": truth.position.piece_at(s) for s in range(64)}
    assert dict(pieces) == {
        square: ("w" if piece.isupper() else "b") + piece.lower() for square, piece in names.items() if piece
    }


def _saved(page: Page, name: str, folder: Path) -> bytes:
    with page.expect_download() as download:
        page.locator(".exports").get_by_text(name, exact=True).click()
    path = folder / name
    download.value.save_as(path)
    return path.read_bytes()


def test_watching(open_page):
    board = open_page()
    page = board.page
    page.get_by_role("tab", name="Watch").click()
    page.select_option("select[name=white]", "greedy")
    page.select_option("select[name=black]", "random")
    page.get_by_text("Begin from another position").click()
    page.fill("input[name=fen]", "4k3/8/8/8/8/8/PPPPPPPP/QQQQKQQQ w - - 0 1")
    page.get_by_role("button", name="Watch", exact=True).click()
    expect(page.locator(".moves button")).not_to_have_count(0)
    expect(page.locator(".status")).to_contain_text("won", timeout=60_000)
    expect(page.locator(".review")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.locator(".insight h3")).to_contain_text("White thought")


def test_watching_with_the_eyes_of_one_side(open_page):
    board = open_page()
    page = board.page
    page.get_by_role("tab", name="Watch").click()
    page.select_option("select[name=white]", "loser")  # which begins with a7a6
    page.select_option("select[name=black]", "sleeper")
    page.get_by_text("Begin from another position").click()
    page.fill("input[name=fen]", "4k3/R7/8/8/8/8/8/4K3 w - - 0 1")
    page.get_by_role("button", name="Watch", exact=True).click()
    expect(page.locator(".status")).to_contain_text("Black to move")
    for key, known, marked in (("2", "Ra6", 2), ("3", "?", 0), ("1", "Ra6", 2)):
        page.keyboard.press(key)
        expect(page.locator(".moves button")).to_have_text([known])
        expect(page.locator(".mark-last")).to_have_count(marked)


def test_the_page_comes_back_after_the_server_was_killed(open_page, serve):
    server = serve(agents=["random"])
    board = open_page(server)
    board.play("random")
    board.click("e2", "e4")
    board.my_move(2)
    before = board.moves()
    server.kill()
    expect(board.count(".problem")).to_contain_text("connection is lost")
    server.start()
    expect(board.count(".problem")).to_be_empty()
    assert board.moves() == before
    board.click("d2", "d4")
    expect(board.count(".moves button").nth(2)).to_have_text("d4")
    board.complaints.clear()  # the browser notes that the server was away
    board.page.goto(server.address)
    expect(board.count(".recent li")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_and_the_themes(open_page, scheme: str):
    board = open_page(viewport=PHONE, has_touch=True, is_mobile=True, color_scheme=scheme)
    page = board.page

    def fits() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    fits()
    own = background()
    page.locator("#theme").click()
    other = background()
    assert own != other
    page.reload()
    assert background() == other
    page.locator("#theme").click()
    assert background() == own
    board.play("random")
    fits()
    x, y = board.square("e2")
    page.touchscreen.tap(x, y)
    page.touchscreen.tap(*board.square("e4"))
    expect(board.count(".moves button").first).to_have_text("e4")
    board.my_move(2)
    board.resign()
    board.reviewed()
    fits()


def test_a_wrong_form_and_a_game_that_is_not_there(open_page):
    board = open_page()
    page = board.page
    page.get_by_role("tab", name="Analyse").click()
    page.fill("textarea", "1. e5")
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator(".problem")).to_contain_text("is not legal")
    assert [text for text in board.complaints if "400" in text] == board.complaints
    board.complaints.clear()
    page.goto(board.server.address + "#/g/AAAAAAAAAAAAAAAAAAAAAA")
    expect(page.locator(".problem")).to_contain_text("There is no such game here.")


def test_every_control_has_a_name(open_page):
    """What a screen reader reads: no button, field or picture is without words."""
    board = open_page()
    board.play("loser")
    board.click("e2", "e4")
    board.my_move(2)
    board.resign()
    board.reviewed()
    nameless = board.page.evaluate(
        """() => [...document.querySelectorAll('button, a, select, input, textarea, [role=img], progress')]
            .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.alt === ''
                || e.closest('[aria-hidden=true]')))
            .map(e => e.outerHTML)"""
    )
    assert nameless == []
    assert json.loads(board.page.evaluate("JSON.stringify(document.documentElement.lang)")) == "en"
