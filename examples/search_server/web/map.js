// The topic map: its drawing, and the page that shows where documents lie on it.

import { startJob } from "./about.js";
import { ask, askIfThere, follow, isOpen, mayWrite, progressOf } from "./api.js";
import { tagsText } from "./document.js";
import { button, counted, empty, entry, h, isolated, svg, titleLink, to, told, unseen }
  from "./dom.js";
import { filterChips, having, isSearch, question } from "./search.js";

/** The map with its topics, or null if there is none. */
export async function askMap(parameters, signal) {
  const [map, topics] = await Promise.all([to("map", parameters), "topics"]
    .map((address) => askIfThere(address, { signal })));
  if (!map || !topics) return null;
  return { ...map, units: map.units.map((unit, at) => ({ ...unit, unit: at })), ...topics };
}

const scale = 20, margin = 0.8, colors = 10, mostUnits = 6400, leastType = 11;

/** Each topic gets the color that is used least, and not near it: the nearer, the worse. */
function colorTopics({ units, columns }) {
  const near = new Map(units.map(({ topic }) => [topic, new Map()])), reach = [-2, -1, 0, 1, 2];
  for (const a of units) {
    const its = near.get(a.topic);
    for (const b of reach.flatMap((y) => reach.map((x) => units[a.unit + y * columns + x])))
      if (b) its.set(b.topic, (its.get(b.topic) || 0) + Math.hypot(a.x - b.x, a.y - b.y) ** -6);
  }
  const color = new Map(), used = Array(colors).fill(0);
  for (const [topic, others] of [...near].sort(([, a], [, b]) => b.size - a.size)) {
    const costs = [...used];
    for (const [other, nearness] of others)
      if (color.has(other)) costs[color.get(other)] += 1e4 * nearness;
    color.set(topic, costs.indexOf(Math.min(...costs)));
    ++used[color.get(topic)];
  }
  return (topic) => ({ "--its": `var(--c${color.get(topic)})` });
}

/** The first words of a topic's name. One that another one begins with says nothing more. */
export function shortName(name, words) {
  const parts = name.split(/[\s,]+/).filter((word) => word.length > 1);
  return parts.filter((word) => !parts.some((other) => other !== word && other.startsWith(word)))
    .slice(0, words).join(" ");
}

/** Names where they meet no other: the largest topics first, each near the middle of its units. */
function placeNames({ units, topics }, width, pixels, largest) {
  const boxes = [], most = Math.max(1, ...topics.map(({ documents }) => documents));
  const meet = (a, b) => a.left < b.right && b.left < a.right && Math.abs(a.y - b.y) < a.em + b.em;
  const place = (text, size, places) => {
    const em = 0.6 * size * width / pixels, half = (text.length + 1) * em / 2;
    for (const { x, y } of places) {
      const box = { left: x + margin - half, right: x + margin + half, y, em };
      if (box.left < 0 || box.right > width || boxes.some((other) => meet(box, other))) continue;
      boxes.push(box);
      return svg("text", { x: (x + margin) * scale, y: (y + margin + 0.6 * em) * scale,
        "font-size": em * scale / 0.6 }, text);
    }
    return null;
  };
  const sorted = [...topics].sort((a, b) => b.documents - a.documents);
  return sorted.map(({ number, name, documents }) => {
    const its = units.filter((unit) => unit.topic === number);
    const middle = (of) => its.reduce((sum, unit) => sum + unit[of] / its.length, 0);
    const x = middle("x"), y = middle("y"), far = (unit) => Math.hypot(unit.x - x, unit.y - y);
    const places = its.sort((a, b) => far(a) - far(b)).slice(0, 24);
    const size = leastType + (largest - leastType) * Math.sqrt(documents / most);
    return place(shortName(name, 2), size, places) ||
      place(shortName(name, 2), leastType, places) ||
      place(shortName(name, 1), leastType, places);
  });
}

/** The map as a drawing. `hits`: documents of a search in each unit; the others are faint then. */
export function drawMap(map, { small = false, chosen = 0, hits = null } = {}) {
  const { topics } = map, units = map.units.length > mostUnits ? [] : map.units;
  const width = Math.max(...units.map(({ x }) => x)) + 2 * margin, color = colorTopics(map);
  const height = Math.max(...units.map(({ y }) => y)) + 2 * margin;
  const number = (unit) => hits ? hits.get(unit.unit) || 0 : unit.documents;
  const numbers = units.map(number).filter(Boolean).sort((a, b) => a - b);
  const most = numbers[Math.floor(numbers.length * 0.95)], least = hits ? 0.6 : 0.38;
  const opacity = (has) => has ? Math.min(1, least + (1 - least) * Math.sqrt(has / most)) : 0.12;
  const hexagon = map.lattice !== "rectangular", left = hexagon ? 0 : scale / 2;
  const shape = hexagon ? "l10 5.77v11.55l-10 5.77-10-5.77v-11.55z" : "h20v20h-20z";
  const top = hexagon ? scale / Math.sqrt(3) : scale / 2;
  const cell = (unit) => svg("path", { "data-unit": unit.unit,
    "fill-opacity": opacity(number(unit)),
    d: `M${(unit.x + margin) * scale - left} ${(unit.y + margin) * scale - top}${shape}` });
  const names = (kind, pixels, largest) =>
    svg("g", { class: `names ${kind}` }, placeNames({ units, topics }, width, pixels, largest));
  const drawing = svg("svg", { "aria-hidden": "true", class: "map",
    viewBox: `0 0 ${width * scale} ${height * scale}` },
  topics.map((topic) => svg("g", { "data-topic": topic.number, ...color(topic.number),
    class: chosen && chosen !== topic.number ? "region faint" : "region" },
  units.filter((unit) => unit.topic === topic.number).map(cell))),
  small ? names("", 400, 15) : [names("wide", 800, 20), names("narrow", 350, 15)]);
  return { drawing, color };
}

