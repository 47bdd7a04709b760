// The search of the reference, and the forms that try an operation. Nothing is loaded from elsewhere, and nothing is kept
// beyond the page: a token lives in this script's memory until the page is left.
"use strict";

const root = new URL(document.documentElement.dataset.root || "./", location.href);
const SERVICE = "http://127.0.0.1:3000";
const MAX_RESULTS = 30;
const MAX_SHOWN_CHARS = 100_000;
let token = "";

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// The search: a box with a list below it, as the pattern of a combobox has it.

let entries;

async function loadEntries() {
  if (!entries) {
    const answer = await fetch(new URL("docs/search.json", root));
    if (!answer.ok) throw new Error(`the list was answered ${answer.status}`);
    const list = await answer.json();
    entries = list.map(([title, beside, id, address]) => {
      return { title, beside, address, text: `${title} ${beside} ${id}`.toLowerCase(), path: beside.split(" ").pop() };
    });
  }
  return entries;
}

// A path fits whichever way its parameters are written, and with ids in their places.
function fitsPath(path, sought) {
  const segments = path.split("/");
  const wanted = sought.split("/").filter((one) => one !== "");
  const starts = segments.map((_, at) => at);
  return starts.some((start) => wanted.every((one, at) => {
    const segment = segments[start + at] ?? "";
    if (segment.startsWith("{")) return one.startsWith(":") || one.startsWith("{") || /^\d+$|^self$|_id/.test(one);
    return at === wanted.length - 1 ? segment.startsWith(one) : segment === one;
  }));
}

function rank(entry, words) {
  const title = entry.title.toLowerCase();
  let points = 0;
  for (const word of words) {
    if (word.includes("/")) {
      const path = word.replace(/^https?:\/\/[^/]+/, "").split("?")[0];
      if (!fitsPath(entry.path, path)) return -1;
      points += 4 - entry.path.split("/").length / 10;
    } else if (entry.text.includes(word)) {
      points += title.startsWith(word) ? 3 : title.includes(word) ? 2 : 1;
    } else {
      return -1;
    }
  }
  return points;
}

