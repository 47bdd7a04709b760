// Questions that are answered by choosing: true or false, one of several, some of several.

/** A circle or a box with what it stands for, as large as a finger needs. */
function option(type, name, words, isChosen, change) {
  const input = make("input", { type, name, checked: isChosen, change });
  return make("label", { class: "choice" }, input, make("span", {}, words));
}

/** One of the options, which are pairs of a value and words; and no answer again. */
function radios(options, response, change) {
  const name = newId("choice");
  const labels = options.map(([value, words]) => option("radio", name, words, value === response, () => change(value)));
  const clear = button(say("clear_answer"), () => {
    labels.forEach((label) => { label.firstChild.checked = false; });
    change(null);
    labels[0]?.firstChild.focus();
  }, { class: "plain small" });
  return make("div", {}, labels, clear);
}

function trueFalse(item, response, change) {
  const { true_choice: yes, false_choice: no } = item.interaction_data;
  return radios([[true, yes], [false, no]], response, change);
}

function choice(item, response, change) {
  return radios(item.interaction_data.choices.map(({ id, item_body }) => [id, rich(item_body)]), response, change);
}

function multiAnswer(item, response, change) {
  const chosen = new Set(response ?? []);
  const { choices } = item.interaction_data;
  const labels = choices.map(({ id, item_body }) => option("checkbox", null, rich(item_body), chosen.has(id), (event) => {
    if (event.target.checked) chosen.add(id);
    else chosen.delete(id);
    change(chosen.size === 0 ? null : choices.map((one) => one.id).filter((one) => chosen.has(one)));
  }));
  return make("div", {}, labels);
}
