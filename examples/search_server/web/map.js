// The topic map: its drawing, and the page that shows where documents lie on it.

import { ask, askIfThere, mayWrite } from "./api.js";
import { startJob } from "./about.js";
import { tagsText } from "./document.js";
import { $, all, button, count, counted, empty, entry, figure, h, isolated, say, svg, titleLink, to }
  from "./dom.js";
import { filterChips, having, isSearch, question } from "./search.js";

const scale = 20, margin = 0.8, colors = 10, mostUnits = 6400, leastType = 11, zooms = [1, 1.5, 2.5, 4];

/** Each topic gets the color that is used least, and not near it: the nearer, the worse. */
function colorTopics(units) {
  const near = new Map(units.map(({ topic }) => [topic, new Map()])), rows = new Map();
  for (const unit of units)
    rows.set(Math.round(unit.y), [...rows.get(Math.round(unit.y)) || [], unit]);
  for (const a of units) {
    for (let y = Math.round(a.y) - 4; y <= Math.round(a.y) + 4; ++y) {
      for (const b of rows.get(y) || []) {
        const far = Math.hypot(a.x - b.x, a.y - b.y), known = near.get(a.topic);
        if (b.topic !== a.topic && far < Math.min(4, known.get(b.topic) ?? 4))
          known.set(b.topic, far);
      }
    }
  }
  const color = new Map(), used = Array(colors).fill(0);
  for (const [topic, others] of [...near].sort(([, a], [, b]) => b.size - a.size)) {
    const costs = [...used];
    for (const [other, far] of others)
      if (color.has(other)) costs[color.get(other)] += 1e5 / far ** 6;
    color.set(topic, costs.indexOf(Math.min(...costs)));
    ++used[color.get(topic)];
  }
  return color;
}

/** The first words of a topic's name. One that another one begins with says nothing more. */
export function shortName(name, words) {
  const parts = name.split(/[\s,]+/).filter((word) => word.length > 1);
  return parts.filter((word) => !parts.some((other) => other !== word && other.startsWith(word)))
    .slice(0, words).join(" ");
}

