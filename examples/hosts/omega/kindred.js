// Fills the panel of related documents from Kindred's search server. If that does not answer, what
// the page shows stays: the documents that are stored.
"use strict";

function entry(found, address) {
  const link = document.createElement("a");
  link.href = `${address}&MORELIKE=${found.docid}`;
  link.textContent = found.title || found.id;
  const reasons = document.createElement("small");
  const words = (found.terms || []).slice(0, 5).map((term) => term.word || term.term);
  reasons.textContent = `${found.similarity.toFixed(2)} ${words.join(", ")}`;
  const item = document.createElement("li");
  item.append(link, " ", reasons);
  return item;
}

async function fill(section) {
  const { kindred: server, id, address } = section.dataset;
  const question = `${server}/documents/${encodeURIComponent(id)}/related?explain=1`;
  const answer = await fetch(question, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const list = document.createElement("ol");
  list.append(...(await answer.json()).results.map((found) => entry(found, address)));
  section.replaceChildren(section.querySelector("h1"), list);
}

for (const section of document.querySelectorAll("section[data-kindred]")) {
  if (section.dataset.kindred && section.dataset.id) fill(section).catch(() => {});
}
