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
  marks?: Mark[];
  onPick: (ply: number) => void;
}

const WIDTH = 340;
const HEIGHT = 96;
const LEFT = 34;
const TOP = 6;

/** A chart, and how to move its cursor to a ply. */
export interface DrawnChart {
  element: HTMLElement;
  point(at: number): void;
}

export function drawChart(chart: Chart): DrawnChart {
  const low = chart.ticks[0]![0];
  const high = chart.ticks.at(-1)![0];
  const x = (ply: number) => LEFT + (ply / Math.max(1, chart.plies)) * (WIDTH - LEFT - 6);
  const y = (value: number) => {
    const clamped = Math.min(high, Math.max(low, value));
    return TOP + (1 - (clamped - low) / (high - low || 1)) * (HEIGHT - 2 * TOP);
  };
  const cursor = s("line", { y1: TOP, y2: HEIGHT - TOP, class: "cursor" });
  const points = chart.series.map(({ name }) => s("circle", { r: 3, class: `point ${name}` }));
  const picture = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" },
    ...chart.ticks.flatMap(([value, label]) => [
      s("line", { x1: LEFT, x2: WIDTH - 6, y1: y(value), y2: y(value), class: value === 0 ? "axis zero" : "axis" }),
      s("text", { x: LEFT - 5, y: y(value) + 3, class: "tick" }, label),
    ]),
    cursor,
    ...chart.series.map(({ name, points }) =>
      s("polyline", {
        class: `series ${name}`,
        points: points.map(([ply, value]) => `${x(ply).toFixed(1)},${y(value).toFixed(1)}`).join(" "),
      }),
    ),
    ...points,
    ...(chart.marks ?? []).map(({ ply, value, title }) =>
      s("circle", { cx: x(ply), cy: y(value), r: 4, class: "error" }, s("title", {}, title)),
    ),
  );
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width) * WIDTH;
    chart.onPick(Math.round(Math.min(1, Math.max(0, (share - LEFT) / (WIDTH - LEFT - 6))) * chart.plies));
  });
  const point = (at: number) => {
    cursor.setAttribute("x1", String(x(at)));
    cursor.setAttribute("x2", String(x(at)));
    const said = chart.series.map(({ name, points: all }, i) => {
      const here = all.findLast(([ply]) => ply <= at);
      points[i]!.setAttribute("visibility", here ? "visible" : "hidden");
      if (!here) return "";
      points[i]!.setAttribute("cx", String(x(here[0])));
      points[i]!.setAttribute("cy", String(y(here[1])));
      return `${name} ${Number(here[1].toFixed(2))}`;
    });
    picture.setAttribute("aria-label", `${chart.title}. At this ply: ${said.filter(Boolean).join(", ") || "nothing"}`);
  };
  const element = h("figure", { class: "chart" }, h("figcaption", {}, chart.title, legend(chart.series)), picture);
  return { element, point };
}

function legend(series: Series[]): HTMLElement {
  return h("span", { class: "legend" }, ...series.map(({ name }) => h("span", { class: name }, name)));
}
