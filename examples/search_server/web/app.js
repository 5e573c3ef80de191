// The pages: what is around every one, and what each shows of the server's JSON. The address says
// which page it is, and keeps its state.

// Elements, numbers, addresses and messages

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const shown = (list) => list.flat(Infinity).filter((part) => (part ?? false) !== false);

/** Attributes: onclick and the like are handlers, --x is a CSS property; null and false: none. */
function fill(element, parts) {
  const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (shown([value]).length === 0) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(parts));
  return element;
}

/** h("a.title", { href }, parts...): an element. Parts are text, elements, lists, or nothing. */
function h(kind, ...parts) {
  const [name, ...classes] = kind.split("."), element = document.createElement(name);
  element.classList.add(...classes);
  return fill(element, parts);
}
const svg = (name, ...parts) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), parts);
const link = (href, ...parts) => h("a", { href }, ...parts);
/** A link that looks like a button. `here`: it leads to what is shown. */
const linkButton = (href, here, ...parts) =>
  h("a.button", { href, "aria-current": here && "page" }, ...parts);
/** A button that does something here. */
const button = (kind, act, ...parts) =>
  h(kind ? `button.${kind}` : "button", { type: "button", onclick: act }, ...parts);

const count = (number) => Math.round(number).toLocaleString("en");
const counted = (number, one, many = one.replace(/y$/, "ie") + "s") =>
  `${count(number)} ${number === 1 ? one : many}`;
const percent = (share) => `${Math.round(100 * Math.min(Math.max(share, 0), 1))}\u2009%`;
const outOf100 = (share) => `${Math.round(100 * share)} of 100`;
const unseen = (text) => h("span.unseen", text);
const soft = (...parts) => h("span.soft", ...parts);
const figure = (...parts) => h("span.figure", ...parts);
const isolated = (text) => h("bdi", text);
/** A bar of two colors: the parts of people and of Kindred, as shares of its width. */
const bar = (people, kindred = 0) =>
  h("span.bar", { "aria-hidden": "true", "--people": people, "--kindred": kindred });

/** The address of a page, relative: a proxy may put a prefix before all. */
function to(page, parameters = {}) {
  const pairs = parameters instanceof URLSearchParams ? parameters : Object.entries(parameters);
  const given = [...pairs].filter(([, value]) => value || value === 0);
  return (page || "./") + (given.length ? "?" + new URLSearchParams(given) : "");
}
/** The address of a document or a label, or of a part of it. "." and ".." cannot be segments of an
 * address: "-" stands for them, and a parameter has them. */
function at(kind, name, part = "", parameters = {}) {
  const isDots = /^\.\.?$/.test(name), key = kind === "labels" ? "label" : "id";
  const segments = [kind, isDots ? "-" : encodeURIComponent(name), ...(part ? [part] : [])];
  return to(segments.join("/"), isDots ? { ...parameters, [key]: name } : parameters);
}

const titleLink = ({ id, title }, ...marked) => h("a.title",
  { href: to("document", { id }), dir: "auto" }, marked.length ? marked : title);
/** The id, where the title does not say it. */
const idOf = ({ id, title }) => title !== id && h("span.id", { dir: "auto" }, id);
/** A title in a list, with its id. */
const titled = (item) => h("span", titleLink(item), " ", idOf(item));
/** An entry of a list of filters: a link with a count and a bar. */
const entry = (href, chosen, number, shares, ...parts) =>
  h("li", h(chosen ? "a.entry.chosen" : "a.entry", { href, "aria-current": chosen && "true" },
    h("span", ...parts), figure(count(number)), shares && bar(...shares),
    chosen && unseen(" (chosen: takes it away)")));
/** Names with what they have; those that have nothing are left out. */
const factList = (kind, facts) => h(kind, Object.entries(facts).filter(([, has]) => has)
  .map(([name, has]) => h("div", h("dt", name), h("dd", has))));
/** Gray rows in the place of what is on its way. */
const blanks = (rows = 6) =>
  h("div.blanks", { "aria-hidden": "true" }, Array.from({ length: rows }, () => h("span")));
/** What is said where there is nothing to show: a head, and what to do. */
const empty = (head, ...help) =>
  h("div.empty", h("p.empty-head", head), h("ul", help.map((line) => h("li", line))));

/** A handler of input that acts when nothing is typed for a moment. */
function whenTyped(act) {
  let timer = 0;
  const cancel = () => clearTimeout(timer);
  const handler = ({ isComposing }) => {
    cancel();
    if (!isComposing) timer = setTimeout(act, 160);
  };
  return Object.assign(handler, { cancel });
}

/** Says it to those who listen to the page. */
const say = (text) => { $("#said").textContent = text; };

let toastTimer = 0;
/** A message at the foot of the screen for some seconds; while it is pointed at, it stays. */
function toast(text, undo = null, seconds = 10) {
  const box = $("#toast"), stay = () => clearTimeout(toastTimer);
  const hide = () => { stay(); box.replaceChildren(); };
  const start = () => { stay(); toastTimer = setTimeout(hide, seconds * 1000); };
  box.replaceChildren(h("div.row.toast",
    { onpointerenter: stay, onpointerleave: start, onfocusin: stay, onfocusout: start },
    h("span", text), undo && button("act", () => { hide(); undo(); }, "Undo"),
    h("button.quiet", { "aria-label": "Close this message", onclick: hide }, "\u00d7")));
  start();
}
const told = (problem) => toast(problem.message);

// The server's JSON, and what takes long

function failure(status, { detail, title, suggestions } = {}) {
  const text = detail || title || "The server does not answer. Is it still running?";
  return Object.assign(Error(text[0].toUpperCase() + text.slice(1)), { status, suggestions });
}
/** For a promise: a failure of this kind gives nothing. */
const unless = (status) => (problem) => { if (problem.status !== status) throw problem; };

// What labels are called, by the answers so far; others are called as they are.
const names = new Map();
const called = (label) => names.get(label) || label;
function learnNames(json) {
  if (json === null || typeof json !== "object") return;
  for (const [label, name] of Object.entries(json.names || {})) names.set(label, name);
  const { label = json.value, name } = json;
  if (typeof label === "string" && name) names.set(label, name);
  Object.values(json).forEach(learnNames);
}

