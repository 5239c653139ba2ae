// The board as a picture of its own: with all styles written out and the pieces inside.

import { pieceDefinitions } from "./sprite";

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
];
const SIZE = 1080;

export function boardSvg(board: SVGSVGElement): string {
  const copy = board.cloneNode(true) as SVGSVGElement;
  const from = board.querySelectorAll<SVGElement>("*");
  copy.querySelectorAll<SVGElement>("*").forEach((element, i) => {
    const computed = getComputedStyle(from[i]!);
    for (const name of STYLES) {
      const value = computed.getPropertyValue(name);
      if (value) element.setAttribute(name, value);
    }
    for (const name of ["style", "class", "tabindex", "role"]) element.removeAttribute(name);
    // What the pieces are painted with stands in the pieces.
    if (element.tagName === "use") for (const name of ["fill", "stroke", "stroke-width"]) element.removeAttribute(name);
  });
  copy.querySelector(".promotion-dialog-group")?.remove();
  const width = board.clientWidth;
  copy.prepend(pieceDefinitions());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${width} ${width}`);
  copy.setAttribute("width", String(SIZE));
  copy.setAttribute("height", String(SIZE));
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
}

export async function boardPng(board: SVGSVGElement): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([boardSvg(board)], { type: "image/svg+xml" }));
  try {
    const image = new Image(SIZE, SIZE);
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = SIZE;
    canvas.getContext("2d")!.drawImage(image, 0, 0, SIZE, SIZE);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is empty"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
