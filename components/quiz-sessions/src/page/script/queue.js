// Answers on their way to the service: kept in memory and in this browser until the service has them.
const SEND_AFTER = 800, FIRST_PAUSE = 2000, LONGEST_PAUSE = 30000;

/** A place to keep things that may not be there: private windows have none, and it may be full. */
class Kept {
  constructor(storage, prefix) {
    Object.assign(this, { storage, prefix });
  }

  set(id, change) {
    try {
      this.storage.setItem(`${this.prefix}${id}`, JSON.stringify(change));
    } catch { /* what cannot be kept here is in memory still */ }
  }

  remove(id) {
    try {
      this.storage.removeItem(`${this.prefix}${id}`);
    } catch { /* there is nothing to remove */ }
  }

  /** What is kept, by the id of its item. */
  all() {
    const found = new Map();
    try {
      for (let place = 0; place < this.storage.length; place += 1) {
        const key = this.storage.key(place);
        if (key.startsWith(this.prefix)) found.set(key.slice(this.prefix.length), JSON.parse(this.storage.getItem(key)));
      }
    } catch { /* as if nothing had been kept */ }
    return found;
  }

  clear() {
    for (const id of this.all().keys()) this.remove(id);
  }
}

/**
 * The queue. `send(answers)` calls the service; listeners are told of the state (`saved`, `waiting`, `saving`, `offline`, `loggedOut`),
 * of what another window has saved meanwhile (`conflict`), and of answers that the service does not take (`refused`); one is asked
 * whether the session has ended (`hasEnded`).
 */
class AnswerQueue {
  constructor({ kept, send, listeners, later, cancel, random = Math.random }) {
    Object.assign(this, { kept, send, listeners, random });
    // Browsers call these of no object but the window.
    this.later = later ?? ((act, pause) => setTimeout(act, pause));
    this.cancel = cancel ?? ((timer) => clearTimeout(timer));
    this.waiting = new Map(); // id of an item → { response?, flagged? }
    this.versions = new Map(); // id of an item → the version that was seen last
    this.pause = 0;
    this.timer = null;
    this.sending = null;
    this.isClosed = false;
  }

  get isEmpty() {
    return this.waiting.size === 0 && this.sending === null;
  }

  /** Begins with the answers that the service has, and what was kept here and has not come there. */
  restore(answers) {
    const known = new Map(answers.map((answer) => [answer.item_id, answer]));
    for (const [id, { version }] of known) this.versions.set(id, version);
    for (const [id, { version, ...change }] of this.kept.all()) {
      const standing = known.get(id);
      if (standing && covers(standing, change)) this.kept.remove(id);
      else if (!standing || standing.version === version) this.put(id, change);
      else this.conflict(standing, change);
    }
  }

  /** Notes a change of an item: its response, its flag, or both. */
  put(id, change) {
    if (this.isClosed) return;
    const all = { ...this.waiting.get(id), ...change };
    this.waiting.set(id, all);
    this.kept.set(id, { ...all, version: this.version(id) });
    if (this.pause === 0) this.tell("waiting");
    this.schedule(this.pause || SEND_AFTER);
  }

  /** Sends what waits now. True if the service has all of it then. */
  async flush() {
    this.stop();
    while (!this.isEmpty) {
      if (!(await this.attempt())) return false;
    }
    return true;
  }

  /** The session is over: nothing is sent any more, and nothing kept. */
  close() {
    this.isClosed = true;
    this.stop();
    this.waiting.clear();
    this.kept.clear();
  }

  version(id) {
    return this.versions.get(id) ?? 0;
  }

  schedule(pause) {
    if (this.timer !== null || this.sending !== null) return;
    this.timer = this.later(() => {
      this.timer = null;
      this.attempt();
    }, pause);
  }

  stop() {
    if (this.timer !== null) this.cancel(this.timer);
    this.timer = null;
  }

