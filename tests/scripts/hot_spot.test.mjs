// The places of an answer on an image, and the spots that are right.
import assert from "node:assert/strict";
import { test } from "node:test";

import { declared } from "./page.mjs";

const { Places, spotEdges, spotsOf } = declared(["hot_spot", "spots"], ["Places", "spotEdges", "spotsOf"]);

test("one spot has one place, which moves", () => {
  const places = new Places(null, null);
  assert.equal(places.response, null);
  places.move({ x: 0.25, y: 1.7 });
  places.move({ x: -0.1 });
  assert.deepEqual(places.response, { x: 0, y: 1 });
});

test("several spots have a list, of which one place is moved and any is removed", () => {
  const places = new Places([{ x: 0.1, y: 0.1 }], 2);
  places.add({ x: 0.123456, y: 0.5 });
  assert.equal(places.hasRoom, false);
  places.move({ y: 0.6 });
  assert.deepEqual(places.response, [{ x: 0.1, y: 0.1 }, { x: 0.1235, y: 0.6 }]);
  places.remove(0);
  places.move({ x: 0.2 });
  assert.deepEqual(places.response, [{ x: 0.2, y: 0.6 }]);
  places.remove(0);
  assert.deepEqual([places.response, places.current, places.hasRoom], [null, -1, true]);
});

test("one spot is a list of one, and what is hidden is none", () => {
  const spot = { type: "square", coordinates: [] };
  assert.deepEqual([spotsOf({ value: spot }), spotsOf({ value: [spot, spot] }), spotsOf(null)], [[spot], [spot, spot], []]);
});

test("a spot of each shape has its edges", () => {
  const [one, other, third] = [{ x: 0.1, y: "0.2" }, { x: 0.3, y: 0.9 }, { x: 0.2, y: 0.1 }];
  const edges = (type, ...coordinates) => Object.values(spotEdges({ type, coordinates }));
  assert.deepEqual(edges("square", one, other), [10, 30, 20, 90]);
  assert.deepEqual(edges("polygon", one, other, third), [10, 30, 10, 90]);
  assert.deepEqual(edges("oval", { x: 0.5, y: 0.5 }, third), [40, 60, 45, 55]);
});
