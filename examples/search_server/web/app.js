// Which page an address shows, what is around every page, and keys.

import { aboutPage } from "./about.js";
import { askStatus, server } from "./api.js";
import { documentPage, tryPage } from "./document.js";
import { $, all, button, empty, h, say, shown, told } from "./dom.js";
import { mapPage } from "./map.js";
import { copiesPage, labelPage, reviewPage } from "./review.js";
import { searchPage } from "./search.js";

const pages = { "": searchPage, document: documentPage, try: tryPage, explore: mapPage,
  review: reviewPage, label: labelPage, copies: copiesPage, about: aboutPage };
const home = new URL("./", location.href);  // with the prefix of a proxy, if there is one
const placeOf = (url) => url.href.startsWith(home.href) ? url.pathname.slice(home.pathname.length) : "?";

let leaving = new AbortController();  // ends what the page that is shown still waits for
let here = "";

/** About how many pixels a line of the main column has, beside a column of so many rem. */
const room = (side) => Math.min(document.documentElement.clientWidth, 1408) -
  (matchMedia("(min-width: 60rem)").matches ? 40 + side * 16 + 32 : 24);

function problemPage({ status, message }, again) {
  const head = status === 404 ? "Not found" : "This did not work";
  return { title: head, main: [h("h1", head), empty(message, button("", again, "Try again"))] };
}

/** What of the frame depends on the page. */
function dress(url, view) {
  const place = { document: "", label: "review" }[placeOf(url)] ?? placeOf(url);
  const { collection = "Kindred", may_write: may, session } = server.status || {};
  for (const link of all("nav[aria-label=Views] a")) {
    if (placeOf(new URL(link.href)) === place) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view.title} \u2013 ${collection}`;
  $("#name").textContent = collection;
  $("#json").href = view.json || "status";
  if (document.activeElement !== $("#q")) $("#q").value = url.searchParams.get("q") || "";
  $("#session").hidden = may && !session;
  $("#session").textContent = session ? "Sign out" : "Sign in to edit";
}

/** Shows the page of an address. `stay`: it is the same page once more. */
async function load(address, { push, replace, typing, stay, scroll = 0 } = {}) {
  const url = new URL(address, location.href), main = $("main");
  const again = () => load(url.href, { stay: true });
  leaving.abort();
  const { signal } = leaving = new AbortController();
  if (push) { history.replaceState({ scroll: scrollY }, ""); history.pushState({}, "", url); }
  if (replace) history.replaceState({}, "", url);
  here = url.pathname + url.search;
  main.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => say("Asking the server"), 1500);
  let view;
  try {
    if (!server.status) await askStatus(signal);
    view = await pages[placeOf(url)](url.searchParams, { signal, again, typing, room,
      go: (to) => load(to, { push: true }) });
  } catch (problem) {
    view = problemPage(problem, again);
  }
  clearTimeout(slow);
  if (signal.aborted) return;
  const focused = document.activeElement.closest("[data-item]")?.dataset.item;
  main.removeAttribute("aria-busy");
  main.replaceChildren(...shown(view.main));
  dress(url, view);
  say(view.said || view.title);
  if (stay) { $(`[data-item="${CSS.escape(focused)}"]`)?.focus(); return; }
  scrollTo(0, scroll);
  if (!typing) main.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]"), url = link && new URL(link.href);
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey ||
      event.altKey || !url || !(placeOf(url) in pages) || url.hash) return;
  event.preventDefault();
  load(url.href, { push: true });
});
addEventListener("popstate", ({ state }) => {
  if (location.pathname + location.search !== here) load(location.href, { scroll: state?.scroll });
});
history.scrollRestoration = "manual";

// Search, also while one types

let timer = 0, typed = false;  // whether the newest entry of the history is of what is being typed

function search(typing) {
  const next = new URL(placeOf(location) === "" ? location.href : home.href);
  clearTimeout(timer);
  next.searchParams.delete("offset");
  next.searchParams.set("q", $("#q").value);
  if (!$("#q").value) next.searchParams.delete("q");
  load(next.href, { typing: true, push: !typed, replace: typed });
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
  const { ok } = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
  await askStatus();
  if (ok) load(location.href, { stay: true });
  return ok;
}
$("#session").onclick = () => server.status.session ? changeSession("session/end", {}).catch(told)
  : dialog.showModal();
$("button[type=button]", dialog).onclick = () => dialog.close();
$("form", dialog).addEventListener("submit", async (event) => {
  event.preventDefault();
  const good = await changeSession("session", { token: $("#token").value });
  $("#sign-in-trouble").textContent = good ? "" : "That is not the token of this server.";
  if (good) { event.target.reset(); dialog.close(); }
});

// Keys

const letters = $("#letters"), lettersAreOn = () => letters.getAttribute("aria-pressed") === "true";
function setLetters(on) {
  letters.setAttribute("aria-pressed", on);
  localStorage.setItem("letters", on ? "on" : "off");
}
setLetters(localStorage.getItem("letters") !== "off");
letters.onclick = () => setLetters(!lettersAreOn());

function go(step) {
  const items = all("article[tabindex]"), at = items.indexOf(document.activeElement.closest("article"));
  const next = at < 0 ? Math.min(step - 1, 0) : Math.min(Math.max(at + step, 0), items.length - 1);
  const item = items.at(next);
  item?.focus({ preventScroll: true });
  item?.scrollIntoView({ block: "nearest" });
}
const press = (selector) => $(selector, document.activeElement.closest("article") ||
  document.createElement("i"))?.click();
const keys = {
  "/": () => { $("#q").focus(); $("#q").select(); }, j: () => go(1), k: () => go(-1),
  a: () => press("button.accept"), r: () => press(".decide .remove, .guess .remove"),
  s: () => press("button.keep"), u: () => $("#toast .act")?.click(),
};
document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.id === "text")
    target.form.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (key === "Escape" && target.id === "q") target.blur();
  if (key === "Enter" && target.matches("article")) press("h2 a");
  if (target.matches("input, textarea, select") || !lettersAreOn() || !keys[key]) return;
  event.preventDefault();
  keys[key]();
});

load(location.href, { replace: true });
