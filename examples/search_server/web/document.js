// A document with its text, tags, reasons and relatives; and a text that is tried.

import { ask, mayWrite, server } from "./api.js";
import { at, bar, button, counted, empty, factList, figure, h, isolated, percent, titleLink, to,
  told, unseen } from "./dom.js";
import { addTagForm, chip, edit, legend, tagLine } from "./tags.js";

const firstLetters = 1600, addressLetters = 1500;  // of a text that is shown, or in an address
const mostMisses = 20, withReasons = { explain: true, titles: true };

const joined = (words) => words.map((word, i) => [i > 0 && " \u00b7 ", isolated(word)]);
export const wordsLine = (terms) => terms.length > 0 &&
  h("p.soft.small", "Matching words: ", joined(terms.slice(0, 8).map(({ word }) => word)));
export const tagsText = (labels) => labels.length > 0 && h("span.soft.small", unseen("Tags: "),
  joined(labels.slice(0, 6)), labels.length > 6 && "\u2026");

/** Documents or words with a share each, as rows with a bar. */
export function shareList(caption, items, share, unit, what = titleLink) {
  const most = Math.max(...items.map(share)) || 1;
  const row = (item) => h("li", what(item), bar(share(item) / most),
    unit && figure(`${percent(share(item))} ${unit}`));
  return items.length > 0 && h("div.shares", h("h3", caption), h("ol", items.map(row)));
}
/** The documents that voted for a tag. `neighbors`: who they are. */
export const voterList = ({ voters }, neighbors) => shareList("Similar documents that have it",
  voters.slice(0, 6), ({ share }) => share, "of the vote",
  ({ id: its }) => titleLink(neighbors.find(({ id }) => id === its)));

/** A tag, how sure it is, from where on it is given, and behind that why. */
function reason({ label, confidence, ...miss }, given, why, neighbors) {
  const { threshold } = why || miss;
  const agreed = given.includes(label);
  const head = h("div.reason-head", h("span",
    h(agreed ? "span.chip.person" : "span.chip.guess", isolated(label)), " ",
    agreed && h("span.good", "people agree")), h("span.bar.gauge", { "aria-hidden": "true",
    "--people": 0, "--kindred": confidence, "--mark": threshold ?? 1 }),
  figure(`${percent(confidence)} sure`), h("span.soft.small",
    threshold === null ? "never given" : `given from ${percent(threshold)} on`));
  return why ? h("details.reason", h("summary", head), h("div.reason-body",
    voterList(why, neighbors), shareList("Matching words", why.terms.slice(0, 8),
      (term) => term.contribution, "", ({ word }) => isolated(word)))) : h("div.reason", head);
}
const reasonList = ({ tags, reasons, neighbors, near_misses: near, best }, given,
  misses = near.slice(0, mostMisses)) => [
  tags.length ? tags.map((tag, i) => reason(tag, given, reasons[i], neighbors))
    : empty("No tag is sure enough.", best
      ? `The best is \u201c${best.label}\u201d: ${percent(best.confidence)} sure.`
      : "No document with tags is similar."),
  misses.length > 0 && h("details.reason", h("summary",
    counted(misses.length, "tag that just missed", "tags that just missed")),
  misses.map((tag) => reason(tag, given)))];

const relatedItem = ({ similarity, terms, labels, folded, ...item }) => h("li.related-item",
  h("div.related-head", titleLink(item), figure(`${percent(similarity)} alike`)), bar(similarity),
  wordsLine(terms), tagsText(labels), folded.length > 0 && h("p.soft.small",
    `and ${counted(folded.length, "near-copy", "near-copies")} of it`));
const withRelated = ({ results }, ...left) => h("div.document", h("div", left),
  h("aside.side", { "aria-labelledby": "related" }, h("h2", { id: "related" }, "Related documents"),
    results.length ? h("ol", results.map(relatedItem))
      : empty("No similar documents.", "It shares no telling words with other documents.")));

