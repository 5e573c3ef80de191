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
const placeOf = ({ href, pathname }) =>
  href.startsWith(home.href) ? pathname.slice(home.pathname.length) : "?";

let leaving = new AbortController();  // ends what the page that is shown still waits for
let here = "";

/** About how many pixels wide the main column is, beside a column of so many rem. */
const room = (side) => Math.min(document.documentElement.clientWidth, 1408) -
  (matchMedia("(min-width: 60rem)").matches ? 72 + side * 16 : 24);

function problemPage({ status, message }, again) {
  const title = status === 404 ? "Not found" : "This did not work";
  return { title, main: [h("h1", title), empty(message, button("", again, "Try again"))] };
}

/** What of the frame depends on the page. */
function dress(url, view) {
  const place = { document: "", label: "review" }[placeOf(url)] ?? placeOf(url);
  const { collection = "Kindred", may_write: may, session } = server.status || {};
  for (const link of all("header nav a"))
    link.ariaCurrent = placeOf(link) === place ? "page" : null;
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
  const again = () => load(url.href, { stay: true }), go = (to) => load(to, { push: true });
  leaving.abort();
  const { signal } = leaving = new AbortController();
  if (push) history.replaceState({ scroll: scrollY }, "");
  if (push) history.pushState({}, "", url);
  if (replace) history.replaceState({}, "", url);
  here = url.pathname + url.search;
  main.ariaBusy = "true";
  const slow = setTimeout(() => say("Asking the server"), 1500);
  let view;
  try {
    if (!server.status) await askStatus(signal);
    view = await pages[placeOf(url)](url.searchParams, { signal, again, typing, room, go });
  } catch (problem) {
    view = problemPage(problem, again);
  }
  clearTimeout(slow);
  if (signal.aborted) return;
  const focused = document.activeElement.closest("[data-item]")?.dataset.item;
  main.ariaBusy = null;
  main.replaceChildren(...shown(view.main));
  dress(url, view);
  say(view.said || view.title);
  if (stay) return $(`[data-item="${CSS.escape(focused)}"]`)?.focus();
  scrollTo(0, scroll);
  if (!typing) main.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || !link ||
      link.hash || !(placeOf(link) in pages)) return;
  event.preventDefault();
  load(link.href, { push: true });
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
  if ($("#q").value) next.searchParams.set("q", $("#q").value);
  else next.searchParams.delete("q");
  load(next.href, { typing: true, push: !typed, replace: typed });
  typed = typing;
}
$("#q").oninput = ({ isComposing }) => {
  clearTimeout(timer);
  if (!isComposing) timer = setTimeout(() => search(true), 160);
};
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
$("#session").onclick = () => server.status?.session
  ? changeSession("session/end", {}).catch(told) : dialog.showModal();
$("form", dialog).onsubmit = async (event) => {
  event.preventDefault();
  await changeSession("session", { token: $("#token").value }).catch(told);
  event.target.reset();
};

// Keys

const letters = $("#letters");
function setLetters(on) {
  letters.ariaPressed = on;
  localStorage.setItem("letters", on);
}
setLetters(localStorage.getItem("letters") !== "false");
letters.onclick = () => setLetters(letters.ariaPressed !== "true");

function go(step) {
  const items = all("article"), at = items.indexOf(document.activeElement.closest("article"));
  const next = at < 0 ? Math.min(step - 1, 0) : Math.min(Math.max(at + step, 0), items.length - 1);
  items.at(next)?.focus();
}
function press(selector) {
  const item = document.activeElement.closest("article");
  if (item) $(selector, item)?.click();
}
const keys = {
  "/": () => $("#q").select(), j: () => go(1), k: () => go(-1), u: () => $("#toast .act")?.click(),
  a: () => press("button.accept"), r: () => press(".decide .remove, .guess .remove"),
  s: () => press("button.keep"),
};
document.addEventListener("keydown", (event) => {
  const { target, key } = event, writes = target.matches("input, textarea, select");
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.id === "text")
    target.form.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (key === "Escape" && target.id === "q") target.blur();
  if (key === "Enter" && target.matches("article")) press("h2 a");
  if (writes || letters.ariaPressed !== "true" || !keys[key]) return;
  event.preventDefault();
  keys[key]();
});

load(location.href, { replace: true });
