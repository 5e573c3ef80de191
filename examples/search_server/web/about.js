// The state of the server, and maintenance: jobs that are started and followed.

import { ask, askStatus, follow, isOpen, mayWrite, progressOf, server } from "./api.js";
import { at, button, count, counted, h, shown, told } from "./dom.js";

export const startJob = (kind, again) =>
  ask(`jobs/${kind}`, { body: {} }).then(again).catch(told);

export const outOf100 = (share) => `${Math.round(100 * share)} of 100`;

/** What tuning would change, and the question whether it shall. */
async function previewTune(place, again) {
  const { id } = await ask("jobs/tune", { body: { dry_run: true } });
  const { result: { before, after, changed } } = await follow(id, (job) =>
    place.replaceChildren(progressOf(job)));
  const close = () => place.replaceChildren();
  place.replaceChildren(h("div.notice", h("p", "The best tag would be right for ",
    h("strong", outOf100(after.accuracy)), ` documents${before ? `; today it is for ${outOf100(before.accuracy)}` : ""}. `,
    `Tags of ${counted(changed, "document")} would change.`),
  h("div.row", button("main-button", () => { close(); startJob("tune", again); }, "Tune"),
    button("", close, "Leave it as it is"))));
}

const table = (name, head, rows) => h("div.box", { tabindex: 0, role: "region", "aria-label": name },
  h("table", head.length > 0 && h("thead", h("tr", head.map((text) =>
    h("th", { scope: "col" }, text)))), h("tbody", shown(rows))));
const row = (name, ...cells) =>
  h("tr", h("th", { scope: "row" }, name), cells.map((cell) => h("td", cell)));

const kinds = { tune: "Tune", train: "Make the map", tag: "Tag all" };
function jobRow(job) {
  const figures = Object.entries(job.result || {}).filter(([, value]) => typeof value === "number")
    .slice(0, 4).map(([name, value]) => `${name.replaceAll("_", " ")} ${count(value)}`).join(", ");
  const cancel = () => ask(at("jobs", job.id), { method: "DELETE" }).catch(told);
  return row(kinds[job.kind] || job.kind, job.state, isOpen(job) ? h("div.row", progressOf(job),
    mayWrite() && button("quiet", cancel, "Cancel")) : job.error?.detail || figures,
  h("time", { datetime: job.started }, new Date(job.started).toLocaleTimeString("en-GB")));
}

function maintenance(again) {
  const place = h("div", { role: "status" });
  const way = (text, help, act) => h("div.row", button("start", act, text), h("span.soft", help));
  return mayWrite() ? [way("Tune", "shows what another way to tag would change, and asks",
    () => previewTune(place, again).catch(told)), place,
  way("Make the map", "finds the topics of all documents", () => startJob("train", again)),
  way("Tag all", "predicts tags of documents that people have not tagged",
    () => startJob("tag", again))] : h("p.soft", "Sign in to start maintenance.");
}

export async function aboutPage(state, { signal, again }) {
  const [{ jobs }] = await Promise.all([ask("jobs", { signal }), askStatus(signal)]);
  const { index, snapshot, plugin, lag } = server.status, list = h("div");
  const show = (now) => list.replaceChildren(...now.length
    ? [table("Jobs", ["Job", "State", "Progress or result", "Started"], now.map(jobRow))] : []);
  const open = jobs.find(isOpen);
  show(jobs);
  if (open) follow(open.id, (job) => show(jobs.map((old) => old.id === job.id ? job : old)), signal)
    .finally(() => { if (!signal.aborted) again(); }).catch(() => {});
  const tile = (kind, name, value) => h(kind, h("dt", name), h("dd", value));
  const numbers = { Documents: index.documents, "Tagged by people": snapshot.labeled,
    "Tagged by Kindred": snapshot.tagged, "Different tags": snapshot.labels,
    "To be tagged": snapshot.pending, "Tags taken off": snapshot.rejected };
  return { title: "Status", json: "status", main: [h("h1", "Status"), h("dl.tiles",
    Object.entries(numbers).map(([name, number]) => tile("div", name, count(number))),
    lag.revisions ? tile("div.warn", "Answers", `${counted(lag.revisions, "change")} behind`)
      : tile("div.good", "Answers", "Up to date"),
    snapshot.scores ? tile("div", "Best tag is right", outOf100(snapshot.scores.accuracy))
      : tile("div", "Tuned", snapshot.tuned ? "Yes" : "Not yet")),
  h("h2", "Maintenance"), maintenance(again), list,
  h("h2", "Index and plugin"), table("Index and plugin", [], [
    row("Index", `${index.uuid}, revision ${index.revision}`), row("Profile", index.profile),
    row("Different words", count(snapshot.terms)),
    row("Memory", `${count(snapshot.bytes / 2 ** 20)}\u2009MiB`), snapshot.device_bytes > 0 &&
      row("Memory of the GPU", `${count(snapshot.device_bytes / 2 ** 20)}\u2009MiB`),
    row("Plugin", `${plugin.version} on ${plugin.device || plugin.backend}`),
    row("New plugin taken", counted(plugin.swaps, "time"))])] };
}
