// The page from its start to the result: what the service has made of it works with this alone.
const setup = JSON.parse(document.getElementById("setup").textContent);
texts = setup.texts;
const service = new Service(setup);
bytesOf = (path) => service.bytes(path);
const view = document.getElementById("view");
const startPage = document.getElementById("start");

/** Shows another view, and takes those who read with the keyboard or the ears there. */
function show(content) {
  startPage.hidden = true;
  view.replaceChildren(content);
  view.querySelector("h1")?.focus();
  scrollTo(0, 0);
}

function problem(words) {
  document.getElementById("start-problem").replaceChildren(words === "" ? "" : make("p", { class: "problem" }, words));
}

function wordsOf(error) {
  if (error.status === undefined) throw error;
  return error.status === 0 ? say("not_connected") : error.status === 401 ? say("logged_out") : error.message;
}

async function begin() {
  const start = document.getElementById("begin");
  const code = document.getElementById("code")?.value;
  start.disabled = true;
  problem("");
  try {
    const body = { ...(setup.preview ? { preview: true } : {}), ...(code ? { student_access_code: code } : {}) };
    const begun = await service.call("POST", "/sessions", body);
    take(begun.items ? begun : await service.call("GET", `/sessions/${begun.id}`));
  } catch (error) {
    problem(wordsOf(error));
  } finally {
    start.disabled = false;
  }
}

function take(session) {
  if (session.state === "submitted") return showResult(session.id);
  return new Taking(session, { service, storage: localStorage, show, finished: showResult });
}

async function showResult(id) {
  let content;
  try {
    content = result(await service.call("GET", `/sessions/${id}/result`));
  } catch (error) {
    content = make("p", {}, error.status === 403 ? say("result_later") : wordsOf(error));
  }
  show(make("section", {}, make("h1", { tabindex: -1 }, say("submitted")), content,
    make("p", {}, make("a", { href: setup.page }, say("back_to_start")))));
}

/** Sessions of before: the one that runs goes on, those that are over have results. */
async function showSessions() {
  const sessions = await service.call("GET", "/sessions?per_page=100");
  const own = sessions.filter((session) => String(session.user_id) === setup.user && Boolean(session.is_preview) === setup.preview);
  // Who may begin one needs no such words.
  document.getElementById("no-attempts")?.toggleAttribute("hidden", own.length > 0);
  const running = own.find(({ state }) => state === "taking");
  if (running) document.getElementById("begin").textContent = say("continue");
  const over = own.filter(({ state }) => state === "submitted");
  if (over.length === 0) return;
  const links = over.map((session) => make("li", {},
    button(say("result_of", { attempt: session.attempt }), () => showResult(session.id), { class: "plain small" })));
  document.getElementById("sessions").replaceChildren(make("h2", {}, say("attempts")), make("ul", {}, links));
}

document.getElementById("scripted").hidden = false;
document.getElementById("start-form").addEventListener("submit", (event) => {
  event.preventDefault();
  begin();
});
document.getElementById("instructions").replaceChildren(rich(setup.instructions));
showSessions().catch((error) => problem(wordsOf(error)));
