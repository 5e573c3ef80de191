// The first page: what the collection is, or what a search finds in it.

import { outOf100 } from "./about.js";
import { ask, askLabels, server } from "./api.js";
import { count, counted, empty, entry, figure, h, idOf, isolated, titleLink, to, unseen }
  from "./dom.js";
import { askMap, drawMap, shortName } from "./map.js";
import { legend, tagLine } from "./tags.js";

const onPage = 20, entriesShown = 10;
const isFilter = (name) => name.startsWith("value.") ||
  ["tag", "label", "predicted", "topic", "unit", "language"].includes(name);
export const filtersOf = (state) => [...state].filter(([name]) => isFilter(name));
export const isSearch = (state) => Boolean(state.get("q")) || filtersOf(state).length > 0;

/** The state with other values, at its first page; null takes one away. */
export function having(state, changes) {
  const next = new URLSearchParams(state);
  for (const [name, value] of Object.entries({ offset: null, ...changes })) {
    next.delete(name);
    if (value !== null) next.set(name, value);
  }
  return next;
}
function toggled(state, name, value) {
  const next = having(state, {});
  if (next.has(name, value)) next.delete(name, value);
  else next.append(name, value);
  return next;
}

/** What is asked of the server: with the switch "only tags of people", a tag is one of theirs. */
export function question(state, more) {
  const asked = new URLSearchParams(more);
  for (const [name, value] of state) {
    if (isFilter(name)) asked.append(name === "tag" && state.has("people") ? "label" : name, value);
    else if (["q", "sort", "offset", "fold"].includes(name)) asked.set(name, value);
  }
  return asked;
}

/** Tags as a list with bars, those with the most documents first: filters, or links to a page. */
export function tagEntries(labels, state, page) {
  const all = labels.map(({ label, value = label, documents, predicted }) =>
    [value, documents, state.has("people") ? 0 : predicted]).filter(([, a, b]) => a + b > 0);
  const most = Math.max(1, ...all.map(([, a, b]) => a + b));
  return all.sort((a, b) => b[1] + b[2] - a[1] - a[2]).map(([label, a, b]) =>
    entry(page ? to(page, { label }) : to("", toggled(state, "tag", label)),
      state.getAll(page ? "label" : "tag").includes(label), a + b, [a / most, b / most],
      isolated(label)));
}

// Home

/** Searches that find something: words of two topics, and a tag; without topics three tags. */
function examples(topics, labels) {
  const q = (part) => shortName(topics[Math.floor(topics.length * part)].name, 2);
  const tags = [...labels].sort((a, b) => b.documents - a.documents).map(({ label }) => label);
  const some = topics.length ? [0.05] : [0.02, 0.05, 0.1];
  const chosen = new Set(some.map((part) => tags[Math.floor(tags.length * part)]));
  return [...topics.length ? [0.25, 0.38].map((part) => [q(part), to("", { q: q(part) })]) : [],
    ...[...chosen].filter(Boolean).map((tag) => [tag, to("", { tag })])];
}

async function homePage(state, { signal }) {
  const [map, labels] = await Promise.all([
    askMap({}, signal), askLabels({ signal })]);
  const { collection, index, snapshot } = server.status;
  const way = (href, text, more) => h("li", h("a", { href }, text), more);
  return { title: "Search", json: "labels", said: counted(index.documents, "document"), main: [
    h("div.home", h("div", h("h1", collection),
      h("p.lead", h("strong", counted(index.documents, "document")),
        `: ${count(snapshot.labeled)} with tags that people gave, ${count(snapshot.tagged)} with `,
        `tags that Kindred predicts. ${counted(snapshot.labels, "different tag")}. `,
        snapshot.scores && `The best one of a prediction is right for ${
          outOf100(snapshot.scores.accuracy)} documents.`),
      index.documents === 0 && empty("There are no documents yet.",
        "Add some with POST /documents, or with kindred index.",
        h("a", { href: "openapi.json" }, "How programs add documents")),
      h("div.row.tries", h("h2", "Try a search"), examples(map?.topics || [], labels)
        .map(([text, href]) => h("a.button", { href }, text))),
      h("ul", way("try", "Paste a text", " and see which tags it deserves"),
        way("review", "Review tags", " that are missing or look wrong"),
        way(to("", { sort: "newest" }), "Browse all documents", ", the newest first"))),
    map && h("a.home-map", { href: "explore", "aria-label": "Topic map" },
      drawMap(map, { small: true }).drawing),
    h("section", h("h2", "Tags in use"), legend(),
      h("ul.columns", tagEntries(labels, state).slice(0, 24))))] };
}

// Results

export function filterChips(state, page, topics) {
  const kinds = { label: "tag by people", predicted: "tag by Kindred", unit: "place" };
  const shown = (name, value) => name !== "topic" ? value
    : topics.find((topic) => `${topic.value}` === value)?.name || value;
  const chips = filtersOf(state).map(([name, value]) => h("li",
    h("a.button.filter", { href: to(page, toggled(state, name, value)) },
      h("span.soft", kinds[name] || name.replace("value.", "")), isolated(shown(name, value)),
      h("span", { "aria-hidden": "true" }, "\u00d7"), unseen(" (takes this filter away)"))));
  return chips.length > 0 && h("ul.row", { "aria-label": "Filters in use" }, chips);
}

const totalOf = ({ total: { exact, estimate } }) =>
  (exact ? "" : "About ") + counted(estimate, "document");

