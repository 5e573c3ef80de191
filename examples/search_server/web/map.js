// The topic map: its drawing, and how it is moved by mouse, fingers and keys.

import { ask, askIfThere, mayWrite } from "./api.js";
import { $, count, counted, empty, figure, h, svg, titleLink, to } from "./dom.js";
import { filterChips, filtersOf, having, question } from "./search.js";
import { startJob } from "./about.js";
import { tagsText } from "./document.js";

const scale = 20, margin = 0.8, colors = 10, mostUnits = 6400, leastType = 11;

/** Units that lie at most so far apart are neighbors. */
function neighborsOf({ units }, topicOf, reach = 1.9) {
  const near = new Map(units.map(({ topic }) => [topic, new Set()]));
  const rows = new Map();
  for (const unit of units) rows.set(Math.round(unit.y), [...rows.get(Math.round(unit.y)) || [], unit]);
  for (const a of units) {
    for (let y = Math.round(a.y); y <= Math.round(a.y) + 2; ++y) {
      for (const b of rows.get(y) || []) {
        if (a.topic === b.topic || Math.hypot(a.x - b.x, a.y - b.y) > reach) continue;
        near.get(a.topic).add(b.topic);
        near.get(b.topic).add(a.topic);
      }
    }
  }
  return near;
}

/** Each topic gets the color that was used least among those that no neighbor has. */
function colorTopics(map) {
  const near = neighborsOf(map), color = new Map(), used = Array(colors).fill(0);
  for (const topic of [...near.keys()].sort((a, b) => near.get(b).size - near.get(a).size)) {
    const taken = new Set([...near.get(topic)].map((other) => color.get(other)));
    const costs = used.map((times, c) => times + (taken.has(c) ? 1e6 : 0));
    const best = costs.indexOf(Math.min(...costs));
    color.set(topic, best);
    ++used[best];
  }
  return color;
}

/** The first words of a topic; a word that another one begins with says nothing more. */
function shortName(name, words) {
  const all = name.split(/[\s,]+/).filter((word) => word.length > 1);
  return all.filter((word) => !all.some((other) => other !== word && other.startsWith(word)))
    .slice(0, words).join(" ");
}

/** Names where they meet no other: the largest topics first, each near the middle of its units. */
function placeNames(map, topics, width, height, pixels, largest) {
  const boxes = [], names = [];
  const place = (topic, text, units, size) => {
    for (let type = size; text && type >= leastType; type *= 0.85) {
      const em = type / pixels, half = (0.6 * text.length + 0.5) * em / 2;
      for (const { x, y } of units) {
        const box = [x + margin - half, y + margin - 0.6 * em, x + margin + half,
          y + margin + 0.6 * em];
        if (box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height) continue;
        if (boxes.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]))
          continue;
        boxes.push(box);
        names.push(svg("text", { x: (x + margin) * scale, y: (y + margin + 0.36 * em) * scale,
          "font-size": em * scale }, text));
        return true;
      }
    }
    return false;
  };
  const most = Math.sqrt(Math.max(1, ...topics.map(({ documents }) => documents)));
  for (const topic of [...topics].sort((a, b) => b.documents - a.documents)) {
    const units = map.units.filter((unit) => unit.topic === topic.number);
    const x = units.reduce((sum, unit) => sum + unit.x / units.length, 0);
    const y = units.reduce((sum, unit) => sum + unit.y / units.length, 0);
    const far = (unit) => Math.hypot(unit.x - x, unit.y - y);
    const middle = units.sort((a, b) => far(a) - far(b)).slice(0, 24);
    const size = leastType + (largest - leastType) * Math.sqrt(topic.documents) / most;
    if (!place(topic, shortName(topic.name, 2), middle, size))
      place(topic, shortName(topic.name, 1), middle, size);
  }
  return names;
}

/**
 * The map as a drawing: a group for each topic that holds its units. `hits`: how many of the
 * documents of a search lie in each unit; then the others are faint.
 */
export function drawMap(map, { small = false, chosen = 0, hits = null } = {}) {
  const width = Math.max(...map.units.map(({ x }) => x)) + 2 * margin;
  const height = Math.max(...map.units.map(({ y }) => y)) + 2 * margin;
  const color = colorTopics(map), found = hits && new Map(hits.map((h) => [h.unit, h.documents]));
  const number = (unit) => found ? found.get(unit.unit) || 0 : unit.documents;
  const counts = map.units.map(number).filter(Boolean).sort((a, b) => a - b);
  const most = counts[Math.floor(counts.length * 0.95)] || 1;
  const hexagon = map.lattice !== "rectangular";
  const shape = hexagon ? "l10 5.77v11.55l-10 5.77-10-5.77v-11.55z" : "h20v20h-20z";
  const groups = map.topics.map((topic) => svg("g", {
    class: `region c${color.get(topic.number) ?? 0}` +
      (chosen === topic.number ? " chosen" : ""), "data-topic": topic.number,
  }, map.units.filter((unit) => unit.topic === topic.number).map((unit) => {
    const x = (unit.x + margin) * scale - (hexagon ? 0 : scale / 2);
    const y = (unit.y + margin) * scale - (hexagon ? scale / Math.sqrt(3) : scale / 2);
    const shade = number(unit) && 1 + Math.min(3, Math.floor(4 * Math.sqrt(number(unit) / most)));
    return svg("path", { class: found && shade ? `d${shade} hit` : `d${shade}`,
      d: `M${x.toFixed(2)} ${y.toFixed(2)}${shape}`, "data-unit": unit.unit });
  })));
  const named = (kind, pixels, largest) => svg("g", { class: `names ${kind}` },
    placeNames(map, map.topics, width, height, pixels / width, largest));
  const drawing = svg("svg", {
    class: `map${chosen ? " has-chosen" : ""}${found ? " has-hits" : ""}`, "aria-hidden": "true",
    viewBox: `0 0 ${width * scale} ${height * scale}`,
  }, groups, small ? named("all", 420, 15) : [named("wide", 840, 20), named("narrow", 350, 15)]);
  return { drawing, color, width: width * scale, height: height * scale };
}