/** What the server answers. `body`: what is posted. `etag`: only if this is still the state. */
async function ask(address, { body, etag, signal, method = body ? "POST" : "GET" } = {}) {
  const headers = { Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if (etag) headers["If-Match"] = etag;
  const answer = await fetch(address, { headers, signal, method, body: JSON.stringify(body) })
    .catch((error) => { throw signal?.aborted ? error : failure(0); });
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw failure(answer.status, json);
  learnNames(json);
  return json;
}

/** Labels that documents have, by people or predicted, those of most documents first. */
const frequentLabels = async (parameters, options) =>
  (await ask(to("labels", { sort: "documents", ...parameters }), options)).labels
    .filter(({ documents, predicted }) => documents + predicted > 0);

/** What the server says of itself and of this client, as it was asked last. */
let server = null;
const askStatus = async (signal) => { server = await ask("status", { signal }); };

const mostCounted = 1000;
/** In how many documents the most frequent labels are. */
let spread = new Map();
async function askSpread(signal) {
  const labels = await frequentLabels({ limit: mostCounted }, { signal });
  spread = new Map(labels.map(({ label, documents, predicted }) => [label, documents + predicted]));
}
/** Labels, those that tell most first: the rarest. */
const telling = (labels) =>
  labels.toSorted((a, b) => (spread.get(a) || 0) - (spread.get(b) || 0));
/** A button that looks like a link, and asks for the token. */
const signIn = (text) => button("quiet", () => $("#sign-in").showModal(), text);

const startJob = (kind, again) => ask(`jobs/${kind}`, { body: {} }).then(again).catch(told);
const isOpen = ({ state }) => state === "running";
/** Waits for the end of a job. `tell` gets it whenever it is looked at. */
async function follow(id, tell, signal) {
  for (let wait = 150; ; wait = Math.min(wait * 1.5, 1000)) {
    const job = await ask(at("jobs", id), { signal });
    tell(job);
    if (job.state === "failed" || job.state === "canceled")
      throw failure(0, job.error || { detail: "It was canceled." });
    if (!isOpen(job)) return job;
    await new Promise((resolve) => { setTimeout(resolve, wait); });
  }
}
function progressOf({ kind, progress: { doing, done, of } }, ...more) {
  const [what, found] = doing.split(": ");
  const looked = `${count(done)} of ${count(of)} looked at` +
    (found ? `, ${found.replace(/\d+/, (number) => count(Number(number)))}` : "");
  return h("p.row.progress",
    h("progress", { max: of || 1, value: of ? done : null, "aria-label": what || kind }),
    soft(!of ? `${what || "Looking at all documents"}\u2026`
      : what && what !== kind ? `${what} ${percent(done / of)}` : looked), more);
}

/** The server's list, once it is complete. */
async function completeList(address, signal) {
  let answer = await ask(address, { signal });
  while (!answer.complete) {
    await follow(answer.job, () => {}, signal);
    answer = await ask(address, { signal });
  }
  return answer;
}

/** A list that may take long: what is there at once, then, as a job goes on, more and at last all
 * of it. Rows that people may be reading are replaced when they say so. */
async function slowList(address, show, signal) {
  const whole = h("div"), progress = h("div.progress-place");
  let listed = 0;
  const part = async () => {
    const answer = await ask(address, { signal });
    listed = answer.examined;
    whole.replaceChildren(...shown([show(answer)]));
    return answer;
  };
  const more = button("quiet", () => part().catch(told), "Show these");
  const tell = (job) => {
    const hasMore = isOpen(job) && job.listed > listed;
    if (hasMore && !whole.querySelector("li")) part().catch(told);
    const isFocused = document.activeElement === more;
    progress.replaceChildren(progressOf(job, hasMore && more));
    if (isFocused) more.focus();
  };
  const complete = async (answer) => {
    while (!answer.complete) {
      await follow(answer.job, tell, signal);
      say("The list is complete");
      if (whole.querySelector("li")) await new Promise((go) => progress.replaceChildren(
        h("p.row.progress", button("quiet", go, "Show the complete list"))));
      answer = await part();
    }
    progress.replaceChildren();
  };
  const trouble = (problem) => signal.aborted || progress.replaceChildren(
    h("p.row.notice.bad", problem.message, button("quiet", goOn, "Go on")));
  const goOn = () => part().then(complete).catch(trouble);
  complete(await part()).catch(trouble);
  return [progress, whole];
}

// Tags: chips, changes with a way back, and new ones

/** A tag as a link to the documents that have it. `confidence`: it is predicted. */
function chip(label, { confidence = null, buttons } = {}) {
  const guess = confidence !== null;
  return h(guess ? "span.chip.guess" : "span.chip.person", { "--sure": confidence },
    unseen(guess ? "Predicted: " : "Given by people: "), h("a",
      { href: to("", { tag: label }), title: names.has(label) && label },
      isolated(called(label))), guess && figure(percent(confidence)),
    buttons && h("span.buttons", buttons));
}

/** Which color is whose. */
const legend = (...more) => h("p.legend", h("span.key.person"), "given by people ",
  h("span.key.guess"), "predicted by Kindred ", more);

/** What takes a change of a document back. */
function inverse({ id, labels }, { accept = [], add = [], reject = [] }) {
  const given = (label) => labels.includes(label), not = (label) => !labels.includes(label);
  return { id, add: reject.filter(given), undo: [...accept, ...add, ...reject].filter(not) };
}
const send = (edits) => ask("documents/tags", { body: { edits } });
const offerUndo = (said, edits, redraw, seconds) => toast(said,
  () => send(edits).then(redraw).then(() => say("Undone")).catch(told), seconds);

/** Changes a document if its tags are still those that are seen; `redraw` gets it as it is then.
 * Returns similar tags if a new one may be a slip, and nothing is changed. */
async function edit(doc, change, said, redraw) {
  const address = at("documents", doc.id), tags = at("documents", doc.id, "tags");
  const back = inverse(doc, change);
  const look = async () => {  // once its tags are predicted anew, if they are not of people
    const body = { query: `id:"${doc.id.replaceAll('"', '""')}"`, restart: true };
    const job = doc.predicted && !back.add.length &&
      await ask("jobs/tag", { body }).catch(unless(409));  // all are being tagged
    if (job) await follow(job.id, () => {});
    redraw(await ask(address), false);
  };
  try {
    redraw(await ask(tags, { body: change, etag: doc.etag }), true);
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
  const wide = ({ label, confidence }) => 26 + 7.3 * called(label).length + (confidence ? 34 : 0);
  const beyond = tags.findIndex((tag) => (used += wide(tag)) > room);
  return beyond < 0 ? tags.length : Math.max(beyond, 1);
}

/** The tags of a document, each kind by what it tells: those of people, then the predicted ones.
 * What does not fit into `room` is behind "+7". Who may write gets x and check mark where a tag is
 * pointed at, or in the mode of editing. `changed` is called after a change. */
function tagLine(doc, room, changed = () => {}) {
  const line = h("div.chips");
  let whole = false;
  const act = (kind, sign, label, change, [does, did]) => h(`button.${kind}`, { type: "button",
    "aria-label": `${does} tag ${called(label)}`, title: `${does} tag ${called(label)}`,
    onclick: () => edit(doc, change, `${did} ${called(label)}`, line.show),
  }, h("span", { "aria-hidden": "true" }, sign));
  const draw = () => {
    const tags = [...telling(doc.labels).map((label) => ({ label })), ...doc.predicted];
    const fit = whole ? tags.length : fitting(tags, room), more = tags.length - fit;
    const chips = tags.slice(0, fit).map(({ label, confidence }) => h("li", chip(label, {
      confidence, buttons: server.may_write && [confidence !== undefined &&
        act("accept", "\u2713", label, { accept: [label] }, ["Accept", "Accepted"]),
      act("reject", "\u00d7", label, { reject: [label] }, ["Reject", "Rejected"])],
    })));
    const unfold = () => { line.unfold(); $("a", line).focus(); };
    line.classList.toggle("one-line", !whole);
    line.replaceChildren(tags.length ? h("ul", chips, more > 0 &&
      h("li", button("more", unfold, `+${more}`, unseen(" tags")))) : soft("No tags"));
  };
  line.unfold = () => {
    whole = true;
    draw();
  };
  line.show = (now) => {
    const within = line.contains(document.activeElement);
    Object.assign(doc, now);
    draw();
    changed();
    if (within) (line.closest("article") || $("a", line))?.focus();
  };
  draw();
  return line;
}

/** What the vocabulary has of some labels: the terms by their ids; none without a vocabulary. */
async function askTerms(labels, signal) {
  if (!server.snapshot.vocabulary_terms || !labels.length) return new Map();
  const asked = new URLSearchParams([["limit", labels.length], ...labels.map((id) => ["ids", id])]);
  const { terms } = await ask(to("vocabulary", asked), { signal });
  return new Map(terms.map((term) => [term.id, term]));
}
/** Where a label is in the tree of the vocabulary: "in Natural disaster". */
const branchOf = (term) => term?.above.length > 0 && `in ${called(term.above[0])}`;

/** A field for a tag, which proposes those that have what is typed in their name. One that no
 * document has, but a similar one, is added after a question. */
function addTagForm(add) {
  const list = h("datalist", { id: "labels" }), doubt = h("p.row", { role: "status" });
  const propose = async () => {
    const query = input.value, labels = await frequentLabels({ query, limit: 20 }).catch(told);
    const hasTerms = query && server.snapshot.vocabulary_terms;
    const asked = hasTerms && await ask(to("vocabulary", { query, limit: 20 })).catch(told);
    if (!labels || query !== input.value) return;
    const found = new Set([...labels.map(({ label }) => label), ...asked ? asked.ids : []]);
    const terms = new Map((asked ? asked.terms : []).map((term) => [term.id, term]));
    list.replaceChildren(...[...found].map((label) => h("option", { value: label },
      shown([names.get(label), branchOf(terms.get(label))]).join(", "))));
  };
  const input = h("input", { id: "new-tag", required: true, autocomplete: "off", maxlength: 200,
    list: "labels", onfocus: propose, oninput: whenTyped(propose) });
  const give = async (label, isNew) => {
    const near = await add(label, isNew);
    doubt.replaceChildren();
    if (!near) { input.value = ""; return; }
    doubt.replaceChildren("New tag: ", h("strong", label), ". Did you mean",
      ...near.map((other) => button("main-button", () => give(other), other)),
      button("", () => give(label, true), "No, add the new tag"));
    $("button", doubt).focus();
  };
  return h("form.row", { onsubmit: (event) => { event.preventDefault(); give(input.value); } },
    h("label", { for: "new-tag" }, "Add a tag"), input, list, h("button", "Add"), doubt);
}

// What a search asks

const onPage = 20, entriesShown = 10;
const isFilter = (name) => name.startsWith("value.") ||
  ["tag", "label", "predicted", "topic", "unit", "language"].includes(name);
const filtersOf = (state) => [...state].filter(([name, value]) => value && isFilter(name));
const isSearch = (state) => Boolean(state.get("q")) || filtersOf(state).length > 0;

/** The state with other values, at its first page; "" takes one away. */
function having(state, changes = {}) {
  const next = new URLSearchParams(state);
  for (const [name, value] of Object.entries({ offset: "", ...changes })) next.set(name, value);
  return next;
}
function toggled(state, name, value) {
  const next = having(state);
  if (next.has(name, value)) next.delete(name, value);
  else next.append(name, value);
  return next;
}

/** What is asked of the server: with the switch "only tags of people", a tag is one of theirs. */
function question(state, more) {
  const asked = new URLSearchParams(more);
  for (const [name, value] of state) {
    if (isFilter(name)) asked.append(name === "tag" && state.has("people") ? "label" : name, value);
    else if (["q", "sort", "offset", "fold"].includes(name)) asked.set(name, value);
  }
  return asked;
}

const byDocuments = (a, b) => b.documents - a.documents;
/** Tags as a list with bars: filters, those with the most documents first, or links to a page, in
 * the order that they have. */
function tagEntries(labels, state, page) {
  const all = labels.map(({ label, value = label, documents, predicted }) =>
    [value, documents, state.has("people") ? 0 : predicted]);
  const most = Math.max(1, ...all.map(([, a, b]) => a + b));
  const listed = page ? all : all.filter(([, a, b]) => a + b > 0)
    .sort((a, b) => b[1] + b[2] - a[1] - a[2]);
  return listed.map(([label, a, b]) =>
    entry(page ? to(page, having(state, { label })) : to("", toggled(state, "tag", label)),
      state.getAll(page ? "label" : "tag").includes(label), a + b, [a / most, b / most],
      isolated(called(label))));
}

function filterChips(state, page, topics) {
  const kinds = { label: "tag by people", predicted: "tag by Kindred", unit: "place" };
  const nameOf = (name, value) => name !== "topic" ? called(value)
    : topics.find((topic) => `${topic.value}` === value)?.name || value;
  const chips = filtersOf(state).map(([name, value]) => h("li",
    h("a.button.filter", { href: to(page, toggled(state, name, value)) },
      soft(kinds[name] || name.replace("value.", "")), isolated(nameOf(name, value)),
      h("span", { "aria-hidden": "true" }, "\u00d7"), unseen(" (takes this filter away)"))));
  return chips.length > 0 && h("ul.row.filters", { "aria-label": "Filters in use" }, chips);
}

/** Links to the pages before and after. `key`: of the state, where the page begins. */
function pager(page, state, limit, found, { about = "", key = "offset", name = "Pages" } = {}) {
  const offset = Number(state.get(key)), end = Math.min(offset + limit, found);
  const from = (start, text) => linkButton(to(page, having(state,
    { offset: state.get("offset") || "", [key]: start || "" })), false, text);
  return found > limit && h("nav.row.pager", { "aria-label": name },
    offset > 0 && from(Math.max(offset - limit, 0), "\u2190 Before"),
    soft(`${count(offset + 1)}\u2013${count(end)} of ${about}${count(found)}`),
    end < found && from(offset + limit, "After \u2192"));
}

// The first page: what the collection is

/** Searches that find something: words of two topics, and a tag; without topics three tags. Where
 * tags have names, those that have none are ids, which tell a newcomer nothing. */
function examples(topics, labels) {
  const named = labels.filter(({ label }) => names.has(label));
  const some = (list, ...parts) =>
    [...new Set(parts.map((part) => list[Math.floor(list.length * part)]))].filter(Boolean);
  const tags = some(named.length ? named : labels,
    ...topics.length ? [0.05] : [0.02, 0.05, 0.1]);
  return [...some(topics, 0.25, 0.38).map(({ name }) => ({ q: shortName(name, 2) })),
    ...tags.map(({ label }) => ({ tag: label }))];
}

async function homePage(state, { signal }) {
  const [map, labels] = await Promise.all([askMap({}, signal),
    frequentLabels({}, { signal })]);
  const { collection, index, snapshot } = server, said = counted(index.documents, "document");
  return { title: "Search", json: "labels", said, main: [
    h("div.home", h("div", h("h1", collection), h("p.lead", h("strong", said),
      `: ${count(snapshot.labeled)} with tags that people gave, ${count(snapshot.tagged)} with `,
      `tags that Kindred predicts. ${counted(snapshot.labels, "different tag")}. `,
      snapshot.scores && `The best one of a prediction is right for ${
        outOf100(snapshot.scores.accuracy)} documents.`),
    index.documents === 0 && empty("There are no documents yet.",
      "Add some with POST /documents, or with kindred index.",
      link("openapi.json", "How programs add documents")),
    h("div.row.tries", h("h2", "Try a search"), examples(map?.topics || [], labels)
      .map((asked) => linkButton(to("", asked), false, Object.values(asked).map(called)))),
    h("ul", h("li", link("try", "Paste a text"), " and see which tags it deserves"),
      h("li", link("review", "Review tags"), " that are missing or look wrong"),
      h("li", link(to("", { sort: "newest" }), "Browse all documents"), ", the newest first"))),
    map && h("a.home-map", { href: "explore", "aria-label": "Topic map" },
      drawMap(map, { small: true }).drawing),
    h("section", h("h2", "Tags in use"), legend(),
      h("ul.columns", tagEntries(labels, state).slice(0, 24))))] };
}

// Results

const totalOf = ({ total: { exact, estimate } }) =>
  (exact ? "" : "About ") + counted(estimate, "document");

function resultItem(found, state, room, languages) {
  const { topic, language, duplicates = [], values } = found;
  const facts = [...Object.entries(values).map(([name, value]) => h("span", `${name} ${value}`)),
    languages && language && h("span", language), duplicates.length > 0 && link(
      to("", having(state, { fold: 0 })), `+${counted(duplicates.length, "near-copy")}`),
    topic && h("a.topic", { href: to("", { topic: topic.number }) }, unseen("Topic "),
      isolated(topic.name))];
  const marked = found.snippet.map(({ text, hit }) => hit ? h("mark", text) : text);
  const isTitle = found.snippet.map(({ text }) => text).join("") === found.title;
  return h("li", h("article.item", { tabindex: -1, "data-item": found.id }, h("div.item-head",
    h("h2", titleLink(found, ...isTitle ? marked : [])), idOf(found), h("p.facts", facts)),
  !isTitle && h("p.snippet", { dir: "auto" }, marked), tagLine(found, room)));
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
    onchange: () => go(to("", having(state, { people: people ? "" : 1 }))) }), " only by people");
  return h("aside.side", { id: "filters", "aria-label": "Filters" }, h("h2", "Narrow down"),
    seen < total.estimate && h("p.soft", `Counts are of ${count(seen)} of the documents.`),
    group("Tags", tagEntries(facets.label, state), legend(only)),
    group("Topics", entries("topic", facets.topic)),
    facets.language.length > 1 && group("Languages", entries("language", facets.language)),
    Object.entries(facets.values).map(([name, values]) =>
      group(name, entries("value." + name, values))));
}

