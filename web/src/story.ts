// A game as the browser knows it: what was seen and said, ply by ply. No drawing here.

import type { Belief, Choice, Clocks, Decision, Ending, GameInfo, Inside, Line, PlyMessage, State, Thinking, View } from "./api";
import { KINDS, other, placement, sideOf, SQUARES, squareIndex, type Kind, type Side } from "./chess";

export type Perspective = Side | "full";

/** What part of a value a move must lose to be called an error. */
export const ERROR = 0.08;

let versions = 0;

export class Story {
  info: GameInfo;
  over: boolean;
  views: Partial<Record<Perspective, View[]>> = {};
  /** Differs whenever there is something new in any story, so that what is drawn from one can be kept meanwhile. */
  version = ++versions;
  ending: Ending | null;
  inside: Inside;
  clocks: Clocks | null;
  thinking: Thinking | null;
  /** When clocks and thinking were told, in milliseconds. */
  told = performance.now();
  /** Line i leads from view i to view i + 1: the moves as they were, and as each side knows them. */
  private known: Partial<Record<Perspective, Line[]>> = {};
  private readonly kept = new Map<string, unknown>();

  constructor(state: State) {
    this.info = state.game;
    this.over = state.over;
    this.ending = state.ending ?? null;
    this.inside = state.inside ?? { decisions: {}, beliefs: {} };
    this.clocks = state.clocks;
    this.thinking = state.thinking;
    if (state.sheet && state.game.colour) {
      this.known = { [state.game.colour]: state.sheet.lines };
      this.views = { [state.game.colour]: state.sheet.views };
    } else if (state.record) {
      const { lines, white_lines, black_lines, full, white, black } = state.record;
      this.known = { full: lines.slice(1), white: white_lines.slice(1), black: black_lines.slice(1) };
      this.views = { full, white, black };
    }
  }

  /** The moves as far as they are known now. */
  get lines(): Line[] {
    return this.known.full ?? this.known[this.info.colour!]!;
  }

  /** The moves as they are known from there. */
  seen(perspective: Perspective): Line[] {
    return this.known[perspective]!;
  }

  get plies(): number {
    return this.lines.length;
  }

  /** Take in a ply; false if something was missed, and everything should be asked for again. */
  add(message: PlyMessage): boolean {
    if (message.ply !== this.plies + 1) return false;
    if (message.latest) {
      const { lines, white_lines, black_lines } = message.latest;
      for (const [perspective, line] of [["full", lines], ["white", white_lines], ["black", black_lines]] as const) {
        this.known[perspective]!.push(line);
        this.views[perspective]!.push(message.latest[perspective]);
      }
    } else {
      this.known[this.info.colour!]!.push(message.line!);
      this.views[this.info.colour!]!.push(message.view!);
    }
    this.changed();
    this.time(message.clocks, message.thinking);
    return true;
  }

  time(clocks: Clocks | null, thinking: Thinking | null): void {
    this.clocks = clocks;
    this.thinking = thinking;
    this.told = performance.now();
  }

  learn(news: Inside): void {
    Object.assign(this.inside.decisions, news.decisions);
    for (const side of ["white", "black"] as const) {
      this.inside.beliefs[side] = { ...this.inside.beliefs[side], ...news.beliefs[side] };
    }
    this.changed();
  }

  private changed(): void {
    this.version = ++versions;
    this.kept.clear();
  }

  /** What was worked out before, until there is something new. */
  private keep<T>(name: string, make: () => T): T {
    if (!this.kept.has(name)) this.kept.set(name, make());
    return this.kept.get(name) as T;
  }

  view(perspective: Perspective, at: number): View {
    return this.views[perspective]![at]!;
  }

  /** The squares of the last move, as far as they are seen from there. */
  last(perspective: Perspective, at: number): string[] {
    return this.seen(perspective)[at - 1]?.squares ?? [];
  }

  /** The side to move at a ply. */
  mover(at: number): Side {
    const view = (this.views.full ?? this.views.white ?? this.views.black)![at]!;
    return sideOf(view.turn);
  }

  decision(at: number): Decision | undefined {
    return this.inside.decisions[String(at)];
  }

  belief(side: Side, at: number): Belief | undefined {
    return this.inside.beliefs[side]?.[String(at)];
  }

