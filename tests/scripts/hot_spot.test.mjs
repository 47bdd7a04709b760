// The places of an answer on an image.
import assert from "node:assert/strict";
import { test } from "node:test";

import { declared } from "./page.mjs";

const { Places } = declared(["hot_spot"], ["Places"]);

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
