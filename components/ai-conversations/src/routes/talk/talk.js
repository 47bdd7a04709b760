// Sends messages without leaving the page, and shows an answer while it is written. Then the page is asked for anew, and what
// has changed takes the place of what was shown: the box keeps its focus, and what is written in it meanwhile.
const talk = document.getElementById("talk");
const spoken = document.getElementById("spoken");
const problem = document.getElementById("problem");
const box = document.getElementById("message");
const say = document.getElementById("say");
const { page, conversation, user } = talk.dataset;
const LOOK_AGAIN = 2000;
const DRAFT = `message of ${user} to ${page}`;
let isBusy = false, looking = 0;

/** What is spoken once by screen readers. */
function speak(words) {
  spoken.textContent = words;
}

/** A message as it stands in the conversation until the page is asked for anew. */
function append(name, who, text) {
  const item = document.createElement("li");
  item.className = name;
  const parts = [["p", "who", who], ["div", "text", text]].map(([tag, kind, words]) => {
    const part = document.createElement(tag);
    part.className = kind;
    part.textContent = words;
    return part;
  });
  item.append(...parts);
  document.querySelector("#messages .talk").append(item);
  item.scrollIntoView({ block: "nearest" });
  return item;
}

/** Puts what has changed in its place. A page of another conversation, or of none, is opened as a whole: false then. */
function renew(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  if (fresh.getElementById("talk")?.dataset.conversation !== conversation) {
    location.replace(page);
    return false;
  }
  const focused = document.activeElement?.id;
  for (const id of ["problem", "goals", "messages"]) {
    document.getElementById(id).replaceChildren(...fresh.getElementById(id).childNodes);
  }
  say.elements.key.value = fresh.querySelector("#say [name=key]").value;
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
  talk.toggleAttribute("data-answering", fresh.getElementById("talk").hasAttribute("data-answering"));
  enhance();
  return true;
}

async function load(failure) {
  const query = failure ? `?problem=${encodeURIComponent(failure)}` : "";
  const answer = await fetch(page + query, { cache: "no-store" });
  return answer.text();
}

const post = (form, accept, body) => fetch(form.action, { method: "POST", body, headers: { Accept: accept } });

const fields = (form, button) => {
  const body = new URLSearchParams(new FormData(form));
  if (button?.name) body.set(button.name, button.value);
  return body;
};

/** Shows the answer as it comes, and tells the code of the failure with which it ended; none where it is whole. */
async function follow(body, show) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let failure = "llm_no_response", rest = "", text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return failure;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const [name, data] = event.replace("event: ", "").split("\ndata: ");
      if (name === "done") failure = "";
      if (name === "error") failure = JSON.parse(data).code;
      if (name === "delta") {
        text += JSON.parse(data).text;
        // The events write it for pages that take it as markup: here it is text.
        show(text.replaceAll("&lt;", "<"));
      }
    }
  }
}

/** Sends a message, and shows its answer while it is written. A message that was not stored stands in the box again. */
async function send(form) {
  if (isBusy) return;
  const body = fields(form), text = body.get("message"), isNew = form === say;
  isBusy = true;
  say.querySelector("button").setAttribute("aria-disabled", "true");
  problem.replaceChildren();
  if (isNew) {
    sessionStorage.setItem(DRAFT, text);
    append("you", talk.dataset.you, text);
    box.value = "";
  }
  const answer = append("tutor writing", talk.dataset.tutor, "");
  speak(talk.dataset.sent);
  try {
    await shown(await post(form, "text/event-stream, text/html", body), answer, text);
  } catch {
    await afterBreak(text, isNew);
  }
  isBusy = false;
  say.querySelector("button").removeAttribute("aria-disabled");
}

async function shown(response, answer, text) {
  let html;
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const show = (words) => {
      answer.querySelector(".text").textContent = words;
      answer.scrollIntoView({ block: "nearest" });
    };
    html = await load(await follow(response.body, show));
  } else {
    html = await response.text();
  }
  if (renew(html)) settle(text);
}

/** The connection was cut: whether the message is stored, the page says, if it can be had. */
async function afterBreak(text, isNew) {
  try {
    if (renew(await load("llm_no_response"))) settle(text);
  } catch {
    document.querySelector("#messages .writing")?.remove();
    if (isNew) {
      document.querySelector("#messages .talk").lastElementChild.remove();
      giveBack(text);
    }
    const words = document.createElement("p");
    words.className = "problem";
    words.setAttribute("role", "alert");
    words.textContent = talk.dataset.lost;
    problem.replaceChildren(words);
  }
}

/** Speaks the answer once it is whole, and gives the message back where the page does not have it. */
function settle(text) {
  const texts = (name) => [...document.querySelectorAll(`#messages .${name} .text`)].map((part) => part.textContent);
  const last = document.querySelector("#messages .talk > li:last-child");
  const isAnswered = last?.classList.contains("tutor") && !problem.hasChildNodes();
  speak(isAnswered ? `${talk.dataset.says} ${last.querySelector(".text").textContent}` : "");
  if (texts("you").at(-1) !== text) giveBack(text);
  else sessionStorage.removeItem(DRAFT);
  last?.scrollIntoView({ block: "nearest" });
}

function giveBack(text) {
  box.value = box.value ? `${text}\n${box.value}` : text;
}

/** Votes without leaving the page. */
async function vote(form, button) {
  try {
    renew(await (await post(form, "text/html", fields(form, button))).text());
  } catch {
    // The page says what is stored.
    location.replace(page);
  }
}

/** The forms of the conversation, which come anew with it. */
function enhance() {
  document.querySelector("#messages .again")?.addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.target);
  });
  for (const form of document.querySelectorAll("#messages .vote")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      vote(form, event.submitter);
    });
  }
  clearTimeout(looking);
  if (talk.hasAttribute("data-answering")) looking = setTimeout(lookAgain, LOOK_AGAIN);
}

/** The answer is being written for another page of the same conversation. */
async function lookAgain() {
  if (isBusy) return;
  try {
    if (!document.hidden) return void renew(await load(""));
  } catch {
    // The next time.
  }
  looking = setTimeout(lookAgain, LOOK_AGAIN);
}

for (const form of document.querySelectorAll(".begin")) {
  form.addEventListener("submit", () => {
    if (form.elements.action.value === "start") speak(talk.dataset.beginning);
  });
}
if (say) {
  say.addEventListener("submit", (event) => {
    event.preventDefault();
    send(say);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    say.requestSubmit();
  });
  document.getElementById("keys").hidden = false;
  box.setAttribute("aria-describedby", "keys");
  box.value ||= sessionStorage.getItem(DRAFT) ?? "";
  enhance();
}
