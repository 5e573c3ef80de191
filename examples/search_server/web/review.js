// Lists to work through: tags to review, documents for a tag, and copies.

import { ask, at, mayWrite, slowList } from "./api.js";
import { $, bar, count, counted, empty, figure, h, idOf, percent, titleLink, to, toast }
  from "./dom.js";
import { shareList, tagsText, wordsLine } from "./document.js";
import { pager } from "./search.js";
import { chip, edit, editMany, tagLine, told } from "./tags.js";

const onPage = 20, clear = 0.95, mostAtOnce = 1000;

/**
 * The buttons of a decision. What was decided stays in its place, with a way back, so that nothing
 * slides below the pointer. `choices`: each with its text, class, change and what is said of it.
 */
function decision(doc, choices) {
  const row = h("div.row.decide", {});
  const open = () => {
    row.closest("article")?.classList.remove("done");
    row.replaceChildren(...choices.map(({ text, kind, change, said }) => h(`button.${kind}`, {
      type: "button", onclick: () => edit(doc, change, said, (now, changed) => {
        doc = { ...doc, ...now };
        if (!changed) { open(); return; }
        row.closest("article").classList.add("done");
        row.replaceChildren(h("span.soft", {}, said));
      }),
    }, text)));
  };
  open();
  return mayWrite() ? row : h("p.soft", {}, "Sign in to decide.");
}

const workItem = (item, question, choices, more) => h("li", {},
  h("article.item", { tabindex: -1, "data-item": item.id },
    h("div.item-head", {}, h("h2", {}, titleLink(item)), idOf(item)), question,
    decision(item, choices), more));

// Review

const whyNot = (item) => h("details.why", {}, h("summary", {}, "Why?"),
  shareList("Most similar documents", item.neighbors.slice(0, 5),
    ({ similarity }) => similarity, "similarity"),
  item.neighbors.slice(0, 5).map(({ labels }) => tagsText(labels)));

const isRight = (item) => ({ text: "Tags are right", kind: "quiet.keep", said: "Tags are right",
  change: { remove: [item.rival?.label || item.tag] } });

function missingItem(item) {
  const { tag, confidence } = item;
  return workItem(item, h("p.question", {}, "May lack ", chip(tag, confidence),
    item.labels.length > 0 && h("span.soft", {}, " has "), tagsText(item.labels)), [
    { text: `Add ${tag}`, kind: "accept.main-button", change: { add: [tag] },
      said: `Added ${tag}` }, isRight(item)], whyNot(item));
}

function wrongItem(item) {
  const { tag, rival } = item;
  return workItem(item, h("p.question", {}, "Has ", chip(tag),
    rival && [" but similar documents say ", chip(rival.label, rival.confidence)]), [
    { text: `Remove ${tag}`, kind: "remove.main-button", change: { remove: [tag] },
      said: `Removed ${tag}` },
    ...rival ? [{ text: `Change to ${rival.label}`, kind: "accept",
      change: { add: [rival.label], remove: [tag] }, said: `Changed to ${rival.label}` }] : [],
    isRight(item)], whyNot(item));
}

const changeOf = { missing: ({ tag }) => ({ add: [tag] }), wrong: ({ tag }) => ({ remove: [tag] }) };

/** Decides all that are clear, in one commit. */
async function decideClear(list, again) {
  const answer = await ask(to("suspects", { list, limit: mostAtOnce }));
  const sure = answer[list].suspects.filter(({ confidence }) => confidence >= clear);
  const said = list === "missing" ? "Added" : "Removed";
  await editMany(sure.map((item) => [item, changeOf[list](item)]),
    `${said} ${counted(sure.length, "tag")}`, again, 60);
}

export async function reviewPage(state, { signal, again }) {
  const list = state.get("list") === "wrong" ? "wrong" : "missing";
  const offset = Number(state.get("offset"));
  const show = (answer) => {
    const { found, clear: sure, suspects } = answer[list];
    const tab = (name, text) => h("a.button", { href: to("review", { list: name }),
      "aria-current": name === list && "page" }, text, " ", figure(count(answer[name].found)),
    h("span.soft", {}, `${count(answer[name].clear)} clear`));
    const all = mayWrite() && sure > 0 && h("button", { type: "button",
      onclick: () => decideClear(list, again).catch(told) },
    `${list === "missing" ? "Add" : "Remove"} all ${count(Math.min(sure, mostAtOnce))} `,
    "that are 95\u2009% sure or more");
    const items = suspects.map(list === "missing" ? missingItem : wrongItem);
    return [h("nav.row.tabs", { "aria-label": "Lists" }, tab("missing", "Missing tags"),
      tab("wrong", "Tags that look wrong"), all),
    items.length ? h("ol.items.work", {}, items) : answer.complete &&
      empty("Nothing to review.", "The tags agree with those of similar documents.",
        h("a", { href: "label" }, "Find documents for a tag")),
    pager("review", state, { offset, limit: onPage, found, shown: items.length })];
  };
  return { title: "Review", json: "suspects", main: [h("h1", {}, "Review tags"),
    h("p.lead", {}, "Documents whose tags differ from those of similar ones, the clearest first. ",
      h("a", { href: "label" }, "Or find documents for a tag.")),
    await slowList(to("suspects", { list, limit: onPage, offset }), show, signal)] };
}