const nothing = (state, q) => filtersOf(state).length
  ? empty("Nothing matches with these filters.", link(to("", { q }), "Search without filters"))
  : empty("Nothing matches.", "Fewer words find more. OR between words finds either of them.",
    "A * after the beginning of a word finds all words that begin so.");

const fewResults = 10;

/** The words of a query that say what is looked for: no operators, fields, or what is excluded. */
const wordsOf = (q) =>
  q.replace(/(^|\s)-\S+|\b(AND|OR|NOT|XOR|NEAR|ADJ)\b|[\w.]+:\S+/g, " ").trim();

/** Below few results: other documents that are like the words of the query. */
async function similarPart(state, documents, signal) {
  const text = wordsOf(state.get("q") || "");
  if (!text || documents.length >= fewResults || filtersOf(state).length) return null;
  const asked = { like: [{ text }], limit: 2 * fewResults, fold: 0.95, explain: true };
  const { results } = await ask("related", { body: asked, signal }).catch(() => ({ results: [] }));
  const known = new Set(documents.flatMap(({ id, duplicates = [] }) =>
    [id, ...duplicates.map((each) => each.id)]));
  const others = results.filter(({ id }) => !known.has(id)).slice(0, fewResults);
  return others.length > 0 && h("section.similar", h("h2", "Similar to your words"),
    h("ol", others.map(relatedItem)));
}

async function resultsPage(state, { signal, typing, go, room }) {
  const asked = (partial) => to("search",
    question(state, { limit: onPage, facets: 30, fold: 0.95, partial }));
  const search = (partial) => ask(asked(partial), { signal });
  let mistake = null;  // in what was typed, whose words are found nevertheless
  let answer = await search(typing ? 1 : 0).catch((problem) => {
    if (problem.status !== 400 || typing) throw problem;
    mistake = h("p.notice", `${problem.message}. These have the words.`);
    return search(1);
  });
  const q = state.get("q");
  if (answer.correction && answer.documents.length === 0) {  // a slip: what is near to it is found
    state = having(state, { q: answer.correction, offset: state.get("offset") || "" });
    mistake = h("p.notice", "Nothing has ", h("strong", isolated(q)), ". This is what has ",
      h("strong", isolated(answer.correction)), ".");
    answer = await search(0);
  }
  const { documents, facets, seconds, correction, total } = answer, said = totalOf(answer);
  const similar = await similarPart(state, documents, signal);
  const items = documents.map((found) =>
    resultItem(found, state, room(18), facets.language.length > 1));
  return { title: q || "Documents", said, json: asked(mistake ? 1 : 0), main: [
    h("h1.unseen", q ? `Results for ${q}` : "Documents"),
    h("div.search", h("div", h("div.row.results-head", h("p.found", h("strong", said), " ",
      figure(`${Math.ceil(1000 * seconds)}\u2009ms`)),
    link(to("explore", having(state, { sort: "", fold: "" })), "On the map"),
    h("a.to-filters", { href: "#filters" }, "Filters"), order(state, answer, go)),
    mistake, filterChips(state, "", facets.topic), correction && h("p", "Did you mean ",
      link(to("", having(state, { q: correction })), isolated(correction)), "?"),
    items.length ? [h("ol.items", items),
      pager("", state, onPage, total.estimate - (answer.folded ?? 0),
        { about: total.exact ? "" : "about " })] : nothing(state, q), similar),
    facetPart(state, answer, go))] };
}

