// Lists to work through: tags to review, documents for a tag, and copies.

import { ask, askLabels, mayWrite, slowList } from "./api.js";
import { shareList, tagsText, voterList, wordsLine } from "./document.js";
import { all, at, button, count, counted, empty, figure, h, idOf, isolated, percent, titleLink, to,
  told } from "./dom.js";
import { pager, tagEntries } from "./search.js";
import { chip, edit, editMany } from "./tags.js";

const onPage = 20, clear = 0.95, mostAtOnce = 1000;

/** What can be decided: the class of its button, its text, the change, and what is said then. */
const adding = (label, text = `Add ${label}`) =>
  ["accept.main-button", text, { add: [label] }, `Added ${label}`];
const removing = (label) => ["remove.main-button", `Remove ${label}`, { remove: [label] },
  `Removed ${label}`];
const changing = (from, label) => ["accept", `Change to ${label}`, { add: [label], remove: [from] },
  `Changed to ${label}`];
const rejecting = (label, kind, text) => [kind, text, { remove: [label] }, `Not ${label}`];

/** What is decided stays in its place, so that nothing slides below the pointer. */
function workItem(item, choices, question, ...why) {
  const row = h("div.row.decide"), { labels } = item;
  const open = () => row.replaceChildren(...choices.map(([kind, text, change, said]) =>
    button(kind, () => edit(item, change, said, (now, changed) => {
      Object.assign(item, now);
      article.classList.toggle("done", changed);
      if (changed) row.replaceChildren(h("span.soft", said)); else open();
      article.focus();
    }), text)));
  if (mayWrite()) open(); else row.append(h("span.soft", "Sign in to decide."));
  const article = h("article.item", { tabindex: -1, "data-item": item.id },
    h("div.item-head", h("h2", titleLink(item)), idOf(item)), h("p", question,
      labels.length > 0 && h("span.soft.small", " has "), tagsText(labels)), row,
    h("details.small", h("summary", "Why?"), why));
  return h("li", article);
}

const neighborList = ({ neighbors }) => shareList("Most similar documents", neighbors.slice(0, 5),
  ({ similarity }) => similarity, "alike");
const missingItem = (item) => workItem(item,
  [adding(item.label), rejecting(item.label, "quiet.keep", "Tags are right")],
  ["May lack ", chip(item.label, item)], neighborList(item));
const wrongItem = (item) => workItem(item, [removing(item.label),
  changing(item.label, item.rival.label),
  rejecting(item.rival.label, "quiet.keep", "Tags are right")],
[chip(item.label), " looks wrong: similar documents say ", chip(item.rival.label, item.rival)],
neighborList(item));
const lists = { missing: ["Missing tags", missingItem, adding, "Add", "Added"],
  wrong: ["Tags that look wrong", wrongItem, removing, "Remove", "Removed"] };

export async function reviewPage(state, { signal, again }) {
  const after = state.get("offset") || 0;
  const show = (answer) => {
    // Where a document has one tag only, none is missing.
    const first = answer.missing.found || !answer.wrong.found ? "missing" : "wrong";
    const list = lists[state.get("list")] ? state.get("list") : first;
    const { found, clear: sure, suspects } = answer[list], { complete } = answer;
    const [, item, decision, doing, done] = lists[list];
    const decideAll = async () => {
      const listed = (await ask(to("suspects", { limit: mostAtOnce })))[list].suspects;
      const these = listed.filter((each) => (each.rival || each).confidence >= clear);
      await editMany(these.map((each) => [each, decision(each.label)[2]]),
        `${done} ${counted(these.length, "tag")}`, again, 60);
    };
    const tabs = Object.entries(lists).map(([name, [text]]) => h("a.button", {
      href: to("review", { list: name }), "aria-current": name === list && "page",
    }, text, figure(complete ? `${count(answer[name].found)}, ${count(answer[name].clear)} clear`
      : "\u2026")));
    return [h("nav.row", { "aria-label": "Lists" }, tabs, mayWrite() && sure > 0 && button("",
      () => decideAll().catch(told), `${doing} all ${count(Math.min(sure, mostAtOnce))} that are `,
      `${percent(clear)} sure or more`)),
    suspects.length > 0 && h("ol.items.work", suspects.map(item)), !suspects.length && complete &&
      empty(list === "wrong" ? "No tag looks wrong." : "No tag seems to be missing.",
        "The tags agree with those of similar documents.",
        h("a", { href: "label" }, "Find documents for a tag")),
    pager("review", state, onPage, found)];
  };
  return { title: "Review", json: "suspects", main: [h("h1", "Review tags"), h("p.lead",
    "Documents whose tags differ from those of similar ones, the clearest first. ",
    h("a", { href: "label" }, "Or find documents for a tag.")),
  await slowList(to("suspects", { limit: onPage, after }), show, signal)] };
}

