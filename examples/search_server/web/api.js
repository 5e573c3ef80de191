// The server's JSON, and what takes long.

import { at, button, h, percent, say, shown } from "./dom.js";

export class Problem extends Error {
  constructor(status, { detail, title, suggestions } = {}) {
    const text = detail || title || "The server does not answer. Is it still running?";
    super(text[0].toUpperCase() + text.slice(1));
    Object.assign(this, { status, suggestions });
  }
}

/** What the server answers. `body`: what is posted. `etag`: only if this is still the state. */
export async function ask(address, { body, etag, signal, method } = {}) {
  const headers = { Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if (etag) headers["If-Match"] = etag;
  const options = { headers, signal, method: method || (body ? "POST" : "GET") };
  const answer = await fetch(address, { ...options, body: body && JSON.stringify(body) })
    .catch((error) => { throw signal?.aborted ? error : new Problem(0); });
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Problem(answer.status, json);
  return json;
}
/** The answer, or null if there is none of this kind. */
export const askIfThere = (address, options) => ask(address, options)
  .catch((problem) => { if (problem.status !== 404) throw problem; return null; });

/** Labels that a document has, by people or predicted. */
export const askLabels = async (options) => (await ask("labels", options)).labels
  .filter(({ documents, predicted }) => documents + predicted > 0);

/** What the server says of itself and of this client, as it was asked last. */
export const server = { status: null };
export const askStatus = async (signal) => { server.status = await ask("status", { signal }); };
export const mayWrite = () => server.status.may_write;

export const isOpen = ({ state }) => state === "running";
/** Waits for the end of a job. `tell` gets it whenever it is looked at. */
export async function follow(id, tell, signal) {
  for (let wait = 150; ; wait = Math.min(wait * 1.5, 1000)) {
    const job = await ask(at("jobs", id), { signal });
    tell(job);
    if (job.state === "failed" || job.state === "canceled")
      throw new Problem(0, job.error || { detail: "It was canceled." });
    if (!isOpen(job)) return job;
    await new Promise((resolve) => { setTimeout(resolve, wait); });
  }
}
export const progressOf = ({ kind, progress: { doing, done, of } }) => h("p.row.progress",
  h("progress", { max: of || 1, value: of ? done : null, "aria-label": doing || kind }),
  h("span.soft", doing.split(":")[0] || "Looking at all documents",
    of ? ` ${percent(done / of)}` : "\u2026"));

/** A list that may take long: what is there at once, then, as a job ends, all of it. Rows that
 * people may be reading are replaced when they say so. */
export async function slowList(address, show, signal) {
  const whole = h("div"), progress = h("div.progress-place");
  const part = async () => {
    const answer = await ask(address, { signal });
    whole.replaceChildren(...shown([show(answer)]));
    return answer;
  };
  const complete = async (answer) => {
    while (!answer.complete) {
      await follow(answer.job, (job) => progress.replaceChildren(progressOf(job)), signal);
      say("The list is complete");
      if (whole.querySelector("li")) await new Promise((go) => progress.replaceChildren(
        h("p.row.progress", button("quiet", go, "Show the complete list"))));
      answer = await part();
    }
    progress.replaceChildren();
  };
  complete(await part()).catch((problem) => {
    if (!signal.aborted) progress.replaceChildren(h("p.notice.bad", problem.message));
  });
  return [progress, whole];
}
