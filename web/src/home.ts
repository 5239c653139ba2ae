// The start: play, watch, analyse, and the games of before.

import { createGame, type Options, type View } from "./api";
import { Board } from "./board";
import { h } from "./dom";
import { recentGames } from "./recent";

const CLOCKS: [string, [number, number] | null][] = [
  ["No clock", null],
  ["3 min + 2 s", [180, 2]],
  ["5 min + 3 s", [300, 3]],
  ["10 min + 5 s", [600, 5]],
  ["30 min + 20 s", [1800, 20]],
];

type Tab = "play" | "watch" | "analyse";

export function home(options: Options): HTMLElement {
  const panels: Record<Tab, HTMLElement> = {
    play: playForm(options),
    watch: watchForm(options),
    analyse: analyseForm(options),
  };
  const names: Record<Tab, string> = { play: "Play", watch: "Watch", analyse: "Analyse" };
  const tabs = h("div", { role: "tablist", class: "tabs", "aria-label": "What to do" });
  const body = h("div", { class: "card" });
  const select = (tab: Tab, focus = false) => {
    for (const button of tabs.querySelectorAll<HTMLButtonElement>("button")) {
      const chosen = button.dataset.tab === tab;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      if (chosen && focus) button.focus();
    }
    body.replaceChildren(panels[tab]);
  };
  const order = Object.keys(names) as Tab[];
  for (const tab of order) {
    const button = h("button", { type: "button", role: "tab", "data-tab": tab, onclick: () => select(tab) }, names[tab]);
    button.addEventListener("keydown", ({ key }) => {
      const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
      if (by) select(order[(order.indexOf(tab) + by + order.length) % order.length]!, true);
    });
    tabs.append(button);
  }
  select("play");
  return h(
    "div",
    { class: "home" },
    h(
      "section",
      { class: "lead" },
      h("h1", {}, "Chess in the fog"),
      h(
        "p",
        {},
        "You see your own pieces and the squares they can move to. There is no check: who captures the king wins. ",
        "After the game you see everything, and what the machine believed.",
      ),
      example(),
      recent(),
    ),
    h("section", { class: "start" }, tabs, body),
    h("footer", { class: "small" }, `murk ${options.version} · `, h("a", { href: "/licences.txt" }, "licences")),
  );
}

/** What White sees after 1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 Bc5 5. Ng5 O-O. */
const EXAMPLE: View = {
  fen: "********/*****p*p/1***1***/*1*1**N1/2B1P3/3P4/PPP2PPP/RNBQK2R",
  turn: "w",
  stopped: [],
  felt: [],
  passing: null,
  captured: null,
  moves: [],
};

function example(): HTMLElement {
  const board = new Board("white", () => undefined);
  board.show({ view: EXAMPLE, last: [] });
  return h("div", { class: "example", inert: true, "aria-hidden": "true" }, board.element);
}

function recent(): HTMLElement | null {
  const games = recentGames();
  if (!games.length) return null;
  const rows = games.slice(0, 8).map(({ id, title, when, result }) =>
    h(
      "li",
      {},
      h("a", { href: `#/g/${id}` }, h("span", {}, title), h("span", { class: "small" }, result || "goes on")),
      h("time", { class: "small", datetime: new Date(when).toISOString() }, new Date(when).toLocaleDateString()),
    ),
  );
  return h("section", { class: "recent" }, h("h2", {}, "Your games"), h("ul", {}, ...rows));
}

function playForm(options: Options): HTMLElement {
  const form = gameForm(
    "Play",
    agentChoice("agent", "Opponent", options, 0),
    segments("colour", "You play", [
      ["white", "White"],
      ["either", "Either"],
      ["black", "Black"],
    ]),
    strength(options),
    clockChoice(),
    startChoice(),
  );
  return submitted(form, (fields) => {
    const colour = fields.get("colour");
    return {
      kind: "play",
      agent: fields.get("agent"),
      colour: colour === "either" ? (Math.random() < 0.5 ? "white" : "black") : colour,
      ...common(fields),
    };
  });
}

