// The list of moves beside the board, as they are known from where one looks.

import { h } from "./dom";
import type { Perspective, Story } from "./story";

const BLUNDER = 0.2;

export class MoveList {
  readonly element = h("ol", { class: "moves", "aria-label": "Moves" });
  private buttons: HTMLButtonElement[] = [];
  private shown = "";

  constructor(private readonly go: (at: number) => void) {}

  /** Draw the list if there is something new, and mark the move that led to a ply. */
  show(story: Story, perspective: Perspective, at: number): void {
    const key = `${story.version} ${perspective}`;
    if (key !== this.shown) {
      this.shown = key;
      this.element.replaceChildren(...this.rows(story, perspective));
    }
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.buttons[at - 1];
    current?.setAttribute("aria-current", "step");
    this.element.scrollTop = current ? current.offsetTop - this.element.clientHeight / 2 : 0;
  }

  private rows(story: Story, perspective: Perspective): HTMLElement[] {
    const offset = story.info.fen.split(" ")[1] === "b" ? 1 : 0;
    const rows: HTMLElement[] = [];
    this.buttons = story.seen(perspective).map(({ text }, i) => {
      if ((i + offset) % 2 === 0 || i === 0) {
        const gap = offset && i === 0 ? h("span", { class: "gap" }) : null;
        rows.push(h("li", {}, h("span", { class: "number" }, story.number(i)), gap));
      }
      const lost = story.shares(perspective, i) ? (story.decision(i)?.lost ?? 0) : 0;
      const style = text.startsWith("?") ? "unseen" : lost >= BLUNDER ? "blunder" : null;
      const button = h("button", { type: "button", class: style, onclick: () => this.go(i + 1) }, text);
      rows.at(-1)!.append(button);
      return button;
    });
    return rows;
  }
}
