// The panel after the game: whose eyes, what was believed, what was considered, where value was lost.

import type { Decision } from "./api";
import { capitalised, KIND_NAMES, KINDS, type Kind, type Side } from "./chess";
import { drawChart, type DrawnChart } from "./charts";
import { download, h, swap } from "./dom";
import type { Arrow } from "./overlay";
import { boardPng, boardSvg } from "./picture";
import type { Perspective, Story } from "./story";

export type Heat = Kind | "any" | "off";

export interface Focus {
  at: number;
  perspective: Perspective;
  heat: Heat;
}

export interface ReviewActions {
  go(at: number): void;
  look(perspective: Perspective): void;
  heat(heat: Heat): void;
  picture(): SVGSVGElement;
}

const SHOWN = 0.005;
const WORST = 6;
const SIDES: Side[] = ["white", "black"];

/** The mixture at a ply as arrows, and the move that was played, where they are known. */
export function arrows(story: Story, { at, perspective }: Focus): Arrow[] {
  const decision = story.shares(perspective, at) ? story.decision(at) : undefined;
  if (!decision) return [];
  const played = story.lines[at]?.move;
  const likely = decision.mixture.filter(({ probability }) => probability >= SHOWN);
  const shown = likely.map(({ move, probability }) => ({
    from: move.slice(0, 2),
    to: move.slice(2, 4),
    weight: probability,
    label: `${Math.round(100 * probability)} %`,
    played: move === played,
  }));
  if (played && !likely.some(({ move }) => move === played)) {
    shown.push({ from: played.slice(0, 2), to: played.slice(2, 4), weight: 0.2, label: "", played: true });
  }
  return shown;
}

const VIEWS: [Perspective, string][] = [
  ["white", "White"],
  ["full", "All"],
  ["black", "Black"],
];

/** Whose eyes to look with. */
export function viewButtons(chosen: Perspective, look: (perspective: Perspective) => void): HTMLElement {
  const buttons = VIEWS.map(([view, text]) =>
    h("button", { type: "button", "data-key": view, "aria-pressed": String(view === chosen), onclick: () => look(view) }, text),
  );
  return h("div", { class: "segments", role: "group", "aria-label": "View" }, ...buttons);
}

export class ReviewPanel {
  readonly element = h("section", { class: "review", "aria-label": "Review" });
  private progress: [number, number] | null = null;
  private readonly parts = new Map<string, { key: string; element: HTMLElement }>();
  private readonly charts = new Map<string, DrawnChart>();

  constructor(
    private readonly id: string,
    private readonly actions: ReviewActions,
  ) {}

  reviewing(done: number, of: number): void {
    this.progress = done < of ? [done, of] : null;
  }

  /** Draw what is new of it. */
  show(story: Story, focus: Focus): void {
    const { at, perspective, heat } = focus;
    const { version } = story;
    const believer = perspective === "full" ? story.mind(at) : perspective;
    this.part("controls", [perspective, heat, believer], () => this.controls(focus, believer));
    this.part("insight", [version, at, perspective, this.progress], () => this.insight(story, focus));
    this.part("values", [version, perspective], () => this.chart("values", this.values(story, perspective)));
    this.part("sizes", [version], () => this.chart("sizes", this.sizes(story)));
    this.part("errors", [version, perspective, this.progress === null], () => this.errors(story, perspective));
    this.part("exports", [], () => this.exports());
    for (const chart of this.charts.values()) chart.point(at);
  }

  /** Make a part if its key is new, and keep the focus where it was. */
  private part(name: string, parts: unknown[], make: () => HTMLElement): void {
    const key = JSON.stringify(parts);
    const before = this.parts.get(name);
    if (before?.key === key) return;
    const element = make();
    this.parts.set(name, { key, element });
    if (!before) {
      this.element.append(element);
      return;
    }
    swap(before.element, element);
  }

  private chart(name: string, chart: DrawnChart): HTMLElement {
    this.charts.set(name, chart);
    return chart.element;
  }

  private controls(focus: Focus, believer: Side): HTMLElement {
    const heats: [Heat, string][] = [
      ["off", "nothing"],
      ["any", "any piece"],
      ...KINDS.map((kind): [Heat, string] => [kind, `a ${KIND_NAMES[kind]}`]).reverse(),
    ];
    const select = h(
      "select",
      { "data-key": "heat", onchange: (event) => this.actions.heat((event.target as HTMLSelectElement).value as Heat) },
      ...heats.map(([value, text]) => h("option", { value, selected: value === focus.heat }, text)),
    );
    return h(
      "div",
      { class: "controls" },
      viewButtons(focus.perspective, this.actions.look),
      h("label", { class: "inline" }, `${capitalised(believer)} expects`, select),
    );
  }

  private insight(story: Story, focus: Focus): HTMLElement {
    const box = h("div", { class: "insight" });
    const side = story.mover(focus.at);
    const decision = story.decision(focus.at);
    const played = story.lines[focus.at];
    if (this.progress) {
      const [done, of] = this.progress;
      box.append(
        h("p", { class: "small reviewing" }, `Thinking it through: ${done} of ${of}`, h("progress", { max: of, value: done })),
      );
    }
    if (focus.at >= story.plies) {
      box.append(h("p", { class: "small" }, "The end of the game. Step back to look inside."));
      return box;
    }
    if (!story.shares(focus.perspective, focus.at)) {
      box.append(h("p", { class: "small" }, `${capitalised(side)} is to move. What ${side} thinks is not known here.`));
      return box;
    }
    const who = decision?.reviewed ? `In ${capitalised(side)}'s place` : `${capitalised(side)} thought`;
    box.append(h("h3", {}, `${who}, before ${played ? `${played.text}` : "moving"}`));
    if (!decision) {
      box.append(h("p", { class: "small" }, this.progress ? "Not yet thought through." : "Nothing is known here."));
      return box;
    }
    box.append(mixtureTable(story, focus.at, decision), facts(decision));
    return box;
  }

