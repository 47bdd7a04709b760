// Asks for the news every other second, and ever more rarely while there is no answer.
const board = document.getElementById("board");
const summary = document.getElementById("summary");
const spoken = document.getElementById("news");
const PAUSE = 2000, LONGEST_PAUSE = 30000, SPEAK_EVERY = 10000;
let pause = PAUSE, lastSpoken = 0;

function show(news) {
  const bars = news.bars.map((bar) => [bar, document.getElementById(`choice-${bar.id}`)]);
  if (news.state !== board.dataset.state || bars.some(([, row]) => !row)) return location.replace(board.dataset.page);
  summary.textContent = news.summary;
  for (const [bar, row] of bars) {
    row.querySelector(".count").textContent = bar.label;
    row.querySelector("rect").setAttribute("width", `${bar.percent}%`);
  }
  if (spoken.textContent !== news.summary && Date.now() - lastSpoken > SPEAK_EVERY) {
    spoken.textContent = news.summary;
    lastSpoken = Date.now();
  }
}

async function follow() {
  try {
    if (!document.hidden) {
      const answer = await fetch(board.dataset.results, { cache: "no-store", redirect: "manual" });
      // The right has ended, or the session: the page says so, or leads to the log-in.
      if (answer.status === 403 || answer.type === "opaqueredirect") return location.replace(board.dataset.page);
      if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
      show(await answer.json());
      pause = PAUSE;
    }
  } catch {
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
  // Not all of a class at the same moment.
  setTimeout(follow, pause * (0.75 + Math.random() / 2));
}

setTimeout(follow, PAUSE);
