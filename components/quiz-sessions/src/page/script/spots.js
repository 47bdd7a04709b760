// Places on an image as they were chosen, and the spots that are right, where the student sees them.
const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
function drawn(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The spots of a scoring data, of which a question with one has no list. */
function spotsOf(scoring) {
  const value = scoring?.value;
  return value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** A spot on a field of a hundred by a hundred. */
function spotShape({ type, coordinates }) {
  const points = coordinates.map(({ x, y }) => [100 * Number(x), 100 * Number(y)]);
  const [[x, y], [right, bottom]] = points;
  switch (type) {
    case "oval": return drawn("ellipse", { class: "area", cx: x, cy: y, rx: right / 2, ry: bottom / 2 });
    case "square": return drawn("rect", { class: "area", x, y, width: right - x, height: bottom - y });
    default: return drawn("polygon", { class: "area", points: points.map((point) => point.join()).join(" ") });
  }
}

/** The rectangle around a spot, in percent. */
function spotEdges({ type, coordinates }) {
  const edges = (axis) => {
    const all = coordinates.map((point) => Number(point[axis]));
    const [centre, size] = all;
    return type === "oval" ? [centre - size / 2, centre + size / 2] : [Math.min(...all), Math.max(...all)];
  };
  const [[left, right], [top, bottom]] = [edges("x"), edges("y")].map((pair) => pair.map(percent));
  return { left, right, top, bottom };
}

/** The places of an answer, and the spots of a result that has them: drawn, and in words. */
function shownPlaces(item, response) {
  const most = placesOf(item), spots = spotsOf(item.correct_answer);
  const { all } = new Places(response, most);
  const image = make("img", { alt: "" });
  showFile(image, item.interaction_data.image_url);
  const shapes = spots.length === 0 ? null
    : drawn("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, ...spots.map(spotShape));
  return make("div", {},
    make("div", { class: "spot" }, image, shapes, all.map((place, number) => placeMark(place, number, most, false))),
    all.length === 0 ? null : make("p", { class: "soft" }, all.map((place, number) => placeWords(place, number, most)).join(" ")),
    rightSpots(item, spots, most ?? 1));
}

/** The spots in words, with those that the answer has found. */
function rightSpots(item, spots, most) {
  if (spots.length === 0) return null;
  const found = new Set((item.parts ?? []).filter(({ correct }) => correct).map(({ id }) => id));
  const name = most < spots.length ? say("right_spots_of", { most, all: spots.length }) : say("right_answer");
  return make("div", { class: "spots" }, make("p", {}, name),
    make("ul", {}, spots.map((spot) => make("li", {}, say(found.has(spot.id ?? "") ? "spot_found" : "spot", spotEdges(spot))))));
}