const searchPage = (state, context) =>
  isSearch(state) || state.has("sort") ? resultsPage(state, context) : homePage(state, context);

// A document with its text, tags, reasons and relatives; and a text that is tried

const firstLetters = 1600, addressLetters = 1500;  // of a text that is shown, or in an address
const suggestionsShown = 10, withReasons = { explain: true, titles: true };

/** The id of a label, where that is not what it is called. */
const labelId = (label) => names.has(label) && h("span.id", label);
const joined = (words) => words.map((word, i) => [i > 0 && " \u00b7 ", isolated(word)]);
const wordsLine = (terms) => terms.length > 0 &&
  h("p.soft.small", "Matching words: ", joined(terms.slice(0, 8).map(({ word }) => word)));
const tagsText = (labels) => labels.length > 0 && h("span.soft.small", unseen("Tags: "),
  joined(telling(labels).slice(0, 6).map(called)), labels.length > 6 && "\u2026");

/** Documents or words with a share each, as rows with a bar. */
function shareList(caption, items, share, unit, what = titled) {
  const most = Math.max(...items.map(share)) || 1;
  const row = (item) => h("li", what(item), bar(share(item) / most),
    unit && figure(`${percent(share(item))} ${unit}`));
  return items.length > 0 && h("div.shares", h("h3", caption), h("ol", items.map(row)));
}
/** The documents that voted for a tag. `all`: who they are. */
const voterList = ({ voters }, all) => shareList("Similar documents that have it",
  voters.slice(0, 6), ({ share }) => share, "of the vote",
  ({ id: its }) => titled(all.find(({ id }) => id === its)));

/** The likeliest tags of an example, also those that are not sure enough: `given` has those that
 * are, `thresholds` from where on each is. */
async function askSuggestions(example, signal) {
  const classify = (more) =>
    ask("classify", { body: { ...example, ...withReasons, ...more }, signal });
  const [all, usual] = await Promise.all(
    [classify({ limit: suggestionsShown, min_confidence: 0 }), classify({})]);
  const known = [...usual.reasons, ...usual.near_misses];
  const terms = await askTerms(all.tags.map(({ label }) => label), signal);
  return { ...all, terms, given: new Set(usual.tags.map(({ label }) => label)),
    thresholds: new Map(known.map(({ label, threshold }) => [label, threshold])) };
}

/** A tag with its name and id, how sure it is, and why. `labels`: those that people gave. */
function reason({ label, confidence, suggested }, why, suggestions, labels) {
  const { voters, given, thresholds, terms, untuned } = suggestions;
  const agreed = labels.includes(label), threshold = thresholds.get(label);
  const kind = agreed ? "span.chip.person" : suggested ? "span.chip.named" : "span.chip.guess";
  const mark = h("span.bar.gauge", { "aria-hidden": "true", "--people": 0,
    "--kindred": confidence, "--mark": threshold ?? 1 });
  const state = () => {
    if (agreed) return h("span.good", "people agree");
    if (suggested) return "no document has it";
    if (given.has(label)) return "would be given";
    return threshold > 0 ? `given from ${percent(threshold)} on` : "never given";
  };
  const sure = confidence < 0.005 ? "under 1\u2009%" : percent(confidence);
  const head = h("div.reason-head",
    h("span", h(kind, { "--sure": confidence }, isolated(called(label))), " ", labelId(label), " ",
      h("span.soft.small", branchOf(terms.get(label)))),
    mark, figure(sure, untuned ? " of votes" : " sure"), h("span.soft.small", state()));
  const body = h("div.reason-body", voterList(why, voters), shareList("Matching words",
    why.terms.slice(0, 8), ({ contribution }) => contribution, "", ({ word }) => isolated(word)));
  return h("details.reason", h("summary", head), body);
}

/** The likeliest tags as a list. `labels()`: those that people gave. `act`, if people may decide:
 * gets what a decision changes, what is said of it, and what is called when it is done. */
function suggestionList(suggestions, labels, act) {
  const row = (tag, i) => {
    const article = h("article.suggestion", { tabindex: -1, "data-item": `tag ${tag.label}` });
    let outcome = "";
    const choice = ([kind, text, change, said]) => button(kind, () => act(change, said, (done) => {
      outcome = done ? `${text}ed` : "";
      article.show();
      article.focus();
    }), text);
    article.show = () => article.replaceChildren(
      reason(tag, suggestions.reasons[i], suggestions, labels()),
      h("div.row.decide", outcome ? soft(outcome) : act && [!labels().includes(tag.label) &&
        choice(accepting(tag.label, "Accept", "accept")),
      choice(rejecting(tag.label, "reject", "Reject"))]));
    article.show();
    return article;
  };
  const rows = suggestions.tags.map(row);
  const list = h("ol.suggestions", rows.map((each) => h("li", each)));
  list.show = () => rows.forEach((each) => each.show());
  return list;
}
/** Those of a document, whose tags are changed; `redraw` gets it then. */
const documentSuggestions = (doc, suggestions, redraw = () => {}) =>
  suggestionList(suggestions, () => doc.labels, server.may_write && ((change, said, done) =>
    edit(doc, change, said, (now, changed) => {
      Object.assign(doc, now);
      redraw(now);
      done(changed);
    })));
/** What is around such a list. */
const suggestionPart = (list, ...more) => [
  legend(h("span.key.named"), "known by its name only"), more, list.childElementCount ? list
    : empty("No tag suits it.", "No document with tags is similar.")];
const decideHint = () => !server.may_write && signIn("Sign in to decide");

/** Words that it shares with others that are like the document in question. */
const broughtLine = (terms) => terms.length > 0 &&
  h("p.soft.small", "And of others like it: ", joined(terms.slice(0, 4).map(({ word }) => word)));
const relatedItem = ({ similarity, terms, neighbor_terms: brought, labels, folded, ...item }) =>
  h("li.related-item",
    h("div.related-head", titled(item), figure(`${percent(similarity)} alike`)), bar(similarity),
    wordsLine(terms), broughtLine(brought), tagsText(labels),
    folded.length > 0 && h("p.soft.small", `and ${counted(folded.length, "near-copy")} of it`));
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

async function documentPage(state, { signal, room }) {
  const id = state.get("id") || "", address = at("documents", id);
  const doc = await ask(address, { signal });
  const [related, suggestions] = await Promise.all([
    ask(at("documents", id, "related", { fold: 0.95, explain: 1 }), { signal }),
    askSuggestions({ id }, signal)]);
  const { title, topic, language, values, fields } = doc;
  const line = tagLine(doc, 2 * room(26), () => list.show());
  const list = documentSuggestions(doc, suggestions, line.show);
  const form = addTagForm((label, isNew = false) =>
    edit(doc, { add: [label], new: isNew }, `Added ${called(label)}`, line.show));
  const editing = ({ currentTarget }) => {
    form.hidden = !line.classList.toggle("editing");
    line.unfold();
    currentTarget.ariaPressed = !form.hidden;
  };
  form.hidden = true;
  return { title, json: address, main: [h("h1", { dir: "auto" }, title), withRelated(related,
    h("section.row", { "data-item": id }, h("h2.unseen", "Tags"), line,
      server.may_write && [button("quiet.edit", editing, "Edit tags"), form]),
    factList("dl.facts-list", { Id: h("span.id", isolated(id)), Language: language, Topic: topic &&
      link(to("", { topic: topic.number }), isolated(topic.name)),
    History: link(to("history", { id }), "Who changed its tags"), ...values, ...fields }),
    textPart(doc), h("section", h("h2", "Suggested tags"), suggestionPart(list, decideHint())))] };
}

let tried = "";  // a text that is too long for an address

async function example() {
  const offset = Math.floor(Math.random() * Math.min(server.index.documents, 5000));
  const { documents: [{ id }] } = await ask(to("search", { offset, limit: 1, facets: 0 }));
  const { title, text } = await ask(at("documents", id));
  return [title, text].join("\n\n").trim().slice(0, addressLetters);
}