export async function labelPage(state, { signal }) {
  const chosen = state.get("label"), labels = await askLabels({ signal });
  const narrow = ({ target }) => all("#all-tags li").forEach((tag) => {
    tag.hidden = !tag.textContent.toLowerCase().includes(target.value.toLowerCase());
  });
  const item = (each) => workItem(each, [adding(chosen, "Accept"), rejecting(chosen, "remove",
    "Reject")], chip(chosen, each), [
    voterList(each.reason, each.neighbors), wordsLine(each.reason.terms)]);
  const show = ({ candidates, found, complete }) => [h("p.lead",
    `The ${count(candidates.length)} surest of ${counted(found, "document")} that the tag `,
    h("strong", isolated(chosen)), " might suit. ",
    h("a", { href: to("", { tag: chosen }) }, "Documents that have it")),
  candidates.length ? h("ol.items.work", candidates.map(item))
    : complete && empty("No more suggestions for this tag.", "Choose another tag.")];
  const work = chosen
    ? await slowList(`${at("labels", chosen, "candidates")}?limit=50&explain=1`, show, signal)
    : empty("Choose a tag.", "You see documents that it would suit, and accept or reject them.");
  return { title: chosen || "Tags", json: "labels", main: [h("h1", "Documents for a tag"),
    h("div.search", h("div", work), h("aside.side", { "aria-label": "Tags" },
      h("h2", counted(labels.length, "tag")), h("input", { type: "search", oninput: narrow,
        placeholder: "Find a tag", "aria-label": "Find a tag" }),
      h("ul.scroll", { id: "all-tags", tabindex: 0, "aria-label": "All tags" },
        tagEntries(labels, state, "label"))))] };
}

export async function copiesPage(state, { signal }) {
  const least = Number(state.get("min_similarity") || 0.95), first = 5;
  const rows = (items) => h("ol.plain", items.map((item) =>
    h("li", titleLink(item), " ", idOf(item), " ", tagsText(item.labels))));
  const group = ({ documents, least_similarity: least, greatest_similarity: most }) =>
    h("article.group", { tabindex: -1 }, h("h2", counted(documents.length, "document"), " ",
      h("span.soft", least === most ? "" : `${percent(least)} to `, `${percent(most)} alike`)),
    rows(documents.slice(0, first)), documents.length > first && h("details",
      h("summary", `${count(documents.length - first)} more`), rows(documents.slice(first))));
  const show = ({ groups, found, grouped, examined, complete }) => [h("p.lead",
    `${counted(grouped, "document")} in ${counted(found, "group")}, of ${count(examined)}. `,
    "The largest groups come first. Search shows each as one result."),
  groups.length ? h("div.groups", groups.map(group))
    : complete && empty("No near-copies.", "No two documents are this much alike.")];
  const asked = { min_similarity: least };
  return { title: "Copies", json: to("duplicates", asked), main: [h("h1", "Near-copies"),
    h("nav.row", { "aria-label": "Least similarity" }, [0.8, 0.9, 0.95, 0.99].map((each) =>
      h("a.button", { href: to("copies", { min_similarity: each }), "aria-current":
        each === least && "true" }, `from ${percent(each)}`))),
    await slowList(to("duplicates", { ...asked, limit: 60 }), show, signal)] };
}
