// A session while it runs: its questions, the way between them, the clock, and what becomes of the answers.
const STATES = { saved: "saved", waiting: "saving", saving: "saving", offline: "not_connected", loggedOut: "logged_out" };

class Taking {
  constructor(session, { service, storage, show, finished }) {
    Object.assign(this, { session, service, show, finished });
    const kept = new Kept(storage, `lectern-quiz/${session.id}/`);
    this.queue = new AnswerQueue({
      kept,
      send: (answers) => service.call("PUT", `/sessions/${session.id}/answers`, { answers }),
      listeners: {
        state: (state) => this.showState(state),
        session: (told) => this.clock.set(told?.time_left ?? null),
        conflict: (id, standing, mine) => this.conflict(id, standing, mine),
        refused: (id, error) => this.refused(id, error),
        hasEnded: () => this.hasEnded(),
      },
    });
    this.clock = new Clock({ warn: (seconds) => this.warn(seconds), over: () => this.submit(true) });
    this.views = new Map();
    this.conflicts = new Set(); // items of which somebody must choose an answer
    this.frame();
    this.load(session);
    this.clock.begin();
    this.timer = setInterval(() => this.tick(), 1000);
    this.onLeave = (event) => { if (!this.queue.isEmpty) event.preventDefault(); };
    addEventListener("beforeunload", this.onLeave);
    this.onOnline = () => this.queue.flush();
    addEventListener("online", this.onOnline);
    this.tick();
  }

  /** All but the questions. */
  frame() {
    this.time = make("span", { class: "time", role: "timer" });
    this.hide = button(say("hide_clock"), () => this.toggleClock(), { class: "plain small", "aria-pressed": "false" });
    this.state = make("span", { id: "saving", class: "soft" }, say("saved"));
    this.navigation = make("ol", { class: "steps" });
    this.place = make("div", { id: "questions" });
    this.controls = make("div", { class: "controls" });
    const bar = make("div", { class: "bar" }, make("span", { id: "clock" }, this.time, this.hide), this.state);
    const list = make("details", { class: "list", open: innerWidth > 700 },
      make("summary", {}, say("questions")), make("nav", { "aria-label": say("questions") }, this.navigation));
    this.show(make("section", {},
      make("h1", { tabindex: -1 }, this.session.title),
      this.session.is_preview ? make("p", { class: "preview" }, say("preview_note")) : null,
      bar, list, calculator(this.session.settings.calculator_type), this.place, this.controls));
  }

  get isOneAtATime() {
    return this.session.settings.one_at_a_time;
  }

  get mayGoBack() {
    return !this.isOneAtATime || this.session.settings.allow_backtracking;
  }

  /** Takes a session as the service tells it: its items may have become more, or others. */
  load(session) {
    this.session = session;
    this.clock.set(session.time_left);
    const items = session.items;
    this.questions = items.filter(({ entry_type: type }) => type === "Item");
    this.views.clear();
    this.questions.forEach((item, index) => {
      if (item.interaction_type_slug) this.views.set(item.id, this.view(item, index + 1));
    });
    this.step = Math.max(this.questions.findIndex(({ position }) => position === session.position), 0);
    this.showQuestions();
    this.queue.restore(items.map(({ answer }) => answer).filter(Boolean));
    this.showKept();
  }

  view(item, number) {
    return new QuestionView(item, number, { change: (view, change) => this.changed(view, change), service: this.service });
  }

  /** Answers that were kept in this browser and have not come to the service are shown as they were given. */
  showKept() {
    for (const [id, change] of this.queue.waiting) {
      const view = this.views.get(id);
      view?.take({ response: view.response, flagged: view.isFlagged, ...change });
    }
    this.showNavigation();
  }

  changed(view, change) {
    this.queue.put(view.item.id, change);
    this.showNavigation();
  }

  /** The questions that are looked at, below what they are about. */
  showQuestions() {
    const { items, position } = this.session;
    const shown = this.isOneAtATime ? items.filter((item) => item.position === position) : items;
    this.place.replaceChildren(...inGroups(items, shown, (item) => this.views.get(item.id)?.node));
    this.showControls();
    this.showNavigation();
  }

