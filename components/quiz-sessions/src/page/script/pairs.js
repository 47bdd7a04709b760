// Questions whose parts are put together: matching, categories, an order.

/** A list to choose from, with nothing at its head. */
function selection(options, value, change, attributes = {}) {
  const select = make("select", { change: () => change(select.value === "" ? null : select.value), ...attributes },
    make("option", { value: "" }, say("choose")),
    options.map(([one, words]) => make("option", { value: one, selected: one === value }, words)));
  return select;
}

/** Rows of rich words, each with a list to choose from: `chosen` is an object that follows, and `change` hears of it. */
function rows(parts, options, chosen, change) {
  return make("div", { class: "pairs" }, parts.map(({ id, item_body }) => {
    const label = newId("part");
    const select = selection(options, chosen[id], (value) => {
      if (value === null) delete chosen[id];
      else chosen[id] = value;
      change(chosen);
    }, { "aria-labelledby": label });
    return make("div", { class: "pair" }, make("div", { id: label }, rich(item_body)), select);
  }));
}

function matching(item, response, change) {
  const { questions, answers } = item.interaction_data;
  const options = [...new Set(answers)].map((text) => [text, text]);
  return rows(questions, options, { ...response }, (chosen) => change(Object.keys(chosen).length === 0 ? null : { ...chosen }));
}

function categorization(item, response, change) {
  const { categories, answers } = item.interaction_data;
  const chosen = {};
  for (const [category, ids] of Object.entries(response ?? {})) for (const id of ids) chosen[id] = category;
  const options = categories.map(({ id, item_body }) => [id, plain(item_body)]);
  return rows(answers, options, chosen, () => {
    const ids = (category) => answers.map(({ id }) => id).filter((id) => chosen[id] === category);
    const sorted = Object.fromEntries(categories.map(({ id }) => [id, ids(id)]));
    change(Object.keys(chosen).length === 0 ? null : sorted);
  });
}

function ordering(item, response, change) {
  const { choices } = item.interaction_data;
  const { top_label, bottom_label, include_labels } = item.properties ?? {};
  const byId = new Map(choices.map((one) => [one.id, one]));
  const known = (response ?? []).filter((id) => byId.has(id));
  let order = [...known, ...choices.map(({ id }) => id).filter((id) => !known.includes(id))];
  const list = make("ol", { class: "order" });
  const keep = button(say("keep_order"), () => {
    tell();
    announce(say("order_kept"));
    list.querySelector("button:not([disabled])")?.focus();
  });
  function tell() {
    keep.hidden = true;
    change([...order]);
  }
  function move(id, by) {
    const from = order.indexOf(id);
    order.splice(from, 1);
    order.splice(from + by, 0, id);
    show();
    tell();
    announce(say("moved", { what: plain(byId.get(id).item_body), place: from + by + 1, all: order.length }));
    const [up, down] = list.children[from + by].querySelectorAll("button");
    const wanted = by < 0 ? up : down;
    (wanted.disabled ? (by < 0 ? down : up) : wanted).focus();
  }
  function show() {
    list.replaceChildren(...order.map((id, place) => {
      const { item_body } = byId.get(id);
      const words = { what: plain(item_body) };
      const up = button("↑", () => move(id, -1), { "aria-label": say("move_up", words), disabled: place === 0 });
      const last = place === order.length - 1;
      const down = button("↓", () => move(id, 1), { "aria-label": say("move_down", words), disabled: last });
      return make("li", {}, make("div", {}, rich(item_body)), up, down);
    }));
  }
  show();
  keep.hidden = response !== null && response !== undefined;
  const label = (text) => (include_labels && text ? make("p", { class: "soft" }, text) : null);
  return make("div", {}, label(top_label), list, label(bottom_label), keep);
}
