// The page of one game: the board, the players beside it, the moves, and after the end the review.

import { GameSocket, type Message } from "./api";
import { Board } from "./board";
import { capitalised, other, sideOf, type Side } from "./chess";
import { announce, h, swap } from "./dom";
import { forget, remember } from "./recent";
import { MoveList } from "./moves";
import { arrows, ReviewPanel, viewButtons, type Focus } from "./review";
import { pieceIcon } from "./sprite";
import { Story, type Perspective } from "./story";

const TICK = 100;
const SURE = 4000;
/** Milliseconds after a step in which another one is too quick for pieces to glide. */
const QUICK = 300;

export class GamePage {
  readonly element = h("div", { class: "game" });
  private readonly socket: GameSocket;
  private readonly panel: ReviewPanel;
  private readonly board: Board;
  private readonly strips = { top: h("div", { class: "strip" }), bottom: h("div", { class: "strip" }) };
  private status = h("div", { class: "status" });
  private readonly problem = h("p", { class: "problem", role: "alert" });
  private readonly moves = new MoveList((at) => this.go(at));
  private readonly steps: HTMLElement;
  private readonly side = h("aside", { class: "side" });
  private readonly ticker: number;
  private readonly keys = (event: KeyboardEvent) => this.key(event);
  private story: Story | null = null;
  private focus: Focus = { at: 0, perspective: "white", heat: "any" };
  private resignAsked = 0;
  private sent = false;
  /** What the status says, to leave it alone if that is not new. */
  private said = "";
  private stepped = 0;
  private frame = 0;
  private gliding = false;

  constructor(private readonly id: string) {
    this.board = new Board("white", (move) => this.move(move));
    this.panel = new ReviewPanel(id, {
      go: (at) => this.go(at),
      look: (perspective) => this.look(perspective),
      heat: (heat) => {
        this.focus.heat = heat;
        this.draw();
      },
      picture: () => this.board.svg,
    });
    this.steps = this.stepButtons();
    this.side.append(this.status, this.problem, this.moves.element);
    this.element.append(
      h("div", { class: "table" }, this.strips.top, this.board.element, this.strips.bottom, this.steps),
      this.side,
    );
    this.socket = new GameSocket(id, {
      message: (message) => this.take(message),
      connection: (status, reason) => this.connection(status, reason),
    });
    this.ticker = window.setInterval(() => this.tick(), TICK);
    document.addEventListener("keydown", this.keys);
  }

  close(): void {
    this.socket.close();
    cancelAnimationFrame(this.frame);
    clearInterval(this.ticker);
    document.removeEventListener("keydown", this.keys);
    this.board.destroy();
  }

  // What the server says

  private take(message: Message): void {
    switch (message.type) {
      case "state":
        this.begin(new Story(message));
        return;
      case "ply": {
        const { story } = this;
        if (!story) return;
        const following = this.focus.at === story.plies;
        if (!story.add(message)) {
          location.reload(); // something was missed: be told everything again
          return;
        }
        this.sent = false;
        if (following || story.info.kind === "play") this.focus.at = story.plies;
        this.problem.textContent = "";
        this.draw(this.focus.perspective === "full");
        this.tell();
        return;
      }
      case "time":
        this.story?.time(message.clocks, message.thinking);
        this.tick();
        return;
      case "inside":
        this.story?.learn(message);
        this.draw();
        return;
      case "reviewing":
        this.panel.reviewing(message.done, message.of);
        this.draw();
        return;
      case "error":
      case "failed":
        this.problem.textContent = `${capitalised(message.message)}.`;
        this.sent = false;
        this.draw();
    }
  }

  private begin(story: Story): void {
    const ended = this.story !== null && !this.story.over && story.over;
    const first = this.story === null;
    this.story = story;
    this.sent = false;
    if (first) {
      this.focus.perspective = story.info.colour ?? (story.views.full ? "full" : "white");
      if (story.over && story.info.kind !== "play") this.focus.perspective = "full";
      this.board.turn(story.info.colour ?? "white");
      this.focus.at = story.over && story.info.kind === "analyse" ? 0 : story.plies;
    } else this.focus.at = ended ? story.plies : Math.min(this.focus.at, story.plies);
    if (!story.over) this.focus.at = story.plies;
    if (story.over) {
      this.element.classList.add("over");
      this.side.append(this.panel.element);
      if (ended) this.focus.perspective = "full";
      this.socket.say({ type: "review" });
      if (ended) announce(this.endText());
    }
    document.title = `${story.info.white} – ${story.info.black} · murk`;
    remember({
      id: this.id,
      title: `${story.info.white} – ${story.info.black}`,
      when: Date.now(),
      result: story.ending?.result ?? "",
    });
    this.draw();
  }

