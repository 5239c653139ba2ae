// The pieces: drawn for murk, the same as in the pictures that Python makes; put into the page once.

import sprite from "../../src/murk/darkchess/pieces.svg?raw";
import { s } from "./dom";
import { pieceName, spriteName } from "./chess";

const HOLDER = "cm-chessboard-sprite"; // where the board looks before it would load a file

/** The definitions of all pieces. */
export const PIECES = sprite;

export function loadPieces(): void {
  if (document.getElementById(HOLDER)) return;
  const holder = document.createElement("div");
  holder.id = HOLDER;
  holder.className = "sprite";
  holder.setAttribute("aria-hidden", "true");
  holder.innerHTML = PIECES;
  document.body.append(holder);
}

/** A small picture of a piece, by its letter in FEN. */
export function pieceIcon(letter: string, size = 22): SVGSVGElement {
  return s(
    "svg",
    { viewBox: "0 0 40 40", width: size, height: size, role: "img", "aria-label": pieceName(letter) },
    s("use", { href: `#${spriteName(letter)}` }),
  );
}