async function tryPage(state, { signal, go }) {
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
    soft("Nothing is stored.")));
  if (!text) return { title, main: [h("h1", title), form, empty("What you get",
    "The tags that the text deserves, by what people tagged.",
    "If you ask, the documents and words that speak for each tag.",
    "A list of the tags that you accept, and related documents.")] };
  const [suggestions, related] = await Promise.all([askSuggestions({ text }, signal),
    ask("related", { body: { like: [{ text }], fold: 0.95, explain: true }, signal })]);
  const { given } = suggestions, said = counted(given.size, "tag");
  return { title, said, main: [h("h1", title), form, withRelated(related,
    h("h2", "Suggested tags"), chosenList(suggestions))] };
}

/** Suggestions for a text that is nowhere: what is accepted is listed, to be copied. */
function chosenList(suggestions) {
  const chosen = new Set(), line = h("p.row.accepted", { role: "status" });
  const act = ({ accept = [] }, said, done) => {
    accept.forEach((label) => chosen.add(label));
    const texts = [...chosen].map((label) => names.has(label) ? `${called(label)} (${label})` : label);
    line.replaceChildren(...chosen.size ? ["Accepted: ", h("strong", texts.join("; "))] : []);
    done(true);
  };
  return [suggestionPart(suggestionList(suggestions, () => [], act)), line];
}

// The topic map

/** The map with its topics, or null if there is none. */
async function askMap(parameters, signal) {
  const [map, topics] = await Promise.all([to("map", parameters), "topics"]
    .map((address) => ask(address, { signal }).catch(unless(404))));
  if (!map || !topics) return null;
  return { ...map, units: map.units.map((unit, at) => ({ ...unit, unit: at })), ...topics };
}

const scale = 20, margin = 0.8, colors = 10, mostUnits = 6400, leastType = 11;

/** Each topic gets the color that is used least, and not near it: the nearer, the worse. */
function colorTopics({ units, columns }) {
  const near = new Map(units.map(({ topic }) => [topic, new Map()])), reach = [-2, -1, 0, 1, 2];
  for (const a of units) {
    const its = near.get(a.topic);
    for (const b of reach.flatMap((y) => reach.map((x) => units[a.unit + y * columns + x])))
      if (b) its.set(b.topic, (its.get(b.topic) || 0) + Math.hypot(a.x - b.x, a.y - b.y) ** -6);
  }
  const color = new Map(), used = Array(colors).fill(0);
  for (const [topic, others] of [...near].sort(([, a], [, b]) => b.size - a.size)) {
    const costs = [...used];
    for (const [other, nearness] of others)
      if (color.has(other)) costs[color.get(other)] += 1e4 * nearness;
    color.set(topic, costs.indexOf(Math.min(...costs)));
    ++used[color.get(topic)];
  }
  return (topic) => ({ "--its": `var(--c${color.get(topic)})` });
}

/** The first words of a topic's name. One that another one begins with says nothing more. */
function shortName(name, words) {
  const parts = name.split(/[\s,]+/).filter((word) => word.length > 1);
  return parts.filter((word) => !parts.some((other) => other !== word && other.startsWith(word)))
    .slice(0, words).join(" ");
}

/** Names where they meet no other: the largest topics first, each near the middle of its units. */
function placeNames({ units, topics }, width, pixels, largest) {
  const boxes = [], most = Math.max(1, ...topics.map(({ documents }) => documents));
  const meet = (a, b) => a.left < b.right && b.left < a.right && Math.abs(a.y - b.y) < a.em + b.em;
  const place = (text, size, places) => {
    const em = 0.6 * size * width / pixels, half = (text.length + 1) * em / 2;
    for (const { x, y } of places) {
      const box = { left: x + margin - half, right: x + margin + half, y, em };
      if (box.left < 0 || box.right > width || boxes.some((other) => meet(box, other))) continue;
      boxes.push(box);
      return svg("text", { x: (x + margin) * scale, y: (y + margin + 0.6 * em) * scale,
        "font-size": em * scale / 0.6 }, text);
    }
    return null;
  };
  return topics.toSorted(byDocuments).map(({ number, name, documents }) => {
    const its = units.filter(({ topic }) => topic === number);
    const middle = (of) => its.reduce((sum, unit) => sum + unit[of] / its.length, 0);
    const x = middle("x"), y = middle("y"), far = (unit) => Math.hypot(unit.x - x, unit.y - y);
    const places = its.sort((a, b) => far(a) - far(b)).slice(0, 24);
    const usual = leastType + (largest - leastType) * Math.sqrt(documents / most);
    const put = (words, size) => place(shortName(name, words), size, places);
    return put(2, usual) || put(2, leastType) || put(1, leastType);
  });
}

/** The map as a drawing. `hits`: documents of a search in each unit; the others are faint then. */
function drawMap(map, { small = false, chosen = 0, hits = null } = {}) {
  const { topics } = map, units = map.units.length > mostUnits ? [] : map.units;
  const width = Math.max(...units.map(({ x }) => x)) + 2 * margin, color = colorTopics(map);
  const height = Math.max(...units.map(({ y }) => y)) + 2 * margin;
  const number = (unit) => hits ? hits.get(unit.unit) || 0 : unit.documents;
  const numbers = units.map(number).filter(Boolean).sort((a, b) => a - b);
  const most = numbers[Math.floor(numbers.length * 0.95)], least = hits ? 0.6 : 0.38;
  const opacity = (has) => has ? Math.min(1, least + (1 - least) * Math.sqrt(has / most)) : 0.12;
  const hexagon = map.lattice !== "rectangular", left = hexagon ? 0 : scale / 2;
  const shape = hexagon ? "l10 5.77v11.55l-10 5.77-10-5.77v-11.55z" : "h20v20h-20z";
  const top = hexagon ? scale / Math.sqrt(3) : scale / 2;
  const cell = (unit) => svg("path", { "data-unit": unit.unit,
    "fill-opacity": opacity(number(unit)),
    d: `M${(unit.x + margin) * scale - left} ${(unit.y + margin) * scale - top}${shape}` });
  const names = (kind, pixels, largest) =>
    svg("g", { class: `names ${kind}` }, placeNames({ units, topics }, width, pixels, largest));
  const drawing = svg("svg", { "aria-hidden": "true", class: "map",
    viewBox: `0 0 ${width * scale} ${height * scale}` },
  topics.map((topic) => svg("g", { "data-topic": topic.number, ...color(topic.number),
    class: chosen && chosen !== topic.number ? "region faint" : "region" },
  units.filter((unit) => unit.topic === topic.number).map(cell))),
  small ? names("", 400, 15) : [names("wide", 800, 20), names("narrow", 350, 15)]);
  return { drawing, color };
}

/** Says that there is no map; while one is made, how far it is, until it is there. */
async function noMap(again, signal) {
  const { jobs } = await ask("jobs", { signal });
  const job = jobs.find((each) => each.kind === "train" && isOpen(each));
  const progress = h("div", job && progressOf(job));
  if (job) follow(job.id, (now) => progress.replaceChildren(progressOf(now)), signal)
    .catch((problem) => signal.aborted || told(problem)).finally(() => signal.aborted || again());
  return { title: "Map", main: [h("h1", "Topic map"), progress, empty(
    job ? "The map is being made." : "This index has no map yet.",
    "A map shows all documents at once: similar ones lie side by side, in topics with names.",
    "This takes a few seconds for every 10,000 documents.", ...job ? [] : [server.may_write
      ? button("main-button", () => startJob("train", again), "Make a map")
      : signIn("Sign in to make one")])] };
}

/** The drawing in a box that scrolls where it is larger; buttons zoom. */
function mapBox(drawing, tell, choose) {
  const on = (act) => ({ target: { dataset: { unit } } }) => unit && act(Number(unit));
  let zoom = 1;
  const zoomBy = (factor) => {
    const x = box.scrollLeft + box.clientWidth / 2, y = box.scrollTop + box.clientHeight / 2;
    const before = zoom;
    zoom = Math.min(Math.max(zoom * factor, 1), 6);
    box.style.setProperty("--zoom", zoom);
    box.scrollTo(x * zoom / before - box.clientWidth / 2, y * zoom / before - box.clientHeight / 2);
  };
  const box = h("div.map-box", { tabindex: 0, role: "region", "aria-label": "Topic map",
    onpointermove: on(tell), onclick: on(choose) }, drawing);
  return [h("div.row", button("", () => zoomBy(1.5), "+", unseen(" Zoom in")),
    button("", () => zoomBy(1 / 1.5), "\u2212", unseen(" Zoom out"))), box];
}

