// The state of the server, and maintenance: jobs that are asked for and followed.

import { ask, askStatus, at, follow, mayWrite, progressOf } from "./api.js";
import { $, count, counted, empty, figure, h, percent, toast } from "./dom.js";
import { told } from "./tags.js";

const isOpen = (job) => ["queued", "running"].includes(job.state);

export async function startJob(kind, options, again) {
  try {
    const job = await ask(`jobs/${kind}`, { body: options });
    again();
    return job;
  } catch (problem) {
    told(problem);
    return null;
  }
}

const outOf100 = (share) => Math.round(100 * share);

/** What tuning would change, and the question whether it shall. */
async function previewTune(place, again) {
  const tell = (job) => place.replaceChildren(progressOf(job));
  const begun = await ask("jobs/tune", { body: { dry_run: true } });
  const { state, result, error } = await follow(begun.id, tell);
  if (state !== "done") throw new Error(error?.detail || "It was cancelled.");
  const { before, after, changed } = result;
  const now = before && `, it is for ${outOf100(before.best)} today`;
  place.replaceChildren(h("div.notice", {},
    h("p", {}, "After tuning, the best tag would be right for ",
      h("strong", {}, `${outOf100(after.best)} of 100`), ` documents${now || ""}. `,
      `Tags of ${counted(changed, "document")} would change.`),
    h("div.row", {}, h("button.main-button", { type: "button", onclick: () => {
      place.replaceChildren();
      startJob("tune", {}, again);
    } }, "Tune"), h("button", { type: "button", onclick: () => place.replaceChildren() },
      "Leave it as it is"))));
}

const bytes = (number) => number < 2 ** 30 ? `${count(number / 2 ** 20)}\u2009MiB`
  : `${(number / 2 ** 30).toFixed(1)}\u2009GiB`;

const table = (name, head, rows) => h("div.box", { tabindex: 0, role: "region", "aria-label": name },
  h("table.details", {}, head && h("thead", {}, h("tr", {}, head.map((text) =>
    h("th", { scope: "col" }, text)))), h("tbody", {}, rows)));

const kinds = { tune: "Tune", train: "Make the map", tag: "Tag all" };

function jobRow(job) {
  const { kind, state, error, progress, result } = job;
  const figures = Object.entries(result || {}).filter(([, value]) => typeof value === "number")
    .slice(0, 4).map(([name, value]) => `${name.replaceAll("_", " ")} ${count(value)}`);
  const said = error ? error.detail : figures.join(", ") || progress.doing;
  const cancel = isOpen(job) && mayWrite() && h("button.quiet", { type: "button",
    onclick: () => ask(at("jobs", job.id), { method: "DELETE" }).catch(told) }, "Cancel");
  return h("tr", {}, h("th", { scope: "row" }, kinds[kind] || kind), h("td", {}, state),
    h("td", {}, isOpen(job) ? progressOf(job) : said, cancel),
    h("td", {}, h("time", { datetime: job.started }, new Date(job.started).toLocaleTimeString())));
}

function maintenance(again) {
  const place = h("div", { role: "status" });
  const action = (text, help, act) => h("div.start", {},
    h("button", { type: "button", onclick: act }, text), h("span.soft", {}, help));
  return mayWrite() ? [
    action("Tune", "shows what another way to tag would change, and asks before it is taken",
      () => previewTune(place, again).catch(told)), place,
    action("Make the map", "finds the topics of all documents", () => startJob("train", {}, again)),
    action("Tag all", "predicts tags of documents that people have not tagged",
      () => startJob("tag", {}, again))] : h("p.soft", {}, "Sign in to start maintenance.");
}

export async function aboutPage(state, { signal, again }) {
  const [status, { jobs }] = await Promise.all([askStatus(signal), ask("jobs", { signal })]);
  const { index, snapshot, plugin, lag, tuning } = status;
  const tile = (name, value, kind = "div") => h(kind, {}, h("dt", {}, name), h("dd", {}, value));
  const row = (name, value) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value));
  const list = h("div.jobs", {});
  const showJobs = (now) => list.replaceChildren(...now.length
    ? [table("Jobs", ["Job", "State", "Progress or result", "Started"], now.map(jobRow))] : []);
  showJobs(jobs);
  const watch = async () => {
    for (let now = jobs, open; (open = now.find(isOpen));) {
      await follow(open.id, (job) => showJobs(now.map((old) => old.id === job.id ? job : old)),
        signal);
      ({ jobs: now } = await ask("jobs", { signal }));
      if (!now.some(isOpen)) again();
    }
  };
  watch().catch(() => {});
  return {
    title: "Status", json: "status", said: "Status",
    main: [h("h1", {}, "Status"), h("dl.tiles", {},
      tile("Documents", count(index.documents)),
      tile("Tagged by people", count(snapshot.labeled)),
      tile("Tagged by Kindred", count(snapshot.tagged)),
      tile("Different tags", count(snapshot.labels)), tile("To be tagged", count(snapshot.pending)),
      tile("Tags taken off", count(snapshot.rejected)),
      lag.revisions === 0 ? tile("Answers", "Up to date", "div.good")
        : tile("Answers", `${counted(lag.revisions, "change")} behind`, "div.warn"),
      tuning ? tile("Best tag right", `${outOf100(tuning.best)} of 100`)
        : tile("Tuned", snapshot.tuned ? "yes" : "not yet")),
    h("h2", {}, "Maintenance"), maintenance(again), list,
    h("h2", {}, "Index and plugin"), table("Index and plugin", null, [
      row("Index", `${index.uuid}, revision ${index.revision}`), row("Profile", index.profile),
      row("Different words", count(snapshot.terms)), row("Memory", bytes(snapshot.bytes)),
      snapshot.device_bytes > 0 && row("Memory of the GPU", bytes(snapshot.device_bytes)),
      row("Plugin", `${plugin.version} on ${plugin.backend}` +
        (plugin.device ? ` (${plugin.device})` : "")),
      row("New plugin taken", counted(plugin.swaps, "time"))])],
  };
}
