// The queue of answers: what is sent when, what is kept, and what becomes of it on a bad connection.
import assert from "node:assert/strict";
import { test } from "node:test";

import { declared } from "./page.mjs";

const { AnswerQueue, Kept, isSame } = declared(["base", "queue"], ["AnswerQueue", "Kept", "isSame"]);

class Storage {
  constructor() {
    this.items = new Map();
  }
  get length() { return this.items.size; }
  key(place) { return [...this.items.keys()][place]; }
  getItem(key) { return this.items.get(key) ?? null; }
  setItem(key, value) { this.items.set(key, value); }
  removeItem(key) { this.items.delete(key); }
}

/** A service that keeps answers with their versions, as ours does, and fails as it is told. */
class Service {
  constructor() {
    Object.assign(this, { answers: new Map(), failures: [], sent: [] });
  }
  async save(answers) {
    this.sent.push(answers);
    const failure = this.failures.shift()?.(answers);
    if (failure) throw failure;
    const stale = answers.filter(({ item_id: id, version }) => version !== (this.answers.get(id)?.version ?? 0));
    if (stale.length > 0) throw refusal(409, { answers: stale.map(({ item_id: id }) => this.answers.get(id)).filter(Boolean) });
    return { answers: answers.map((answer) => this.set(answer)), session: { time_left: 60 } };
  }
  set({ item_id, version, ...change }) {
    const before = this.answers.get(item_id) ?? { response: null, flagged: false };
    const answer = { ...before, ...change, item_id, version: version + 1 };
    this.answers.set(item_id, answer);
    return answer;
  }
}

function refusal(status, body = {}) {
  return Object.assign(new Error(`${status}`), { status, body, isPassing: status === 0 || status >= 500 });
}

function scene(service = new Service(), storage = new Storage()) {
  const heard = { states: [], conflicts: [], refused: [], ended: 0, hasEnded: true, pauses: [] };
  const timers = [];
  const queue = new AnswerQueue({
    kept: new Kept(storage, "quiz/7/"),
    send: (answers) => service.save(answers),
    later: (act, pause) => { heard.pauses.push(pause); timers.push(act); return act; },
    cancel: (act) => timers.splice(timers.indexOf(act), 1),
    random: () => 0.5,
    listeners: {
      state: (state) => heard.states.push(state),
      conflict: (...conflict) => heard.conflicts.push(conflict),
      refused: (id, error) => heard.refused.push([id, error.status]),
      hasEnded: async () => { heard.ended += 1; return heard.hasEnded; },
    },
  });
  /** Lets the next timer ring. */
  const ring = async () => { timers.shift()(); await queue.sending; };
  return { queue, service, storage, heard, timers, ring };
}

test("changes wait for a moment and go together", async () => {
  const { queue, service, storage, heard, timers, ring } = scene();
  queue.put("1", { response: "a" });
  queue.put("1", { response: "ab" });
  queue.put("2", { flagged: true });
  assert.equal(timers.length, 1);
  assert.equal(storage.length, 2);
  await ring();
  assert.deepEqual(service.sent, [[{ item_id: "1", version: 0, response: "ab" }, { item_id: "2", version: 0, flagged: true }]]);
  assert.deepEqual([heard.states.at(-1), storage.length, queue.isEmpty], ["saved", 0, true]);
});

test("what is changed while it is sent is sent again, with the version that came", async () => {
  const { queue, service } = scene();
  queue.put("1", { response: "a" });
  const flushed = queue.flush();
  queue.put("1", { response: "b" });
  assert.equal(await flushed, true);
  assert.deepEqual(service.sent.map(([answer]) => [answer.version, answer.response]), [[0, "a"], [1, "b"]]);
});

test("without a connection all is kept, and tried again ever more rarely", async () => {
  const { queue, service, storage, heard, ring } = scene();
  service.failures = Array.from({ length: 6 }, () => () => refusal(0));
  queue.put("1", { response: "a" });
  for (let attempt = 0; attempt < 6; attempt += 1) await ring();
  assert.equal(heard.states.at(-1), "offline");
  assert.deepEqual(heard.pauses.slice(1), [2000, 4000, 8000, 16000, 30000, 30000]);
  assert.equal(storage.length, 1);
  await ring();
  assert.deepEqual([heard.states.at(-1), storage.length, service.answers.get("1").response], ["saved", 0, "a"]);
});

