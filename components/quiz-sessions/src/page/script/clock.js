// The time that is left, by the service's clock: this machine's may be wrong.
const WARNINGS = [300, 60];

class Clock {
  constructor({ now = () => Date.now(), warn, over }) {
    Object.assign(this, { now, warn, over });
    this.end = null;
    this.warned = new Set();
    this.isOver = false;
  }

  /** Takes the seconds that the service has just told; null: there is no limit. */
  set(seconds) {
    this.end = seconds === null || seconds === undefined ? null : this.now() + 1000 * seconds;
  }

  get seconds() {
    return this.end === null ? null : Math.max(0, Math.ceil((this.end - this.now()) / 1000));
  }

  /** Warns once at each of the marks, and says when the time is over. A quiz that is shorter than a mark warns of none. */
  tick() {
    const { seconds } = this;
    if (seconds === null || this.isOver) return;
    const passed = WARNINGS.filter((mark) => seconds <= mark && !this.warned.has(mark));
    passed.forEach((mark) => this.warned.add(mark));
    if (seconds === 0) {
      this.isOver = true;
      this.over();
    } else if (passed.length > 0) {
      this.warn(Math.min(...passed));
    }
  }

  /** Marks that lie behind already are no news. */
  begin() {
    const { seconds } = this;
    WARNINGS.filter((mark) => seconds !== null && seconds <= mark).forEach((mark) => this.warned.add(mark));
  }
}

/** Seconds as `1:02:03` or `2:03`. */
function duration(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
