// Makes the pages quicker to use. They work without it: it follows the same links and sends the
// same forms, asks for <main> only, and puts it in place.
"use strict";
(() => {
const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const pages = new Set(["/", "/document", "/try", "/explore", "/review", "/label", "/copies",
                       "/about"]);
document.documentElement.classList.add("js");
history.scrollRestoration = "manual";

// Asking for a view

let asked = null;  // what can be called off
let timer = 0;
let shown = location.pathname + location.search;  // the address of the view that is there

const say = (text) => { $("#said").textContent = text; };

function show(address, html, options) {
  const main = new DOMParser().parseFromString(html, "text/html").querySelector("main");
  if (!main) return location.assign(address);
  const place = options.stay ? placeOfFocus() : null;
  $("main").replaceWith(main);
  const name = document.title.split(" \u2013 ").pop();
  document.title = `${main.dataset.title} \u2013 ${name}`;
  if (options.push) history.pushState({}, "", address);
  else if (options.replace) history.replaceState({}, "", address);
  shown = location.pathname + location.search;
  dressHeader(main);
  wire();
  if (options.stay) return restoreFocus(place, options.said ?? main.dataset.said);
  scrollTo(0, options.scroll || 0);
  if (!options.typing) main.focus({ preventScroll: true });
  say(main.dataset.said || main.dataset.title);
}

async function load(address, options = {}) {
  clearTimeout(timer);
  if (asked) asked.abort();
  const mine = asked = new AbortController();
  if (options.push) history.replaceState({ scroll: scrollY }, "");
  if (!options.quiet) $("main").setAttribute("aria-busy", "true");
  const slow = setTimeout(() => say("Asking the server"), 1500);
  try {
    const answer = await fetch(address, {
      method: options.body ? "POST" : "GET", body: options.body, signal: mine.signal,
      headers: { "X-Fragment": "main" }, credentials: "same-origin",
    });
    const html = await answer.text();
    if (mine.signal.aborted) return;
    trouble(null);
    if (options.body && !answer.ok) show(location.href, html, {});  // what was refused, and why
    else show(answer.url, html, options);
  } catch (error) {
    if (error.name === "AbortError") return;
    $("main").removeAttribute("aria-busy");
    trouble(() => load(address, options));
  } finally {
    clearTimeout(slow);
    if (asked === mine) asked = null;
  }
}

function trouble(again) {
  const box = $("#trouble");
  box.textContent = "";
  box.hidden = !again;
  if (!again) return;
  const button = document.createElement("button");
  button.textContent = "Try again";
  button.onclick = again;
  box.append("The server does not answer. ", button);
}

// What of the header depends on the view

function dressHeader(main) {
  const here = { "/document": "/", "/label": "/review" }[location.pathname] || location.pathname;
  for (const link of all("header nav a")) {
    if (link.getAttribute("href") === here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const kept = $("#kept"), parameters = new URLSearchParams(location.search);
  kept.textContent = "";
  if (location.pathname === "/") {
    for (const [name, value] of parameters) {
      if (["q", "offset", "partial"].includes(name)) continue;
      kept.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    if (document.activeElement !== $("#q")) $("#q").value = parameters.get("q") || "";
  }
  const json = $("#json"), signIn = $("a.session");
  if (json) json.hidden = !main.dataset.json;
  if (json && main.dataset.json) json.href = main.dataset.json;
  if (signIn)
    signIn.href = "/session?next=" + encodeURIComponent(location.pathname + location.search);
  for (const back of all("header [name=back]")) back.value = location.pathname + location.search;
}

// Where the reader was, and is again after a change

function placeOfFocus() {
  const item = document.activeElement.closest("[data-item]"), button = document.activeElement;
  return {
    id: item && item.dataset.item, scroll: scrollY,
    number: item ? all("[data-item]").indexOf(item) : -1,
    name: button.name, inside: !!item && item !== button,
  };
}

function restoreFocus(place, said) {
  scrollTo(0, place.scroll);
  if (said) say(said);
  if (place.number < 0) return;
  const items = all("[data-item]");
  const same = items.find((item) => item.dataset.item === place.id);
  const item = same || items[Math.min(place.number, items.length - 1)];
  if (!item) return $("main").focus({ preventScroll: true });
  const button = same && place.inside && place.name &&
    $(`button[name="${CSS.escape(place.name)}"], input[name="${CSS.escape(place.name)}"]`, same);
  if (!button && !item.hasAttribute("tabindex")) item.tabIndex = -1;
  (button || item).focus({ preventScroll: !!same });
}

// Links and forms

function isPage(url) { return url.origin === location.origin && pages.has(url.pathname); }

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey ||
      event.altKey) return;
  const link = event.target.closest("a[href]");
  if (!link || link.dataset.whole !== undefined) return;
  const url = new URL(link.getAttribute("href"), location.href);
  if (!isPage(url) || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  load(url.href, { push: true });
});

function addressOf(form, fields) {
  const url = new URL(form.getAttribute("action"), location.href);
  for (const [name, value] of fields) if (value !== "") url.searchParams.append(name, value);
  return url.href;
}

// In a list to work through, a decision takes its document off the list, and the page stays.
async function decide(form, fields, keeps) {
  const item = form.closest("article");
  item.classList.add("pending");
  let answer = null;
  try {
    answer = await fetch(form.getAttribute("action"), {
      method: "POST", body: new URLSearchParams(fields), headers: { "X-Fragment": "none" },
    });
  } catch (error) { /* told below */ }
  item.classList.remove("pending");
  if (!answer) return trouble(() => form.requestSubmit(form.querySelector(
    `button[name="${fields.at(-1)[0]}"]`)));
  if (answer.redirected) return location.assign(answer.url);
  if (!answer.ok) return show(location.href, await answer.text(), {});
  trouble(null);
  takeOff(item, keeps ? "Kept" : `${fields.at(-1)[0]}: done`);
}

function takeOff(item, said) {
  if (item.contains(document.activeElement)) go(1);
  const left = all("[data-items] article").filter((other) => other.offsetParent && other !== item);
  item.closest("li").hidden = true;
  if (!left.length) return load(location.href, {});
  if (document.activeElement === item || !document.activeElement.closest("article"))
    left.at(-1).focus();
  say(`${said}, ${left.length} left on this page`);
}

function send(form, fields, submitter) {
  const doing = submitter && submitter.getAttribute("aria-label") || submitter &&
    submitter.textContent || "";
  if (submitter) {
    const chip = submitter.closest(".chip") || submitter;
    chip.classList.add("pending");
  }
  load(form.getAttribute("action"), {
    body: new URLSearchParams(fields), stay: true, said: `${doing.trim()}: done`, replace: true,
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target, submitter = event.submitter;
  if (form.dataset.whole !== undefined) return;
  event.preventDefault();
  if ($(".pending", form)) return;
  const fields = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  if (submitter && submitter.name) fields.push([submitter.name, submitter.value]);
  if (form.id === "search") return search(false);
  if (form.id === "trial") return tryText(form, fields);
  if (form.closest(".work")) return decide(form, fields, submitter && submitter.dataset.keep !== undefined);
  if (form.method === "post") return send(form, fields, submitter);
  load(addressOf(form, fields), { push: true });
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form && form.dataset.auto !== undefined) form.requestSubmit();
  if (event.target.id === "file") takeFile(event.target.files[0]);
});

addEventListener("popstate", (event) => {
  if (!isPage(location)) return location.reload();
  if (location.hash && location.pathname + location.search === shown) return;
  load(location.href, { scroll: event.state && event.state.scroll });
  if (location.pathname === "/") $("#q").value = new URLSearchParams(location.search).get("q") || "";
});

// Search as you type

let typed = false;  // the address on top of the history is of words that are being typed

function search(typing) {
  const fields = [...new FormData($("#search"))];
  if (typing) fields.push(["partial", "1"]);
  const options = { typing: true, push: !typed, replace: typed };
  typed = typing;
  load(addressOf($("#search"), fields), options);
}

$("#q").addEventListener("input", (event) => {
  if (event.isComposing) return;
  clearTimeout(timer);
  timer = setTimeout(() => search(true), 160);
});
$("#q").addEventListener("blur", () => { typed = false; });

// Trying a text

function tryText(form, fields) {
  const text = fields.find(([name]) => name === "text")[1];
  if (text.length <= Number(form.dataset.address))
    return load(addressOf(form, fields), { push: true });
  load(form.getAttribute("action"), { body: new URLSearchParams(fields), push: true });
}

async function takeFile(file) {
  const form = $("#trial");
  if (!form || !file) return;
  if (file.size > 1e6) return say("The file is larger than 1 MB.");
  $("textarea", form).value = await file.text();
  form.requestSubmit();
}

addEventListener("dragover", (event) => {
  if (!$("#trial")) return;
  event.preventDefault();
  $("#trial").classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if ($("#trial") && !event.relatedTarget) $("#trial").classList.remove("dropping");
});
addEventListener("drop", (event) => {
  const form = $("#trial");
  if (!form) return;
  event.preventDefault();
  form.classList.remove("dropping");
  const text = event.dataTransfer.getData("text/plain");
  if (event.dataTransfer.files.length) return takeFile(event.dataTransfer.files[0]);
  $("textarea", form).value = text;
  if (text) form.requestSubmit();
});

// Keys

const letters = $("#letters");
function setLetters(on) {
  letters.setAttribute("aria-pressed", on);
  localStorage.setItem("letters", on ? "on" : "off");
}
setLetters(localStorage.getItem("letters") !== "off");
letters.onclick = () => setLetters(letters.getAttribute("aria-pressed") !== "true");

function go(step) {
  const items = all("[data-items] article").filter((item) => item.offsetParent);
  if (!items.length) return;
  const at = items.indexOf(document.activeElement.closest("article"));
  const next = at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step;
  const item = items[Math.min(Math.max(next, 0), items.length - 1)];
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

function press(selector) {
  const item = document.activeElement.closest("article");
  const button = item && $(selector, item);
  if (button) button.click();
  return !!button;
}

const keys = {
  "/": () => { $("#q").focus(); $("#q").select(); return true; },
  j: () => { go(1); return true; },
  k: () => { go(-1); return true; },
  a: () => press("button.accept"),
  r: () => press(".decide button.remove, .guess button.remove"),
  s: () => press("[data-keep]"),
};

document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.id === "text")
    return target.form.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape" && target.id === "q") return target.blur();
  if (event.key === "Enter" && target.matches("article")) return press("h2 a");
  if (target.matches("input, textarea, select")) return;
  if (letters.getAttribute("aria-pressed") !== "true") return;
  const act = keys[event.key];
  if (act && act()) event.preventDefault();
});

// The map

let view = null;  // what of the map is seen: x, y and width, in its units

function wireMap() {
  const map = $("#map"), box = $("#map-box");
  if (!map) { view = null; return; }
  const [, , width, height] = map.getAttribute("viewBox").split(" ").map(Number);
  const units = new Map(all("[data-unit]", map).map((unit) => [Number(unit.dataset.unit), unit]));
  const columns = Number(map.dataset.columns), readout = $("#readout"), usual = readout.textContent;
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
  cursor.setAttribute("class", "cursor");
  map.append(cursor);
  all("title", map).forEach((title) => title.remove());
  box.tabIndex = 0;
  box.setAttribute("role", "application");
  box.setAttribute("aria-label", "Topic map. Arrow keys move, Enter chooses a topic, plus and " +
                                 "minus zoom.");
  let at = -1;

  function look(x, y, wide, settled) {
    wide = Math.min(Math.max(wide, width / 12), width);
    const high = wide * height / width;
    x = Math.min(Math.max(x, 0), width - wide);
    y = Math.min(Math.max(y, 0), height - high);
    view = { x, y, wide, of: width };
    map.setAttribute("viewBox", `${x} ${y} ${wide} ${high}`);
    box.classList.toggle("zoomed", wide < width);
    if (!settled) return;
    const hash = wide < width ? `#view=${[x, y, wide].map(Math.round).join(",")}` : "";
    history.replaceState(history.state, "", location.pathname + location.search + hash);
  }
  function zoom(factor, px = 0.5, py = 0.5) {
    const wide = Math.min(Math.max(view.wide * factor, width / 12), width);
    const change = view.wide - wide;
    look(view.x + change * px, view.y + change * py * height / width, wide, true);
  }
  function frame() {  // where the drawing lies in its element, which may be wider
    const box = map.getBoundingClientRect(), wide = Math.min(box.width, box.height * width / height);
    return { wide, high: wide * height / width, left: box.left + (box.width - wide) / 2, top: box.top };
  }
  const place = (event) => {
    const { left, top, wide, high } = frame();
    return [(event.clientX - left) / wide, (event.clientY - top) / high];
  };

  function tell(unit) {
    for (const old of all(".hover")) old.classList.remove("hover");
    at = unit ? Number(unit.dataset.unit) : -1;
    cursor.setAttribute("d", unit ? unit.getAttribute("d") : "");
    if (!unit) { readout.textContent = usual; return; }
    const region = unit.closest("a"), count = Number(unit.dataset.count);
    region.classList.add("hover");
    const entry = $(`.topics [data-topic="${region.dataset.topic}"]`);
    if (entry) entry.classList.add("hover");
    readout.textContent = "";
    const name = document.createElement("strong");
    name.textContent = region.dataset.name;
    readout.append(name, ` \u00b7 ${region.dataset.count} documents, ${count} at this place \u00b7 ` +
                         region.dataset.words);
  }

  const saved = location.hash.match(/^#view=(\d+),(\d+),(\d+)$/);
  if (saved) look(...saved.slice(1).map(Number), false);
  else if (view && view.of === width) look(view.x, view.y, view.wide, false);
  else look(0, 0, width, false);

  // One finger, or the mouse, pulls the map where it is zoomed. Two zoom it, and pull it along.
  const fingers = new Map();  // the place of each on the screen
  let held = null;  // what was seen, and where the fingers were, when the last came or went
  let pulled = false;

  function grip() {
    const [a, b = a] = [...fingers.values()];
    return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  }
  const hold = () => { held = fingers.size ? { ...grip(), view } : null; };
  function pull() {
    const now = grip(), { left, top, wide: screen } = frame();
    if (!pulled && Math.hypot(now.x - held.x, now.y - held.y) < 6 &&
        Math.abs(now.apart - held.apart) < 6) return;
    pulled = true;
    const zoomed = fingers.size > 1 ? held.view.wide * held.apart / Math.max(now.apart, 1) : view.wide;
    const wide = Math.min(Math.max(zoomed, width / 12), width);
    const before = held.view.wide / screen, after = wide / screen;  // units of the map a pixel
    look(held.view.x + (held.x - left) * before - (now.x - left) * after,
         held.view.y + (held.y - top) * before - (now.y - top) * after, wide, false);
  }
  function lift(event) {
    if (!fingers.delete(event.pointerId)) return;
    if (!fingers.size && pulled) look(view.x, view.y, view.wide, true);
    hold();
  }
  box.onpointerdown = (event) => {
    if (event.isPrimary) { fingers.clear(); pulled = false; }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    hold();
  };
  box.onpointermove = (event) => {
    if (!event.buttons) lift(event);  // it was lifted beside the map
    if (fingers.has(event.pointerId)) {
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      if (fingers.size > 1 || view.wide < width) pull();
      if (pulled) return box.setPointerCapture(event.pointerId);
    }
    const unit = event.target.closest("[data-unit]");
    if (unit && Number(unit.dataset.unit) !== at) tell(unit);
  };
  box.onpointerup = box.onpointercancel = lift;
  box.onpointerleave = () => { if (document.activeElement !== box) tell(null); };
  box.addEventListener("click", (event) => {
    if (pulled && event.detail) event.preventDefault();  // unless it is by a key
  }, true);
  box.ondragstart = (event) => event.preventDefault();
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, ...place(event));
  }, { passive: false });
  box.onkeydown = (event) => {
    const row = Math.floor(at / columns);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    if (event.key in steps) {
      const sideways = Math.abs(steps[event.key]) === 1;
      let next = at < 0 ? [...units.keys()].sort((a, b) => a - b)[Math.floor(units.size / 2)]
        : at + steps[event.key];
      if (at >= 0 && sideways && Math.floor(next / columns) !== row) next = at;
      if (units.has(next)) tell(units.get(next));
    } else if (event.key === "Enter" && at >= 0) {
      load(units.get(at).closest("a").getAttribute("href"), { push: true });
    } else if (event.key === "+" || event.key === "=") {
      zoom(1 / 1.5);
    } else if (event.key === "-") {
      zoom(1.5);
    } else if (event.key === "0" || event.key === "Escape") {
      look(0, 0, width, true);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  for (const button of all("[data-zoom]")) {
    button.onclick = () => {
      if (button.dataset.zoom === "all") look(0, 0, width, true);
      else zoom(button.dataset.zoom === "in" ? 1 / 1.5 : 1.5);
    };
  }
  for (const entry of all(".topics [data-topic]")) {
    const region = $(`.region[data-topic="${entry.dataset.topic}"]`);
    if (!region) continue;
    entry.onpointerenter = () => region.classList.add("hover");
    entry.onpointerleave = () => region.classList.remove("hover");
  }
}

// What each view needs

function wire() {
  wireMap();
  if ($("[data-poll] [data-open]")) {
    timer = setTimeout(() => load(location.href, { stay: true, quiet: true, said: "" }), 1500);
  }
}

wire();
})();
