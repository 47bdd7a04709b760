// What became of a session, as far as it is to be seen.

/** The response that would be right, in the shape of the student's; undefined where words say it better. */
function rightResponse(slug, { value }) {
  switch (slug) {
    case "true-false": case "choice": case "multi-answer": case "matching": case "ordering":
      return value;
    case "categorization":
      return Object.fromEntries(value.map(({ id, scoring_data: { value: ids } }) => [id, ids]));
    case "rich-fill-blank": case "fill-blank":
      return Object.fromEntries(value.map(({ id, scoring_data: scoring }) => [id, rightBlank(scoring)]));
    default:
      return undefined;
  }
}

function rightBlank({ choice_id: word, value }) {
  return word ?? (Array.isArray(value) ? value[0] : value);
}

/** The numbers that would be right, in words. */
function rightNumbers(slug, { value }) {
  if (slug !== "numeric") return null;
  return value.map(({ value: number, start, end, margin, margin_type: kind }) => {
    if (start !== undefined) return `${start} – ${end}`;
    return margin === undefined ? number : `${number} ± ${margin}${kind === "percent" ? " %" : ""}`;
  }).join(", ");
}

/** The points, and below them the questions that are shown. */
function result({ score, points_possible: most, workflow_state: state, items }) {
  const points = score === null ? say("result_hidden") : most === null ? say("points", { points: score }) : say("score", { score, most });
  const questions = (items ?? []).filter(({ entry_type: type }) => type === "Item");
  const shown = inGroups(items ?? [], items ?? [], (item) => {
    const number = questions.indexOf(item) + 1;
    return number === 0 ? null : resultOf(item, number);
  });
  return make("div", {}, make("p", { class: "score" }, points), state === "pending_review" ? make("p", {}, say("waits")) : null, shown);
}

function resultOf(item, number) {
  const heading = make("h2", { id: newId("result") }, say("question", { number }));
  return make("article", { "aria-labelledby": heading.id },
    make("header", {}, heading, verdict(item)),
    ownResponse(item),
    rightAnswer(item),
    (item.feedback ?? []).filter((text) => text !== "").map((text) => make("div", { class: "feedback" }, rich(text))),
    item.comment ? make("div", { class: "feedback" }, rich(item.comment)) : null);
}

/** The question with the student's answer, or alone where that is hidden. */
function ownResponse(item) {
  const isJudged = item.correct !== null && item.correct !== undefined;
  if (item.answer) return shownResponse(item, item.answer.response, say("your_answer"));
  if (isJudged) return shownResponse(item, null, say("unanswered"));
  return make("div", { class: "body" }, rich(item.item_body));
}

function verdict({ correct, points, points_possible: most }) {
  const words = [
    correct === null || correct === undefined ? null : say(correct ? "correct" : points > 0 ? "partly_correct" : "incorrect"),
    points === null || points === undefined ? null : most === null ? say("points", { points }) : say("score", { score: points, most }),
  ];
  return make("span", { class: correct ? "right" : "soft" }, words.filter(Boolean).join(" · "));
}

/** A question as it was answered, to be read and not to be changed. */
function shownResponse(item, response, name) {
  const body = make("div", { class: "body" });
  body.append(rich(item.item_body, (id) => id.startsWith("blank_")));
  const fields = RENDERERS[item.interaction_type_slug](item, response, () => {}, body, { service, isFixed: true });
  return make("fieldset", { disabled: true, class: "shown", "aria-label": name }, body, make("p", { class: "soft" }, name), fields);
}

function rightAnswer(item) {
  const { correct_answer: right, interaction_type_slug: slug } = item;
  if (!right || item.correct === true || right.value === undefined) return null;
  const response = rightResponse(slug, right), numbers = rightNumbers(slug, right);
  if (response !== undefined) return make("details", {}, make("summary", {}, say("right_answer")), shownResponse(item, response, say("right_answer")));
  return numbers === null ? null : make("p", {}, `${say("right_answer")}: ${numbers}`);
}