async function mapPage(state, { signal, go, again }) {
  const searched = having(state, { topic: "", unit: "" }), searching = isSearch(searched);
  const [map, found] = await Promise.all([askMap(searching ? question(searched) : {}, signal),
    isSearch(state) && ask(to("search", question(state, { limit: 12, facets: 30, fold: 0.95 })),
      { signal })]);
  if (!map) return noMap(again, signal);
  const hits = searching ? new Map(map.hits.map(({ unit, documents }) => [unit, documents])) : null;
  const chosen = Number(state.get("topic")), { drawing, color } = drawMap(map, { chosen, hits });
  const here = ({ unit, documents }) => hits ? hits.get(unit) || 0 : documents;
  // After a training by the program, documents have no places until these are stored, too.
  const unplaced = hits ? found.documents.length > 0 && !hits.size
    : chosen && !found.documents.length;
  const readout = h("p.readout.soft", unplaced
    ? "No document found has a place. The command kindred topics assign stores those of all."
    : hits ? "The stronger a place is colored, the more of the documents lie there."
      : "Each place holds similar documents: the stronger its color, the more. Choose one.");
  const tell = (unit) => {
    const topic = map.topics.find(({ number }) => number === map.units[unit].topic);
    if (topic) readout.replaceChildren(h("strong", topic.name), ` \u00b7 ${
      counted(here(map.units[unit]), "document")} here \u00b7 ${
      topic.terms.map(({ word }) => word).join(", ")}`);
  };
  const leadTo = (topic, unit) => to("explore", having(state, { topic, unit }));
  const [tools, box] = mapBox(drawing, tell, (unit) =>
    go(hits ? leadTo("", unit) : leadTo(map.units[unit].topic, "")));
  const sum = (topic) => map.units.reduce((all, unit) =>
    all + (unit.topic === topic ? here(unit) : 0), 0);
  const topics = map.topics.map(({ number, name }) => ({ number, name, documents: sum(number) }))
    .filter(({ documents }) => documents || !hits).sort(byDocuments)
    .map(({ number, name, documents }) =>
      entry(leadTo(number === chosen ? "" : number, ""), number === chosen, documents, null,
        h("span.key", color(number)), isolated(name)));
  const list = found && h("section", h("div.row", h("h2.grow", counted(found.total.estimate,
    "document")), linkButton(to("", state), false, "Open in search")),
  h("ol.plain", found.documents.map((item) => h("li", titled(item), " ",
    tagsText([...item.labels, ...item.predicted.map(({ label }) => label)])))));
  return { title: "Map", json: "map", main: [h("h1", "Topic map"),
    found && filterChips(state, "explore", found.facets.topic),
    h("div.explore", h("div", h("div.row", tools, readout), box),
      h("aside.side", { "aria-label": "Topics and documents" }, list,
        h("section", h("h2", counted(topics.length, "topic")), h("ul", topics))))] };
}

// Lists to work through: tags to review, documents for a tag, and copies

const clear = 0.95, mostAtOnce = 1000, tagsOnPage = 50;

/** What can be decided: the class of its button, its text, the change, and what is said then. */
const accepting = (label, text = `Accept ${called(label)}`, kind = "accept.main-button") =>
  [kind, text, { accept: [label] }, `Accepted ${called(label)}`];
const rejecting = (label, kind, text) =>
  [kind, text, { reject: [label] }, `Not ${called(label)}`];

/** A document with what is to be decided of it: questions with choices, a doubt, and why. What is
 * decided stays in its place, so that nothing slides below the pointer. */
function workItem(item, questions) {
  const article = h("article.item", { tabindex: -1, "data-item": item.id });
  const asked = questions.map(({ choices, doubt, why }) => {
    const row = h("div.row.decide");
    const part = h("div.question", h("p", doubt), row,
      h("details.small", h("summary", "Why?"), why));
    const open = () => row.replaceChildren(...choices.map(([kind, text, change, said]) =>
      button(kind, () => edit(item, change, said, (now, changed) => {
        Object.assign(item, now);
        part.classList.toggle("done", changed);
        article.classList.toggle("done", asked.every((each) => each.matches(".done")));
        if (changed) row.replaceChildren(soft(said)); else open();
        article.focus();
      }), text)));
    if (server.may_write) open(); else row.append(decideHint());
    return part;
  });

  // Further suggestions are asked for when somebody wants them.
  const place = h("div");
  const unfold = ({ currentTarget }) => currentTarget.open && !place.hasChildNodes() &&
    askSuggestions({ id: item.id }).then((suggestions) => place.replaceChildren(
      ...shown(suggestionPart(documentSuggestions(item, suggestions), decideHint())))).catch(told);
  const { labels } = item;
  fill(article, [h("div.item-head", h("h2", titleLink(item)), idOf(item)),
    labels.length > 0 && h("p", h("span.soft.small", "has "), tagsText(labels)), asked,
    h("details.small", { ontoggle: unfold }, h("summary", "All suggested tags"), place)]);
  return h("li", article);
}

/** That a document may lack a tag or, where a rival is likelier, have a wrong one. */
function suspicion({ label, rival, confidence, voters }) {
  const right = rejecting(rival ? rival.label : label, "quiet.keep", "Tags are right");
  const choices = rival ? [
    ["reject.main-button", `Reject ${called(label)}`, { reject: [label] },
      `Rejected ${called(label)}`],
    ["accept", `Change to ${called(rival.label)}`, { accept: [rival.label], reject: [label] },
      `Changed to ${called(rival.label)}`], right] : [accepting(label), right];
  const doubt = rival ? [chip(label), " ", labelId(label), " looks wrong: similar documents say ",
    chip(rival.label, rival), " ", labelId(rival.label)]
    : ["May lack ", chip(label, { confidence }), " ", labelId(label)];
  return { choices, doubt, why: shareList("Most similar documents", voters.slice(0, 5),
    ({ similarity }) => similarity, "alike") };
}
const suspectItem = (item) => workItem(item, [item, ...item.more].map(suspicion));

const lists = { missing: ["Missing tags", "accept", "Accept", "Accepted"],
  wrong: ["Tags that look wrong", "reject", "Reject", "Rejected"] };

const listTabs = (list, answer) => Object.entries(lists).map(([name, [text]]) =>
  linkButton(to("review", { list: name }), name === list, text, answer && figure(
    count(answer[name].found),
    answer.complete ? `, ${count(answer[name].clear)} clear` : " so far")));
const listNav = (...parts) => h("nav.row", { "aria-label": "Lists" }, parts);
const reviewHead = () => [h("h1", "Review tags"), h("p.lead",
  "Documents whose tags differ from those of similar ones, the clearest first. ",
  link("label", "Or find documents for a tag."))];

async function reviewPage(state, { signal, again }) {
  const offset = state.get("offset") || 0;
  const show = (answer) => {
    // Where a document has one tag only, none is missing.
    const first = answer.missing.found || !answer.wrong.found ? "missing" : "wrong";
    const list = lists[state.get("list")] ? state.get("list") : first;
    const { clear: sure, suspects, documents } = answer[list], { complete } = answer;
    const [, change, doing, done] = lists[list];
    const decideAll = async () => {
      const whole = await completeList(to("suspects", { limit: mostAtOnce }), signal);
      const these = whole[list].suspects.filter((each) => (each.rival || each).confidence >= clear);
      const ofDocument = new Map();  // all that a document lacks is one change
      for (const each of these) ofDocument.set(each.id, [...ofDocument.get(each.id) || [], each]);
      const edits = [...ofDocument].map(([id, own]) =>
        ({ id, [change]: own.map(({ label }) => label) }));
      await send(edits);
      again();
      offerUndo(`${done} ${counted(these.length, "tag")}`,
        edits.map((each) => inverse(ofDocument.get(each.id)[0], each)), again, 60);
    };
    return [listNav(listTabs(list, answer), server.may_write && sure > 0 && button("",
      () => decideAll().catch(told), `${doing} all ${count(Math.min(sure, mostAtOnce))} that are `,
      `${percent(clear)} sure or more`)),
    suspects.length ? h("ol.items.work", suspects.map(suspectItem)) : complete &&
      empty(list === "wrong" ? "No tag looks wrong." : "No tag seems to be missing.",
        "The tags agree with those of similar documents.",
        link("label", "Find documents for a tag")),
    pager("review", state, onPage, documents)];
  };
  return { title: "Review", json: "suspects", main: [reviewHead(), await slowList(
    to("suspects", { limit: onPage, offset, by_document: 1 }), show, signal)] };
}

/** All tags, a page at a time, with a box that finds some by name, and their order. Of the state,
 * `find`, `sort` and `from` are the list's. */
async function tagList(state, signal) {
  const list = h("div");
  const show = async () => {
    const asked = state, { labels, found } = await ask(to("labels", { limit: tagsOnPage,
      query: asked.get("find"), sort: asked.get("sort") || "documents",
      offset: asked.get("from") }), { signal });
    if (asked !== state) return;  // something else is asked for meanwhile
    list.replaceChildren(...shown([h("h2", counted(found, "tag")),
      found ? h("ul", { id: "all-tags" }, tagEntries(labels, state, "label"))
        : h("p.soft", "No tag has this in its name."),
      pager("label", state, tagsOnPage, found, { key: "from", name: "Pages of tags" })]));
    say(counted(found, "tag"));
  };

  // What is chosen here changes the list alone. So whoever types can go on.
  const change = (changes) => {
    state = having(state, { offset: state.get("offset") || "", from: "", ...changes });
    stayAt(to("label", state));
    show().catch((problem) => signal.aborted || told(problem));
  };
  const input = h("input", { type: "search", value: state.get("find"), placeholder: "Find a tag",
    "aria-label": "Find a tag", oninput: whenTyped(() => change({ find: input.value })) });
  const option = (value, text) =>
    h("option", { value, selected: value === state.get("sort") }, text);
  const order = h("select", { "aria-label": "Order of tags",
    onchange: () => change({ sort: order.value }) },
  option("documents", "Most documents"), option("name", "By name"));
  await show();
  return [input, order, list];
}