  /** One attempt to send all that waits. True if it has come. */
  attempt() {
    if (this.sending !== null) return this.sending;
    this.stop();
    if (this.isClosed || this.waiting.size === 0) return Promise.resolve(true);
    this.sending = this.sendAll().finally(() => {
      this.sending = null;
      if (this.waiting.size > 0 && !this.isClosed) this.schedule(this.pause || SEND_AFTER);
    });
    return this.sending;
  }

  async sendAll() {
    const batch = new Map(this.waiting);
    this.tell("saving");
    try {
      await this.sendBatch(batch);
    } catch (error) {
      return this.failed(error, batch);
    }
    this.pause = 0;
    if (this.waiting.size === 0) this.tell("saved");
    return true;
  }

  async sendBatch(batch) {
    const answers = [...batch].map(([id, change]) => ({ item_id: id, version: this.version(id), ...change }));
    const { answers: saved, session } = await this.send(answers);
    for (const answer of saved) this.took(answer, batch.get(answer.item_id));
    this.listeners.session?.(session);
  }

  /** The service has that change of an item; a newer one goes on waiting. */
  took(answer, sent) {
    const { item_id: id, version } = answer;
    this.versions.set(id, version);
    if (this.waiting.get(id) === sent) {
      this.waiting.delete(id);
      this.kept.remove(id);
    } else if (this.waiting.has(id)) {
      this.kept.set(id, { ...this.waiting.get(id), version });
    }
  }

  async failed(error, batch) {
    if (error.status === undefined) throw error;
    if (error.status === 409 && Array.isArray(error.body?.answers)) return this.overtaken(error.body.answers, batch);
    if (error.isPassing || error.status === 401) {
      this.pause = Math.min(Math.max(2 * this.pause, FIRST_PAUSE), LONGEST_PAUSE) * (0.75 + this.random() / 2);
      this.tell(error.status === 401 ? "loggedOut" : "offline");
      return false;
    }
    if ((error.status === 409 || error.status === 404) && (await this.listeners.hasEnded())) return false;
    return batch.size === 1 ? this.refused([...batch.keys()][0], error) : this.oneByOne(batch);
  }

  /** Another window was faster: what is the same there has come; for the rest somebody chooses. */
  overtaken(standing, batch) {
    let isNews = false;
    for (const answer of standing) {
      const change = batch.get(answer.item_id);
      if (!change || answer.version === this.version(answer.item_id)) continue;
      isNews = true;
      if (covers(answer, change)) this.took(answer, change);
      else this.conflict(answer, this.waiting.get(answer.item_id) ?? change);
    }
    if (!isNews) {
      // Without news the same would be refused for ever.
      this.pause = LONGEST_PAUSE;
      this.tell("offline");
      return false;
    }
    return this.waiting.size === 0 ? this.settled() : this.sendAll();
  }

  conflict(standing, change) {
    const id = standing.item_id;
    this.versions.set(id, standing.version);
    this.waiting.delete(id);
    this.kept.remove(id);
    this.listeners.conflict(id, standing, change);
  }

  /** One of several answers is not taken, which keeps the others from being saved: each goes by itself. */
  async oneByOne(batch) {
    for (const [id, change] of batch) {
      try {
        await this.sendBatch(new Map([[id, change]]));
      } catch (error) {
        if (!(await this.failed(error, new Map([[id, change]])))) return false;
      }
    }
    return this.settled();
  }

  refused(id, error) {
    this.waiting.delete(id);
    this.kept.remove(id);
    this.listeners.refused(id, error);
    return this.settled();
  }

  settled() {
    this.pause = 0;
    if (this.waiting.size === 0) this.tell("saved");
    return true;
  }

  tell(state) {
    this.listeners.state(state);
  }
}

/** True if what stands has all of a change. */
function covers(standing, change) {
  const hasResponse = !("response" in change) || isSame(standing.response, change.response);
  return hasResponse && (!("flagged" in change) || standing.flagged === change.flagged);
}
