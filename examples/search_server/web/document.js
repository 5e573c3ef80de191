// A document with its text, tags, reasons and relatives; and a text that is tried.

import { ask, askIfThere, at, mayWrite } from "./api.js";
import { $, all, bar, counted, empty, figure, h, idOf, percent, titleLink, to, toast, unseen }
  from "./dom.js";
import { addTagForm, chip, legend, tagLine } from "./tags.js";

const firstLetters = 1600;  // of a text that is shown
const addressLetters = 1500;  // a text up to this length travels in the address

const wordOf = ({ word, term }) => word || term;
export const wordsLine = (terms) => terms.length > 0 && h("p.soft", {}, "Matching words: ",
  terms.slice(0, 8).map((term, i) => [i > 0 && " \u00b7 ", h("bdi", {}, wordOf(term))]));

/** Documents with a share each, as rows with a bar. */
export function shareList(caption, documents, share, title) {
  if (!documents.length) return null;
  const most = Math.max(...documents.map(share)) || 1;
  return h("div.shares", {}, h("h4", {}, caption), h("ol", {}, documents.map((item) =>
    h("li", {}, titleLink(item), bar(share(item) / most),
      figure(percent(share(item)), { title })))));
}

const termList = (terms) => {
  const most = Math.max(...terms.map(({ contribution }) => contribution));
  return terms.length > 0 && h("div.shares", {}, h("h4", {}, "Matching words"),
    h("ul", {}, terms.slice(0, 8).map((term) =>
      h("li", {}, h("bdi", {}, wordOf(term)), bar(term.contribution / most)))));
};

/** A tag with how sure it is, from where on it is given, and behind it why. */
function reason(tag, given, open) {
  const needs = tag.threshold === null ? "never given"
    : `given from ${percent(tag.threshold)} on`;
  const head = [h("span.grow", {}, chip(tag.label, given.includes(tag.label) ? null : 0)),
    given.includes(tag.label) && h("span.agreed", {}, "people agree"),
    h("span.gauge", { "aria-hidden": "true", "--kindred": tag.confidence,
      "--mark": tag.threshold ?? 1 }),
    figure(`${percent(tag.confidence)} sure`), h("span.soft.needs", {}, needs)];
  if (!tag.voters) return h("div.reason", {}, h("div.reason-head", {}, head));
  return h("details.reason", { open }, h("summary", {}, h("div.reason-head", {}, head)),
    h("div.reason-body", {},
      shareList("Similar documents that have it", tag.voters.slice(0, 6),
        ({ share }) => share, "of the vote"), termList(tag.terms)));
}

export function reasonList({ tags, near_misses: misses, best }, given) {
  const list = tags.map((tag) => reason(tag, given, false));
  return [tags.length ? list : empty("No tag is sure enough.", best
    ? `The best is \u201c${best.label}\u201d: ${percent(best.confidence)} sure.`
    : "No document with tags is similar."),
  misses.length > 0 && h("details.misses", {},
    h("summary", {}, counted(misses.length, "tag that just missed", "tags that just missed")),
    misses.map((tag) => reason(tag, given, false)))];
}

export const tagsText = (labels) => labels.length > 0 &&
  h("p.soft.small", {}, unseen("Tags: "),
    labels.slice(0, 6).map((label, i) => [i > 0 && " \u00b7 ", h("bdi", {}, label)]));

const relatedList = (documents) => documents.length === 0
  ? empty("No similar documents.", "It shares no telling words with other documents.")
  : h("ol.related", {}, documents.map((item) => h("li.related-item", {},
    h("div.related-head", {}, titleLink(item), figure(percent(item.similarity),
      { title: "similarity" })), bar(item.similarity), wordsLine(item.terms),
    tagsText(item.labels), item.folded.length > 0 && h("p.soft.small", {},
      `and ${counted(item.folded.length, "near-copy", "near-copies")} of it`))));

/** A long text begins, and the rest is behind a button; it is cut after a word. */
function textPart(text) {
  if (!text) return h("p.soft", {}, "The index keeps no text of this document.");
  if (text.length <= firstLetters + 200) return h("div.text", { dir: "auto" }, text);
  const cut = text.lastIndexOf(" ", firstLetters), end = cut > 0 ? cut : firstLetters;
  const part = h("div.text", { dir: "auto" }, text.slice(0, end) + "\u2026");
  const more = h("button.quiet", { type: "button", onclick: () => {
    part.textContent = text;
    more.remove();
  } }, "Show the whole text");
  return [part, more];
}

const two = (left, right) => h("div.document", {}, h("div.document-main", {}, left),
  h("aside.document-side", { "aria-labelledby": "related-head" },
    h("h2", { id: "related-head" }, "Related documents"), right));

