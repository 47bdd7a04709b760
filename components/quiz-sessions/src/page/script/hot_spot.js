// Places on an image, one or several: chosen by a finger, by the arrow keys, or by two numbers for each.
const STEP = 0.01, LARGE_STEP = 0.1;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MIDDLE = { x: 0.5, y: 0.5 };

/** A place within the image, to a hundredth of a percent. */
function within({ x, y }) {
  const part = (number) => Math.round(10000 * Math.min(1, Math.max(0, number))) / 10000;
  return { x: part(x), y: part(y) };
}

/**
 * The places of an answer, of which one is moved now. A question with one spot has a place for its answer, and one with several
 * a list: `most` is the number of places, or null.
 */
class Places {
  constructor(response, most) {
    this.isList = most !== null;
    this.most = most ?? 1;
    this.all = response === null || response === undefined ? [] : Array.isArray(response) ? [...response] : [response];
    this.current = this.all.length - 1;
  }

  get hasRoom() {
    return this.all.length < this.most;
  }

  get response() {
    if (this.all.length === 0) return null;
    return this.isList ? [...this.all] : this.all[0];
  }

  add(place = MIDDLE) {
    this.all.push(within(place));
    this.current = this.all.length - 1;
  }

  /** Moves the current place; without any it is the first. */
  move(place) {
    if (this.current < 0) this.add(place);
    else this.all[this.current] = within({ ...this.all[this.current], ...place });
  }

  remove(number) {
    this.all.splice(number, 1);
    this.current = Math.min(this.current, this.all.length - 1);
  }
}

/** The number of places to choose; null where there is one spot. */
function placesOf(item) {
  return item.properties?.hotspots_count ?? null;
}

/** A part of a width or height in percent. */
function percent(part) {
  return Math.round(1000 * part) / 10;
}

function placeWords({ x, y }, number, most) {
  return say(most === null ? "place" : "place_of", { x: percent(x), y: percent(y), number: number + 1, all: most });
}

/** A mark at a place on an image, with its number where there are several. */
function placeMark(place, number, most, isCurrent) {
  const mark = make("span", { class: isCurrent ? "marker current" : "marker", "aria-hidden": "true" }, most === null ? null : String(number + 1));
  Object.assign(mark.style, { left: `${100 * place.x}%`, top: `${100 * place.y}%` });
  return mark;
}

function hotSpot(item, response, change, body, { isFixed }) {
  if (isFixed) return shownPlaces(item, response);
  const most = placesOf(item);
  const places = new Places(response, most);
  const words = (place, number) => placeWords(place, number, most);
  const told = make("p", { class: "soft", id: newId("place") });
  const image = make("img", { alt: "", draggable: "false" });
  showFile(image, item.interaction_data.image_url);
  const area = make("div", {
    class: "spot", role: "application", tabindex: 0, "aria-label": say("image"), "aria-describedby": told.id, keydown: onKey, click: onClick,
  }, image);
  const list = make("ol", { class: "places" });
  const add = button(say("add_place"), () => { places.add(); tell(); area.focus(); }, { class: "plain small" });

  function onClick(event) {
    const { left, top, width, height } = image.getBoundingClientRect();
    const place = { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
    if (most !== null && places.hasRoom) places.add(place);
    else places.move(place);
    tell();
  }
  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const direction = ARROWS[event.key];
    if (direction) step(direction, event.shiftKey ? LARGE_STEP : STEP);
    else if (most !== null && event.key === "Enter" && places.hasRoom) places.add();
    else if (most !== null && event.key === "Delete" && places.current >= 0) return remove(places.current, event);
    else return;
    event.preventDefault();
    tell();
  }
  function step([right, down], size) {
    const at = places.all[places.current];
    if (at === undefined) places.add();
    else places.move({ x: at.x + size * right, y: at.y + size * down });
  }
  function remove(number, event) {
    event.preventDefault();
    places.remove(number);
    show();
    announce(say("place_removed", { number: number + 1 }));
    change(places.response);
    area.focus();
  }
  function tell() {
    show();
    announce(words(places.all[places.current], places.current));
    change(places.response);
  }
  function show() {
    area.querySelectorAll(".marker").forEach((marker) => marker.remove());
    area.append(...places.all.map((place, number) => placeMark(place, number, most, most !== null && number === places.current)));
    told.textContent = places.all.length === 0 ? say("no_place") : most === null ? places.all.map(words).join(" ") : "";
    add.disabled = !places.hasRoom;
    list.replaceChildren(...(most === null ? [placeRow(places.all[0] ?? null, 0)] : places.all.map(placeRow)));
  }
  /** The two numbers of a place; of several also which is moved, and how to take it away. */
  function placeRow(place, number) {
    const axes = ["x", "y"].map((axis) => {
      const id = newId("axis");
      const input = make("input", {
        id, type: "number", min: 0, max: 100, step: "any", inputmode: "decimal", class: "short", value: place === null ? "" : percent(place[axis]),
        "aria-label": most === null ? null : `${say("place_number", { number: number + 1 })}, ${say(axis === "x" ? "from_left" : "from_top")}`,
        change: () => {
          if (input.value === "" || !input.checkValidity()) return show();
          places.current = place === null ? -1 : number;
          places.move({ ...(place ?? MIDDLE), [axis]: Number(input.value) / 100 });
          tell();
          list.querySelectorAll("input")[2 * number + (axis === "x" ? 0 : 1)]?.focus();
        },
      });
      return make("div", {}, make("label", { for: id }, say(axis === "x" ? "from_left" : "from_top")), input);
    });
    if (most === null) return make("li", { class: "axes" }, axes);
    const select = button(say("place_number", { number: number + 1 }), () => {
      places.current = number;
      show();
      announce(words(place, number));
      area.focus();
    }, { class: "plain small", "aria-pressed": String(number === places.current) });
    const away = button(say("remove"), (event) => remove(number, event), {
      class: "plain small", "aria-label": say("remove_place", { number: number + 1 }),
    });
    return make("li", { class: "axes" }, select, axes, away);
  }
  show();
  const help = most === null ? say("place_help") : say("places_help", { most });
  return make("div", {}, make("p", { class: "soft" }, help), area, told, list, most === null ? null : add);
}