  showNavigation() {
    const marks = { answered: say("answered"), partly: say("partly_answered"), unanswered: say("unanswered") };
    this.navigation.replaceChildren(...this.questions.map((item, index) => {
      const view = this.views.get(item.id);
      const state = view ? view.progress : item.answer?.response != null ? "answered" : "unanswered";
      const isHere = this.isOneAtATime && this.step === index;
      const isFlagged = view?.isFlagged ?? item.answer?.flagged ?? false;
      const words = [say("question", { number: index + 1 }), marks[state], isFlagged ? say("flagged") : ""].filter(Boolean);
      const go = button(String(index + 1), () => this.goTo(item), {
        class: `plain step ${state}`, "aria-label": words.join(", "), title: words.join(", "), "aria-current": isHere ? "step" : null,
        disabled: this.isOneAtATime && !this.mayGoBack,
      });
      if (isFlagged) go.append(make("span", { "aria-hidden": "true" }, " ⚑"));
      return make("li", {}, go);
    }));
  }

  showControls() {
    const isFirst = this.step === 0, isLast = this.step >= this.questions.length - 1;
    const move = (by) => () => this.goTo(this.questions[this.step + by]);
    this.controls.replaceChildren(...[
      this.isOneAtATime && this.mayGoBack && !isFirst ? button(say("previous"), move(-1)) : null,
      this.isOneAtATime && !isLast ? make("button", { type: "button", click: move(1) }, say("next")) : null,
      !this.isOneAtATime || isLast || this.mayGoBack
        ? button(say("check_and_submit"), () => this.check(), { class: this.isOneAtATime && !isLast ? "plain" : "" })
        : null,
      this.isOneAtATime && !this.mayGoBack ? make("p", { class: "soft" }, say("no_way_back")) : null,
    ].filter(Boolean));
  }

  /** Goes to a question. One at a time, the service must know, and tells what is to be seen there. */
  async goTo(item) {
    if (this.isOneAtATime) {
      if (!(await this.tryToSave())) return;
      try {
        const told = await this.service.call("POST", `/sessions/${this.session.id}/position`, { position: item.position });
        this.load(told.items ? told : await this.fresh());
      } catch (error) {
        return this.failed(error);
      }
    }
    this.views.get(item.id)?.focus();
  }

  fresh() {
    return this.service.call("GET", `/sessions/${this.session.id}`);
  }

  /** True if nothing is lost when these questions are left. */
  async tryToSave() {
    const isSaved = await this.queue.flush();
    if (!isSaved) announce(say("not_connected"));
    const [open] = this.conflicts;
    this.views.get(open)?.focus();
    return isSaved && open === undefined;
  }

  /** Names what is not answered before all is handed in. */
  async check() {
    const open = this.questions.filter((item) => this.progressOf(item) !== "answered");
    const flagged = this.questions.filter(({ id }) => this.views.get(id)?.isFlagged);
    const names = (items) => make("ul", {}, items.map((item) => {
      const number = this.questions.indexOf(item) + 1;
      const words = say(this.progressOf(item) === "partly" ? "question_partly" : "question", { number });
      return make("li", {}, this.mayGoBack ? button(words, () => this.back(item), { class: "plain small" }) : words);
    }));
    const content = make("section", {},
      make("h1", { tabindex: -1 }, say("check_title")),
      open.length === 0 ? make("p", {}, say("all_answered")) : make("p", {}, say("open_questions")), open.length > 0 ? names(open) : null,
      flagged.length > 0 ? make("p", {}, say("flagged_questions")) : null, flagged.length > 0 ? names(flagged) : null,
      make("div", { class: "bar" }, this.state, make("span", {}, this.time)),
      make("p", { id: "problem", role: "alert" }),
      make("div", { class: "controls" },
        button(say("back_to_questions"), () => this.back(null)),
        make("button", { type: "button", click: () => this.submit(false) }, say("submit"))));
    this.show(content);
    await this.queue.flush();
  }