function makeSearch(place) {
  const list = element("ul", { id: "results", role: "listbox", "aria-label": "Results", hidden: true });
  const input = element("input", {
    type: "search", id: "words", role: "combobox", placeholder: "Search: words or a path", autocomplete: "off",
    "aria-label": "Search the reference", "aria-controls": "results", "aria-expanded": "false", "aria-autocomplete": "list",
  });
  place.append(input, element("kbd", { "aria-hidden": "true" }, "/"), list);
  let selected = -1;

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    selected = -1;
  }

  function select(at) {
    const options = list.querySelectorAll("[role=option]");
    if (options.length === 0) return;
    selected = (at + options.length) % options.length;
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === selected)));
    options[selected].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[selected].id);
  }

  async function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) return close();
    let found;
    try {
      found = (await loadEntries()).map((entry) => [rank(entry, words), entry]).filter(([points]) => points >= 0);
    } catch (error) {
      list.replaceChildren(element("li", { class: "none" }, `The search does not work: ${error.message}.`));
      list.hidden = false;
      return;
    }
    found.sort(([one], [other]) => other - one);
    const options = found.slice(0, MAX_RESULTS).map(([, entry], number) => {
      const option = element("li", { role: "option", id: `result-${number}`, "aria-selected": "false" },
        entry.title, element("small", {}, entry.beside));
      option.addEventListener("mousedown", (event) => { event.preventDefault(); go(entry); });
      option.entry = entry;
      return option;
    });
    list.replaceChildren(...(options.length > 0 ? options : [element("li", { class: "none" }, "Nothing has these words.")]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    selected = -1;
    select(0);
  }

  function go(entry) {
    close();
    input.blur();
    location.href = new URL(entry.address, root).href;
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Escape") { close(); input.blur(); }
    else if (event.key === "Enter") {
      const option = list.querySelectorAll("[role=option]")[selected];
      if (option) go(option.entry);
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
}

// Examples name the service that the page comes from.

function nameService() {
  const base = root.href.replace(/\/$/, "");
  for (const code of document.querySelectorAll("pre code")) {
    if (base !== SERVICE && code.textContent.includes(SERVICE)) code.textContent = code.textContent.replaceAll(SERVICE, base);
  }
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const pre of document.querySelectorAll("main pre")) {
    const button = element("button", { type: "button", class: "copy" }, "Copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const wrap = element("div", { class: "wrap" });
    pre.replaceWith(wrap);
    wrap.append(pre, button);
  }
}

// The forms. What they need stands in the article: method, path, the table of parameters, and the example of a body.

function parametersOf(article) {
  return [...article.querySelectorAll("tr[data-in]")].map((row) => ({
    name: row.querySelector("th code").textContent,
    place: row.dataset.in,
    kind: row.cells[1].textContent.replace(/, (path|query|header)$/, ""),
    isRequired: row.querySelector(".required") !== null,
  }));
}

function addressOf(path, fields) {
  const pairs = new URLSearchParams();
  for (const { name, place, input } of fields) {
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(input.value));
    else if (place === "query" && input.value !== "") {
      const values = name.endsWith("[]") ? input.value.split(",").map((value) => value.trim()) : [input.value];
      values.forEach((value) => pairs.append(name, value));
    }
  }
  const query = pairs.toString();
  return new URL(path.replace(/^\//, "") + (query === "" ? "" : `?${query}`), root);
}

function bodyOf(textarea, file, headers) {
  if (textarea && textarea.value.trim() !== "") {
    JSON.parse(textarea.value);
    headers.set("Content-Type", "application/json");
    return textarea.value;
  }
  if (file && file.files.length > 0) {
    if (file.dataset.type !== "multipart/form-data") {
      headers.set("Content-Type", file.dataset.type);
      return file.files[0];
    }
    const form = new FormData();
    form.append("file", file.files[0]);
    return form;
  }
  return undefined;
}

async function show(answer, took, output) {
  const type = answer.headers.get("content-type") ?? "";
  let body = "";
  if (/json|text|xml|csv/.test(type)) {
    body = await answer.text();
    if (/json/.test(type)) {
      try { body = JSON.stringify(JSON.parse(body), null, 2); } catch { /* It is shown as it came. */ }
    }
    if (body.length > MAX_SHOWN_CHARS) body = `${body.slice(0, MAX_SHOWN_CHARS)}\n… ${body.length - MAX_SHOWN_CHARS} characters more`;
  } else if (type !== "") {
    body = `(${(await answer.arrayBuffer()).byteLength} bytes of ${type})`;
  }
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  output.replaceChildren(
    element("p", { class: "answers" }, element("span", { class: answer.ok ? "status good" : "status" }, String(answer.status)),
      ` ${answer.statusText} in ${took} ms`),
    element("details", {}, element("summary", {}, "Headers"), element("pre", { tabindex: "0" }, headers)),
    element("pre", { tabindex: "0" }, body === "" ? "(no body)" : body),
  );
}

function problem(output, words) {
  output.replaceChildren(element("p", { class: "problem" }, words));
}

function makeForm(article) {
  const id = article.id;
  const output = element("div", { "aria-live": "polite" });
  const form = element("form", { class: "try", "aria-label": `Try ${id}` });
  const labelled = (words, note, input) => form.append(
    element("label", { for: input.id }, words, " ", element("small", {}, note)), input);

  const secret = element("input", { id: `${id}-token`, type: "password", autocomplete: "off", spellcheck: "false" });
  secret.value = token;
  secret.addEventListener("input", () => { token = secret.value.trim(); });
  secret.addEventListener("focus", () => { secret.value = token; });
  labelled("Token", "kept until you leave this page", secret);

  const fields = parametersOf(article).filter(({ place }) => place !== "header").map((parameter) => {
    const input = element("input", { id: `${id}-${parameter.place}-${parameter.name}`, autocomplete: "off", spellcheck: "false" });
    input.required = parameter.place === "path" || parameter.isRequired;
    labelled(parameter.name, parameter.kind, input);
    return { ...parameter, input };
  });

  const example = article.querySelector(".sample.body pre code");
  const types = [...article.querySelectorAll(".types code")].map((code) => code.textContent);
  let textarea;
  let file;
  if (example) {
    textarea = element("textarea", { id: `${id}-body`, spellcheck: "false" });
    textarea.value = example.textContent;
    labelled("Body", "JSON", textarea);
  } else if (types.length > 0) {
    file = element("input", { id: `${id}-file`, type: "file", "data-type": types[0] });
    labelled("File", types[0], file);
  }

  form.append(element("button", { class: "send" }, `Send ${article.dataset.method.toUpperCase()}`), output);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const headers = new Headers();
    if (token !== "") headers.set("Authorization", `Bearer ${token}`);
    let body;
    try {
      body = bodyOf(textarea, file, headers);
    } catch (error) {
      return problem(output, `The body is no JSON: ${error.message}`);
    }
    output.replaceChildren(element("p", {}, "Waiting for the answer …"));
    const began = performance.now();
    try {
      const method = article.dataset.method.toUpperCase();
      const options = { method, headers, body, credentials: "omit", cache: "no-store" };
      const answer = await fetch(addressOf(article.dataset.path, fields), options);
      await show(answer, Math.round(performance.now() - began), output);
    } catch (error) {
      const offline = navigator.onLine ? "" : " This device is offline.";
      problem(output, `No answer came: the service cannot be reached, or it led to another address.${offline} (${error.message})`);
    }
  });
  return form;
}

function addForms() {
  for (const article of document.querySelectorAll("article[data-method]")) {
    const button = element("button", { type: "button", "aria-expanded": "false" }, "Try it");
    let form;
    button.addEventListener("click", () => {
      if (form) {
        form.hidden = !form.hidden;
      } else {
        form = makeForm(article);
        button.after(form);
      }
      button.setAttribute("aria-expanded", String(!form.hidden));
      if (!form.hidden) form.querySelector("input").focus();
    });
    article.querySelector(".show").prepend(button);
  }
}

// A link to a refusal or a record opens what it lies in.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

makeSearch(document.getElementById("search"));
nameService();
addForms();
addCopyButtons();
openTarget();
addEventListener("hashchange", openTarget);
