// Lists to work through: tags to review, documents for a tag, and copies.

import { ask, mayWrite, slowList } from "./api.js";
import { shareList, tagsText, voterList, wordsLine } from "./document.js";
import { all, at, button, count, counted, empty, figure, h, idOf, isolated, percent, titleLink, to,
  told } from "./dom.js";
import { pager, tagEntries } from "./search.js";
import { chip, edit, editMany } from "./tags.js";

const onPage = 20, clear = 0.95, mostAtOnce = 1000;

/**
 * A document with a question and its buttons: each a class, a text, a change and what is said then.
 * What is decided stays in its place, so that nothing slides below the pointer.
 */
function workItem(item, choices, question, ...why) {
  const row = h("div.row.decide"), has = item.labels.length > 0 && h("span.soft.small", " has ");
  const open = () => row.replaceChildren(...choices.map(([kind, text, change, said]) =>
    button(kind, () => edit(item, change, said, (now, changed) => {
      Object.assign(item, now);
      article.classList.toggle("done", changed);
      if (changed) row.replaceChildren(h("span.soft", said)); else open();
      article.focus();
    }), text)));
  if (mayWrite()) open(); else row.append(h("span.soft", "Sign in to decide."));
  const article = h("article.item", { tabindex: -1, "data-item": item.id },
    h("div.item-head", h("h2", titleLink(item)), idOf(item)),
    h("p.question", question, has, tagsText(item.labels)), row,
    h("details.small", h("summary", "Why?"), why));
  return h("li", article);
}

// Review

const neighborList = ({ neighbors }) => [shareList("Most similar documents", neighbors.slice(0, 5),
  ({ similarity }) => similarity, "alike")];
const tagsAreRight = (label) => ["quiet.keep", "Tags are right", { remove: [label] }, "Tags are right"];
const lists = {
  missing: { name: "Missing tags", change: ({ label }) => ({ add: [label] }), all: ["Add", "Added"],
    item: (item) => workItem(item, [
      ["accept.main-button", `Add ${item.label}`, { add: [item.label] }, `Added ${item.label}`],
      tagsAreRight(item.label)], ["May lack ", chip(item.label, { confidence: item.confidence })], neighborList(item)) },
  wrong: { name: "Tags that look wrong", change: ({ label }) => ({ remove: [label] }),
    all: ["Remove", "Removed"], item: (item) => {
      const { label: tag, rival } = item;
      return workItem(item, [
        ["remove.main-button", `Remove ${tag}`, { remove: [tag] }, `Removed ${tag}`],
        ["accept", `Change to ${rival.label}`, { add: [rival.label], remove: [tag] },
          `Changed to ${rival.label}`], tagsAreRight(rival.label)],
      [chip(tag), " looks wrong: similar documents say ",
        chip(rival.label, { confidence: rival.confidence })], neighborList(item));
    } },
};

export async function reviewPage(state, { signal, again }) {
  const list = state.get("list") === "wrong" ? "wrong" : "missing", { change, all: [doing, done] } =
    lists[list], offset = Number(state.get("offset"));
  const decideAll = async () => {
    const answer = await ask(to("suspects", { limit: mostAtOnce }));
    const sure = answer[list].suspects.filter(({ confidence }) => confidence >= clear);
    await editMany(sure.map((item) => [item, change(item)]), `${done} ${counted(sure.length, "tag")}`,
      again, 60);
  };
  const show = (answer) => {
    const { found, clear: sure, suspects } = answer[list];
    const tabs = Object.entries(lists).map(([name, { name: text }]) => h("a.button", {
      href: to("review", { list: name }), "aria-current": name === list && "page",
    }, text, figure(answer.complete
      ? `${count(answer[name].found)}, ${count(answer[name].clear)} clear` : "\u2026")));
    return [h("nav.row", { "aria-label": "Lists" }, tabs, mayWrite() && sure > 0 &&
      button("", () => decideAll().catch(told),
        `${doing} all ${count(Math.min(sure, mostAtOnce))} that are 95\u2009% sure or more`)),
    suspects.length > 0 && h("ol.items.work", suspects.map(lists[list].item)),
    !suspects.length && answer.complete && empty("Nothing to review.",
      "The tags agree with those of similar documents.",
      h("a", { href: "label" }, "Find documents for a tag")),
    pager("review", state, { offset, limit: onPage, found, shown: suspects.length })];
  };
  return { title: "Review", json: "suspects", main: [h("h1", "Review tags"), h("p.lead",
    "Documents whose tags differ from those of similar ones, the clearest first. ",
    h("a", { href: "label" }, "Or find documents for a tag.")),
  await slowList(to("suspects", { limit: onPage, after: offset }), show, signal)] };
}