test("what a page that was closed could not send comes with the next one", async () => {
  const first = scene();
  first.service.failures = [() => refusal(0)];
  first.queue.put("1", { response: ["a"] });
  await first.ring();
  const next = scene(first.service, first.storage);
  next.queue.restore([]);
  assert.equal(await next.queue.flush(), true);
  assert.deepEqual(first.service.answers.get("1").response, ["a"]);
  assert.equal(first.storage.length, 0);
});

test("an answer that came although its answer was lost is not asked about", async () => {
  const { queue, service, heard, ring } = scene();
  service.failures = [(answers) => { answers.map((answer) => service.set(answer)); return refusal(0); }];
  queue.put("1", { response: { x: 1, y: 2 } });
  await ring();
  await ring();
  assert.deepEqual([heard.conflicts.length, heard.states.at(-1), queue.isEmpty], [0, "saved", true]);
});

test("another window's answer is for somebody to choose, and keeps nothing else back", async () => {
  const { queue, service, heard } = scene();
  service.set({ item_id: "1", version: 0, response: "theirs" });
  queue.put("1", { response: "mine" });
  queue.put("2", { response: "other" });
  assert.equal(await queue.flush(), true);
  assert.deepEqual(heard.conflicts.map(([id, standing, mine]) => [id, standing.response, mine.response]), [["1", "theirs", "mine"]]);
  assert.equal(service.answers.get("2").response, "other");
  queue.put("1", heard.conflicts[0][2]);
  assert.equal(await queue.flush(), true);
  assert.deepEqual([service.answers.get("1").response, service.answers.get("1").version], ["mine", 2]);
});

test("a conflict with what was kept is told when the page opens", () => {
  const { queue, storage, heard } = scene();
  storage.setItem("quiz/7/1", JSON.stringify({ response: "mine", version: 1 }));
  storage.setItem("quiz/7/2", JSON.stringify({ response: "same", version: 1 }));
  storage.setItem("quiz/8/1", JSON.stringify({ response: "of another session", version: 0 }));
  const answer = (item_id, response) => ({ item_id, response, version: 2, flagged: false });
  queue.restore([answer("1", "theirs"), answer("2", "same")]);
  assert.deepEqual(heard.conflicts.map(([id]) => id), ["1"]);
  assert.deepEqual([...storage.items.keys()], ["quiz/8/1"]);
});

test("an answer that is not taken keeps none of the others from being saved", async () => {
  const { queue, service, heard } = scene();
  const refuseLong = (answers) => (answers.some(({ response }) => response === "long") ? refusal(422) : undefined);
  service.failures = [refuseLong, refuseLong, refuseLong, refuseLong];
  queue.put("1", { response: "long" });
  queue.put("2", { response: "short" });
  assert.equal(await queue.flush(), true);
  assert.deepEqual([heard.refused, service.answers.get("2").response, queue.isEmpty], [[["1", 422]], "short", true]);
});

test("a session that has ended is told once, and one that is closed sends nothing", async () => {
  const { queue, service, heard, storage } = scene();
  service.failures = [() => refusal(409)];
  queue.put("1", { response: "a" });
  assert.equal(await queue.flush(), false);
  assert.equal(heard.ended, 1);
  queue.close();
  queue.put("1", { response: "b" });
  assert.deepEqual([service.sent.length, storage.length, queue.isEmpty], [1, 0, true]);
});

test("an answer that comes too late for its question keeps none of the others back", async () => {
  const { queue, service, heard } = scene();
  heard.hasEnded = false;
  const refuseLeft = (answers) => (answers.some(({ item_id: id }) => id === "1") ? refusal(409) : undefined);
  service.failures = [refuseLeft, refuseLeft, refuseLeft];
  queue.put("1", { response: "late" });
  queue.put("2", { response: "in time" });
  assert.equal(await queue.flush(), true);
  assert.deepEqual([heard.refused, service.answers.get("2").response], [[["1", 409]], "in time"]);
});

test("a browser that keeps nothing sends all the same", async () => {
  const refusing = { get length() { throw new Error("no"); }, setItem() { throw new Error("full"); }, removeItem() { throw new Error("no"); } };
  const { queue, service } = scene(new Service(), refusing);
  queue.restore([]);
  queue.put("1", { response: "a" });
  assert.equal(await queue.flush(), true);
  assert.equal(service.answers.get("1").response, "a");
});

test("the order of members makes no difference to an answer", () => {
  assert.ok(isSame({ a: [1], b: null }, { b: null, a: [1] }) && isSame(null, undefined));
  assert.ok(!isSame(["a", "b"], ["b", "a"]) && !isSame({ a: 1 }, { a: 1, b: 2 }));
});
