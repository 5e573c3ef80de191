// Shows, below an article of kiwix-serve, the articles that are like it, and a link to the map of
// topics. Goes into each page by nginx.conf; kindred-server answers below /kindred/api/.
(async () => {
  const [, book, path] = location.pathname.match(/^\/(?:content\/)?([^/]+)\/(.+)$/) || [];
  if (!path || ["skin", "catalog", "search", "random", "viewer"].includes(book)) return;
  const base = location.pathname.slice(0, -path.length);
  const answer = await fetch("/kindred/api/related", {
    method: "POST",
    headers: {"Content-Type": "application/json"},
    body: JSON.stringify({like: [{id: decodeURIComponent(path)}], limit: 8, fold: 0.95}),
  });
  if (!answer.ok) return; // not an article, or the index is being loaded
  const {results} = await answer.json();
  const panel = document.createElement("nav");
  panel.id = "kindred";
  panel.setAttribute("aria-label", "Related articles");
  panel.style.cssText =
    "margin:2em 1em;padding:1em;border-top:1px solid #a2a9b1;font:1rem sans-serif";
  const heading = panel.appendChild(document.createElement("h2"));
  heading.textContent = "Related articles";
  heading.style.cssText = "font-size:1.1em;margin:0 0 .5em";
  const list = panel.appendChild(document.createElement("ul"));
  for (const {id, title} of results) {
    const item = list.appendChild(document.createElement("li"));
    const link = item.appendChild(document.createElement("a"));
    link.href = base + id.split("/").map(encodeURIComponent).join("/");
    link.textContent = title || id;
  }
  const map = panel.appendChild(document.createElement("a"));
  map.href = "/kindred/map.html";
  map.target = "_top";
  map.textContent = "Map of topics";
  document.body.append(panel);
})();