/** The terms above and below a label, and what else the vocabulary says of it. */
function termPart(term) {
  if (!term) return null;
  const links = (labels) => labels.length > 0 && h("ul.row", labels.map((label) =>
    h("li", link(to("label", { label }), isolated(called(label))))));
  const others = [...term.names, ...term.synonyms].map(({ text }) => text)
    .filter((text) => text !== called(term.id));
  const branch = { q: `narrower:"${term.id.replaceAll('"', '""')}"` };
  const facts = { "Also called": others.join(", "), "Broader": links(term.above),
    "Narrower": links(term.below), "Use instead": links(term.use_instead), "Note": term.note };
  if (!Object.values(facts).some(Boolean)) return null;
  return h("section", { "aria-label": "In the vocabulary" }, factList("dl.facts-list", facts), term.below.length > 0 && h("p", link(to("", branch), "Documents of this and all below")));
}

const labelHead = () => h("h1", "Documents for a tag");

async function labelPage(state, { signal }) {
  const chosen = state.get("label"), offset = Number(state.get("offset"));
  const item = (each) => workItem(each, [{ doubt: chip(chosen, each),
    choices: [accepting(chosen, "Accept"), rejecting(chosen, "reject", "Reject")],
    why: [voterList(each.reason, each.voters), wordsLine(each.reason.terms)] }]);
  const show = ({ candidates, found, complete }) => [h("p.lead",
    `${counted(found, "document")} that the tag `, h("strong", isolated(called(chosen))),
    " might suit, the surest first. ", link(to("", { tag: chosen }), "Documents that have it")),
  candidates.length ? h("ol.items.work", candidates.map(item))
    : complete && empty("No more suggestions for this tag.", "Choose another tag."),
  pager("label", state, tagsOnPage, Math.min(found, mostAtOnce))];
  const asked = { limit: tagsOnPage, offset, explain: 1 };
  const [tags, terms, work] = await Promise.all([tagList(state, signal),
    askTerms(chosen ? [chosen] : [], signal), chosen
    ? slowList(at("labels", chosen, "candidates", asked), show, signal)
    : empty("Choose a tag.", "You see documents that it would suit, and accept or reject them.")]);
  return { title: chosen ? called(chosen) : "Tags", json: "labels", main: [labelHead(),
    h("div.search", h("div", termPart(terms.get(chosen)), work), h("aside.side", { "aria-label": "Tags" }, tags))] };
}

const leastAlike = (state) => Number(state.get("min_similarity") || 0.95);
const copiesHead = (state) => [h("h1", "Near-copies"),
  h("nav.row", { "aria-label": "Least similarity" }, [0.8, 0.9, 0.95, 0.99].map((each) =>
    linkButton(to("copies", { min_similarity: each }), each === leastAlike(state),
      `from ${percent(each)}`)))];

async function copiesPage(state, { signal }) {
  const asked = { min_similarity: leastAlike(state) }, first = 5;
  const rows = (items) => h("ol.plain", items.map((item) =>
    h("li", titled(item), " ", tagsText(item.labels))));
  const group = ({ documents, least_similarity: least, greatest_similarity: most }) =>
    h("article.group", { tabindex: -1 }, h("h2", counted(documents.length, "document"), " ",
      soft(least === most ? "" : `${percent(least)} to `, `${percent(most)} alike`)),
    rows(documents.slice(0, first)), documents.length > first && h("details",
      h("summary", `${count(documents.length - first)} more`), rows(documents.slice(first))));
  const show = ({ groups, found, grouped, examined, complete }) => [
    (examined || complete) && h("p.lead",
      `${counted(grouped, "document")} in ${counted(found, "group")}, of ${count(examined)}. `,
      "The largest groups come first. Search shows each as one result."),
    groups.length ? h("div.groups", groups.map(group))
      : complete && empty("No near-copies.", "No two documents are this much alike.")];
  return { title: "Copies", json: to("duplicates", asked), main: [copiesHead(state),
    await slowList(to("duplicates", { ...asked, limit: 60 }), show, signal)] };
}

// Who changed which tags

const stepWords = { given: "gave", accepted: "accepted", taken_off: "took off", rejected: "rejected",
  allowed: "allowed again", predicted: "predicted", dropped: "dropped",
  opted_out: "opted out of predicted tags", opted_in: "opted in again" };
const waysWords = { index: "by indexing", ingest: "by ingest", tag: "by tagging", edit: "by hand",
  label: "by a change of the label", undo: "by taking an edit back" };

const historyHead = () => h("h1", "Who changed which tags");

/** The edits of a document, or of all, the latest first; each may be taken back. */
async function historyPage(state, { signal, again }) {
  const id = state.get("id"), before = state.get("before");
  const json = to("log", { ids: id, before, limit: tagsOnPage });
  const { edits, found, next } = await ask(json, { signal });
  const takeBack = async (number) => {
    const { tags, kept } = await ask("undo", { body: { edit: number } });
    const stays = kept ? `; ${counted(kept, "tag")} changed again since, and stays` : "";
    toast(`Took back ${counted(tags, "tag")}${stays}`);
    again();
  };
  const step = ({ step: what, label, confidence }) =>
    h("li", stepWords[what], " ", label !== null && chip(label, { confidence }));
  const item = ({ edit: number, time, who, how, id: of, steps }) => h("li", h("article.item",
    h("div.item-head", h("time", { datetime: time }, new Date(time).toLocaleString("en")), " ",
      isolated(who), soft(` ${waysWords[how] || how}`),
      !id && link(to("document", { id: of }), isolated(of))),
    h("ul.row", steps.map(step)), server.may_write && button("quiet",
      () => takeBack(number).catch(told), "Take back", unseen(` edit ${number}`))));
  return { title: "History", json, main: [historyHead(),
    h("p.lead", counted(found, "edit"), id && [" of ", link(to("document", { id }), isolated(id))],
      ", the latest first."),
    edits.length ? h("ol.items", edits.map(item)) : empty("No tag was changed yet.",
      "Edits are written down from now on, unless the setting history.keep says no."),
    next && linkButton(to("history", { id, before: next }), false, "Earlier edits")] };
}

// The state of the server, and maintenance: jobs that are started and followed

/** What tuning would change, and the question whether it shall. */
async function previewTune(place, again) {
  const close = () => place.replaceChildren();
  const { id } = await ask("jobs/tune", { body: { dry_run: true } });
  const { result: { before, after, changed } } = await follow(id, (job) =>
    place.replaceChildren(progressOf(job)));
  const today = before ? ` (${outOf100(before.accuracy)} today)` : "";
  place.replaceChildren(h("div.notice", h("p", "The best tag would be right for ",
    h("strong", outOf100(after.accuracy)), ` documents${today}. `,
    `Tags of ${counted(changed, "document")} would change.`),
  h("div.row", button("main-button", () => { close(); startJob("tune", again); }, "Tune"),
    button("", close, "Leave it as it is"))));
}

const kinds = { tune: "Tune", train: "Make the map", tag: "Tag all", suspects: "List of Review",
  candidates: "Documents for a tag", duplicates: "List of near-copies" };
function maintenance(again) {
  const place = h("div", { role: "status" });
  const way = (kind, help, act = () => startJob(kind, again)) =>
    h("div.row", button("start", act, kinds[kind]), soft(help));
  return server.may_write ? [way("tune", "shows what another way to tag would change, and asks",
    () => previewTune(place, again).catch(told)), place,
  way("train", "finds the topics of all documents"),
  way("tag", "predicts tags of documents that people have not tagged")]
    : signIn("Sign in to start maintenance");
}

function jobItem(job) {
  const figures = Object.entries(job.result || {}).filter(([, value]) => typeof value === "number")
    .slice(0, 4).map(([name, value]) => `${name.replaceAll("_", " ")} ${count(value)}`).join(", ");
  const cancel = () => ask(at("jobs", job.id), { method: "DELETE" }).catch(told);
  const open = isOpen(job);
  return h("li.row", h("strong", kinds[job.kind] || job.kind), open ? progressOf(job) : job.state,
    open && server.may_write && button("quiet", cancel, "Cancel"),
    soft(job.error?.detail || figures),
    h("time.figure", { datetime: job.started }, new Date(job.started).toLocaleTimeString("en-GB")));
}