  progressOf(item) {
    const view = this.views.get(item.id);
    return view ? view.progress : item.answer?.response != null ? "answered" : "unanswered";
  }

  back(item) {
    this.frame();
    this.showQuestions();
    this.showState(this.lastState ?? "saved");
    this.tick();
    if (item) this.goTo(item);
  }

  /** Hands in. When the time is over it is done without asking, and again until the service has answered. */
  async submit(isOver) {
    if (this.isSubmitting) return;
    const [open] = this.conflicts;
    if (open !== undefined && !isOver) return this.back(this.views.get(open).item);
    this.isSubmitting = true;
    if (isOver) announce(say("time_over"));
    try {
      if (!(await this.queue.flush()) && !isOver) throw new Refusal(0, null);
      await this.service.call("POST", `/sessions/${this.session.id}/submit`, {});
      this.end();
    } catch (error) {
      this.isSubmitting = false;
      if (error.status === undefined) throw error;
      if (error.isPassing && isOver) setTimeout(() => this.submit(true), 3000 + 2000 * Math.random());
      if (!error.isPassing && (await this.isEnded())) return this.end();
      this.failed(error);
    }
  }

  async isEnded() {
    return (await this.fresh().catch(() => null))?.state === "submitted";
  }

  /** True if the session does not run any more, or cannot be asked; then its result is shown. */
  async hasEnded() {
    if (!(await this.isEnded())) return false;
    announce(say("time_over"));
    this.end();
    return true;
  }

  /** The service does not take an answer: of a question that was left before it came, it never will. */
  refused(id, error) {
    this.views.get(id)?.refuse(error.message);
    announce(say("not_taken", { reason: error.message }));
  }

  end() {
    this.queue.close();
    clearInterval(this.timer);
    removeEventListener("beforeunload", this.onLeave);
    removeEventListener("online", this.onOnline);
    this.finished(this.session.id);
  }

  failed(error) {
    const words = error.status === 0 || error.isPassing ? say("not_connected") : error.status === 401 ? say("logged_out") : error.message;
    const place = document.getElementById("problem");
    if (place) place.replaceChildren(make("span", { class: "problem" }, words));
    else announce(words);
  }

  conflict(id, standing, mine) {
    // Of a question that is not to be seen any more, what stands is what counts.
    if (!this.views.has(id)) return;
    this.conflicts.add(id);
    this.views.get(id).choose(standing, mine, (isMine) => {
      this.conflicts.delete(id);
      if (isMine) this.queue.put(id, mine);
      this.showNavigation();
    });
    announce(say("conflict", { number: this.questions.findIndex((item) => item.id === id) + 1 }));
  }

  showState(state) {
    const words = say(STATES[state]);
    const isWorse = ["offline", "loggedOut"].includes(state), wasWorse = ["offline", "loggedOut"].includes(this.lastState);
    this.state.classList.toggle("wrong", isWorse);
    this.state.replaceChildren(words);
    if (state === "loggedOut") this.state.append(" ", make("a", { href: this.service.login, target: "_blank", rel: "noopener" }, say("log_in")));
    // Those who listen hear of trouble and of its end, not of each letter that is saved.
    if ((isWorse && state !== this.lastState) || (wasWorse && state === "saved")) announce(words);
    if (state !== "saving" || !wasWorse) this.lastState = state;
  }

  tick() {
    const { seconds } = this.clock;
    const area = document.getElementById("clock");
    if (area) area.hidden = seconds === null;
    if (seconds !== null) this.time.textContent = say("time_left", { time: duration(seconds) });
    this.clock.tick();
  }

  toggleClock() {
    const isHidden = !this.time.hidden;
    this.time.hidden = isHidden;
    this.hide.setAttribute("aria-pressed", String(isHidden));
  }

  /** Says the time that is left, be the clock hidden or not. */
  warn(seconds) {
    announce(say("time_warning", { minutes: Math.round(seconds / 60) }));
    this.time.classList.toggle("wrong", seconds <= 60);
  }
}
