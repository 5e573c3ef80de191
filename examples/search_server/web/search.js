// The first page: what the collection is, or what a search finds in it.

import { ask, askIfThere, server } from "./api.js";
import { bar, count, counted, empty, figure, h, idOf, percent, titleLink, to, unseen }
  from "./dom.js";
import { drawMap } from "./map.js";
import { legend, tagLine } from "./tags.js";

const onPage = 20, facetsShown = 10;
const filterNames = ["tag", "label", "predicted", "topic", "unit", "language"];
const isFilter = (name) => filterNames.includes(name) || name.startsWith("value.");
export const filtersOf = (state) => [...state].filter(([name]) => isFilter(name));

/** The state with other values; null takes one away. It begins at its first page. */
export function having(state, changes) {
  const next = new URLSearchParams(state);
  for (const [name, value] of Object.entries({ offset: null, ...changes })) {
    next.delete(name);
    if (value !== null) next.set(name, value);
  }
  return next;
}
const toggled = (state, name, value) => {
  const next = having(state, {});
  if (state.getAll(name).includes(value)) next.delete(name, value);
  else next.append(name, value);
  return next;
};

/** The question to the server: "only tags of people" makes `tag` a `label`. */
export function question(state, more) {
  const asked = new URLSearchParams(more);
  for (const [name, value] of state) {
    if (name === "tag" && state.has("people")) asked.append("label", value);
    else if (isFilter(name) || ["q", "sort", "offset"].includes(name)) asked.append(name, value);
  }
  return asked;
}

export const searchPage = (state, context) =>
  [...state.keys()].some((name) => isFilter(name) || ["q", "sort", "offset"].includes(name))
    ? results(state, context) : home(context);

// Home

/** Words of large topics, and a tag: searches that find something. */
function examples(topics, labels) {
  const words = topics.slice(0, 2).map((topic) =>
    topic.terms.slice(0, 2).map(({ word }) => word).join(" "));
  const label = labels[Math.floor(labels.length / 20)];
  return [...words.map((q) => ({ text: q, address: to("", { q }) })),
    label && { text: label.label, address: to("", { tag: label.label }) }].filter(Boolean);
}

async function home({ signal }) {
  const [map, { labels }] = await Promise.all([
    askIfThere("map", { signal }), ask("labels", { signal })]);
  const { collection, index, snapshot } = server.status;
  const used = labels.map((entry) => ({ ...entry, value: entry.label }))
    .sort((a, b) => b.documents + b.predicted - a.documents - a.predicted);
  const tries = examples(map?.topics || [], used);
  const state = new URLSearchParams();
  return {
    title: "Search", json: "status",
    said: `${counted(index.documents, "document")}`,
    main: [
      h("div.home", {},
        h("div.home-head", {},
          h("h1", {}, collection),
          h("p.lead", {}, h("strong", {}, counted(index.documents, "document")), ", ",
            `${count(snapshot.labeled)} with tags that people gave, `,
            `${count(snapshot.tagged)} with tags that Kindred predicts. `,
            `${counted(snapshot.labels, "different tag")}.`),
          index.documents === 0 && empty("There are no documents yet.",
            "Add some with POST /documents, or with kindred index.",
            h("a", { href: "openapi.json" }, "How programs add documents")),
          tries.length > 0 && h("div.row.tries", {}, h("h2", {}, "Try a search"),
            tries.map(({ text, address }) => h("a.button", { href: address }, text))),
          h("ul.ways", {},
            h("li", {}, h("a", { href: "try" }, "Paste a text"), " and see which tags it deserves"),
            h("li", {}, h("a", { href: "review" }, "Review tags"),
              " that are missing or look wrong"),
            h("li", {}, h("a", { href: to("", { sort: "newest" }) }, "Browse all documents"),
              ", the newest first"))),
        map && h("section.home-map", { "aria-label": "Topic map" },
          h("a", { href: "explore", "aria-label": "Open the topic map" },
            drawMap(map, { small: true }).drawing)),
        h("section.home-tags", {}, h("h2", {}, "Tags in use"), legend(),
          h("ul.facets.columns", {}, used.slice(0, 24).map((entry) =>
            facetEntry("tag", entry, used[0], state))))),
    ],
  };
}