/** What is seen of the map follows wheel, fingers and keys. `show` is told of the unit below. */
function makeMovable(box, drawing, { width, height, columns }, show, choose) {
  let view = { x: 0, y: 0, wide: width }, at = -1, pulled = false, held = null;
  const fingers = new Map(), units = new Map();
  for (const path of drawing.querySelectorAll("[data-unit]"))
    units.set(Number(path.dataset.unit), path);
  const cursor = svg("path", { class: "cursor" });
  drawing.append(cursor);
  const look = (x, y, wide) => {
    wide = Math.min(Math.max(wide, width / 12), width);
    const high = wide * height / width;
    view = { x: Math.min(Math.max(x, 0), width - wide), y: Math.min(Math.max(y, 0), height - high),
      wide };
    drawing.setAttribute("viewBox", `${view.x} ${view.y} ${wide} ${high}`);
    box.classList.toggle("zoomed", wide < width);
  };
  const zoom = (factor, px = 0.5, py = 0.5) => {
    const wide = Math.min(Math.max(view.wide * factor, width / 12), width);
    const less = view.wide - wide;
    look(view.x + less * px, view.y + less * py * height / width, wide);
  };
  const tell = (unit) => {
    at = unit ? Number(unit.dataset.unit) : -1;
    cursor.setAttribute("d", unit ? unit.getAttribute("d") : "");
    show(at);
  };
  const frame = () => {
    const { left, top, width: wide, height: high } = drawing.getBoundingClientRect();
    const drawn = Math.min(wide, high * width / height);
    return { left: left + (wide - drawn) / 2, top, wide: drawn, high: drawn * height / width };
  };
  const grip = () => {
    const [a, b = a] = [...fingers.values()];
    return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };
  const hold = () => { held = fingers.size ? { ...grip(), view } : null; };
  const pull = () => {
    const now = grip(), { left, top, wide: screen } = frame();
    if (!pulled && Math.hypot(now.x - held.x, now.y - held.y) < 6 &&
        Math.abs(now.apart - held.apart) < 6) return;
    pulled = true;
    const wide = fingers.size > 1 ? held.view.wide * held.apart / Math.max(now.apart, 1) : view.wide;
    const kept = Math.min(Math.max(wide, width / 12), width);
    const before = held.view.wide / screen, after = kept / screen;
    look(held.view.x + (held.x - left) * before - (now.x - left) * after,
      held.view.y + (held.y - top) * before - (now.y - top) * after, kept);
  };
  const lift = (event) => { if (fingers.delete(event.pointerId)) hold(); };
  box.onpointerdown = (event) => {
    if (event.isPrimary) { fingers.clear(); pulled = false; }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    hold();
  };
  box.onpointermove = (event) => {
    if (!event.buttons) lift(event);
    if (fingers.has(event.pointerId)) {
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      if (fingers.size > 1 || view.wide < width) pull();
      if (pulled) { box.setPointerCapture(event.pointerId); return; }
    }
    const unit = event.target.closest("[data-unit]");
    if (unit && Number(unit.dataset.unit) !== at) tell(unit);
  };
  box.onpointerup = box.onpointercancel = lift;
  box.onpointerleave = () => { if (document.activeElement !== box) tell(null); };
  box.onclick = (event) => {
    const unit = event.target.closest("[data-unit]");
    if (unit && !pulled) choose(Number(unit.dataset.unit));
  };
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top, wide, high } = frame();
    zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, (event.clientX - left) / wide,
      (event.clientY - top) / high);
  }, { passive: false });
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  const acts = { "+": () => zoom(1 / 1.5), "=": () => zoom(1 / 1.5), "-": () => zoom(1.5),
    0: () => look(0, 0, width), Escape: () => look(0, 0, width),
    Enter: () => at >= 0 && choose(at) };
  box.onkeydown = (event) => {
    const step = steps[event.key], act = acts[event.key];
    if (!step && !act) return;
    event.preventDefault();
    event.stopPropagation();
    if (act) { act(); return; }
    const next = at < 0 ? [...units.keys()][Math.floor(units.size / 2)] : at + step;
    const sameRow = Math.floor(next / columns) === Math.floor(at / columns);
    if (units.has(next) && (at < 0 || Math.abs(step) > 1 || sameRow)) tell(units.get(next));
  };
  return { zoom, whole: () => look(0, 0, width) };
}

