// The board: cm-chessboard for pieces and pointers, our overlay for what is known, and a grid of squares for the
// keyboard and for screen readers.

import { Chessboard, INPUT_EVENT_TYPE, type MoveInputEvent } from "cm-chessboard/src/Chessboard.js";
import { PromotionDialog } from "cm-chessboard/src/extensions/promotion-dialog/PromotionDialog.js";
import type { View } from "./api";
import { placement, pieceName, squareIndex, SQUARES, squareName, withoutFog, type Letter, type Side } from "./chess";
import { h } from "./dom";
import { type Arrow, type Marks, Overlay } from "./overlay";
import { loadPieces } from "./sprite";

export interface Shown {
  view: View;
  /** Squares of the last move, as far as they may be known. */
  last: string[];
  heat?: Map<string, number>;
  arrows?: Arrow[];
}

export class Board {
  readonly element = h("div", { class: "board-frame" });
  private readonly cm: Chessboard;
  private readonly overlay: Overlay;
  private readonly cells = new Map<string, HTMLButtonElement>();
  private moves: string[] = [];
  private from: string | null = null;
  private squares: string[] = [];
  private marks: Marks | null = null;
  private waiting: { fen: string; animated: boolean } | null = null;
  private placing = false;
  private turning = false;

  /** `onMove` is told the person's move in UCI. */
  constructor(
    private side: Side,
    private readonly onMove: (move: string) => void,
  ) {
    loadPieces();
    const holder = h("div", { class: "board" });
    this.element.append(holder);
    this.cm = new Chessboard(holder, {
      orientation: side === "white" ? "w" : "b",
      assetsUrl: "/",
      style: { cssClass: "murk", showCoordinates: true, animationDuration: 180 },
      extensions: [{ class: Overlay }, { class: PromotionDialog, props: { language: "en" } }],
    });
    // Coordinates stand on the fog, not in it.
    const coordinates = this.cm.view.svg.querySelector(".coordinates");
    if (coordinates) this.cm.view.markersLayer.after(coordinates);
    this.overlay = (this.cm as unknown as { getExtension(kind: unknown): Overlay }).getExtension(Overlay);
    this.cm.view.svg.setAttribute("aria-hidden", "true");
    this.element.append(this.grid());
  }

  get svg(): SVGSVGElement {
    return this.cm.view.svg;
  }

  get orientation(): Side {
    return this.side;
  }

  /** Draw a view. Pieces glide on the whole board only: what comes out of the fog must not seem to come from somewhere. */
  show(shown: Shown, animated = false): void {
    this.clear();
    this.squares = placement(shown.view.fen);
    void this.place(withoutFog(shown.view.fen), animated);
    this.marks = {
      fog: new Set(SQUARES.filter((_, i) => this.squares[i] === "*")),
      last: shown.last,
      captured: shown.view.captured,
      felt: shown.view.felt,
      passing: shown.view.passing,
      heat: shown.heat ?? new Map(),
      arrows: shown.arrows ?? [],
    };
    this.overlay.show(this.marks);
    this.label();
  }

  /** Put the pieces. The component draws all positions it is given, one after the other: while it draws only the last waits. */
  private async place(fen: string, animated = false): Promise<void> {
    this.waiting = { fen, animated };
    if (this.placing) return;
    this.placing = true;
    while (this.waiting) {
      const next: { fen: string; animated: boolean } = this.waiting;
      this.waiting = null;
      await this.cm.setPosition(next.fen, next.animated);
    }
    this.placing = false;
  }

  /** Let the person move, with these moves in UCI; none is to wait. */
  allow(moves: string[]): void {
    this.clear();
    this.moves = moves;
    const enabled = this.cm.isMoveInputEnabled();
    if (moves.length && !enabled) this.cm.enableMoveInput((event) => this.input(event), this.letter);
    if (!moves.length && enabled) this.cm.disableMoveInput();
  }

  turn(side: Side): void {
    if (side === this.side) return;
    this.side = side;
    this.order();
    void this.settle();
  }

  /** Turn the board until it stands as it should: the component takes one turn at a time. */
  private async settle(): Promise<void> {
    if (this.turning) return;
    this.turning = true;
    for (let wanted = this.side.charAt(0); this.cm.getOrientation() !== wanted; wanted = this.side.charAt(0)) {
      await this.cm.setOrientation(wanted as Letter);
    }
    this.turning = false;
  }

  private get letter(): Letter {
    const own = this.moves[0] ? this.squares[squareIndex(this.moves[0].slice(0, 2))] : "";
    return own && own === own.toUpperCase() ? "w" : "b";
  }

  // Pointers

