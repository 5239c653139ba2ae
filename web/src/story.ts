// A game as the browser knows it: what was seen and said, ply by ply. No drawing here.

import type { Belief, Choice, Clocks, Decision, Ending, GameInfo, Inside, Line, PlyMessage, State, Thinking, View } from "./api";
import { KINDS, other, placement, sideOf, SQUARES, squareIndex, type Kind, type Side } from "./chess";

export type Perspective = Side | "full";

/** What part of a value a move must lose to be called an error. */
export const ERROR = 0.08;

export class Story {
  info: GameInfo;
  over: boolean;
  /** Line i leads from view i to view i + 1. */
  lines: Line[] = [];
  views: Partial<Record<Perspective, View[]>> = {};
  taken = "";
  lost = "";
  ending: Ending | null;
  inside: Inside;
  clocks: Clocks | null;
  thinking: Thinking | null;
  /** When clocks and thinking were told, in milliseconds. */
  told = performance.now();

  constructor(state: State) {
    this.info = state.game;
    this.over = state.over;
    this.ending = state.ending ?? null;
    this.inside = state.inside ?? { decisions: {}, beliefs: {} };
    this.clocks = state.clocks;
    this.thinking = state.thinking;
    if (state.sheet && state.game.colour) {
      this.lines = state.sheet.lines;
      this.views = { [state.game.colour]: state.sheet.views };
      this.taken = state.sheet.taken;
      this.lost = state.sheet.lost;
    } else if (state.record) {
      const { lines, full, white, black } = state.record;
      this.lines = lines.slice(1);
      this.views = { full, white, black };
    }
  }

  get plies(): number {
    return this.lines.length;
  }

  /** Take in a ply; false if something was missed, and everything should be asked for again. */
  add(message: PlyMessage): boolean {
    if (message.ply !== this.plies + 1) return false;
    if (message.latest) {
      this.lines.push(message.latest.lines);
      this.views.full!.push(message.latest.full);
      this.views.white!.push(message.latest.white);
      this.views.black!.push(message.latest.black);
    } else {
      this.lines.push(message.line!);
      this.views[this.info.colour!]!.push(message.view!);
      this.taken = message.taken!;
      this.lost = message.lost!;
    }
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
  }

  view(perspective: Perspective, at: number): View {
    return this.views[perspective]![at]!;
  }

  /** The squares of the last move, as far as they are seen from there. */
  last(perspective: Perspective, at: number): string[] {
    const line = this.lines[at - 1];
    if (!line) return [];
    if (!this.over || perspective === "full" || sideOf(line.by) === perspective) return line.squares;
    const seen = placement(this.view(perspective, at).fen);
    return line.squares.filter((square) => seen[squareIndex(square)] !== "*");
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
    return Object.entries(this.inside.decisions)
      .map(([ply, { value }]): [number, number | null] => [Number(ply), value])
      .filter((point): point is [number, number] => point[1] !== null && this.mover(point[0]) === side)
      .map(([ply, value]): [number, number] => [ply, sign * value])
      .sort((a, b) => a[0] - b[0]);
  }

  sizes(side: Side): [number, number][] {
    return Object.entries(this.inside.beliefs[side] ?? {})
      .map(([ply, { size }]): [number, number] => [Number(ply), Math.log10(Math.max(1, size))])
      .sort((a, b) => a[0] - b[0]);
  }

  /** Plies at which a person lost value, the worst first. */
  errors(): { ply: number; lost: number }[] {
    return Object.entries(this.inside.decisions)
      .map(([ply, { lost }]) => ({ ply: Number(ply), lost: lost ?? 0 }))
      .filter(({ lost }) => lost >= ERROR)
      .sort((a, b) => b.lost - a.lost);
  }

  /** A move of a decision in words: the piece, from and to. */
  moveText(move: string, at: number): string {
    const piece = placement(this.view("full", at).fen)[squareIndex(move.slice(0, 2))]?.toUpperCase() ?? "";
    const promotion = move.length === 5 ? `=${move[4]!.toUpperCase()}` : "";
    return `${piece === "P" ? "" : piece}${move.slice(0, 2)}–${move.slice(2, 4)}${promotion}`;
  }

  /** What is missing of a side's pieces since the start, from the whole board. */
  missing(side: Side, at: number): string {
    const count = (index: number) => placement(this.view("full", index).fen).filter((p) => p && isSide(p, side));
    const now = count(at);
    return count(0)
      .filter((piece) => {
        const found = now.indexOf(piece);
        if (found >= 0) now.splice(found, 1);
        return found < 0;
      })
      .sort((a, b) => "qrbnp".indexOf(a.toLowerCase()) - "qrbnp".indexOf(b.toLowerCase()))
      .join("");
  }

  /** Whose insides to show when the whole board is: the agent's, or else the mover's. */
  mind(at: number): Side {
    return this.info.kind === "play" ? other(this.info.colour!) : this.mover(at);
  }

  best(decision: Decision): Choice | undefined {
    return decision.mixture.find(({ probability }) => probability > 0) ?? decision.mixture[0];
  }
}

function isSide(piece: string, side: Side): boolean {
  return (piece === piece.toUpperCase()) === (side === "white");
}
