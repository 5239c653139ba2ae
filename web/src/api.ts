// What the server says and is told. docs/play.md describes the messages.

import type { Letter, Side } from "./chess";

export interface View {
  fen: string;
  turn: Letter;
  stopped: string[];
  felt: string[];
  passing: string | null;
  captured: string | null;
  moves: string[];
}

export interface Line {
  by: Letter;
  text: string;
  squares: string[];
  /** The piece that was captured, a letter of FEN, or "". */
  took: string;
  move?: string;
  seconds?: number | null;
}

export interface Sheet {
  lines: Line[];
  views: View[];
}

/** Something for the whole game, and for what each side knew of it. */
interface Entries<L, V> {
  lines: L;
  white_lines: L;
  black_lines: L;
  full: V;
  white: V;
  black: V;
}

/** The whole game; the first entry of each list is the start. */
export type GameRecord = Entries<Line[], View[]>;

export interface Choice {
  move: string;
  probability: number;
  value: number | null;
}

export interface Decision {
  move: string;
  mixture: Choice[];
  value: number | null;
  reviewed: boolean;
  lost: number | null;
  margin: number | null;
  gadget?: string;
  belief_size?: number;
  belief_exact?: boolean;
  nodes?: number;
  infosets?: number;
  depth?: number;
  iterations?: number;
  seconds: number | null;
  evaluator: string | null;
}

/** `pieces` has two hexadecimal digits for each kind (pawn to king) and square (a1 to h8): the share in 255ths. */
export interface Belief {
  size: number;
  exact: boolean;
  own: boolean;
  pieces: string;
}

export interface Inside {
  decisions: Record<string, Decision>;
  beliefs: Partial<Record<Side, Record<string, Belief>>>;
}

export interface Clocks {
  white: number;
  black: number;
  running: Side | null;
}

export interface Thinking {
  seconds: number;
  elapsed: number;
}

export interface GameInfo {
  kind: "play" | "watch" | "analyse";
  colour: Side | null;
  white: string;
  black: string;
  fair: boolean;
  level: { name: string; seconds: number };
  control: [number, number] | null;
  fen: string;
}

export interface Ending {
  result: string;
  winner: Side | null;
  reason: string;
  detail: string;
}

interface Time {
  clocks: Clocks | null;
  thinking: Thinking | null;
}

export interface State extends Time {
  type: "state";
  game: GameInfo;
  over: boolean;
  sheet?: Sheet;
  record?: GameRecord;
  inside?: Inside;
  ending?: Ending;
}

export interface PlyMessage extends Time {
  type: "ply";
  ply: number;
  line?: Line;
  view?: View;
  latest?: Entries<Line, View>;
}

export type Message =
  | State
  | PlyMessage
  | ({ type: "time" } & Time)
  | ({ type: "inside" } & Inside)
  | { type: "reviewing"; done: number; of: number }
  | { type: "error" | "failed"; message: string };

export interface Options {
  version: string;
  agents: { name: string; about: string; fair: boolean }[];
  levels: { name: string; seconds: number }[];
  level: number;
  reviewer: string;
}

export async function getOptions(): Promise<Options> {
  const answer = await fetch("/api/options");
  if (!answer.ok) throw new Error("the server does not answer");
  return (await answer.json()) as Options;
}

/** Begin a game and return its id. */
export async function createGame(setup: object): Promise<string> {
  const answer = await fetch("/api/games", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(setup),
  });
  const fields = (await answer.json()) as { id?: string; error?: string };
  if (!answer.ok || !fields.id) throw new Error(fields.error ?? "the server does not answer");
  return fields.id;
}

const NO_SUCH_GAME = 4404;
const TRY_LATER = 1013;
const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;

export interface Listener {
  message(message: Message): void;
  /** The connection is there, is being made again, or is of no use (with the reason). */
  connection(status: "open" | "lost" | "gone", reason?: string): void;
}

/** The WebSocket of one game. It comes back by itself; the server then tells everything again. */
export class GameSocket {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private closed = false;

  constructor(
    private readonly game: string,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  private open(): void {
    const address = new URL(`/api/games/${encodeURIComponent(this.game)}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onmessage = (event) => {
      this.wait = FIRST_WAIT;
      this.listener.connection("open");
      this.listener.message(JSON.parse(String(event.data)) as Message);
    };
    socket.onclose = (event) => {
      if (this.closed) return;
      if (event.code === NO_SUCH_GAME) {
        this.listener.connection("gone", "There is no such game here.");
        return;
      }
      this.listener.connection("lost", event.code === TRY_LATER ? event.reason : "");
      setTimeout(() => this.closed || this.open(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
    };
  }

  say(fields: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(fields));
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
  }
}