function watchForm(options: Options): HTMLElement {
  const form = gameForm(
    "Watch",
    agentChoice("white", "White", options, 0),
    agentChoice("black", "Black", options, 1),
    strength(options),
    clockChoice(),
    startChoice(),
  );
  return submitted(form, (fields) => ({
    kind: "watch",
    white: fields.get("white"),
    black: fields.get("black"),
    ...common(fields),
  }));
}

function analyseForm(options: Options): HTMLElement {
  const text = h("textarea", {
    name: "pgn",
    rows: 9,
    required: true,
    spellcheck: "false",
    placeholder: "1. e4 d5 2. Bb5 Nf6 3. Bxe8 1-0",
  });
  const file = h("input", { type: "file", accept: ".pgn,text/plain", "aria-label": "Open a PGN file" });
  file.addEventListener("change", () => void file.files?.[0]?.text().then((found) => (text.value = found)));
  const form = gameForm(
    "Analyse",
    h("label", {}, "A game of dark chess as PGN", text),
    h("div", { class: "file" }, file),
    h("p", { class: "small" }, `${options.reviewer} thinks each ply through, for each side from what that side saw.`),
  );
  return submitted(form, (fields) => ({ kind: "analyse", pgn: fields.get("pgn") }));
}

// Parts of forms

function gameForm(action: string, ...parts: HTMLElement[]): HTMLFormElement {
  const button = h("button", { type: "submit", class: "primary" }, action);
  return h("form", {}, ...parts, button, h("p", { class: "problem", role: "alert" }));
}

function submitted(form: HTMLFormElement, setup: (fields: FormData) => object): HTMLFormElement {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = form.querySelector<HTMLButtonElement>("button[type=submit]")!;
    const problem = form.querySelector(".problem")!;
    button.disabled = true;
    problem.textContent = "";
    createGame(setup(new FormData(form)))
      .then((id) => (location.hash = `#/g/${id}`))
      .catch((error: Error) => (problem.textContent = `${error.message}.`))
      .finally(() => (button.disabled = false));
  });
  return form;
}

function common(fields: FormData): object {
  return {
    level: Number(fields.get("level")),
    control: CLOCKS[Number(fields.get("clock"))]![1],
    fen: String(fields.get("fen") ?? "").trim(),
  };
}

function agentChoice(name: string, label: string, options: Options, chosen: number): HTMLElement {
  const about = h("span", { class: "small" });
  const select = h(
    "select",
    { name },
    ...options.agents.map((agent, i) => h("option", { value: agent.name, selected: i === chosen }, agent.name)),
  );
  const tell = () => (about.textContent = options.agents[select.selectedIndex]?.about ?? "");
  select.addEventListener("change", tell);
  tell();
  return h("label", {}, label, select, about);
}

function segments(name: string, legend: string, choices: [string, string][], chosen = choices[0]![0]): HTMLElement {
  return h(
    "fieldset",
    {},
    h("legend", {}, legend),
    h(
      "div",
      { class: "segments" },
      ...choices.map(([value, text]) =>
        h("label", {}, h("input", { type: "radio", name, value, checked: value === chosen }), h("span", {}, text)),
      ),
    ),
  );
}

function strength(options: Options): HTMLElement {
  const most = options.levels.length - 1;
  const said = h("output", { class: "small" });
  const range = h("input", { type: "range", name: "level", min: 0, max: most, value: options.level });
  const tell = () => {
    const level = options.levels[Number(range.value)]!;
    said.textContent = `${level.name}, ${level.seconds} s a move`;
    range.setAttribute("aria-valuetext", said.textContent);
  };
  range.addEventListener("input", tell);
  tell();
  return h("label", {}, "Strength", range, said);
}

function clockChoice(): HTMLElement {
  const choices = CLOCKS.map(([name], i) => h("option", { value: i }, name));
  return h("label", {}, "Clock", h("select", { name: "clock" }, ...choices));
}

function startChoice(): HTMLElement {
  const input = h("input", { name: "fen", type: "text", spellcheck: "false", placeholder: "FEN; both sides know it" });
  return h("details", {}, h("summary", {}, "Begin from another position"), h("label", {}, "Position", input));
}
