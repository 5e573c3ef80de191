// The server's JSON, and what takes long.

import { h, say } from "./dom.js";

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || "The server does not answer.");
    Object.assign(this, { status, kind: body.type || "" });
  }
}

/** What the server answers. `body`: posted. `etag`: only if this is still the state. */
export async function ask(address, { body, etag, signal, method } = {}) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (etag) headers["If-Match"] = etag;
  let answer;
  try {
    answer = await fetch(address, {
      headers, signal, method: method || (body === undefined ? "GET" : "POST"),
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, {});
  }
  const text = await answer.text();
  const json = text.startsWith("{") ? JSON.parse(text) : {};
  if (!answer.ok) throw new Problem(answer.status, json);
  return json;
}

/** The answer, or null if there is none of this kind (404). */
export const askIfThere = (address, options) => ask(address, options).catch((problem) => {
  if (problem.status === 404) return null;
  throw problem;
});

/** What the server says of itself and of this client, as it was asked last. */
export const server = { status: null };
export const askStatus = async (signal) => server.status = await ask("status", { signal });
export const mayWrite = () => server.status.may_write;

export const at = (...segments) => segments.map(encodeURIComponent).join("/");

const pause = (milliseconds, signal) => new Promise((resolve, reject) => {
  setTimeout(resolve, milliseconds);
  signal?.addEventListener("abort", () => reject(signal.reason));
});

/** Waits for the end of a job. `tell` gets it whenever it is looked at. */
export async function follow(id, tell, signal) {
  for (let wait = 150; ; wait = Math.min(wait * 1.5, 1000)) {
    const job = await ask(at("jobs", id), { signal });
    tell(job);
    if (!["queued", "running"].includes(job.state)) return job;
    await pause(wait, signal);
  }
}

export function progressOf(job) {
  const { doing, done, of } = job.progress;
  return h("p.progress", {},
    h("progress", { max: of || 1, value: of ? done : null, "aria-label": doing || job.kind }),
    h("span.soft", {}, `${doing || "Looking at all documents"}`,
      of ? ` \u00b7 ${Math.floor(100 * done / of)}\u2009%` : "\u2026"));
}

/**
 * A list that may take long: shows what is there at once, follows the job that completes it, and
 * shows it whole. `show` makes the elements of an answer. `signal` ends it when the page is left.
 */
export async function slowList(address, show, signal) {
  const whole = h("div.slow"), progress = h("div.progress-place");
  const part = async () => {
    const answer = await ask(address, { signal });
    whole.replaceChildren(...[show(answer)].flat(Infinity));
    return answer;
  };
  const complete = async (answer) => {
    while (!answer.complete && answer.job) {
      const job = await follow(answer.job, (now) => progress.replaceChildren(progressOf(now)),
        signal);
      if (job.state !== "done") throw new Problem(0, job.error || { detail: "It was cancelled." });
      answer = await part();
    }
    progress.replaceChildren();
    say("The list is complete");
  };
  const first = await part();
  if (!first.complete) {
    complete(first).catch((problem) => {
      if (problem.name !== "AbortError")
        progress.replaceChildren(h("p.notice.bad", {}, problem.message));
    });
  }
  return [progress, whole];
}
