// Tags: chips, changes with a way back, and new ones.

import { ask, askLabels, follow, mayWrite } from "./api.js";
import { $, at, button, figure, h, isolated, percent, say, to, toast, told, unseen }
  from "./dom.js";

/** A tag as a link to the documents that have it. `confidence`: it is predicted. */
export function chip(label, { confidence = null, buttons } = {}) {
  const guess = confidence !== null;
  return h(guess ? "span.chip.guess" : "span.chip.person",
    unseen(guess ? "Predicted: " : "Given by people: "),
    h("a", { href: to("", { tag: label }) }, isolated(label)),
    guess && figure(percent(confidence)), buttons && h("span.buttons", buttons));
}

/** Which color is whose. */
export const legend = (...more) => h("p.legend", h("span.key.person"), "given by people ",
  h("span.key.guess"), "predicted by Kindred ", more);

/** What takes a change of a document back. */
function inverse({ id, labels }, { add = [], remove = [] }) {
  const given = (label) => labels.includes(label), not = (label) => !labels.includes(label);
  const off = add.filter(not);
  return { id, add: remove.filter(given), remove: off, allow: [...off, ...remove.filter(not)] };
}
const send = (edits) => ask("documents/tags", { body: { edits } });
function offerUndo(said, edits, redraw, seconds) {
  const undo = () => send(edits).then(redraw).then(() => say("Undone")).catch(told);
  toast(said, { name: "Undo", act: undo }, seconds);
}
/** Predicts the tags of a document anew. */
async function tagAgain(id) {
  const body = { query: `id:"${id.replaceAll('"', '""')}"`, restart: true };
  const running = (problem) => { if (problem.status !== 409) throw problem; };
  const job = await ask("jobs/tag", { body }).catch(running);  // all are being tagged
  if (job) await follow(job.id, () => {});
}

/** Changes documents in one commit: pairs of a document and its change. */
export async function editMany(pairs, said, redraw, seconds) {
  const back = pairs.map(([doc, change]) => inverse(doc, change));
  await send(pairs.map(([{ id }, change]) => ({ id, ...change })));
  redraw();
  offerUndo(said, back, redraw, seconds);
}

/**
 * Changes a document if its tags are still those that are seen; `redraw` gets it as it is then.
 * Returns similar tags if a new one may be a slip, and nothing is changed.
 */
export async function edit(doc, change, said, redraw) {
  const address = at("documents", doc.id), back = inverse(doc, change);
  const look = async () => {
    if (doc.predicted && !back.add.length) await tagAgain(doc.id);
    redraw(await ask(address), false);
  };
  try {
    redraw(await ask(address + "/tags", { body: change, etag: doc.etag }), true);
    offerUndo(said, [back], look);
  } catch (problem) {
    if (problem.suggestions) return problem.suggestions;
    if (problem.status !== 412) return told(problem);
    redraw(await ask(address), false);
    toast("Somebody else changed these tags. Please look again.");
  }
  return null;
}

/** How many tags fit into `room` pixels, by about how wide letters are. */
function fitting(tags, room) {
  let used = 44;  // for "+7"
  const wide = ({ label, confidence }) => 26 + 7.3 * label.length + (confidence ? 34 : 0);
  const beyond = tags.findIndex((tag) => (used += wide(tag)) > room);
  return beyond < 0 ? tags.length : Math.max(beyond, 1);
}

/**
 * The tags of a document: those of people, then the predicted ones. What does not fit into `room`
 * is behind "+7". Who may write gets x and check mark where a tag is pointed at.
 */
export function tagLine(doc, room) {
  const line = h("div.chips");
  let whole = false;
  const draw = () => {
    const tags = [...doc.labels.map((label) => ({ label })), ...doc.predicted];
    const fit = whole ? tags.length : fitting(tags, room), more = tags.length - fit;
    const act = (kind, sign, label, change, said) => h(`button.${kind}`, { type: "button",
      "aria-label": `${said[0]} tag ${label}`, title: `${said[0]} tag ${label}`,
      onclick: () => edit(doc, change, `${said[1]} ${label}`, line.show),
    }, h("span", { "aria-hidden": "true" }, sign));
    const chips = tags.slice(0, fit).map(({ label, confidence }) => h("li", chip(label, {
      confidence, buttons: mayWrite() && [
        confidence !== undefined &&
          act("accept", "\u2713", label, { add: [label] }, ["Accept", "Accepted"]),
        act("remove", "\u00d7", label, { remove: [label] }, ["Remove", "Removed"])],
    })));
    const unfold = () => { whole = true; draw(); $("a", line).focus(); };
    line.classList.toggle("one-line", !whole);
    line.replaceChildren(tags.length ? h("ul", chips, more > 0 &&
      h("li", button("more", unfold, `+${more}`, unseen(" tags")))) : h("span.soft", "No tags"));
  };
  line.show = (now) => {
    const within = line.contains(document.activeElement);
    doc = now;
    draw();
    if (within) (line.closest("article") || $("a", line))?.focus();
  };
  draw();
  return line;
}

/** A field for a tag. One that no document has, but a similar one, is added after a question. */
export function addTagForm(add) {
  const list = h("datalist", { id: "labels" }), question = h("p.row", { role: "status" });
  const fill = () => askLabels().then((labels) =>
    list.replaceChildren(...labels.map(({ label }) => h("option", { value: label })))).catch(told);
  const input = h("input", { id: "new-tag", required: true, autocomplete: "off", maxlength: 200,
    list: "labels", onfocus: fill });
  const send = async (label, isNew) => {
    const near = await add(label, isNew);
    question.replaceChildren();
    if (!near) { input.value = ""; return; }
    question.replaceChildren("New tag: ", h("strong", label), ". Did you mean",
      ...near.map((other) => button("main-button", () => send(other), other)),
      button("", () => send(label, true), "No, add the new tag"));
    $("button", question).focus();
  };
  return h("form.row", { onsubmit: (event) => { event.preventDefault(); send(input.value); } },
    h("label", { for: "new-tag" }, "Add a tag"), input, list, h("button", "Add"), question);
}