/** Names where they meet no other: the largest topics first, each near the middle of its units. */
function placeNames({ units, topics }, width, pixels, largest) {
  const boxes = [], names = [], most = Math.max(1, ...topics.map(({ documents }) => documents));
  const place = (text, places, size) => {
    for (let type = size; type >= leastType; type *= 0.85) {
      const em = type * width / pixels, half = (0.6 * text.length + 0.5) * em / 2;
      for (const { x, y } of places) {
        const box = [x + margin - half, y + margin - em * 0.6, x + margin + half, y + margin + em * 0.6];
        if (box[0] < 0 || box[2] > width || boxes.some((other) => box[0] < other[2] &&
            other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
        boxes.push(box);
        return names.push(svg("text", { x: (x + margin) * scale, "font-size": em * scale,
          y: (y + margin + 0.36 * em) * scale }, text));
      }
    }
    return 0;
  };
  for (const topic of [...topics].sort((a, b) => b.documents - a.documents)) {
    const its = units.filter((unit) => unit.topic === topic.number);
    const middle = (of) => its.reduce((sum, unit) => sum + unit[of] / its.length, 0);
    const x = middle("x"), y = middle("y"), far = (unit) => Math.hypot(unit.x - x, unit.y - y);
    const places = its.sort((a, b) => far(a) - far(b)).slice(0, 24);
    const size = leastType + (largest - leastType) * Math.sqrt(topic.documents / most);
    for (const words of [2, 1])
      if (place(shortName(topic.name, words), places, size)) break;
  }
  return names;
}

/** The map as a drawing. `hits`: documents of a search in each unit; the others are faint then. */
export function drawMap(map, { small = false, chosen = 0, hits = null } = {}) {
  const { topics } = map, units = map.units.length > mostUnits ? [] : map.units;
  const width = Math.max(...units.map(({ x }) => x)) + 2 * margin;
  const height = Math.max(...units.map(({ y }) => y)) + 2 * margin;
  const number = (unit) => hits ? hits.get(unit.unit) || 0 : unit.documents;
  const numbers = units.map(number).filter(Boolean).sort((a, b) => a - b);
  const most = numbers[Math.floor(numbers.length * 0.95)], color = colorTopics(units);
  const hexagon = map.lattice !== "rectangular";
  const left = hexagon ? 0 : scale / 2, top = hexagon ? scale / Math.sqrt(3) : scale / 2;
  const shape = hexagon ? "l10 5.77v11.55l-10 5.77-10-5.77v-11.55z" : "h20v20h-20z";
  const cell = (unit) => svg("path", { "data-unit": unit.unit,
    class: `d${number(unit) && 1 + Math.min(3, Math.floor(4 * Math.sqrt(number(unit) / most)))}`,
    d: `M${(unit.x + margin) * scale - left} ${(unit.y + margin) * scale - top}${shape}` });
  const names = (kind, pixels, largest) =>
    svg("g", { class: `names ${kind}` }, placeNames({ units, topics }, width, pixels, largest));
  const drawing = svg("svg", { "aria-hidden": "true", class: hits ? "map has-hits" : "map",
    viewBox: `0 0 ${width * scale} ${height * scale}` },
  topics.map((topic) => svg("g", { "data-topic": topic.number,
    class: `region c${color.get(topic.number)}${chosen && chosen !== topic.number ? " faint" : ""}`,
  }, units.filter((unit) => unit.topic === topic.number).map(cell))),
  small ? names("", 400, 15) : [names("wide", 800, 20), names("narrow", 350, 15)]);
  return { drawing, color };
}

/** The drawing in a box that scrolls where it is larger, with keys that go from unit to unit. */
function mapBox(drawing, columns, tell, choose) {
  const cells = new Map(all("[data-unit]", drawing).map((cell) => [Number(cell.dataset.unit), cell]));
  const cursor = svg("path", { class: "cursor" });
  let at = -1, size = 0;
  const go = (unit, byKey) => {
    at = cells.has(unit) ? unit : -1;
    cursor.setAttribute("d", cells.get(at)?.getAttribute("d") || "");
    if (byKey) cells.get(at)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    tell(at);
  };
  const unitOf = (event) => Number(event.target.closest("[data-unit]")?.dataset.unit ?? -1);
  const zoom = (by) => {
    const before = zooms[size];
    size = Math.min(Math.max(size + by, 0), zooms.length - 1);
    const grown = zooms[size] / before, { scrollLeft: x, scrollTop: y } = box;
    box.style.setProperty("--zoom", zooms[size]);
    box.scrollTo((x + box.clientWidth / 2) * grown - box.clientWidth / 2,
      (y + box.clientHeight / 2) * grown - box.clientHeight / 2);
  };
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  const acts = { "+": () => zoom(1), "=": () => zoom(1), "-": () => zoom(-1),
    0: () => zoom(-zooms.length), Enter: () => at >= 0 && choose(at) };
  const key = (event) => {
    const step = steps[event.key], next = at + step;
    if (event.ctrlKey || event.metaKey || !(step || acts[event.key])) return;
    event.preventDefault();
    if (!step) acts[event.key]();
    else if (at < 0) go([...cells.keys()].sort((a, b) => a - b)[Math.floor(cells.size / 2)], true);
    else if (cells.has(next) && (Math.abs(step) > 1 ||
        Math.floor(next / columns) === Math.floor(at / columns))) go(next, true);
  };
  drawing.append(cursor);
  const box = h("div.map-box", { id: "map-box", tabindex: 0, role: "application", onkeydown: key,
    "aria-label": "Topic map. Arrow keys move, Enter chooses, plus and minus zoom.",
    onpointermove: (event) => { if (unitOf(event) >= 0) go(unitOf(event)); },
    onclick: (event) => { if (unitOf(event) >= 0) choose(unitOf(event)); } }, drawing);
  return [box, h("div.row", button("", () => zoom(1), "+", h("span.unseen", " Zoom in")),
    button("", () => zoom(-1), "\u2212", h("span.unseen", " Zoom out")))];
}

const noMap = (again) => ({ title: "Map", main: [h("h1", "Topic map"),
  empty("This index has no map yet.", "A map shows all documents at once: similar ones lie side by " +
    "side, in topics with names.", "This takes a few seconds for every 10,000 documents.",
  mayWrite() ? button("main-button", () => startJob("train", again), "Make a map")
    : "Sign in to make one.")] });

export async function mapPage(state, { signal, go, again }) {
  const searched = having(state, { topic: null, unit: null }), searching = isSearch(searched);
  const [map, found] = await Promise.all([
    askIfThere(to("map", searching ? question(searched) : {}), { signal }),
    isSearch(state) && ask(to("search", question(state, { limit: 12, facets: 30 })), { signal })]);
  if (!map) return noMap(again);
  const hits = searching ? new Map(map.hits.map(({ unit, documents }) => [unit, documents])) : null;
  const units = new Map(map.units.map((unit) => [unit.unit, unit])), chosen = Number(state.get("topic"));
  const sums = new Map(map.topics.map(({ number, documents }) => [number, hits ? 0 : documents]));
  for (const [unit, documents] of hits || [])
    sums.set(units.get(unit).topic, sums.get(units.get(unit).topic) + documents);
  const { drawing, color } = drawMap(map, { chosen, hits });
  const usual = hits ? "The stronger a place is colored, the more of the documents lie there."
    : "Each place holds similar documents: the stronger its color, the more. Choose one.";
  const readout = h("p.readout.soft", { "aria-live": "polite" }, usual);
  const tell = (at) => {
    const topic = map.topics.find(({ number }) => number === units.get(at)?.topic);
    readout.replaceChildren(...topic ? [h("strong", topic.name), ` \u00b7 ${counted(hits
      ? hits.get(at) || 0 : units.get(at).documents, "document")} here \u00b7 `,
    topic.terms.map(({ word }) => word).join(", ")] : [usual]);
  };
  const choose = (at) => go(to("explore", having(state, hits ? { unit: at, topic: null }
    : { topic: units.get(at).topic, unit: null })));
  const [box, tools] = mapBox(drawing, map.columns, tell, choose);
  const topics = map.topics.map(({ number, name }) => [number, name, sums.get(number)])
    .sort((a, b) => b[2] - a[2]).map(([number, name, documents]) =>
      entry(to("explore", having(state, { unit: null, topic: number === chosen ? null : number })),
        number === chosen, documents, null, h(`span.key.c${color.get(number)}`), isolated(name)));
  const list = found && h("section", h("div.row", h("h2.grow", counted(found.total.estimate, "document")),
    h("a.button", { href: to("", state) }, "Open in search")),
  h("ol.plain", found.documents.map((item) => h("li", titleLink(item), " ",
    tagsText([...item.labels, ...item.predicted.map(({ label }) => label)])))));
  return { title: "Map", json: "map", said: counted(found ? found.total.estimate : topics.length,
    found ? "document" : "topic"), main: [h("h1", "Topic map"),
    found && filterChips(state, "explore", found.facets.topic),
    h("div.explore", h("div", h("div.row", tools, readout), box),
      h("aside.side", { "aria-label": "Topics and documents" }, list,
        h("section", h("h2", counted(topics.length, "topic")), h("ul", topics))))] };
}