  /** How likely a piece of the opponent's stands on each square that a side does not see. */
  heat(side: Side, at: number, kind: Kind | "any"): Map<string, number> {
    const belief = this.belief(side, at);
    if (!belief) return new Map();
    const seen = placement(this.view(side, at).fen);
    const kinds = kind === "any" ? KINDS.map((_, i) => i) : [KINDS.indexOf(kind)];
    const shares = SQUARES.map((square, i): [string, number] => {
      const sum = kinds.reduce((total, k) => total + parseInt(belief.pieces.substr(2 * (64 * k + i), 2), 16), 0);
      return [square, Math.min(1, sum / 255)];
    });
    return new Map(shares.filter(([, share], i) => share > 0 && seen[i] === "*"));
  }

  /** Values by ply as White sees them, one line for what each side thought. */
  values(side: Side): [number, number][] {
    const sign = side === "white" ? 1 : -1;
    return this.keep(`values ${side}`, () =>
      Object.entries(this.inside.decisions)
        .map(([ply, { value }]): [number, number | null] => [Number(ply), value])
        .filter((point): point is [number, number] => point[1] !== null && this.mover(point[0]) === side)
        .map(([ply, value]): [number, number] => [ply, sign * value])
        .sort((a, b) => a[0] - b[0]),
    );
  }

  /** How many positions a side held possible, as powers of ten by ply. */
  sizes(side: Side): [number, number][] {
    return this.keep(`sizes ${side}`, () =>
      Object.entries(this.inside.beliefs[side] ?? {})
        .map(([ply, { size }]): [number, number] => [Number(ply), Math.log10(Math.max(1, size))])
        .sort((a, b) => a[0] - b[0]),
    );
  }

  /** Plies at which a person lost value, the worst first; of one side's own moves when seen from there. */
  errors(perspective: Perspective): { ply: number; lost: number }[] {
    return this.keep(`errors ${perspective}`, () =>
      Object.entries(this.inside.decisions)
        .map(([ply, { lost }]) => ({ ply: Number(ply), lost: lost ?? 0 }))
        .filter(({ ply, lost }) => lost >= ERROR && this.shares(perspective, ply))
        .sort((a, b) => b.lost - a.lost),
    );
  }

  /** Whether a side that is known from there was thought through afterwards. */
  isReviewed(perspective: Perspective): boolean {
    return Object.entries(this.inside.decisions).some(
      ([ply, { reviewed }]) => reviewed && this.shares(perspective, Number(ply)),
    );
  }

  /** Whether what the side to move thinks at a ply is known from there: to everybody, or to that side itself. */
  shares(perspective: Perspective, at: number): boolean {
    return perspective === "full" || this.mover(at) === perspective;
  }

  /** The number of the move at a ply, as it stands before it. */
  number(ply: number): string {
    const fields = this.info.fen.split(" ");
    const black = fields[1] === "b" ? 1 : 0;
    const number = Number(fields[5] ?? 1) + Math.floor((ply + black) / 2);
    return `${number}.${(ply + black) % 2 ? ".." : ""}`;
  }

  /** A move of a decision in words: the piece, from and to. */
  moveText(move: string, at: number): string {
    const piece = placement(this.view("full", at).fen)[squareIndex(move.slice(0, 2))]?.toUpperCase() ?? "";
    if (piece === "K" && /^e.[cg]/.test(move)) return move[2] === "g" ? "O-O" : "O-O-O";
    const promotion = move.length === 5 ? `=${move[4]!.toUpperCase()}` : "";
    return `${piece === "P" ? "" : piece}${move.slice(0, 2)}–${move.slice(2, 4)}${promotion}`;
  }

  /** The pieces that a side has taken, in order of worth. */
  taken(side: Side, perspective: Perspective, at: number): string {
    const worth = (piece: string) => "kqrbnp".indexOf(piece.toLowerCase());
    const lines = this.seen(perspective).slice(0, at);
    const taken = lines.filter(({ by, took }) => took && sideOf(by) === side).map(({ took }) => took);
    return taken.sort((a, b) => worth(a) - worth(b)).join("");
  }

  /** Whose insides to show when the whole board is: the agent's, or else the mover's. */
  mind(at: number): Side {
    return this.info.kind === "play" ? other(this.info.colour!) : this.mover(at);
  }

  best(decision: Decision): Choice | undefined {
    return decision.mixture.find(({ probability }) => probability > 0) ?? decision.mixture[0];
  }
}