  private input(event: MoveInputEvent): boolean | void {
    switch (event.type) {
      case INPUT_EVENT_TYPE.moveInputStarted:
        return this.pick(event.squareFrom);
      case INPUT_EVENT_TYPE.validateMoveInput: {
        const to = event.squareTo ?? "";
        const legal = this.targets(event.squareFrom).includes(to);
        event.animate = false; // while a piece glides the board takes no other move
        if (legal) this.finish(event.squareFrom, to);
        return legal;
      }
      case INPUT_EVENT_TYPE.moveInputCanceled:
        this.clear();
        return;
    }
  }

  private pick(square: string): boolean {
    const targets = this.targets(square);
    if (!targets.length) return false;
    this.from = square;
    this.overlay.select({
      from: square,
      targets: targets.map((target) => ({
        square: target,
        takes: !["", "*"].includes(this.squares[squareIndex(target)] ?? ""),
      })),
    });
    return true;
  }

  private clear(): void {
    this.from = null;
    this.overlay.select({ from: null, targets: [] });
  }

  private targets(square: string): string[] {
    return [...new Set(this.moves.filter((move) => move.startsWith(square)).map((move) => move.slice(2, 4)))];
  }

  private finish(from: string, to: string): void {
    this.clear();
    const candidates = this.moves.filter((move) => move.startsWith(from + to));
    if (candidates.length === 1) {
      this.onMove(candidates[0]!);
      return;
    }
    const letter = this.letter;
    // After the board has moved the pawn, so that the dialog is drawn last.
    setTimeout(() =>
      this.cm.showPromotionDialog(to, letter, (result) => {
        if (result.type === "pieceSelected" && result.piece) this.onMove(from + to + result.piece.charAt(1));
        else void this.place(withoutFog(this.fen()));
      }),
    );
  }

  private fen(): string {
    const rows = [];
    for (let rank = 7; rank >= 0; rank--) {
      rows.push(this.squares.slice(8 * rank, 8 * rank + 8).map((piece) => piece || "1").join(""));
    }
    return rows.join("/");
  }

  // The keyboard

  private grid(): HTMLElement {
    const grid = h("div", { class: "squares", role: "grid", "aria-label": "Chess board" });
    for (const name of SQUARES) {
      const cell = h("button", { type: "button", role: "gridcell", tabindex: -1, "data-cell": name });
      cell.addEventListener("click", () => this.press(name));
      cell.addEventListener("keydown", (event) => this.step(event, name));
      this.cells.set(name, cell);
    }
    grid.append(...this.rows());
    return grid;
  }

  private rows(): HTMLElement[] {
    const ranks = this.side === "white" ? [7, 6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6, 7];
    const files = [...ranks].reverse();
    this.cells.forEach((cell) => (cell.tabIndex = -1));
    this.cells.get(this.side === "white" ? "e2" : "e7")!.tabIndex = 0;
    return ranks.map((rank) =>
      h("div", { role: "row" }, ...files.map((file) => this.cells.get(squareName(8 * rank + file))!)),
    );
  }

  private order(): void {
    this.element.querySelector(".squares")?.replaceChildren(...this.rows());
  }

  private press(square: string): void {
    if (this.from && this.targets(this.from).includes(square)) this.finish(this.from, square);
    else if (this.from === square || !this.pick(square)) this.clear();
    this.label();
  }

  private step(event: KeyboardEvent, name: string): void {
    const sign = this.side === "white" ? 1 : -1;
    const step: Record<string, number> = { ArrowUp: 8, ArrowDown: -8, ArrowRight: 1, ArrowLeft: -1 };
    if (event.key === "Escape") this.clear();
    const by = step[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const index = squareIndex(name);
    const next = index + sign * by;
    const sameRow = Math.abs(by) === 8 || Math.floor(next / 8) === Math.floor(index / 8);
    const cell = next >= 0 && next < 64 && sameRow ? this.cells.get(squareName(next)) : undefined;
    if (!cell) return;
    this.cells.forEach((one) => (one.tabIndex = -1));
    cell.tabIndex = 0;
    cell.focus();
  }

  private label(): void {
    this.cells.forEach((cell, name) => {
      const sign = this.squares[squareIndex(name)] ?? "";
      const parts = [name, sign === "*" ? "in the fog" : sign ? pieceName(sign) : "empty"];
      if (this.marks?.felt.includes(name)) parts.push("something stands here");
      if (this.marks?.captured === name) parts.push("your piece was taken here");
      if (this.marks?.passing === name) parts.push("en passant is possible");
      if (this.from === name) parts.push("selected");
      if (this.from && this.targets(this.from).includes(name)) parts.push("can be moved to");
      const text = parts.join(", ");
      if (cell.getAttribute("aria-label") !== text) cell.setAttribute("aria-label", text);
    });
  }

  destroy(): void {
    this.cm.destroy();
  }
}