export async function documentPage(state, { signal, again }) {
  const id = state.get("id") || "", address = at("documents", id);
  let shown = await ask(address, { signal });
  const [related, reasons] = await Promise.all([
    ask(address + "/related?k=10&fold=0.95&explain=1", { signal }),
    ask("classify", { body: { id }, signal })]);
  const room = Math.min(document.documentElement.clientWidth, 1400) -
    (innerWidth >= 960 ? 450 : 24);
  const line = tagLine(shown, 2 * room);
  const form = mayWrite() && addTagForm(() => shown, (now) => line.show(shown = now));
  const editing = mayWrite() && h("button.quiet.edit", {
    type: "button", "aria-pressed": "false",
    onclick: ({ currentTarget: button }) => button.setAttribute("aria-pressed",
      line.classList.toggle("editing")),
  }, "Edit tags");
  const facts = [["Id", h("span.id", {}, h("bdi", {}, shown.id))],
    shown.topic && ["Topic", h("a", { href: to("", { topic: shown.topic.number }) },
      h("bdi", {}, shown.topic.name))],
    shown.language && ["Language", shown.language],
    ...Object.entries({ ...shown.values, ...shown.fields })].filter(Boolean);
  return {
    title: shown.title, said: shown.title, json: address,
    main: [h("h1", { dir: "auto" }, shown.title), two([
      h("section.document-tags", { "data-item": id }, h("h2.unseen", {}, "Tags"), line, editing,
        form),
      h("dl.entries", {}, facts.map(([name, value]) =>
        h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      textPart(shown.text),
      h("section", {}, h("h2", {}, shown.labels.length ? "Tags by Kindred" : "Why these tags"),
        legend(), reasonList(reasons, shown.labels))],
    relatedList(related.documents))],
  };
}

// Try

let tried = "";  // a text that is too long for an address

async function example(signal) {
  const { index } = (await ask("status", { signal }));
  const offset = Math.floor(Math.random() * Math.min(index.documents, 5000));
  const found = await ask(to("search", { offset, limit: 1, facets: 0 }), { signal });
  const whole = await ask(at("documents", found.documents[0].id), { signal });
  return `${whole.title}\n\n${whole.text || ""}`.slice(0, addressLetters - 100).trim();
}

export async function tryPage(state, { signal, go }) {
  const text = state.get("text") || (state.has("long") ? tried : "");
  const area = h("textarea", { id: "text", rows: text ? 6 : 10, required: true, dir: "auto",
    maxlength: 1000000 }, text);
  const show = (value) => {
    if (!value.trim()) return;
    tried = value;
    go(value.length <= addressLetters ? to("try", { text: value }) : "try?long=1");
  };
  const takeFile = async (file) => {
    if (file.size > 1e6) toast("The file is larger than 1 MB.");
    else show(await file.text());
  };
  const drop = (event) => {
    event.preventDefault();
    const { files } = event.dataTransfer;
    if (files.length) takeFile(files[0]);
    else show(event.dataTransfer.getData("text/plain"));
  };
  const form = h("form.trial", { id: "trial", ondrop: drop,
    ondragover: (event) => event.preventDefault(),
    onsubmit: (event) => { event.preventDefault(); show(area.value); } },
  h("label", { for: "text" }, "Paste a text, or drop a file here"), area,
  h("div.row", {}, h("button.main-button", {}, "Show its tags"),
    h("button", { type: "button", onclick: async () => show(await example(signal)) },
      "Use an example"),
    h("label.button", { for: "file" }, "Open a file\u2026"),
    h("input.unseen", { type: "file", id: "file", accept: ".txt,.md,.html,.csv,.json,.eml,text/*",
      onchange: (event) => takeFile(event.target.files[0]) }),
    h("span.soft", {}, "Nothing is stored.")));
  const main = [h("h1", {}, "Try a text"), form];
  if (!text) {
    main.push(empty("What you get", "The tags that the text deserves, by what people tagged.",
      "On demand, the documents and words that speak for each tag.",
      "Tags that just missed, and related documents."));
    return { title: "Try a text", main };
  }
  const [reasons, related] = await Promise.all([
    ask("classify", { body: { text }, signal }),
    ask("related", { body: { like: [{ text }], k: 10, fold: 0.95, explain: true }, signal })]);
  main.push(two([h("h2", {}, reasons.tags.length ? "Its tags" : "No tags"),
    h("p.chips", {}, reasons.tags.map(({ label, confidence }) => chip(label, confidence))),
    reasons.tags.length > 0 && h("h2", {}, "Why"), reasonList(reasons, [])],
  relatedList(related.documents)));
  return { title: "Try a text", said: counted(reasons.tags.length, "tag"), main };
}
