// The page: which part of it to show, and the theme.

import { getOptions } from "./api";
import { byId, h } from "./dom";
import { GamePage } from "./game";
import { home } from "./home";
import { setUpTheme } from "./theme";

let page: GamePage | null = null;

async function route(): Promise<void> {
  page?.close();
  page = null;
  const main = byId("main");
  const game = /^#\/g\/([\w-]+)$/.exec(location.hash)?.[1];
  document.title = "murk";
  if (game) {
    page = new GamePage(game);
    main.replaceChildren(page.element);
    return;
  }
  try {
    const options = await getOptions();
    if (location.hash !== "" && location.hash !== "#/") return;
    main.replaceChildren(home(options));
  } catch {
    const again = h("button", { type: "button", onclick: () => void route() }, "Try again");
    main.replaceChildren(h("p", { class: "notice" }, "The server does not answer. ", again));
  }
}

setUpTheme();
window.addEventListener("hashchange", () => void route());
void route();