async function aboutPage(state, { signal, again }) {
  const [{ jobs }] = await Promise.all([ask("jobs", { signal }), askStatus(signal)]);
  const { index, snapshot, plugin, lag_seconds: lag } = server;
  const started = h("ol.plain"), asked = h("ol.plain");
  const isList = ({ kind }) => ["suspects", "candidates", "duplicates"].includes(kind);
  const show = (now) => {
    started.replaceChildren(...now.filter((job) => !isList(job)).map(jobItem));
    asked.replaceChildren(...now.filter(isList).map(jobItem));
  };
  const open = jobs.find(isOpen), mib = (bytes) => `${count(bytes / 2 ** 20)} MiB`;
  show(jobs);
  if (open) follow(open.id, (job) => show(jobs.map((old) => old.id === job.id ? job : old)), signal)
    .catch(() => {}).finally(() => signal.aborted || again());
  return { title: "Status", json: "status", main: [h("h1", "Status"), factList("dl.tiles", {
    Documents: count(index.documents), "Tagged by people": count(snapshot.labeled),
    "Tagged by Kindred": count(snapshot.tagged), "Different tags": count(snapshot.labels),
    "To be tagged": count(snapshot.pending), "Tags taken off": count(snapshot.rejected),
    Answers: lag > 1 ? `${count(Math.round(lag))} s behind` : "Up to date",
    "Best tag is right": snapshot.scores ? outOf100(snapshot.scores.accuracy) : "Not tuned",
  }), h("h2", "Maintenance"), maintenance(again), started,
  jobs.some(isList) && [h("h2", "Lists for pages"), h("p.soft",
    "They are made when nothing else is to be done, and end when nobody looks."), asked],
  h("h2", "Index and plugin"), factList("dl.facts-list", {
    Index: `${index.uuid}, revision ${index.revision}`, Memory: mib(snapshot.bytes),
    "Memory of the GPU": snapshot.device_bytes ? mib(snapshot.device_bytes) : null,
    Plugin: `${plugin.version} on ${plugin.device || plugin.backend}`,
  })] };
}

// Which page an address shows, and what is around every page

const heads = {
  "": (state) => isSearch(state) || state.has("sort")
    ? h("h1.unseen", "Documents") : h("h1", $("#name").textContent),
  document: (state) => h("h1.soft", isolated(state.get("id") || "")),
  try: () => h("h1", "Try a text"), explore: () => h("h1", "Topic map"),
  review: (state) => [reviewHead(), listNav(listTabs(state.get("list") || "missing"))],
  label: labelHead, copies: copiesHead, about: () => h("h1", "Status"), history: historyHead,
};
const pages = { "": searchPage, document: documentPage, try: tryPage, explore: mapPage,
  review: reviewPage, label: labelPage, copies: copiesPage, about: aboutPage,
  history: historyPage };
const home = new URL("./", location.href);  // with the prefix of a proxy, if there is one
const placeOf = ({ href, pathname }) =>
  href.startsWith(home.href) ? pathname.slice(home.pathname.length) : "?";

let leaving = new AbortController();  // ends what the page that is shown still waits for
let here = "";
/** Gives what is shown another address. */
function stayAt(address) {
  history.replaceState(history.state, "", address);
  here = location.pathname + location.search;
}

/** About how many pixels wide the main column is, beside a column of so many rem. */
const room = (side) => Math.min(document.documentElement.clientWidth, 1408) -
  (matchMedia("(min-width: 60rem)").matches ? 72 + side * 16 : 24);

/** What of the frame depends on the page. */
function dress(url, view) {
  const place = { document: "", label: "review" }[placeOf(url)] ?? placeOf(url);
  const { may_write: may, session } = server || {};
  for (const tab of all("header nav a")) tab.ariaCurrent = placeOf(tab) === place ? "page" : null;
  document.title = `${view.title} \u2013 ${$("#name").textContent}`;
  $("#json").href = view.json || "status";
  if (document.activeElement !== $("#q")) $("#q").value = url.searchParams.get("q") || "";
  $("#session").hidden = may && !session;
  $("#session").textContent = session ? "Sign out" : "Sign in to edit";
}

let shownPlace = null;

/** Shows at once what another page begins with. */
function announce(url, main) {
  shownPlace = placeOf(url);
  main.replaceChildren(...shown([heads[shownPlace](url.searchParams), blanks()]));
  main.classList.add("waiting");
  dress(url, { title: $("h1").textContent });
  scrollTo(0, 0);
}

/** Shows the page of an address. `stay`: it is the same page once more. */
async function load(address, { push, replace, typing, stay, scroll = 0 } = {}) {
  const url = new URL(address, location.href), main = $("main");
  const again = () => load(url.href, { stay: true }), go = (to) => load(to, { push: true });
  leaving.abort();
  const { signal } = leaving = new AbortController();
  if (push) history.replaceState({ scroll: scrollY }, "");
  if (push) history.pushState({}, "", url);
  if (replace) history.replaceState({}, "", url);
  here = url.pathname + url.search;
  main.ariaBusy = "true";
  if (shownPlace !== placeOf(url)) announce(url, main);
  const slow = setTimeout(() => say("Asking the server"), 1500);
  let view;
  try {
    if (!server) await Promise.all([askSpread(signal), askStatus(signal)]);
    view = await pages[placeOf(url)](url.searchParams, { signal, again, typing, room, go });
  } catch ({ status, message }) {
    const title = status === 404 ? "Not found" : "This did not work";
    view = { title, main: [h("h1", title), empty(message, button("", again, "Try again"))] };
  }
  clearTimeout(slow);
  if (signal.aborted) return;
  const focused = document.activeElement.closest("[data-item]")?.dataset.item;
  main.ariaBusy = null;
  main.classList.remove("waiting");
  main.replaceChildren(...shown(view.main));
  dress(url, view);
  say(view.said || view.title);
  if (stay) return $(`[data-item="${CSS.escape(focused)}"]`)?.focus();
  scrollTo(0, scroll);
  if (!typing) main.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href]");
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey ||
      !anchor || anchor.hash || !(placeOf(anchor) in pages)) return;
  event.preventDefault();
  load(anchor.href, { push: true });
});
addEventListener("popstate", ({ state }) => {
  if (location.pathname + location.search !== here) load(location.href, { scroll: state?.scroll });
});
history.scrollRestoration = "manual";

// Search, also while one types

let typed = false;  // whether the newest entry of the history is of what is being typed
const whileTyping = whenTyped(() => search(true));

function search(typing) {
  const state = placeOf(location) === "" ? location.search : "", q = $("#q").value;
  whileTyping.cancel();
  load(to("", having(state, { q })), { typing: true, push: !typed, replace: typed });
  typed = typing;
}
$("#q").oninput = whileTyping;
$("#q").onblur = () => { typed = false; };
$("#search").onsubmit = (event) => { event.preventDefault(); search(false); };

// Signing in and out

const dialog = $("#sign-in");

/** Begins or ends a session. What its cookie allows, the server tells. */
async function changeSession(address, fields) {
  const { ok } = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
  $("#sign-in-trouble").textContent = ok ? "" : "That is not the token of this server.";
  if (!ok) return;
  await askStatus();
  dialog.close();
  load(location.href, { stay: true });
}
$("#session").onclick = () => server?.session
  ? changeSession("session/end", {}).catch(told) : dialog.showModal();
$("form", dialog).onsubmit = async (event) => {
  event.preventDefault();
  await changeSession("session", { token: $("#token").value }).catch(told);
  event.target.reset();
};

// Keys

const letters = $("#letters");
letters.ariaPressed = localStorage.getItem("letters") !== "false";
letters.onclick = () => {
  letters.ariaPressed = letters.ariaPressed !== "true";
  localStorage.setItem("letters", letters.ariaPressed);
};

function go(step) {
  const items = all("article").filter((each) => each.checkVisibility());
  const at = items.indexOf(document.activeElement.closest("article"));
  items.at(Math.min(Math.max(at + step, 0), items.length - 1))?.focus();
}
/** Clicks what the chosen item has of this; else it is said why nothing happens. */
function press(selector, what) {
  const item = document.activeElement.closest("article");
  const found = item && [...item.querySelectorAll(selector)].find((each) => each.checkVisibility());
  if (found) found.click();
  else if (what) toast(item ? `There is nothing to ${what} here.` : "Choose something by j first.");
}
function undo() {
  const back = $("#toast .act");
  if (back) back.click(); else toast("There is nothing to undo.");
}
const keys = {
  "/": () => $("#q").select(), j: () => go(1), k: () => go(-1), u: undo,
  a: () => press("button.accept", "accept"), s: () => press("button.keep", "keep"),
  r: () => press(".decide .reject, .guess .reject, .decide .keep", "reject"),
};
document.addEventListener("keydown", (event) => {
  const { target, key } = event, writes = target.matches("input, textarea, select");
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.id === "text")
    target.form.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (key === "Escape" && target.id === "q") target.blur();
  if (key === "Enter" && target.matches("article")) press("h2 a, summary");
  if (writes || letters.ariaPressed !== "true" || !keys[key]) return;
  event.preventDefault();
  keys[key]();
});

load(location.href, { replace: true });