function resultItem(found, state, room, languages) {
  const { topic, language, duplicates = [], values } = found;
  const facts = [...Object.entries(values).map(([name, value]) => h("span", `${name} ${value}`)),
    languages && language && h("span", language),
    duplicates.length > 0 && h("a", { href: to("", having(state, { fold: 0 })) },
      `+${counted(duplicates.length, "near-copy", "near-copies")}`),
    topic && h("a.topic", { href: to("", { topic: topic.number }) }, unseen("Topic "),
      isolated(topic.name))];
  const marked = found.snippet.map(({ text, hit }) => hit ? h("mark", text) : text);
  const isTitle = found.snippet.map(({ text }) => text).join("") === found.title;
  return h("li", h("article.item", { tabindex: -1, "data-item": found.id }, h("div.item-head",
    h("h2", isTitle ? titleLink(found, marked) : titleLink(found)), idOf(found),
    h("p.facts", facts)), !isTitle && h("p.snippet", { dir: "auto" }, marked),
  tagLine(found, room)));
}

function order(state, { request: { sort }, facets }, go) {
  const choose = ({ target }) => go(to("", having(state, { sort: target.value })));
  const option = (value, text) => h("option", { value, selected: value === sort }, text);
  return h("select", { "aria-label": "Order", onchange: choose },
    option("relevance", "Best match"), option("newest", "Newest"),
    Object.keys(facets.values).map((name) =>
      [option(name, `${name}, ascending`), option("-" + name, `${name}, descending`)]));
}

function facetPart(state, { facets, counted: seen, total }, go) {
  const people = state.has("people");
  const group = (caption, entries, extra) => entries.length > 0 && h("section", h("h3", caption),
    extra, h("ul", entries.slice(0, entriesShown)), entries.length > entriesShown && h("details",
      h("summary", `${entries.length - entriesShown} more`), h("ul", entries.slice(entriesShown))));
  const entries = (kind, values) => values.map(({ value, count: number, name = value }) =>
    entry(to("", toggled(state, kind, `${value}`)), state.has(kind, `${value}`), number,
      [number / values[0].count], isolated(name)));
  const only = h("label", h("input", { type: "checkbox", role: "switch", checked: people,
    onchange: () => go(to("", having(state, { people: people ? null : 1 }))) }), " only by people");
  return h("aside.side", { id: "filters", "aria-label": "Filters" }, h("h2", "Narrow down"),
    seen < total.estimate && h("p.soft", `Counts are of ${count(seen)} of the documents.`),
    group("Tags", tagEntries(facets.label, state), legend(only)),
    group("Topics", entries("topic", facets.topic)),
    facets.language.length > 1 && group("Languages", entries("language", facets.language)),
    Object.entries(facets.values).map(([name, values]) =>
      group(name, entries("value." + name, values))));
}

function nothing(state) {
  const q = state.get("q");
  if (filtersOf(state).length) return empty("Nothing matches with these filters.",
    h("a", { href: to("", { q }) }, "Search without filters"));
  return empty("Nothing matches.", "Fewer words find more. OR between words finds either of them.",
    "A * after the beginning of a word finds all words that begin so.",
    h("a", { href: to("try", { text: q }) }, "Look for related documents instead"));
}

/** Links to the pages before and after. */
export function pager(page, state, limit, found, about = "") {
  const offset = Number(state.get("offset")), end = Math.min(offset + limit, found);
  const place = (start, text) => h("a.button",
    { href: to(page, having(state, { offset: Math.max(start, 0) || null })) }, text);
  return found > limit && h("nav.row.pager", { "aria-label": "Pages" },
    offset > 0 && place(offset - limit, "\u2190 Before"),
    h("span.soft", `${count(offset + 1)}\u2013${count(end)} of ${about}${count(found)}`),
    end < found && place(offset + limit, "After \u2192"));
}

async function resultsPage(state, { signal, typing, go, room }) {
  const asked = (partial) => to("search",
    question(state, { limit: onPage, facets: 30, fold: 0.95, partial }));
  const search = (partial) => ask(asked(partial), { signal });
  let mistake = null;  // in what was typed, whose words are found nevertheless
  const answer = await search(typing ? 1 : 0).catch((problem) => {
    if (problem.status !== 400 || typing) throw problem;
    mistake = h("p.notice", `${problem.message}. These have the words.`);
    return search(1);
  }), q = state.get("q");
  const { documents, facets, seconds, correction, total } = answer;
  const items = documents.map((found) =>
    resultItem(found, state, room(18), facets.language.length > 1));
  return { title: q || "Documents", said: totalOf(answer), json: asked(mistake ? 1 : 0), main: [
    h("h1.unseen", q ? `Results for ${q}` : "Documents"),
    h("div.search", h("div", h("div.row.results-head",
      h("p.found", h("strong", totalOf(answer)), " ",
        figure(`${Math.ceil(1000 * seconds)}\u2009ms`)),
      h("a", { href: to("explore", having(state, { sort: null, fold: null })) }, "On the map"),
      h("a.to-filters", { href: "#filters" }, "Filters"), order(state, answer, go)),
    mistake, filterChips(state, "", facets.topic),
    correction && h("p", "Did you mean ",
      h("a", { href: to("", having(state, { q: correction })) }, isolated(correction)), "?"),
    items.length ? h("ol.items", items) : nothing(state),
    items.length > 0 && pager("", state, onPage, total.estimate, total.exact ? "" : "about ")),
    facetPart(state, answer, go))] };
}

export const searchPage = (state, context) =>
  isSearch(state) || state.has("sort") ? resultsPage(state, context) : homePage(state, context);
