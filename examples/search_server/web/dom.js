// Elements, numbers and small parts that every page is made of.

export const $ = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** `attributes`: onclick and the like are handlers, --x a CSS property; null and false: none. */
function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  const shown = (child) => child !== null && child !== undefined && child !== false;
  element.append(...children.flat(Infinity).filter(shown));
  return element;
}

/** h("a.title", { href }, children...): an element with its classes. */
export function h(kind, attributes = {}, ...children) {
  const [name, ...classes] = kind.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  return build(element, attributes, children);
}

/** The same for drawings. */
export const svg = (name, attributes = {}, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const count = (number) => Math.round(number).toLocaleString("en");
export const counted = (number, one, many = one + "s") =>
  `${count(number)} ${number === 1 ? one : many}`;
export const percent = (share) => `${Math.round(100 * Math.min(Math.max(share, 0), 1))}\u2009%`;
export const unseen = (text) => h("span.unseen", {}, text);
export const figure = (text, attributes = {}) => h("span.figure", attributes, text);

/** A bar of two colors: the parts of people and of Kindred, as shares of its width. */
export const bar = (people, kindred = 0, kind = "bar") =>
  h(`span.${kind}`, { "aria-hidden": "true", "--people": people, "--kindred": kindred });

/** The address of a page: its name and its parameters, those without a value left out. */
export function to(page, parameters = {}) {
  const given = parameters instanceof URLSearchParams ? [...parameters]
    : Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((v) => [name, v]));
  const text = new URLSearchParams(given.filter(([, value]) => value || value === 0)).toString();
  return (page || "./") + (text && "?" + text);
}

export const titleLink = (item) =>
  h("a.title", { href: to("document", { id: item.id }), dir: "auto" }, item.title || item.id);

/** The id, where the title does not say it. */
export const idOf = (item) =>
  item.title && item.title !== item.id && h("span.id", { dir: "auto" }, item.id);

/** What is said where there is nothing to show: a head, and what to do. */
export const empty = (head, ...help) =>
  h("div.empty", {}, h("p.empty-head", {}, head), h("ul", {}, help.map((line) => h("li", {}, line))));

/** Says it to those who listen to the page. */
export const say = (text) => { $("#said").textContent = text; };

let toastTimer = 0;
/** A message at the foot of the screen. It stays while it is pointed at, else for some seconds. */
export function toast(text, action = null, seconds = 10) {
  const box = $("#toast");
  const hide = () => box.replaceChildren();
  const start = () => { clearTimeout(toastTimer); toastTimer = setTimeout(hide, seconds * 1000); };
  const stay = () => clearTimeout(toastTimer);
  const button = action && h("button", {
    onclick: () => { stay(); hide(); action.act(); },
  }, action.name);
  box.replaceChildren(h("div.toast", {
    onpointerenter: stay, onpointerleave: start, onfocusin: stay, onfocusout: start,
  }, h("span", {}, text), button,
  h("button.quiet", { "aria-label": "Close this message", onclick: hide }, "\u00d7")));
  start();
}
/** Does what the message offers. */
export const takeToast = () => {
  const button = $("#toast button:not(.quiet)");
  if (button) button.click();
  return Boolean(button);
};