  private connection(status: "open" | "lost" | "gone", reason = ""): void {
    this.element.classList.toggle("offline", status !== "open");
    if (status === "lost") this.problem.textContent = reason ? `${capitalised(reason)}.` : "The connection is lost; trying again.";
    if (status === "open" && this.problem.textContent?.startsWith("The connection")) this.problem.textContent = "";
    if (status === "gone") {
      forget(this.id);
      this.problem.replaceChildren(reason, " ", h("a", { href: "#/" }, "To the start"));
    }
  }

  // What the person does

  private move(move: string): void {
    if (!this.story) return;
    this.sent = true;
    this.board.allow([]);
    this.socket.say({ type: "move", move, ply: this.story.plies });
  }

  private resign(): void {
    if (Date.now() - this.resignAsked < SURE) this.socket.say({ type: "resign" });
    else {
      this.resignAsked = Date.now();
      setTimeout(() => this.draw(), SURE);
    }
    this.draw();
  }

  private go(at: number): void {
    if (!this.story) return;
    const before = this.focus.at;
    const quick = performance.now() - this.stepped < QUICK;
    this.stepped = performance.now();
    this.focus.at = Math.max(0, Math.min(this.story.plies, at));
    this.draw(!quick && Math.abs(before - this.focus.at) === 1 && this.focus.perspective === "full");
  }