// Results

export const filterChips = (state, page, facets) => {
  const filters = filtersOf(state);
  const kinds = { tag: "tag", label: "tag by people", predicted: "tag by Kindred" };
  const topic = (value) => facets.topic.find((entry) => `${entry.value}` === value)?.name || value;
  const chips = filters.map(([name, value]) => h("li", {}, h("a.filter", {
    href: to(page, toggled(state, name, value)),
  }, h("span.soft", {}, `${kinds[name] || name.replace("value.", "")} `),
  h("bdi", {}, name === "topic" ? topic(value) : value),
  h("span", { "aria-hidden": "true" }, "\u00d7"), unseen(" (takes this filter away)"))));
  return chips.length > 0 &&
    h("ul.filters", { "aria-label": "Filters in use" }, chips);
};

const total = (answer) => (answer.total.exact ? "" : "About ") +
  counted(answer.total.estimate, "document");

function resultItem(found, room, languages) {
  const facts = [
    found.topic && h("a.topic", { href: to("", { topic: found.topic.number }) },
      unseen("Topic "), h("bdi", {}, found.topic.name)),
    languages && found.language && h("span", {}, found.language),
    ...Object.entries(found.values).map(([name, value]) => h("span", {}, `${name} ${value}`))];
  const copies = found.duplicates.length > 0 && h("details.copies", {},
    h("summary", {}, `${counted(found.duplicates.length, "near-copy", "near-copies")} folded`),
    h("ul", {}, found.duplicates.map((copy) => h("li", {}, titleLink(copy), " ",
      figure(percent(copy.similarity))))));
  const tags = tagLine(found, room);
  return h("li", {}, h("article.item", { tabindex: -1, "data-item": found.id },
    h("div.item-head", {}, h("h2", {}, titleLink(found)), idOf(found), h("p.facts", {}, facts)),
    h("p.snippet", { dir: "auto" }, found.snippet.map(({ text, hit }) =>
      hit ? h("mark", {}, text) : text)),
    tags, copies));
}

function order(state, answer) {
  const values = Object.keys(answer.facets.values).flatMap((name) =>
    [[name, `${name}, ascending`], ["-" + name, `${name}, descending`]]);
  const options = [["relevance", "Best match"], ["newest", "Newest"], ...values];
  return h("label.order", {}, h("span.soft", {}, "Order "), h("select", {
    onchange: (event) => context.go(to("", having(state, { sort: event.target.value }))),
  }, options.map(([value, text]) =>
    h("option", { value, selected: value === answer.sort }, text))));
}
let context = null;

function facetEntry(name, entry, most, state) {
  const value = `${entry.value}`, chosen = state.getAll(name).includes(value);
  const people = state.has("people"), number = entry.count ?? entry.documents;
  const all = (most.count ?? most.documents + (people ? 0 : most.predicted)) || 1;
  const guessed = people ? 0 : entry.predicted || 0;
  return h("li", {}, h(chosen ? "a.facet.chosen" : "a.facet", {
    href: to("", toggled(state, name, value)), "aria-current": chosen && "true",
    title: name === "tag" ? `${count(number)} by people, ${count(guessed)} by Kindred` : null,
  }, h("span.facet-name", {}, h("bdi", {}, entry.name || value)),
  figure(count(number + guessed)), bar(number / all, guessed / all),
  chosen && unseen(" (chosen: takes this filter away)")));
}

function facetGroup(name, caption, entries, state, extra) {
  if (!entries.length) return null;
  const list = entries.map((entry) => facetEntry(name, entry, entries[0], state));
  const more = list.slice(facetsShown);
  return h("section.facet-group", {}, h("h3", {}, caption), extra,
    h("ul.facets", {}, list.slice(0, facetsShown)),
    more.length > 0 && h("details", {}, h("summary", {}, `${more.length} more`),
      h("ul.facets", {}, more)));
}

