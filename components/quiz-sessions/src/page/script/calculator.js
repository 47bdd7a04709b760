// A calculator: it reads a term by the rules of arithmetic, and knows nothing else.
const CONSTANTS = { pi: Math.PI, "π": Math.PI, e: Math.E };
const FUNCTIONS = {
  sqrt: Math.sqrt, "√": Math.sqrt, ln: Math.log, log: Math.log10, abs: Math.abs, exp: Math.exp,
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan,
};
const OF_ANGLES = ["sin", "cos", "tan"], TO_ANGLES = ["asin", "acos", "atan"];
const TOKEN = /\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+|[a-zπ√]+|[-+*/^()!%])/iy;

/** The value of a term, or null where it is none. Angles are in degrees, or in radians. */
function calculate(term, inDegrees = true) {
  const tokens = tokensOf(term.replace(/[×·]/g, "*").replace(/[÷:]/g, "/").replace(/[−–]/g, "-").replace(/,/g, "."));
  if (tokens === null || tokens.length === 0) return null;
  const rest = { tokens, place: 0, depth: 0, factor: inDegrees ? Math.PI / 180 : 1 };
  const value = sum(rest);
  const isWhole = rest.place === tokens.length && value !== null && Number.isFinite(value);
  return isWhole ? Number(value.toPrecision(12)) : null;
}

function tokensOf(term) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < term.trimEnd().length) {
    const found = TOKEN.exec(term);
    if (found === null) return null;
    tokens.push(found[1]);
  }
  return tokens;
}

function sum(rest) {
  let value = product(rest);
  while (value !== null && ["+", "-"].includes(rest.tokens[rest.place])) {
    const isPlus = rest.tokens[rest.place++] === "+";
    const other = product(rest);
    value = other === null ? null : isPlus ? value + other : value - other;
  }
  return value;
}

function product(rest) {
  let value = signed(rest);
  while (value !== null && ["*", "/"].includes(rest.tokens[rest.place])) {
    const isTimes = rest.tokens[rest.place++] === "*";
    const other = signed(rest);
    value = other === null ? null : isTimes ? value * other : value / other;
  }
  return value;
}

/** A sign binds less than a power: -2^2 is -4. */
function signed(rest) {
  let sign = 1;
  while (["+", "-"].includes(rest.tokens[rest.place])) if (rest.tokens[rest.place++] === "-") sign = -sign;
  const value = power(rest);
  return value === null ? null : sign * value;
}

function power(rest) {
  const base = withMarks(rest);
  if (base === null || rest.tokens[rest.place] !== "^") return base;
  rest.place += 1;
  const exponent = signed(rest);
  return exponent === null ? null : base ** exponent;
}

function withMarks(rest) {
  let value = atom(rest);
  while (value !== null && ["!", "%"].includes(rest.tokens[rest.place])) {
    value = rest.tokens[rest.place++] === "!" ? factorial(value) : value / 100;
  }
  return value;
}

function atom(rest) {
  const token = rest.tokens[rest.place];
  if (token === undefined || rest.depth > 100) return null;
  rest.place += 1;
  if (token === "(") return inParentheses(rest);
  const name = token.toLowerCase();
  if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name];
  if (!Object.hasOwn(FUNCTIONS, name)) return /^[\d.]/.test(token) ? Number(token) : null;
  rest.depth += 1;
  const argument = rest.tokens[rest.place] === "(" ? atom(rest) : power(rest);
  rest.depth -= 1;
  if (argument === null) return null;
  const value = FUNCTIONS[name](OF_ANGLES.includes(name) ? argument * rest.factor : argument);
  return TO_ANGLES.includes(name) ? value / rest.factor : value;
}

function inParentheses(rest) {
  rest.depth += 1;
  const value = sum(rest);
  rest.depth -= 1;
  return value !== null && rest.tokens[rest.place++] === ")" ? value : null;
}

function factorial(number) {
  if (!Number.isInteger(number) || number < 0 || number > 170) return null;
  let product = 1;
  for (let factor = 2; factor <= number; factor += 1) product *= factor;
  return product;
}

const KEYS = {
  basic: ["7", "8", "9", "÷", "4", "5", "6", "×", "1", "2", "3", "−", "0", ".", "(", ")", "+"],
  scientific: ["sin(", "cos(", "tan(", "asin(", "acos(", "atan(", "ln(", "log(", "√(", "^", "!", "π", "e"],
};

/** The calculator of that kind, closed at first; none where there is to be none. */
function calculator(kind) {
  if (kind !== "basic" && kind !== "scientific") return null;
  const id = newId("term");
  const term = make("input", { id, type: "text", autocomplete: "off", spellcheck: "false", keydown: onEnter });
  const result = make("output", { for: id, class: "value" });
  const unit = make("select", { "aria-label": say("angles") },
    make("option", { value: "degrees" }, say("degrees")), make("option", { value: "radians" }, say("radians")));
  function show() {
    const value = calculate(term.value, kind === "basic" || unit.value === "degrees");
    result.textContent = value === null ? say("no_term") : `= ${value}`;
  }
  function onEnter(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      show();
    }
  }
  function type(text) {
    const { selectionStart: start, selectionEnd: end } = term;
    term.setRangeText(text, start, end, "end");
    term.focus();
  }
  const keys = [...KEYS.basic, ...(kind === "scientific" ? KEYS.scientific : [])];
  return make("details", { class: "calculator" },
    make("summary", {}, say("calculator")),
    make("label", { for: id }, say("term")), term, result,
    kind === "scientific" ? unit : null,
    make("div", { class: "keys" },
      keys.map((key) => button(key.replace("(", "") || "(", () => type(key))),
      button(say("clear"), () => { term.value = ""; result.textContent = ""; term.focus(); }),
      make("button", { type: "button", click: show }, "=")));
}
