// The state of the server, and maintenance: jobs that are started and followed.

import { ask, askStatus, follow, isOpen, mayWrite, progressOf, server } from "./api.js";
import { at, button, count, counted, factList, h, told } from "./dom.js";

export const startJob = (kind, again) =>
  ask(`jobs/${kind}`, { body: {} }).then(again).catch(told);
export const outOf100 = (share) => `${Math.round(100 * share)} of 100`;

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

function maintenance(again) {
  const place = h("div", { role: "status" });
  const way = (text, help, act) => h("div.row", button("start", act, text), h("span.soft", help));
  return mayWrite() ? [way("Tune", "shows what another way to tag would change, and asks",
    () => previewTune(place, again).catch(told)), place,
  way("Make the map", "finds the topics of all documents", () => startJob("train", again)),
  way("Tag all", "predicts tags of documents that people have not tagged",
    () => startJob("tag", again))] : h("p.soft", "Sign in to start maintenance.");
}

const kinds = { tune: "Tune", train: "Make the map", tag: "Tag all" };
function jobItem(job) {
  const figures = Object.entries(job.result || {}).filter(([, value]) => typeof value === "number")
    .slice(0, 4).map(([name, value]) => `${name.replaceAll("_", " ")} ${count(value)}`).join(", ");
  const cancel = () => ask(at("jobs", job.id), { method: "DELETE" }).catch(told);
  const open = isOpen(job);
  return h("li.row", h("strong", kinds[job.kind] || job.kind), open ? progressOf(job) : job.state,
    open && mayWrite() && button("quiet", cancel, "Cancel"),
    h("span.soft", job.error?.detail || figures),
    h("time.figure", { datetime: job.started }, new Date(job.started).toLocaleTimeString("en-GB")));
}

export async function aboutPage(state, { signal, again }) {
  const [{ jobs }] = await Promise.all([ask("jobs", { signal }), askStatus(signal)]);
  const { index, snapshot, plugin, lag_seconds: lag } = server.status, list = h("ol.plain");
  const show = (now) => list.replaceChildren(...now.map(jobItem));
  const open = jobs.find(isOpen), mib = (bytes) => `${count(bytes / 2 ** 20)} MiB`;
  show(jobs);
  if (open) follow(open.id, (job) => show(jobs.map((old) => old.id === job.id ? job : old)), signal)
    .finally(() => { if (!signal.aborted) again(); }).catch(() => {});
  return { title: "Status", json: "status", main: [h("h1", "Status"), factList("dl.tiles", {
    Documents: count(index.documents), "Tagged by people": count(snapshot.labeled),
    "Tagged by Kindred": count(snapshot.tagged), "Different tags": count(snapshot.labels),
    "To be tagged": count(snapshot.pending), "Tags taken off": count(snapshot.rejected),
    Answers: lag > 1 ? `${count(Math.round(lag))} s behind` : "Up to date",
    "Best tag is right": snapshot.scores ? outOf100(snapshot.scores.accuracy) : "Not tuned",
  }), h("h2", "Maintenance"), maintenance(again), list,
  h("h2", "Index and plugin"), factList("dl.facts-list", {
    Index: `${index.uuid}, revision ${index.revision}`, Memory: mib(snapshot.bytes),
    "Memory of the GPU": snapshot.device_bytes ? mib(snapshot.device_bytes) : null,
    Plugin: `${plugin.version} on ${plugin.device || plugin.backend}`,
  })] };
}
