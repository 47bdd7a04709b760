// A place on an image: by a finger, by the arrow keys, or by two numbers.
const STEP = 0.01, LARGE_STEP = 0.1;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function hotSpot(item, response, change, body, { isFixed }) {
  let place = response ?? null;
  const percent = (part) => Math.round(1000 * part) / 10;
  const words = () => (place === null ? say("no_place") : say("place", { x: percent(place.x), y: percent(place.y) }));
  const marker = make("span", { class: "marker", "aria-hidden": "true" });
  const told = make("p", { class: "soft", id: newId("place") });
  const image = make("img", { alt: "", draggable: "false" });
  showFile(image, item.interaction_data.image_url);
  const area = make("div", isFixed ? { class: "spot" } : {
    class: "spot", role: "application", tabindex: 0, "aria-label": say("image"), "aria-describedby": told.id, keydown: onKey, click: onClick,
  }, image, marker);
  const numbers = ["x", "y"].map((axis) => {
    const id = newId("axis");
    const input = make("input", {
      id, type: "number", min: 0, max: 100, step: "any", inputmode: "decimal", class: "short",
      change: () => {
        if (input.value === "" || !input.checkValidity()) return show();
        go({ x: 0.5, y: 0.5, ...place, [axis]: Number(input.value) / 100 });
      },
    });
    return [axis, input, make("label", { for: id }, say(axis === "x" ? "from_left" : "from_top"))];
  });
  function onClick(event) {
    const { left, top, width, height } = image.getBoundingClientRect();
    go({ x: (event.clientX - left) / width, y: (event.clientY - top) / height });
  }
  function onKey(event) {
    const direction = ARROWS[event.key];
    if (!direction || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const { x, y } = place ?? { x: 0.5, y: 0.5 };
    const by = place === null ? [0, 0] : direction;
    go({ x: x + step * by[0], y: y + step * by[1] });
  }
  function go({ x, y }) {
    const within = (part) => Math.round(10000 * Math.min(1, Math.max(0, part))) / 10000;
    place = { x: within(x), y: within(y) };
    show();
    announce(words());
    change(place);
  }
  function show() {
    marker.hidden = place === null;
    if (place !== null) Object.assign(marker.style, { left: `${100 * place.x}%`, top: `${100 * place.y}%` });
    told.textContent = words();
    for (const [axis, input] of numbers) input.value = place === null ? "" : percent(place[axis]);
  }
  show();
  if (isFixed) return make("div", {}, area, told);
  return make("div", {}, make("p", { class: "soft" }, say("place_help")), area, told,
    make("div", { class: "axes" }, numbers.map(([, input, label]) => make("div", {}, label, input))));
}