/** Says that there is no map; while one is made, how far it is, until it is there. */
async function noMap(again, signal) {
  const { jobs } = await ask("jobs", { signal });
  const job = jobs.find((each) => each.kind === "train" && isOpen(each));
  const progress = h("div", job && progressOf(job));
  if (job) follow(job.id, (now) => progress.replaceChildren(progressOf(now)), signal)
    .catch((problem) => signal.aborted || told(problem)).finally(() => signal.aborted || again());
  return { title: "Map", main: [h("h1", "Topic map"), progress, empty(
    job ? "The map is being made." : "This index has no map yet.",
    "A map shows all documents at once: similar ones lie side by side, in topics with names.",
    "This takes a few seconds for every 10,000 documents.", ...job ? [] : [mayWrite()
      ? button("main-button", () => startJob("train", again), "Make a map")
      : "Sign in to make one."])] };
}

/** The drawing in a box that scrolls where it is larger; buttons zoom. */
function mapBox(drawing, tell, choose) {
  const unitOf = ({ target }) => target.closest("[data-unit]")?.dataset.unit;
  const on = (act) => (event) => { if (unitOf(event)) act(Number(unitOf(event))); };
  let zoom = 1;
  const zoomBy = (factor) => {
    const x = box.scrollLeft + box.clientWidth / 2, y = box.scrollTop + box.clientHeight / 2;
    const before = zoom;
    zoom = Math.min(Math.max(zoom * factor, 1), 6);
    box.style.setProperty("--zoom", zoom);
    box.scrollTo(x * zoom / before - box.clientWidth / 2, y * zoom / before - box.clientHeight / 2);
  };
  const box = h("div.map-box", { tabindex: 0, role: "region", "aria-label": "Topic map",
    onpointermove: on(tell), onclick: on(choose) }, drawing);
  return [h("div.row", button("", () => zoomBy(1.5), "+", unseen(" Zoom in")),
    button("", () => zoomBy(1 / 1.5), "\u2212", unseen(" Zoom out"))), box];
}

export async function mapPage(state, { signal, go, again }) {
  const searched = having(state, { topic: null, unit: null }), searching = isSearch(searched);
  const [map, found] = await Promise.all([
    askMap(searching ? question(searched) : {}, signal),
    isSearch(state) && ask(to("search", question(state, { limit: 12, facets: 30, fold: 0.95 })),
      { signal })]);
  if (!map) return noMap(again, signal);
  const hits = searching ? new Map(map.hits.map(({ unit, documents }) => [unit, documents])) : null;
  const chosen = Number(state.get("topic")), { drawing, color } = drawMap(map, { chosen, hits });
  const here = ({ unit, documents }) => hits ? hits.get(unit) || 0 : documents;
  const usual = hits ? "The stronger a place is colored, the more of the documents lie there."
    : "Each place holds similar documents: the stronger its color, the more. Choose one.";
  const readout = h("p.readout.soft", usual);
  const tell = (unit) => {
    const topic = map.topics.find(({ number }) => number === map.units[unit].topic);
    if (topic) readout.replaceChildren(h("strong", topic.name), ` \u00b7 ${
      counted(here(map.units[unit]), "document")} here \u00b7 ${
      topic.terms.map(({ word }) => word).join(", ")}`);
  };
  const [tools, box] = mapBox(drawing, tell, (unit) => go(to("explore", having(state, hits
    ? { unit, topic: null } : { topic: map.units[unit].topic, unit: null }))));
  const sum = (topic) => map.units.reduce((all, unit) =>
    all + (unit.topic === topic ? here(unit) : 0), 0);
  const topics = map.topics.map(({ number, name }) => ({ number, name, documents: sum(number) }))
    .sort((a, b) => b.documents - a.documents).map(({ number, name, documents }) =>
      entry(to("explore", having(state, { unit: null, topic: number === chosen ? null : number })),
        number === chosen, documents, null, h("span.key", color(number)), isolated(name)));
  const list = found && h("section", h("div.row", h("h2.grow", counted(found.total.estimate,
    "document")), h("a.button", { href: to("", state) }, "Open in search")),
  h("ol.plain", found.documents.map((item) => h("li", titleLink(item), " ",
    tagsText([...item.labels, ...item.predicted.map(({ label }) => label)])))));
  return { title: "Map", json: "map", main: [h("h1", "Topic map"),
    found && filterChips(state, "explore", found.facets.topic),
    h("div.explore", h("div", h("div.row", tools, readout), box),
      h("aside.side", { "aria-label": "Topics and documents" }, list,
        h("section", h("h2", counted(topics.length, "topic")), h("ul", topics))))] };
}
