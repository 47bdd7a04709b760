// The words of the page, and the way in which its elements are made.
let texts = {};

/** A text of the page with values in their places. */
function say(name, values = {}) {
  return (texts[name] ?? name).replace(/\{(\w+)\}/g, (place, value) => String(values[value] ?? place));
}

/** An element with attributes, listeners (functions) and children: elements, text, or nothing (null). */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

let lastId = 0;
/** An id that nothing else on the page has. */
function newId(kind) {
  lastId += 1;
  return `${kind}-${lastId}`;
}

function button(words, action, attributes = {}) {
  return make("button", { type: "button", class: "plain", click: action, ...attributes }, words);
}

/** Tells those who listen to the page: what was told just before is told again. */
function announce(words) {
  const news = document.getElementById("news");
  news.textContent = news.textContent === words ? `${words}\u00a0` : words;
}

/** True if two answers are the same, in whatever order their members stand. */
function isSame(one, other) {
  return canonical(one) === canonical(other);
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}