// Documents for a tag

export async function labelPage(state, { signal }) {
  const chosen = state.get("label"), { labels } = await ask("labels", { signal });
  const narrow = ({ target }) => all("#all-tags li").forEach((tag) => {
    tag.hidden = !tag.textContent.toLowerCase().includes(target.value.toLowerCase());
  });
  const item = (candidate) => workItem(candidate, [
    ["accept.main-button", "Accept", { add: [chosen] }, `Added ${chosen}`],
    ["remove", "Reject", { remove: [chosen] }, `Rejected ${chosen}`]],
  chip(chosen, { confidence: candidate.confidence }), voterList(candidate.voters), wordsLine(candidate.terms));
  const show = ({ candidates, found, complete }) => [h("p.lead",
    `The ${count(candidates.length)} surest of ${counted(found, "document")} that the tag `,
    h("strong", isolated(chosen)), " might suit. ",
    h("a", { href: to("", { tag: chosen }) }, "Documents that have it")),
  candidates.length > 0 && h("ol.items.work", candidates.map(item)),
  !candidates.length && complete && empty("No more suggestions for this tag.", "Choose another tag.")];
  return { title: chosen || "Tags", json: "labels", main: [h("h1", "Documents for a tag"),
    h("div.search", h("div", chosen
      ? await slowList(at("labels", chosen, "candidates") + "?limit=50&explain=1", show, signal)
      : empty("Choose a tag.", "You see documents that it would suit, and accept or reject them.")),
    h("aside.side", { "aria-label": "Tags" }, h("h2", counted(labels.length, "tag")),
      h("input", { type: "search", placeholder: "Find a tag", "aria-label": "Find a tag",
        oninput: narrow }),
      h("ul.scroll", { id: "all-tags", tabindex: 0, "aria-label": "All tags" },
        tagEntries(labels, state, "label"))))] };
}

// Copies

export async function copiesPage(state, { signal }) {
  const threshold = state.get("threshold") || 0.95;
  const row = (item) => h("li", titleLink(item), " ", idOf(item), " ", tagsText(item.labels));
  const group = ({ documents, least_similarity: least, greatest_similarity: most }) =>
    h("li", h("article.group", { tabindex: -1 }, h("h2", counted(documents.length, "document"), " ",
      h("span.soft", least === most ? "" : `${percent(least)} to `, `${percent(most)} alike`)),
    h("ol.plain", documents.slice(0, 5).map(row)), documents.length > 5 && h("details",
      h("summary", `${count(documents.length - 5)} more`),
      h("ol.plain", documents.slice(5).map(row)))));
  const show = ({ groups, found, grouped, examined, complete }) => [h("p.lead",
    `${counted(grouped, "document")} in ${counted(found, "group")}, of ${count(examined)}. `,
    "The largest groups come first. Search shows each as one result."),
  groups.length > 0 && h("ol.groups", groups.map(group)),
  !groups.length && complete && empty("No near-copies.", "No two documents are this much alike.")];
  return { title: "Copies", json: to("duplicates", { threshold }), main: [h("h1", "Near-copies"),
    h("nav.row", { "aria-label": "Least similarity" }, [0.8, 0.9, 0.95, 0.99].map((least) =>
      h("a.button", { href: to("copies", { threshold: least }), "aria-current":
        Number(threshold) === least && "true" }, `from ${percent(least)}`))),
    await slowList(to("duplicates", { threshold, limit: 60 }), show, signal)] };
}
