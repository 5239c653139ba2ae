// The pieces: drawn for murk, the same as in the pictures that Python makes; put into the page once.

import sprite from "../../src/murk/darkchess/pieces.svg?raw";
import { s } from "./dom";
import { pieceName, spriteName } from "./chess";

const HOLDER = "cm-chessboard-sprite"; // where the board looks before it would load a file

/** A group for each piece, with its shapes inside: a board draws faster that does not look them up again. */
const PIECES = [...new DOMParser().parseFromString(sprite, "image/svg+xml").querySelectorAll("svg > g")].map((piece) => {
  const shape = piece.querySelector("use")!;
  shape.replaceWith(piece.ownerDocument.querySelector(shape.getAttribute("href")!)!.cloneNode(true));
  piece.firstElementChild!.removeAttribute("id");
  return piece as SVGGElement;
});

/** The definitions of all pieces. */
export function pieceDefinitions(): SVGDefsElement {
  return s("defs", {}, ...PIECES.map((piece) => document.importNode(piece, true)));
}

export function loadPieces(): void {
  if (document.getElementById(HOLDER)) return;
  const holder = document.createElement("div");
  holder.id = HOLDER;
  holder.className = "sprite";
  holder.setAttribute("aria-hidden", "true");
  holder.append(s("svg", {}, pieceDefinitions()));
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
