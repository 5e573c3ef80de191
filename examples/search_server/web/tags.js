// Tags: chips, changes with a way back, and new ones.

import { ask, at, mayWrite } from "./api.js";
import { $, figure, h, percent, say, to, toast, unseen } from "./dom.js";

/** Which color is whose. */
export const legend = () => h("p.legend", {},
  h("span.chip.person", {}, "tag"), " given by people ",
  h("span.chip.guess", {}, "tag"), " predicted by Kindred");

/** What takes a change back. */
function inverse(doc, { add = [], accept = [], remove = [] }) {
  const given = doc.labels, back = remove.filter((label) => given.includes(label));
  const off = [...add, ...accept].filter((label) => !given.includes(label));
  return { id: doc.id, add: back, remove: off,
    allow: [...off, ...remove.filter((label) => !given.includes(label))] };
}

/** Changes many documents at once: pairs of a document and its change. */
export async function editMany(pairs, said, redraw, seconds = 10) {
  const send = (edits) => ask("documents/tags", { body: { edits } });
  await send(pairs.map(([doc, { add = [], accept = [], remove = [] }]) =>
    ({ id: doc.id, add: [...add, ...accept], remove })));
  const undo = async () => {
    await send(pairs.map(([doc, change]) => inverse(doc, change)));
    say("Undone");
    redraw(false);
  };
  redraw(true);
  toast(said, { name: "Undo", act: () => undo().catch(told) }, seconds);
}

export const told = (problem) => toast(problem.message);

/** Changes the tags of a document. `redraw` gets it as it is then, also after an undo. */
export async function edit(doc, change, said, redraw) {
  const address = at("documents", doc.id);
  const undo = async () => {
    await ask("documents/tags", { body: { edits: [inverse(doc, change)] } });
    say("Undone");
    redraw(await ask(address), false);
  };
  try {
    redraw(await ask(address + "/tags", { body: change, etag: doc.etag }), true);
    toast(said, { name: "Undo", act: () => undo().catch(told) });
  } catch (problem) {
    if (problem.status !== 412) return told(problem);
    redraw(await ask(address), false);
    toast("Somebody else changed these tags. Please look again.");
  }
}

const button = (kind, sign, text, act) =>
  h(`button.${kind}`, { type: "button", "aria-label": text, title: text, onclick: act },
    h("span", { "aria-hidden": "true" }, sign));

/** A tag as a link to the documents that have it; `confidence` if it is predicted. */
export const chip = (label, confidence = null, buttons = null) => {
  const guess = confidence !== null;
  return h(guess ? "span.chip.guess" : "span.chip.person", {},
    unseen(guess ? "Predicted: " : "Given by people: "),
    h("a", { href: to("", { tag: label }) }, h("bdi", {}, label)),
    guess && figure(percent(confidence)), buttons && h("span.chip-buttons", {}, buttons));
};

/** As many as fit into `room` pixels, by about how wide letters are. */
function fitting(tags, room) {
  let used = 0, fit = 0;
  for (const { label, confidence } of tags) {
    used += 26 + 7.3 * label.length + (confidence === undefined ? 0 : 34);
    if (used + (fit + 1 < tags.length ? 44 : 0) > room && fit > 0) break;
    ++fit;
  }
  return fit;
}

/**
 * The tags of a document: those of people, then the predicted ones. What does not fit into `room`
 * is behind "+7". With the right to write, x and check mark come when a tag is pointed at.
 */
export function tagLine(doc, room = 600) {
  const line = h("div.chips");
  const draw = (whole) => {
    const tags = [...doc.labels.map((label) => ({ label })), ...(doc.predicted || [])];
    const shown = whole ? tags.length : fitting(tags, room);
    const change = (change, said) => edit(doc, change, said, (now) => {
      doc = now;
      draw(whole);
      if (line.isConnected && document.activeElement === document.body)
        ($("a", line) || line.closest("[tabindex]"))?.focus();
    });
    const chips = tags.slice(0, shown).map(({ label, confidence }) => {
      const remove = button("remove", "\u00d7", `Remove tag ${label}`,
        () => change({ remove: [label] }, `Removed ${label}`));
      const accept = button("accept", "\u2713", `Accept tag ${label}`,
        () => change({ accept: [label] }, `Accepted ${label}`));
      const guess = confidence !== undefined;
      return h("li", {}, chip(label, guess ? confidence : null,
        mayWrite() && (guess ? [accept, remove] : [remove])));
    });
    const more = shown < tags.length && h("button.more", {
      type: "button", "aria-label": `Show ${tags.length - shown} more tags`,
      onclick: () => { draw(true); $("a", line).focus(); },
    }, `+${tags.length - shown}`);
    line.classList.toggle("one-line", !whole);
    line.replaceChildren(tags.length ? h("ul", {}, chips) : h("span.soft", {}, "No tags"),
      ...(more ? [more] : []));
  };
  line.show = (now) => { doc = now; draw(false); };
  draw(false);
  return line;
}

/** How many letters must change to make one word of the other. */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length];
}

const nearest = (label, labels) => labels
  .map((other) => [distance(label.toLowerCase(), other.toLowerCase()), other])
  .filter(([far, other]) => far <= Math.max(2, other.length / 4))
  .sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, other]) => other);

/** A field for a tag. One that no document has is added only after a question. */
export function addTagForm(docNow, redraw) {
  const input = h("input", { id: "new-tag", required: true, autocomplete: "off", maxlength: 200,
    list: "labels" });
  const list = h("datalist", { id: "labels" }), question = h("div.question", { role: "status" });
  const labels = ask("labels").then((answer) => answer.labels.map(({ label }) => label));
  const add = (label) => {
    question.replaceChildren();
    input.value = "";
    return edit(docNow(), { add: [label] }, `Added ${label}`, redraw);
  };
  const choice = (label, text = label, kind = "button") =>
    h(kind, { type: "button", onclick: () => add(label) }, text);
  input.addEventListener("focus", async () => list.replaceChildren(
    ...(await labels).map((value) => h("option", { value }))), { once: true });
  return h("form.add-tag", {
    onsubmit: async (event) => {
      event.preventDefault();
      const label = input.value.trim(), known = await labels;
      if (!label) return;
      if (known.includes(label)) { add(label); return; }
      const near = nearest(label, known);
      question.replaceChildren(h("span", {}, "New tag: ", h("strong", {}, label), ". ",
        near.length ? "Did you mean" : "No document has it yet."),
      ...near.map((other) => choice(other, other, "button.main-button")),
      choice(label, "Add the new tag"));
      $("button", question).focus();
    },
  }, h("label", { for: "new-tag" }, "Add a tag"), input, list, h("button", {}, "Add"), question);
}
