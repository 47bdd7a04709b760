// Questions that are answered by writing: numbers, blanks in a text, essays.
function number(item, response, change) {
  const id = newId("number");
  const read = make("p", { id: `${id}-read`, class: "soft", role: "status" });
  const input = make("input", {
    id, type: "text", inputmode: "decimal", autocomplete: "off", class: "short", maxlength: 100,
    value: response ?? "", "aria-describedby": read.id, input: () => understood(true),
  });
  function understood(isNew) {
    const typed = input.value.trim();
    const meant = typed === "" ? null : numberText(typed, document.documentElement.lang);
    const isWrong = typed !== "" && meant === null;
    input.setAttribute("aria-invalid", String(isWrong));
    read.textContent = isWrong ? say("no_number") : meant !== null && meant !== typed ? say("read_as", { number: meant }) : "";
    if (isNew) change(meant);
  }
  understood(false);
  return make("div", {}, make("label", { for: id }, say("your_number")), input, read);
}

/** The body of such a question has its blanks within the text: see `blanks`. */
function blanks(item, response, change, body) {
  const { blanks: all, word_bank_choices: words = [], reuse_word_bank_choices: mayRepeat } = item.interaction_data;
  const filled = { ...response };
  const banks = [];
  function fill(id, value) {
    if (value === null || value === "") delete filled[id];
    else filled[id] = value;
    change(Object.keys(filled).length === 0 ? null : { ...filled });
    spread();
  }
  /** A word that may be used once is taken out of the other lists. */
  function spread() {
    for (const [id, select] of banks) {
      for (const one of select.options) {
        const isTaken = Object.entries(filled).some(([other, word]) => other !== id && word === one.value);
        one.disabled = !mayRepeat && isTaken && banks.some(([other]) => filled[other] === one.value);
      }
    }
  }
  all.forEach(({ id, answer_type, choices }, place) => {
    const name = say("blank", { place: place + 1, all: all.length });
    const options = (some) => some.map((one) => [one.id, one.item_body]);
    const attributes = { "aria-label": name, class: "blank" };
    let field;
    if (answer_type === "openEntry") {
      const input = make("input", { type: "text", autocomplete: "off", maxlength: 1000, value: filled[id] ?? "", ...attributes });
      input.addEventListener("input", () => fill(id, input.value.trim() === "" ? null : input.value));
      field = input;
    } else {
      const isBank = answer_type === "wordbank";
      field = selection(options(isBank ? words : choices ?? []), filled[id], (value) => fill(id, value), attributes);
      if (isBank) banks.push([id, field]);
    }
    const mark = [...body.querySelectorAll("span[id]")].find((span) => span.id === `blank_${id}`);
    if (mark) mark.replaceWith(field);
    else body.append(make("p", {}, field));
  });
  spread();
  return banks.length === 0 ? null : make("p", { class: "soft" }, `${say("word_bank")} ${words.map((one) => one.item_body).join(", ")}`);
}

/** An essay: plain text, or rich text with an editor where the question says so. */
function essay(item, response, change, body, { isFixed }) {
  const { rce, word_count, spell_check, word_limit_enabled, word_limit_min, word_limit_max } = item.interaction_data;
  if (rce && isFixed) return make("div", { class: "written" }, rich(response));
  const id = newId("essay");
  const [least, most] = [word_limit_min, word_limit_max].map((limit) => (word_limit_enabled && limit ? Number(limit) : null));
  const count = make("p", { id: `${id}-count`, class: "soft" });
  const label = make(rce ? "span" : "label", rce ? { id: `${id}-label`, class: "label" } : { for: id }, say("your_text"));
  const shared = { id, spellcheck: String(spell_check !== false), "aria-describedby": count.id };
  const field = rce ? richField() : plainField();
  function plainField() {
    const text = make("textarea", { ...shared, rows: 10, input: () => { tell(); change(paragraphs(text.value)); } });
    text.value = typedText(response);
    return { node: text, field: text, text: () => text.value };
  }
  function richField() {
    const help = make("p", { id: `${id}-help`, class: "soft" }, say("editor_help"));
    const described = `${count.id} ${help.id}`;
    const { node, editable } = richEditor(response, { ...shared, "aria-labelledby": label.id, "aria-describedby": described }, (html) => { tell(); change(html); });
    node.append(help);
    return { node, field: editable, text: () => writtenText(editable) };
  }
  function tell() {
    const words = countWords(field.text());
    const parts = [word_count || word_limit_enabled ? say("words", { words }) : null];
    if (least !== null) parts.push(say("words_least", { least }));
    if (most !== null) parts.push(say("words_most", { most }));
    const isWrong = words > 0 && ((least !== null && words < least) || (most !== null && words > most));
    field.field.setAttribute("aria-invalid", String(isWrong));
    count.classList.toggle("wrong", isWrong);
    count.textContent = parts.filter((part) => part !== null).join(" · ");
  }
  tell();
  return make("div", {}, label, field.node, count);
}
