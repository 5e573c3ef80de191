// The description of the API, openapi.json, for people.

const main = document.getElementById("main");

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Follows a reference inside the description. */
function resolved(description, node) {
  let found = node;
  while (found.$ref) {
    found = found.$ref.split("/").slice(1).reduce((at, key) => at[key], description);
  }
  return found;
}

/** A type in a few words: "list of text", "1 to 1000". */
function typeText(description, schema) {
  const own = resolved(description, schema);
  if (own.enum) return own.enum.map(String).join(" | ");
  if (own.anyOf) return own.anyOf.map((each) => typeText(description, each)).join(" or ");
  if (Array.isArray(own.type)) return own.type.join(" or ");
  if (own.type === "array") return `list of ${typeText(description, own.items ?? {})}`;
  if (own.minimum !== undefined && own.maximum !== undefined)
    return `${own.type}, ${own.minimum} to ${own.maximum}`;
  return own.type ?? "any";
}

/** The keys of an object, with those of objects and lists inside them. */
function keysOf(description, schema) {
  const own = resolved(description, schema);
  if (own.type === "array") return keysOf(description, own.items ?? {});
  const keys = Object.entries(own.properties ?? {}).filter(([key]) => key !== "$schema");
  if (!keys.length) return null;

  const list = element("ul", {className: "keys"});
  for (const [key, value] of keys) {
    const inside = resolved(description, value);
    const item = element("li", {}, element("code", {textContent: key}),
      element("span", {className: "soft", textContent: ` ${typeText(description, value)}`}));
    if (inside.default !== undefined)
      item.append(element("span", {className: "soft",
        textContent: `, default ${JSON.stringify(inside.default)}`}));
    if (inside.description) item.append(` ${inside.description}`);
    const deeper = keysOf(description, inside);
    if (deeper) item.append(deeper);
    list.append(item);
  }
  return list;
}

/** A part of an operation under a heading that opens and closes. */
function part(title, ...content) {
  return element("details", {}, element("summary", {textContent: title}), ...content);
}

function parametersOf(description, operation) {
  const properties = {};
  for (const {name, schema, description: meaning} of operation.parameters ?? [])
    properties[name] = {description: meaning, ...resolved(description, schema)};
  return keysOf(description, {type: "object", properties});
}

function bodiesOf(description, operation) {
  const list = element("div", {});
  for (const [type, {schema}] of Object.entries(operation.requestBody?.content ?? {})) {
    list.append(element("p", {}, element("code", {textContent: type})));
    const keys = keysOf(description, schema);
    if (keys) list.append(keys);
  }
  return list.childElementCount ? list : null;
}

function answersOf(description, operation) {
  const list = element("dl", {});
  for (const [status, given] of Object.entries(operation.responses)) {
    const response = resolved(description, given);
    const meaning = element("dd", {}, response.description);
    const schema = response.content?.["application/json"]?.schema;
    const keys = schema && keysOf(description, schema);
    if (keys) meaning.append(keys);
    list.append(element("dt", {}, element("code", {textContent: status})), meaning);
  }
  return list;
}

function section(description, path, method, operation) {
  const made = element("section", {id: `op-${operation.operationId}`},
    element("h2", {}, element("code", {textContent: `${method.toUpperCase()} ${path}`})),
    element("p", {textContent: operation.summary}));
  if (operation.security?.length)
    made.append(element("p", {className: "soft", textContent: "Needs the token of the server."}));

  const parameters = parametersOf(description, operation);
  const bodies = bodiesOf(description, operation);
  if (parameters) made.append(part("Parameters", parameters));
  if (bodies) made.append(part("Body", bodies));
  made.append(part("Answers", answersOf(description, operation)));
  return made;
}

async function show() {
  const response = await fetch("openapi.json");
  const description = await response.json();
  const contents = element("ul", {className: "contents"});
  const sections = [];
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      contents.append(element("li", {}, element("a", {href: `#op-${operation.operationId}`,
        textContent: `${method.toUpperCase()} ${path}`})));
      sections.push(section(description, path, method, operation));
    }
  }
  main.append(
    element("p", {}, `${description.info.title} ${description.info.version}. Programs read `,
      element("a", {href: "openapi.json", textContent: "openapi.json"}), "."),
    contents, ...sections);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

show().catch((error) => {
  main.append(element("p", {role: "alert", textContent: `It cannot be shown: ${error.message}`}));
});
