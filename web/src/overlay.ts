// What is drawn over the squares: fog, heat, marks and arrows. An extension of the board, below and above the pieces.

import type { Chessboard } from "cm-chessboard/src/Chessboard.js";
import { EXTENSION_POINT, Extension } from "cm-chessboard/src/model/Extension.js";
import { SQUARES } from "./chess";
import { s } from "./dom";

export interface Arrow {
  from: string;
  to: string;
  weight: number;
  label: string;
  played: boolean;
}

export interface Marks {
  fog: Set<string>;
  last: string[];
  captured: string | null;
  felt: string[];
  passing: string | null;
  heat: Map<string, number>;
  arrows: Arrow[];
}

export interface Selection {
  from: string | null;
  targets: { square: string; takes: boolean }[];
}

export const NO_MARKS: Marks = {
  fog: new Set(),
  last: [],
  captured: null,
  felt: [],
  passing: null,
  heat: new Map(),
  arrows: [],
};

const NOTICEABLE = 0.005;
const LABELLED = 0.01;

export class Overlay extends Extension {
  private readonly below = s("g", { class: "murk-below" });
  private readonly above = s("g", { class: "murk-above" });
  private marks: Marks = NO_MARKS;
  private selection: Selection = { from: null, targets: [] };

  constructor(private readonly board: Chessboard) {
    super(board);
    board.view.markersLayer.append(this.below);
    board.view.markersTopLayer.append(this.above);
    this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, () => this.draw());
  }

  show(marks: Marks): void {
    this.marks = marks;
    this.draw();
  }

  select(selection: Selection): void {
    if (!selection.from && !this.selection.from) return;
    this.selection = selection;
    this.draw();
  }

  private draw(): void {
    const { marks, selection } = this;
    this.colourCoordinates();
    this.below.replaceChildren(
      ...marks.last.map((square) => this.square(square, "mark-last")),
      ...SQUARES.filter((square) => marks.fog.has(square)).map((square) => this.square(square, "fog")),
      ...[...marks.heat].filter(([, share]) => share >= NOTICEABLE).map(([square, share]) => this.heat(square, share)),
      ...(marks.captured ? [this.square(marks.captured, "mark-captured")] : []),
      ...marks.felt.map((square) => this.felt(square)),
      ...(marks.passing ? [this.ring(marks.passing, "mark-passing", 0.3)] : []),
      ...(selection.from ? [this.square(selection.from, "mark-selected")] : []),
    );
    this.above.replaceChildren(
      ...[...marks.heat].filter(([, share]) => share >= LABELLED).map(([square, share]) => this.heatLabel(square, share)),
      ...selection.targets.map(({ square, takes }) =>
        takes ? this.ring(square, "target", 0.44) : this.dot(square, "target"),
      ),
      ...[...marks.arrows].sort((a, b) => a.weight - b.weight).flatMap((arrow) => this.arrow(arrow)),
    );
  }

  /** Coordinates stand on the fog, in a colour that is seen there. */
  private colourCoordinates(): void {
    const [first, home] = this.board.getOrientation() === "w" ? ["a", "1"] : ["h", "8"];
    for (const text of this.board.view.svg.querySelectorAll(".coordinate")) {
      const name = text.textContent ?? "";
      const square = /\d/.test(name) ? first + name : name + home;
      text.classList.toggle("in-fog", this.marks.fog.has(square));
    }
  }

  private get size(): number {
    return this.board.view.squareWidth;
  }

  private centre(square: string): { x: number; y: number } {
    const { x, y } = this.board.view.squareToPoint(square);
    return { x: x + this.size / 2, y: y + this.size / 2 };
  }

  private square(square: string, name: string): SVGRectElement {
    const { x, y } = this.board.view.squareToPoint(square);
    return s("rect", { x, y, width: this.size, height: this.size, class: name });
  }

  private dot(square: string, name: string): SVGCircleElement {
    const { x, y } = this.centre(square);
    return s("circle", { cx: x, cy: y, r: 0.15 * this.size, class: `${name} dot` });
  }

  private ring(square: string, name: string, radius: number): SVGCircleElement {
    const { x, y } = this.centre(square);
    return s("circle", { cx: x, cy: y, r: radius * this.size, "stroke-width": 0.07 * this.size, class: `${name} ring` });
  }

  /** Something stands here that is not seen: a pawn runs into it. */
  private felt(square: string): SVGGElement {
    const { x, y } = this.centre(square);
    const text = s("text", { x, y: y + 0.13 * this.size, "font-size": 0.36 * this.size, class: "felt" }, "?");
    return s("g", {}, this.ring(square, "mark-felt", 0.3), text);
  }

  private heat(square: string, share: number): SVGElement {
    const tint = this.square(square, "heat");
    tint.setAttribute("fill-opacity", String(0.12 + 0.78 * share));
    return tint;
  }

  private heatLabel(square: string, share: number): SVGElement {
    const { x, y } = this.board.view.squareToPoint(square);
    return s(
      "text",
      { x: x + 0.93 * this.size, y: y + 0.26 * this.size, "font-size": 0.2 * this.size, class: "heat-label" },
      share > 0.995 ? "✓" : `${Math.round(100 * share)}`,
    );
  }

  private arrow(arrow: Arrow): SVGElement[] {
    const from = this.centre(arrow.from);
    const to = this.centre(arrow.to);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const width = (0.05 + 0.11 * arrow.weight) * this.size;
    const head = 2.1 * width + 0.06 * this.size;
    const tip = { x: to.x - 0.1 * this.size * dx, y: to.y - 0.1 * this.size * dy };
    const base = { x: tip.x - head * dx, y: tip.y - head * dy };
    const corner = (sign: number) => `${base.x - sign * 0.62 * head * dy},${base.y + sign * 0.62 * head * dx}`;
    const shaft = s("line", { x1: from.x, y1: from.y, x2: base.x, y2: base.y, "stroke-width": width });
    const point = s("polygon", { points: `${tip.x},${tip.y} ${corner(1)} ${corner(-1)}` });
    const drawn = s("g", { class: arrow.played ? "arrow played" : "arrow", opacity: 0.5 + 0.45 * arrow.weight }, shaft, point);
    if (!arrow.label) return [drawn];
    const middle = { x: from.x + 0.55 * (to.x - from.x), y: from.y + 0.55 * (to.y - from.y) };
    const text = s(
      "text",
      { x: middle.x, y: middle.y + 0.08 * this.size, "font-size": 0.23 * this.size, class: "arrow-label" },
      arrow.label,
    );
    return [drawn, text];
  }
}