function facetPart(state, answer) {
  const { facets } = answer, people = state.has("people");
  const tags = people ? facets.label.filter(({ documents }) => documents > 0)
    .sort((a, b) => b.documents - a.documents) : facets.label;
  const only = h("label.switch", {}, h("input", {
    type: "checkbox", role: "switch", checked: people,
    onchange: () => context.go(to("", having(state, { people: people ? null : 1 }))),
  }), "Only tags of people");
  const key = h("p.legend", {}, h("span.key.person", {}), "people ",
    !people && [h("span.key.guess", {}), "Kindred"]);
  return h("aside.side", { id: "filters", "aria-label": "Filters" },
    h("h2", {}, "Narrow down"),
    answer.counted < answer.total.estimate &&
      h("p.soft", {}, `Counts are of ${count(answer.counted)} of the documents.`),
    facetGroup("tag", "Tags", tags, state, h("div.row", {}, key, only)),
    facetGroup("topic", "Topics", facets.topic, state),
    facets.language.length > 1 && facetGroup("language", "Languages", facets.language, state),
    Object.entries(facets.values).map(([name, entries]) =>
      facetGroup("value." + name, name, entries, state)));
}

function nothing(state) {
  const q = state.get("q");
  if (filtersOf(state).length) {
    return empty("Nothing matches with these filters.",
      h("a", { href: to("", { q }) }, "Search without filters"));
  }
  return empty("Nothing matches.", "Fewer words find more. OR between words finds either of them.",
    "A * after the beginning of a word finds all words that begin so.",
    h("a", { href: to("try", { text: q }) }, "Look for related documents instead"));
}

export function pager(page, state, { offset, limit, found, shown, exact = true }) {
  if (offset === 0 && shown >= found) return null;
  const place = (start) => to(page, having(state, { offset: start || null }));
  return h("nav.pager", { "aria-label": "Pages" },
    offset > 0 && h("a.button", { rel: "prev", href: place(Math.max(offset - limit, 0)) },
      "\u2190 Before"),
    h("span.soft", {}, `${count(offset + Math.min(1, shown))}\u2013${count(offset + shown)} of `,
      `${exact ? "" : "about "}${count(found)}`),
    shown > 0 && offset + shown < found &&
      h("a.button", { rel: "next", href: place(offset + limit) }, "After \u2192"));
}

async function results(state, given) {
  context = given;
  const asked = question(state, { limit: onPage, fold: 0.95, facets: 30,
    partial: context.typing ? 1 : 0 });
  const answer = await ask(to("search", asked), { signal: context.signal });
  const { documents, took } = answer, q = state.get("q") || "";
  const room = Math.min(document.documentElement.clientWidth, 1400) -
    (innerWidth >= 960 ? 370 : 24);
  const items = documents.map((found) =>
    resultItem(found, room, answer.facets.language.length > 1));
  return {
    title: q || "Search", said: total(answer), json: to("search", asked),
    main: [h("h1.unseen", {}, q ? `Results for ${q}` : "Documents"),
      h("div.search", {},
        h("div.results", {},
          h("div.results-head", {},
            h("p.found", {}, h("strong", {}, total(answer)), " ",
              figure(`${Math.ceil(took.xapian_ms + took.plugin_ms)}\u2009ms`)),
            h("a", { href: to("explore", having(state, { sort: null })) }, "On the map"),
            h("a.to-filters", { href: "#filters" }, "Filters"), order(state, answer)),
          filterChips(state, "", answer.facets),
          answer.correction && h("p.correction", {}, "Did you mean ",
            h("a", { href: to("", having(state, { q: answer.correction })) },
              h("bdi", {}, answer.correction)), "?"),
          items.length ? h("ol.items", {}, items) : nothing(state),
          pager("", state, { offset: answer.offset, limit: answer.limit, shown: documents.length,
            found: answer.total.estimate, exact: answer.total.exact })),
        facetPart(state, answer))],
  };
}
