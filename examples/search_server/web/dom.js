// Elements, numbers, addresses and messages: what every page is made of.

export const $ = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const shown = (list) => list.flat(Infinity)
  .filter((part) => part !== null && part !== undefined && part !== false);

/** Attributes: onclick and the like are handlers, --x is a CSS property; null and false: none. */
function fill(element, parts) {
  const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (shown([value]).length === 0) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(parts));
  return element;
}

/** h("a.title", { href }, parts...): an element. Parts are text, elements, lists, or nothing. */
export function h(kind, ...parts) {
  const [name, ...classes] = kind.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, parts);
}
export const svg = (name, ...parts) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), parts);
/** A button that does something here. */
export const button = (kind, act, ...parts) =>
  h(kind ? `button.${kind}` : "button", { type: "button", onclick: act }, ...parts);

export const count = (number) => Math.round(number).toLocaleString("en");
export const counted = (number, one, many = one + "s") =>
  `${count(number)} ${number === 1 ? one : many}`;
export const percent = (share) => `${Math.round(100 * Math.min(Math.max(share, 0), 1))}\u2009%`;
export const unseen = (text) => h("span.unseen", text);
export const figure = (...parts) => h("span.figure", ...parts);
export const isolated = (text) => h("bdi", text);
/** A bar of two colors: the parts of people and of Kindred, as shares of its width. */
export const bar = (people, kindred = 0) =>
  h("span.bar", { "aria-hidden": "true", "--people": people, "--kindred": kindred });

/** The address of a page, relative: a proxy may put a prefix before all. */
export function to(page, parameters = {}) {
  const pairs = parameters instanceof URLSearchParams ? parameters : Object.entries(parameters);
  const given = [...pairs].filter(([, value]) => value || value === 0);
  return (page || "./") + (given.length ? "?" + new URLSearchParams(given) : "");
}
export const at = (...segments) => segments.map(encodeURIComponent).join("/");

export const titleLink = ({ id, title }, ...marked) => h("a.title",
  { href: to("document", { id }), dir: "auto" }, marked.length ? marked : title);
/** The id, where the title does not say it. */
export const idOf = ({ id, title }) => title !== id && h("span.id", { dir: "auto" }, id);
/** An entry of a list of filters: a link with a count and a bar. */
export const entry = (href, chosen, number, shares, ...parts) =>
  h("li", h(chosen ? "a.entry.chosen" : "a.entry", { href, "aria-current": chosen && "true" },
    h("span", ...parts), figure(count(number)), shares && bar(...shares),
    chosen && unseen(" (chosen: takes it away)")));
/** Names with what they have; those that have nothing are left out. */
export const factList = (kind, facts) => h(kind, Object.entries(facts).filter(([, has]) => has)
  .map(([name, has]) => h("div", h("dt", name), h("dd", has))));
/** What is said where there is nothing to show: a head, and what to do. */
export const empty = (head, ...help) =>
  h("div.empty", h("p.empty-head", head), h("ul", help.map((line) => h("li", line))));

/** Says it to those who listen to the page. */
export const say = (text) => { $("#said").textContent = text; };

let toastTimer = 0;
/** A message at the foot of the screen for some seconds; while it is pointed at, it stays. */
export function toast(text, action = null, seconds = 10) {
  const box = $("#toast"), stay = () => clearTimeout(toastTimer);
  const hide = () => { stay(); box.replaceChildren(); };
  const start = () => { stay(); toastTimer = setTimeout(hide, seconds * 1000); };
  box.replaceChildren(h("div.row.toast",
    { onpointerenter: stay, onpointerleave: start, onfocusin: stay, onfocusout: start },
    h("span", text), action && button("act", () => { hide(); action.act(); }, action.name),
    h("button.quiet", { "aria-label": "Close this message", onclick: hide }, "\u00d7")));
  start();
}
export const told = (problem) => toast(problem.message);
