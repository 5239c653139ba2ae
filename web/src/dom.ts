// Making elements, without a framework.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
}

/** An element of HTML; attributes that begin with "on" are listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  apply(element, attributes, children);
  return element;
}

/** An element of SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  apply(element, attributes, children);
  return element;
}

/** Put an element where another is, and the focus on what has the same `data-key` in it. */
export function swap(before: HTMLElement, after: HTMLElement): void {
  const active = document.activeElement;
  const key = active && before.contains(active) ? active.getAttribute("data-key") : null;
  before.replaceWith(after);
  if (key) after.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** Say something to those who listen instead of looking. */
export function announce(text: string): void {
  byId("live").textContent = text;
}

/** Offer a file for saving. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