/** Of a long text the beginning, up to a word; the rest is behind a button. */
function textPart({ text, title }) {
  if (text === title) return null;
  if (!text) return h("p.soft", "The index keeps no text of this document.");
  const isLong = text.length > firstLetters + 200;
  const part = h("div.text", { dir: "auto" },
    isLong ? text.slice(0, text.lastIndexOf(" ", firstLetters)) + "\u2026" : text);
  const more = button("quiet", () => { part.textContent = text; more.remove(); },
    "Show the whole text");
  return [part, isLong && more];
}

export async function documentPage(state, { signal, room }) {
  const id = state.get("id") || "", address = at("documents", id);
  let doc = await ask(address, { signal });
  const [related, reasons] = await Promise.all([
    ask(address + "/related?fold=0.95&explain=1", { signal }),
    ask("classify", { body: { id, ...withReasons }, signal })]);
  const { title, topic, language, values, fields } = doc, line = tagLine(doc, 2 * room(26));
  const show = (now) => { doc = now; line.show(doc); };
  const form = addTagForm((label, isNew = false) =>
    edit(doc, { add: [label], new: isNew }, `Added ${label}`, show));
  const editing = ({ currentTarget }) => {
    form.hidden = !line.classList.toggle("editing");
    currentTarget.ariaPressed = !form.hidden;
  };
  form.hidden = true;
  return { title, json: address, main: [h("h1", { dir: "auto" }, title), withRelated(related,
    h("section.row", { "data-item": id }, h("h2.unseen", "Tags"), line,
      mayWrite() && [button("quiet.edit", editing, "Edit tags"), form]),
    factList("dl.facts-list", { Id: h("span.id", isolated(id)), Language: language, Topic: topic &&
      h("a", { href: to("", { topic: topic.number }) }, isolated(topic.name)), ...values,
    ...fields }), textPart(doc),
    h("section", h("h2", doc.labels.length ? "Tags by Kindred" : "Why these tags"), legend(),
      reasonList(reasons, doc.labels)))] };
}

// Try

let tried = "";  // a text that is too long for an address

async function example() {
  const offset = Math.floor(Math.random() * Math.min(server.status.index.documents, 5000));
  const { documents: [{ id }] } = await ask(to("search", { offset, limit: 1, facets: 0 }));
  const { title, text } = await ask(at("documents", id));
  return [title, text].join("\n\n").trim().slice(0, addressLetters);
}

export async function tryPage(state, { signal, go }) {
  const text = state.get("text") || (state.has("long") ? tried : ""), title = "Try a text";
  const show = (value) => {
    tried = value;
    if (value.trim()) go(to("try", value.length > addressLetters ? { long: 1 } : { text: value }));
  };
  const area = h("textarea", { id: "text", rows: text ? 5 : 9, required: true, dir: "auto" }, text);
  const submit = (event) => { event.preventDefault(); show(area.value); };
  const form = h("form.trial", { onsubmit: submit }, h("label", { for: "text" },
    "Paste a text here"), area, h("div.row", h("button.main-button", "Show its tags"),
    button("", () => example().then(show).catch(told), "Use an example"),
    h("span.soft", "Nothing is stored.")));
  if (!text) return { title, main: [h("h1", title), form, empty("What you get",
    "The tags that the text deserves, by what people tagged.",
    "If you ask, the documents and words that speak for each tag.",
    "Tags that just missed, and related documents.")] };
  const [reasons, related] = await Promise.all([
    ask("classify", { body: { text, ...withReasons }, signal }),
    ask("related", { body: { like: [{ text }], fold: 0.95, explain: true }, signal })]);
  const { tags } = reasons, said = counted(tags.length, "tag");
  return { title, said, main: [h("h1", title), form, withRelated(related,
    h("h2", tags.length ? "Its tags" : "No tags"),
    h("p.row", tags.map(({ label, confidence }) => chip(label, { confidence }))),
    h("details", { open: !tags.length }, h("summary", "Why?"), reasonList(reasons, [])))] };
}