function noMap(again) {
  const make = h("button.main-button", { type: "button", onclick: () => startJob("train", {}, again) },
    "Make a map");
  return { title: "Map", main: [h("h1", {}, "Topic map"), empty("This index has no map yet.",
    "A map shows all documents at once: similar ones lie side by side, in topics with names.",
    "This takes a few seconds for every 10,000 documents.",
    mayWrite() ? make : "Sign in to make one.")] };
}

export async function mapPage(state, { signal, go, again }) {
  const narrowed = filtersOf(state).length > 0 || state.get("q");
  const elsewhere = having(state, { topic: null, unit: null });
  const searching = filtersOf(elsewhere).length > 0 || elsewhere.get("q");
  const [map, found] = await Promise.all([
    askIfThere(to("map", question(searching ? elsewhere : new URLSearchParams(), {})), { signal }),
    narrowed && ask(to("search", question(state, { limit: 12, fold: 0.95, facets: 30 })),
      { signal })]);
  if (!map) return noMap(again);
  if (map.units.length > mostUnits) map.units = [];
  const chosen = Number(state.get("topic")), topics = new Map(map.topics.map((t) => [t.number, t]));
  const hits = searching ? map.hits : null;
  const hitsOf = new Map((hits || []).map(({ unit, documents }) => [unit, documents]));
  const byUnit = new Map(map.units.map((unit) => [unit.unit, unit]));
  const { drawing, color, width, height } = drawMap(map, { chosen, hits });
  const usual = hits ? "The stronger a place is colored, the more of the documents lie there."
    : "Each place holds similar documents: the stronger its color, the more. Choose one.";
  const readout = h("p.readout.soft", { "aria-live": "polite" }, usual);
  const show = (at) => {
    const unit = byUnit.get(at), topic = unit && topics.get(unit.topic);
    if (!topic) { readout.textContent = usual; return; }
    readout.replaceChildren(h("strong", {}, topic.name), ` \u00b7 `, hits
      ? `${count(hitsOf.get(at) || 0)} of the documents here` : `${count(unit.documents)} here`,
    ` \u00b7 ${topic.terms.map(({ word }) => word).join(", ")}`);
  };
  const choose = (at) => go(to("explore", having(state, hits
    ? { unit: at, topic: null } : { topic: byUnit.get(at).topic, unit: null })));
  const box = h("div.map-box", { id: "map-box", tabindex: 0, role: "application",
    "aria-label": "Topic map. Arrow keys move, Enter chooses, plus and minus zoom." }, drawing);
  const { zoom, whole } = makeMovable(box, drawing, { width, height, columns: map.columns }, show,
    choose);
  const tool = (text, name, act) =>
    h("button", { type: "button", "aria-label": name, onclick: act }, text);
  const sums = new Map();
  for (const [unit, documents] of hitsOf)
    sums.set(byUnit.get(unit)?.topic, (sums.get(byUnit.get(unit)?.topic) || 0) + documents);
  const number = (topic) => hits ? sums.get(topic.number) || 0 : topic.documents;
  const topicList = [...map.topics].sort((a, b) => number(b) - number(a)).map((topic) =>
    h("li", {}, h(topic.number === chosen ? "a.facet.chosen" : "a.facet", {
      href: to("explore", having(state, { unit: null,
        topic: topic.number === chosen ? null : topic.number })),
      onpointerenter: () => drawing.querySelector(`[data-topic="${topic.number}"]`)
        ?.classList.add("hover"),
      onpointerleave: () => drawing.querySelector(".hover")?.classList.remove("hover"),
    }, h("span.facet-name", {}, h(`span.key.c${color.get(topic.number) ?? 0}`, {}),
      h("bdi", {}, topic.name)), figure(count(number(topic))))));
  const list = found && h("section", {}, h("div.row", {},
    h("h2.grow", {}, counted(found.total.estimate, "document")),
    h("a.button", { href: to("", state) }, "Open in search")),
  h("ol.plain-list", {}, found.documents.map((item) => h("li", {}, titleLink(item),
    tagsText([...item.labels, ...item.predicted.map(({ label }) => label)])))));
  return {
    title: "Map", json: "map",
    said: found ? counted(found.total.estimate, "document") : counted(topicList.length, "topic"),
    main: [h("h1", {}, "Topic map"),
      found && filterChips(state, "explore", found.facets),
      h("div.explore", {},
        h("div.map-part", {}, h("div.map-top", {}, h("div.map-tools", {},
          tool("+", "Zoom in", () => zoom(1 / 1.5)), tool("\u2212", "Zoom out", () => zoom(1.5)),
          tool("Whole map", "Whole map", whole)), readout), box),
        h("aside.map-side", { "aria-label": "Topics and documents" }, list,
          h("section", {}, h("h2", {}, counted(topicList.length, "topic")),
            h("ul.facets", {}, topicList))))],
  };
}
