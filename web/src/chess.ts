// Squares, pieces and how they are called. No rules: the server knows those.

export type Side = "white" | "black";
export type Letter = "w" | "b";

export const KINDS = ["p", "n", "b", "r", "q", "k"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_NAMES: Record<Kind, string> = {
  p: "pawn",
  n: "knight",
  b: "bishop",
  r: "rook",
  q: "queen",
  k: "king",
};

export const SQUARES = Array.from({ length: 64 }, (_, i) => squareName(i));

export function squareName(index: number): string {
  return "abcdefgh"[index % 8]! + (Math.floor(index / 8) + 1);
}

export function squareIndex(name: string): number {
  return name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);
}

/** What stands on each square from a1 to h8: a letter of FEN, "" if it is empty, "*" if it is in the fog. */
export function placement(fen: string): string[] {
  const squares: string[] = Array.from({ length: 64 }, () => "");
  fen.split("/").forEach((row, fromTop) => {
    let file = 0;
    for (const sign of row) {
      if (/\d/.test(sign)) file += Number(sign);
      else squares[8 * (7 - fromTop) + file++] = sign;
    }
  });
  return squares;
}

/** A FEN that every board can draw: the fog as empty squares. */
export function withoutFog(fen: string): string {
  return fen.replaceAll("*", "1");
}

export function pieceName(letter: string): string {
  const side = letter === letter.toUpperCase() ? "white" : "black";
  return `${side} ${KIND_NAMES[letter.toLowerCase() as Kind]}`;
}

export function spriteName(letter: string): string {
  return (letter === letter.toUpperCase() ? "w" : "b") + letter.toLowerCase();
}

export function other(side: Side): Side {
  return side === "white" ? "black" : "white";
}

export function sideOf(letter: Letter): Side {
  return letter === "w" ? "white" : "black";
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
