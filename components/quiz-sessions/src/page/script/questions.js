// A question as the student sees it, whatever its type.
const RENDERERS = {
  "true-false": trueFalse,
  choice,
  "multi-answer": multiAnswer,
  matching,
  categorization,
  ordering,
  numeric: number,
  formula: number,
  "hot-spot": hotSpot,
  "rich-fill-blank": blanks,
  "fill-blank": blanks,
  essay,
  "file-upload": fileUpload,
};

/** Whether a response answers all of a question (`answered`), a part of it (`partly`), or nothing (`unanswered`). */
function progress(item, response) {
  if (response === null || response === undefined || response === "") return "unanswered";
  const { interaction_data: data, interaction_type_slug: slug } = item;
  const filled = (count) => (count === 0 ? "unanswered" : count < parts ? "partly" : "answered");
  let parts = 0;
  if (slug === "matching") {
    parts = data.questions.length;
    return filled(Object.keys(response).length);
  }
  if (slug === "categorization") return Object.values(response).some((ids) => ids.length > 0) ? "answered" : "unanswered";
  if (slug === "rich-fill-blank" || slug === "fill-blank") {
    parts = data.blanks.length;
    return filled(Object.values(response).filter((text) => text !== "").length);
  }
  if (slug === "hot-spot" && Array.isArray(response)) {
    parts = item.properties?.hotspots_count ?? 1;
    return filled(response.length);
  }
  return Array.isArray(response) && response.length === 0 ? "unanswered" : "answered";
}

/** A question with its answer, its flag, and what there is to say about either. */
class QuestionView {
  constructor(item, number, { change, service }) {
    Object.assign(this, { item, number, service, tellChange: change });
    this.response = item.answer?.response ?? null;
    this.isFlagged = item.answer?.flagged ?? false;
    this.heading = make("h2", { id: `question-${item.id}`, tabindex: -1 }, say("question", { number }));
    this.body = make("div", { class: "body", id: `body-${item.id}` });
    this.fields = make("fieldset", { "aria-labelledby": `${this.heading.id} ${this.body.id}` });
    this.notes = make("div", { role: "alert" });
    this.flag = button("", () => this.setFlag(!this.isFlagged), { class: "plain small" });
    this.node = make("article", { id: `item-${item.id}`, "aria-labelledby": this.heading.id },
      make("header", {}, this.heading, make("span", { class: "soft" }, say("points", { points: item.points_possible })), this.flag),
      item.title ? make("p", { class: "soft" }, item.title) : null,
      this.body, this.fields, calculator(item.calculator_type), this.notes);
    this.showFlag();
    this.show();
  }

  get progress() {
    return progress(this.item, this.response);
  }

  show() {
    this.body.replaceChildren(rich(this.item.item_body, (id) => id.startsWith("blank_")));
    // Blanks stand within the text: then the text is a part of what is filled in.
    this.fields.replaceChildren();
    const answer = this.render(this.response, this.body, (response) => this.set(response));
    this.fields.append(...[answer].filter(Boolean));
    this.fields.hidden = answer === null;
  }

  render(response, body, change, isFixed = false) {
    const { item, service } = this;
    return RENDERERS[item.interaction_type_slug](item, response, change, body, { service, isFixed });
  }

  set(response) {
    this.response = response;
    this.notes.replaceChildren();
    this.tellChange(this, { response });
  }

  setFlag(isFlagged) {
    this.isFlagged = isFlagged;
    this.showFlag();
    this.tellChange(this, { flagged: isFlagged });
  }

  showFlag() {
    this.flag.textContent = say("flag");
    this.flag.setAttribute("aria-label", say("flag_question", { number: this.number }));
    this.flag.setAttribute("aria-pressed", String(this.isFlagged));
  }

  /** Shows an answer that stands at the service. */
  take({ response, flagged }) {
    this.response = response ?? null;
    this.isFlagged = flagged ?? false;
    this.showFlag();
    this.show();
  }

  /** Another window has saved something else: both are kept until one is chosen. */
  choose(standing, mine, choose) {
    const body = make("div");
    body.append(rich(this.item.item_body, (id) => id.startsWith("blank_")));
    const other = this.render(standing.response ?? null, body, () => {}, true);
    const hasBlanks = this.item.interaction_type_slug.endsWith("fill-blank");
    const done = (isMine) => {
      this.notes.replaceChildren();
      if (isMine) this.take({ response: this.response, flagged: this.isFlagged, ...mine });
      else this.take(standing);
      choose(isMine);
      this.heading.focus();
    };
    this.notes.replaceChildren(make("div", { class: "problem" },
      make("p", {}, say("conflict", { number: this.number })),
      make("fieldset", { disabled: true, "aria-label": say("other_answer") }, hasBlanks ? body : null, other),
      button(say("keep_mine"), () => done(true)), button(say("take_other"), () => done(false))));
  }

  refuse(reason) {
    this.notes.replaceChildren(make("p", { class: "problem" }, say("not_taken", { reason })));
  }

  focus() {
    this.heading.focus();
    this.node.scrollIntoView({ block: "start" });
  }
}

/**
 * The nodes of these items, those of a text together with the questions about it. `items` are all of the session, because the text
 * may stand apart from what is shown.
 */
function inGroups(items, shown, nodeOf) {
  const groups = [];
  // A text stands where its questions do.
  const isElsewhere = ({ id }) => items.some((item) => item.stimulus_id === id);
  for (const item of shown.filter((one) => !isElsewhere(one))) {
    const about = item.entry_type === "Stimulus" ? item.id : item.stimulus_id;
    if (about && groups.at(-1)?.about === about) groups.at(-1).items.push(item);
    else groups.push({ about, items: [item] });
  }
  return groups.flatMap(({ about, items: some }) => {
    const nodes = some.map(nodeOf).filter(Boolean);
    const text = items.find(({ id, body }) => id === about && typeof body === "string");
    return text ? [stimulus(text, nodes)] : nodes;
  });
}

/** A text or picture that questions are about, above them or at their side. */
function stimulus(item, questions) {
  const { title, body, instructions, orientation } = item;
  const heading = title ? make("h2", { tabindex: -1, id: newId("stimulus") }, title) : null;
  return make("div", { class: orientation === "left" ? "stimulus left" : "stimulus", role: "group", "aria-label": title || say("stimulus") },
    make("div", { class: "about", tabindex: orientation === "left" ? 0 : null, role: "group", "aria-label": say("stimulus") }, heading,
      instructions ? make("div", { class: "soft" }, rich(instructions)) : null, rich(body)),
    make("div", {}, questions));
}