  private values(story: Story, perspective: Perspective): DrawnChart {
    return drawChart({
      title: "Value",
      series: SIDES.map((side) => ({ name: side, points: story.values(side) })),
      ticks: [
        [-1, "Black"],
        [0, "0"],
        [1, "White"],
      ],
      marks: story.errors(perspective).slice(0, WORST).map(({ ply, lost }) => ({
        ply,
        value: (story.mover(ply) === "white" ? 1 : -1) * (story.decision(ply)?.value ?? 0),
        title: `${story.lines[ply]?.text}: ${lost.toFixed(2)} lost`,
      })),
      plies: story.plies,
      onPick: (ply) => this.actions.go(ply),
    });
  }

  private sizes(story: Story): DrawnChart {
    const most = Math.max(1, ...SIDES.flatMap((side) => story.sizes(side).map(([, size]) => size)));
    const powers = Array.from({ length: Math.ceil(most) + 1 }, (_, i) => i);
    const shown = powers.length > 5 ? powers.filter((power) => power % 2 === 0 || power === powers.length - 1) : powers;
    return drawChart({
      title: "Positions held possible",
      series: SIDES.map((side) => ({ name: side, points: story.sizes(side) })),
      ticks: shown.map((power): [number, string] => [power, tens(power)]),
      plies: story.plies,
      onPick: (ply) => this.actions.go(ply),
    });
  }

  private errors(story: Story, perspective: Perspective): HTMLElement {
    const worst = story.errors(perspective).slice(0, WORST);
    const whose = story.info.kind === "play" ? "Where you erred" : "Where value was lost";
    if (!story.isReviewed(perspective)) return h("div", { hidden: true });
    const rows = worst.map(({ ply, lost }) => {
      const decision = story.decision(ply)!;
      const better = story.best(decision);
      return h(
        "li",
        {},
        h(
          "button",
          { type: "button", "data-key": `error-${ply}`, onclick: () => this.actions.go(ply) },
          h("span", {}, `${story.number(ply)} ${story.lines[ply]?.text}`),
          h("span", { class: "lost" }, `−${lost.toFixed(2)}`),
          h("span", { class: "small" }, better ? `better ${story.moveText(better.move, ply)}` : ""),
        ),
      );
    });
    const none = h("p", { class: "small" }, this.progress ? "Still looking." : "No move lost much.");
    return h("div", { class: "errors" }, h("h3", {}, whose), worst.length ? h("ol", {}, ...rows) : none);
  }

  private exports(): HTMLElement {
    const svg = () => new Blob([boardSvg(this.actions.picture())], { type: "image/svg+xml" });
    return h(
      "div",
      { class: "exports" },
      h("a", { class: "button", href: `/api/games/${this.id}/pgn`, download: "murk.pgn", "data-key": "pgn" }, "PGN"),
      h("button", { type: "button", "data-key": "svg", onclick: () => download("murk.svg", svg()) }, "SVG"),
      h(
        "button",
        {
          type: "button",
          "data-key": "png",
          onclick: () => void boardPng(this.actions.picture()).then((blob) => download("murk.png", blob)),
        },
        "PNG",
      ),
    );
  }
}

function mixtureTable(story: Story, at: number, decision: Decision): HTMLElement {
  if (!decision.mixture.length) {
    return h("p", { class: "small" }, `It played ${story.moveText(decision.move, at)} and does not say why.`);
  }
  const played = story.lines[at]?.move;
  const rows = decision.mixture.map(({ move, probability, value }) => {
    const bar = h("span", { class: "bar" });
    bar.style.width = `${100 * probability}%`;
    return h(
      "tr",
      { class: move === played ? "played" : "" },
      h("th", { scope: "row" }, story.moveText(move, at)),
      h("td", { class: "share" }, bar, h("span", {}, `${(100 * probability).toFixed(probability > 0 && probability < 0.1 ? 1 : 0)} %`)),
      h("td", { class: "value" }, value === null ? "–" : signed(value)),
    );
  });
  return h(
    "table",
    { class: "mixture" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Move"), h("th", { scope: "col" }, "Mixture"), h("th", { scope: "col" }, "Value"))),
    h("tbody", {}, ...rows),
  );
}

function facts(decision: Decision): HTMLElement {
  const exact = decision.belief_exact === false ? " (a sample)" : "";
  const known: [string, string | null][] = [
    ["value", decision.value === null ? null : signed(decision.value)],
    ["gadget", decision.gadget ?? null],
    ["belief", decision.belief_size === undefined ? null : decision.belief_size.toLocaleString("en") + exact],
    ["smallest margin", decision.margin === null ? null : signed(decision.margin)],
    ["depth", decision.depth?.toString() ?? null],
    ["nodes", decision.nodes?.toLocaleString("en") ?? null],
    ["time", decision.seconds === null ? null : `${decision.seconds.toFixed(2)} s`],
    ["evaluator", decision.evaluator],
  ];
  const shown = known.filter((fact): fact is [string, string] => fact[1] !== null);
  return h("dl", { class: "facts" }, ...shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function signed(value: number): string {
  return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
}

function tens(power: number): string {
  return power < 3 ? String(10 ** power) : power < 6 ? `${10 ** (power - 3)}k` : `${10 ** (power - 6)}M`;
}
