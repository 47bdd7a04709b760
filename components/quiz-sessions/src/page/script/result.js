// What became of a session, as far as it is to be seen.
/** The points, and below them the questions that are shown. */
function result({ score, points_possible: most, state, items = [] }) {
  const total = score === null || score === undefined ? null : most === null || most === undefined ? say("points", { points: score }) : say("score", { score, most });
  return make("div", {},
    total === null ? make("p", {}, say(state === "waits" || state === "pending_review" ? "waits" : "result_hidden")) : make("p", { class: "score" }, total),
    total !== null && (state === "waits" || state === "pending_review") ? make("p", {}, say("waits")) : null,
    items.filter(({ entry_type: type }) => type !== "Stimulus").map((item, index) => resultOf(item, index + 1)));
}

function resultOf(item, number) {
  return make("article", {}, make("h2", {}, say("question", { number })), rich(item.item_body));
}