// Documents for a tag

const candidateItem = (item, label) => workItem(item,
  h("p.question", {}, chip(label, item.confidence), item.labels.length > 0 &&
    h("span.soft", {}, " has "), tagsText(item.labels)), [
    { text: "Accept", kind: "accept.main-button", change: { add: [label] },
      said: `Added ${label}` },
    { text: "Reject", kind: "remove", change: { remove: [label] }, said: `Rejected ${label}` }],
  h("details.why", {}, h("summary", {}, "Why?"), wordsLine(item.terms),
    shareList("Similar documents that have it", item.voters.slice(0, 5), ({ share }) => share,
      "of the vote")));

export async function labelPage(state, { signal }) {
  const chosen = state.get("label");
  const { labels } = await ask("labels", { signal });
  const sum = ({ documents, predicted }) => documents + predicted;
  const most = Math.max(1, ...labels.map(sum));
  const entries = labels.sort((a, b) => sum(b) - sum(a)).map((entry) =>
    h("li", { "data-label": entry.label.toLowerCase() },
      h(entry.label === chosen ? "a.facet.chosen" : "a.facet", {
        href: to("label", { label: entry.label }), "aria-current": entry.label === chosen && "true",
      }, h("span.facet-name", {}, h("bdi", {}, entry.label)), figure(count(sum(entry))),
      bar(entry.documents / most, entry.predicted / most))));
  const side = h("aside.side", { "aria-label": "Tags" }, h("h2", {}, counted(labels.length, "tag")),
    h("input.narrow-tags", { type: "search", placeholder: "Find a tag", "aria-label": "Find a tag",
      oninput: ({ target }) => entries.forEach((entry) => {
        entry.hidden = !entry.dataset.label.includes(target.value.toLowerCase());
      }) }),
    h("ul.facets.scroll", { tabindex: 0, "aria-label": "All tags" }, entries));
  const show = ({ candidates, found, complete }) => [
    h("p.lead", {}, `The ${count(candidates.length)} surest of ${counted(found, "document")} `,
      "that the tag ", h("strong", {}, h("bdi", {}, chosen)), " might suit. ",
      h("a", { href: to("", { tag: chosen }) }, "Documents that have it")),
    candidates.length ? h("ol.items.work", {}, candidates.map((item) =>
      candidateItem(item, chosen)))
      : complete && empty("No more suggestions for this tag.", "Choose another tag.")];
  const work = chosen
    ? await slowList(at("labels", chosen, "candidates") + "?limit=50&explain=1", show, signal)
    : empty("Choose a tag.", "You see the documents that it would suit, and accept or reject them.");
  return { title: chosen || "Tags", json: "labels", main: [h("h1", {}, "Documents for a tag"),
    h("div.search", {}, h("div.results", {}, work), side)] };
}

// Copies

export async function copiesPage(state, { signal }) {
  const threshold = state.get("threshold") || "0.95";
  const row = (item) => h("li", {}, titleLink(item), " ", idOf(item), tagsText(item.labels));
  const group = ({ documents, least_similarity: least, greatest_similarity: most }) =>
    h("li", {}, h("article.group", { tabindex: -1 }, h("h2", {}, counted(documents.length, "document"),
      h("span.soft", {}, ` ${percent(least)}${least === most ? "" : ` to ${percent(most)}`} alike`)),
    h("ol.plain-list", {}, documents.slice(0, 5).map(row)), documents.length > 5 &&
      h("details", {}, h("summary", {}, `${count(documents.length - 5)} more`),
        h("ol.plain-list", {}, documents.slice(5).map(row)))));
  const show = ({ groups, found, grouped, examined, complete }) => [
    h("p.lead", {}, `${counted(grouped, "document")} in ${counted(found, "group")}, of `,
      `${count(examined)}. The largest groups come first.`),
    groups.length ? h("ol.groups", {}, groups.map(group))
      : complete && empty("No near-copies.", "No two documents are this much alike.")];
  return { title: "Copies", json: to("duplicates", { threshold }), main: [
    h("h1", {}, "Near-copies"),
    h("p.lead", {}, "Documents that say nearly the same. Search shows each group as one result."),
    h("nav.row", { "aria-label": "Least similarity" }, [0.8, 0.9, 0.95, 0.99].map((least) =>
      h("a.button", { href: to("copies", { threshold: least }),
        "aria-current": Number(threshold) === least && "true" }, `from ${percent(least)}`))),
    await slowList(to("duplicates", { threshold, limit: 60 }), show, signal)] };
}
