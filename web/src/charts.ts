// Small line charts over the plies of a game, as SVG.

import { h, s } from "./dom";

export interface Series {
  name: string;
  points: [ply: number, value: number][];
}

export interface Mark {
  ply: number;
  value: number;
  title: string;
}

export interface Chart {
  title: string;
  series: Series[];
  /** Values to draw a line at, with their labels; the first and the last bound the chart. */
  ticks: [value: number, label: string][];
  plies: number;
  at: number;
  marks?: Mark[];
  onPick: (ply: number) => void;
}

const WIDTH = 340;
const HEIGHT = 96;
const LEFT = 34;
const TOP = 6;

export function drawChart(chart: Chart): HTMLElement {
  const low = chart.ticks[0]![0];
  const high = chart.ticks.at(-1)![0];
  const x = (ply: number) => LEFT + (ply / Math.max(1, chart.plies)) * (WIDTH - LEFT - 6);
  const y = (value: number) => TOP + (1 - (value - low) / (high - low || 1)) * (HEIGHT - 2 * TOP);
  const clamp = (value: number) => Math.min(high, Math.max(low, value));
  const picture = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": described(chart) },
    ...chart.ticks.flatMap(([value, label]) => [
      s("line", { x1: LEFT, x2: WIDTH - 6, y1: y(value), y2: y(value), class: value === 0 ? "axis zero" : "axis" }),
      s("text", { x: LEFT - 5, y: y(value) + 3, class: "tick" }, label),
    ]),
    s("line", { x1: x(chart.at), x2: x(chart.at), y1: TOP, y2: HEIGHT - TOP, class: "cursor" }),
    ...chart.series.map(({ name, points }) =>
      s("polyline", {
        class: `series ${name}`,
        points: points.map(([ply, value]) => `${x(ply).toFixed(1)},${y(clamp(value)).toFixed(1)}`).join(" "),
      }),
    ),
    ...chart.series.map(({ name, points }) => {
      const here = points.findLast(([ply]) => ply <= chart.at);
      return here ? s("circle", { cx: x(here[0]), cy: y(clamp(here[1])), r: 3, class: `point ${name}` }) : null;
    }),
    ...(chart.marks ?? []).map(({ ply, value, title }) =>
      s("circle", { cx: x(ply), cy: y(clamp(value)), r: 4, class: "error" }, s("title", {}, title)),
    ),
  );
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width) * WIDTH;
    chart.onPick(Math.round(Math.min(1, Math.max(0, (share - LEFT) / (WIDTH - LEFT - 6))) * chart.plies));
  });
  return h("figure", { class: "chart" }, h("figcaption", {}, chart.title, legend(chart.series)), picture);
}

function legend(series: Series[]): HTMLElement {
  return h("span", { class: "legend" }, ...series.map(({ name }) => h("span", { class: name }, name)));
}

function described(chart: Chart): string {
  const now = chart.series.map(({ name, points }) => {
    const here = points.findLast(([ply]) => ply <= chart.at);
    return here ? `${name} ${Number(here[1].toFixed(2))}` : "";
  });
  return `${chart.title}. At this ply: ${now.filter(Boolean).join(", ") || "nothing"}`;
}
