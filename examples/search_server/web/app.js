// Which page an address shows, what is around every page, and keys.

import { aboutPage } from "./about.js";
import { askStatus, server } from "./api.js";
import { documentPage, tryPage } from "./document.js";
import { $, all, empty, h, say, takeToast } from "./dom.js";
import { mapPage } from "./map.js";
import { copiesPage, labelPage, reviewPage } from "./review.js";
import { searchPage } from "./search.js";

const pages = { "": searchPage, document: documentPage, try: tryPage, explore: mapPage,
  review: reviewPage, label: labelPage, copies: copiesPage, about: aboutPage };
const placeOf = (url) => url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
const home = new URL("./", location.href);  // with the prefix of a proxy, if there is one
const isPage = (url) => url.origin === home.origin && placeOf(url) in pages &&
  new URL("./", url).href === home.href;

let leave = new AbortController();  // ends what the page that is shown still waits for
let shown = "";

function problemPage(problem, again) {
  const retry = h("button", { type: "button", onclick: again }, "Try again");
  if (problem.status === 404)
    return { title: "Not found", main: [h("h1", {}, "Not found"), empty(problem.message, retry)] };
  const head = problem.status ? "This did not work" : "The server does not answer";
  return { title: head, main: [h("h1", {}, head), empty(problem.message, retry)] };
}

function dress(url, view) {
  const place = { document: "", label: "review" }[placeOf(url)] ?? placeOf(url);
  for (const link of all("nav[aria-label=Views] a")) {
    const here = link.getAttribute("href").replace("./", "") === place;
    link.toggleAttribute("aria-current", here);
    if (here) link.setAttribute("aria-current", "page");
  }
  document.title = `${view.title} \u2013 ${server.status?.collection || "Kindred"}`;
  $("#json").href = view.json || "status";
  $("#name").textContent = server.status?.collection || "Kindred";
  if (document.activeElement !== $("#q") && ["", "explore"].includes(placeOf(url)))
    $("#q").value = url.searchParams.get("q") || "";
  const { may_write: may, session } = server.status || {};
  Object.assign($("#session"), { hidden: may && !session,
    textContent: session ? "Sign out" : "Sign in to edit" });
}

/** Shows the page of an address. `push`: as a new entry of the history; `typing`: of words. */
async function load(address, { push = false, replace = false, typing = false, stay = false,
  scroll = 0 } = {}) {
  const url = new URL(address, location.href), main = $("main");
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const again = () => load(url.href, { stay: true });
  if (push) history.replaceState({ scroll: scrollY }, "");
  if (push) history.pushState({}, "", url);
  else if (replace) history.replaceState({}, "", url);
  shown = url.pathname + url.search;
  main.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => say("Asking the server"), 1500);
  let view;
  try {
    if (!server.status) await askStatus(signal);
    const context = { signal, again, typing, go: (to) => load(to, { push: true }) };
    view = await pages[placeOf(url)](url.searchParams, context);
  } catch (problem) {
    if (problem.name === "AbortError") return;
    view = problemPage(problem, again);
  } finally {
    clearTimeout(slow);
  }
  if (signal.aborted) return;
  const focused = stay && document.activeElement.closest("[data-item]")?.dataset.item;
  main.removeAttribute("aria-busy");
  main.replaceChildren(...view.main.flat(Infinity).filter(Boolean));
  dress(url, view);
  say(view.said || view.title);
  if (focused) $(`[data-item="${CSS.escape(focused)}"]`)?.focus();
  if (stay) return;
  scrollTo(0, scroll);
  if (!typing) main.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey ||
      event.altKey) return;
  const link = event.target.closest("a[href]"), url = link && new URL(link.href);
  if (!url || !isPage(url) || url.hash) return;
  event.preventDefault();
  load(url.href, { push: true });
});
addEventListener("popstate", ({ state }) => {
  if (location.pathname + location.search !== shown) load(location.href, { scroll: state?.scroll });
});
history.scrollRestoration = "manual";

// Search, also while one types

let timer = 0, typed = false;  // whether the newest entry of the history is of what is being typed

function search(typing) {
  clearTimeout(timer);
  const here = new URL(location.href);
  const next = new URL(placeOf(here) === "" ? here.href : home.href);
  next.searchParams.delete("offset");
  next.searchParams.set("q", $("#q").value);
  if (!$("#q").value) next.searchParams.delete("q");
  load(next.href, { typing: true, push: !typed, replace: typed, partial: typing });
  typed = typing;
}
$("#q").addEventListener("input", (event) => {
  clearTimeout(timer);
  if (!event.isComposing) timer = setTimeout(() => search(true), 160);
});
$("#q").addEventListener("blur", () => { typed = false; });
$("#search").addEventListener("submit", (event) => { event.preventDefault(); search(false); });

// Signing in and out

const dialog = $("#sign-in");

async function changeSession(address, fields) {
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
  if (!answer.ok) return false;
  await askStatus();
  load(location.href, { stay: true });
  return true;
}
$("#session").onclick = () => {
  if (server.status.session) changeSession("session/end", {});
  else dialog.showModal();
};
$("button[value=cancel]", dialog).onclick = () => dialog.close();
$("form", dialog).addEventListener("submit", async (event) => {
  event.preventDefault();
  const good = await changeSession("session", { token: $("#token").value });
  $("#sign-in-trouble").textContent = good ? "" : "That is not the token of this server.";
  if (good) { $("#token").value = ""; dialog.close(); }
});

// Keys

const letters = $("#letters");
function setLetters(on) {
  letters.setAttribute("aria-pressed", on);
  localStorage.setItem("letters", on ? "on" : "off");
}
const lettersAreOn = () => letters.getAttribute("aria-pressed") === "true";
setLetters(localStorage.getItem("letters") !== "off");
letters.onclick = () => setLetters(!lettersAreOn());

function go(step) {
  const items = all("article[tabindex]").filter((item) => item.offsetParent);
  const at = items.indexOf(document.activeElement.closest("article"));
  const next = at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step;
  const item = items[Math.min(Math.max(next, 0), items.length - 1)];
  item?.focus({ preventScroll: true });
  item?.scrollIntoView({ block: "nearest" });
  return Boolean(item);
}
function press(selector) {
  const item = document.activeElement.closest("article"), button = item && $(selector, item);
  button?.click();
  return Boolean(button);
}
const keys = {
  "/": () => { $("#q").focus(); $("#q").select(); return true; },
  j: () => go(1), k: () => go(-1), u: takeToast,
  a: () => press("button.accept"), s: () => press("button.keep"),
  r: () => press(".decide button.remove, .guess button.remove"),
};

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.id === "text") {
    target.form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (key === "Escape" && target.id === "q") target.blur();
  if (key === "Enter" && target.matches("article")) press("h2 a");
  if (!target.matches("input, textarea, select") && lettersAreOn() && keys[key]?.())
    event.preventDefault();
});

load(location.href, { replace: true });