  private look(perspective: Perspective): void {
    if (!this.story?.views[perspective]) return;
    this.focus.perspective = perspective;
    if (perspective !== "full") this.board.turn(perspective);
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, [role=tablist]")) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.go(this.focus.at - 1),
      ArrowRight: () => this.go(this.focus.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.story?.plies ?? 0),
      f: () => this.flip(),
      "1": () => this.look("white"),
      "2": () => this.look("full"),
      "3": () => this.look("black"),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private flip(): void {
    this.board.turn(other(this.board.orientation));
    this.drawStrips();
  }

  // Drawing

  /** Draw everything in the next frame, once however often it is asked for until then. */
  private draw(gliding = false): void {
    this.gliding = gliding && !this.frame;
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint(this.gliding);
    });
  }

  private paint(animated: boolean): void {
    const { story, focus } = this;
    if (!story) return;
    const { at, perspective } = focus;
    const view = story.view(perspective, at);
    const believer = perspective === "full" ? story.mind(at) : perspective;
    this.board.show(
      {
        view,
        last: story.last(perspective, at),
        heat: story.over && focus.heat !== "off" ? story.heat(believer, at, focus.heat) : undefined,
        arrows: story.over ? arrows(story, focus) : undefined,
      },
      animated,
    );
    const now = at === story.plies && !story.over && !this.sent;
    this.board.allow(now && story.info.colour && view.turn === story.info.colour.charAt(0) ? view.moves : []);
    this.drawStrips();
    this.moves.show(story, perspective, at);
    this.drawStatus();
    this.steps.querySelector("output")!.textContent = `${at} / ${story.plies}`;
    if (story.over) this.panel.show(story, focus);
  }

  private drawStrips(): void {
    const { story } = this;
    if (!story) return;
    const bottom = this.board.orientation;
    this.strips.bottom.replaceChildren(...this.strip(story, bottom));
    this.strips.top.replaceChildren(...this.strip(story, other(bottom)));
    this.tick();
  }

  private strip(story: Story, side: Side): HTMLElement[] {
    const own = side === story.info.colour;
    const gone = story.taken(side, this.focus.perspective, this.focus.at);
    const label = `Taken by ${story.info[side]}`;
    const level = story.info.kind === "analyse" || own ? "" : story.info.level.name;
    return [
      h("span", { class: `disc ${side}` }),
      h("strong", {}, story.info[side]),
      h("span", { class: "small level" }, level),
      h("span", { class: "gone", role: "group", "aria-label": label }, ...[...gone].map((piece) => pieceIcon(piece))),
      h("span", { class: "thinking", "data-side": side, hidden: true }, h("span", { class: "done" })),
      h("time", { class: "clock", "data-side": side, hidden: story.clocks === null }),
    ];
  }

  private drawStatus(): void {
    const { story } = this;
    if (!story) return;
    const mine = story.info.colour !== null && story.mover(story.plies) === story.info.colour;
    const text = story.over
      ? this.endText()
      : story.info.kind === "watch"
        ? `${capitalised(story.mover(story.plies))} to move`
        : mine
          ? "Your move"
          : `${story.info[other(story.info.colour!)]} is thinking`;
    const sure = Date.now() - this.resignAsked < SURE;
    const key = JSON.stringify([text, story.over, sure, this.focus.perspective]);
    if (key === this.said) return;
    this.said = key;
    const status = h("div", { class: "status" }, h("span", {}, text));
    if (!story.info.fair) status.append(h("span", { class: "small" }, "An agent here sees everything."));
    if (story.over) status.append(h("a", { class: "button", href: "#/", "data-key": "new" }, "New game"));
    else if (story.info.colour) {
      const resign = { type: "button", class: "quiet resign", "data-key": "resign", onclick: () => this.resign() };
      status.append(h("button", resign, sure ? "Really resign?" : "Resign"));
    } else status.append(viewButtons(this.focus.perspective, (view) => this.look(view)));
    swap(this.status, status);
    this.status = status;
  }

  private endText(): string {
    const { ending, info } = this.story!;
    if (!ending) return "";
    const reasons: Record<string, string> = { crash: "the agent broke down", "time forfeit": "out of time" };
    const reason = reasons[ending.reason] ?? ending.reason;
    if (ending.result === "*") return "The game was not finished";
    if (ending.reason === "resignation") return "You resigned";
    const who = !ending.winner
      ? "Draw"
      : info.colour === null
        ? `${capitalised(ending.winner)} won`
        : ending.winner === info.colour
          ? "You won"
          : "You lost";
    return `${who}: ${reason}`;
  }

  private stepButtons(): HTMLElement {
    const button = (label: string, text: string, action: () => void) =>
      h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: action }, text);
    return h(
      "div",
      { class: "steps", role: "group", "aria-label": "Step through the game" },
      button("To the start (Home)", "«", () => this.go(0)),
      button("One ply back (←)", "‹", () => this.go(this.focus.at - 1)),
      h("output", { class: "small" }, "0 / 0"),
      button("One ply on (→)", "›", () => this.go(this.focus.at + 1)),
      button("To the last ply (End)", "»", () => this.go(this.story?.plies ?? 0)),
      button("Turn the board (f)", "⇅", () => this.flip()),
    );
  }

  /** Move the clocks and the bar of the one who thinks. */
  private tick(): void {
    const { story } = this;
    if (!story) return;
    const since = (performance.now() - story.told) / 1000;
    for (const clock of this.element.querySelectorAll<HTMLElement>(".clock")) {
      const side = clock.dataset.side as Side;
      if (!story.clocks) continue;
      const left = Math.max(0, story.clocks[side] - (story.clocks.running === side ? since : 0));
      clock.textContent = clockText(left);
      clock.classList.toggle("low", left < 20);
      clock.classList.toggle("running", story.clocks.running === side);
    }
    const thinker = story.thinking ? story.mover(story.plies) : null;
    for (const bar of this.element.querySelectorAll<HTMLElement>(".thinking")) {
      bar.hidden = bar.dataset.side !== thinker;
      if (bar.hidden || !story.thinking) continue;
      const share = (story.thinking.elapsed + since) / Math.max(0.01, story.thinking.seconds);
      (bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, 100 * share)}%`;
      bar.title = share > 1.5 ? "It takes longer than it should" : "Thinking";
    }
  }

  /** Say the last move, as it is known from here. */
  private tell(): void {
    const { story } = this;
    const line = story?.seen(this.focus.perspective).at(-1);
    if (!story || !line || story.over) return;
    const own = story.info.colour?.charAt(0) === line.by;
    const who = own ? "You" : story.info.colour ? "The opponent" : capitalised(sideOf(line.by));
    const what =
      line.text === "?" ? "moved, unseen" : line.text.startsWith("?x") ? `took on ${line.text.slice(2)}` : `played ${line.text}`;
    announce(`${who} ${what}.${!own && story.info.colour ? " Your move." : ""}`);
  }
}

function clockText(seconds: number): string {
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return seconds < 20 ? `${minutes}:${rest}.${Math.floor(10 * (seconds - whole))}` : `${minutes}:${rest}`;
}
