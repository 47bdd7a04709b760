// Numbers, words, the clock and the calculator of the page on which quizzes are taken.
import assert from "node:assert/strict";
import { test } from "node:test";

import { declared } from "./page.mjs";

const { numberText, countWords, calculate, Clock, duration } = declared(
  ["numbers", "calculator", "clock"], ["numberText", "countWords", "calculate", "Clock", "duration"]);

test("numbers are read in the way of the language", () => {
  for (const [typed, language, meant] of [
    ["3", "en", "3"], [" 3.50 ", "en", "3.50"], ["1,234.5", "en", "1234.5"], ["1,234", "en", "1234"], ["3,5", "en", "3.5"],
    ["1.234,5", "de", "1234.5"], ["3,5", "de", "3.5"], ["1.234", "de", "1.234"], ["1.234.567", "de", "1234567"],
    ["1 234,5", "fr", "1234.5"], ["−2", "es", "-2"], ["+2", "en", "2"], [".5", "en", "0.5"], ["-.5", "en", "-0.5"], ["5.", "en", "5"],
    ["1E3", "en", "1e3"], ["12abc", "en", null], ["1,2,3", "en", null], ["", "en", null], ["-", "en", null], ["Infinity", "en", null],
  ]) assert.equal(numberText(typed, language), meant, `${typed} in ${language}`);
});

test("words are counted as people count them", () => {
  assert.equal(countWords("  Leaves fall – in\nautumn. 3 of 4, l’été "), 8);
  assert.equal(countWords(" \n "), 0);
});

test("terms are calculated by the rules of arithmetic", () => {
  for (const [term, value] of [
    ["1+2*3", 7], ["(1+2)×3", 9], ["2^3^2", 512], ["-2^2", -4], ["2^-1", 0.5], ["10÷4", 2.5], ["0.1+0.2", 0.3], ["1 − 3", -2],
    ["3,5*2", 7], ["50%", 0.5], ["5!", 120], ["√16", 4], ["√(9)+1", 4], ["2*π", 6.28318530718], ["ln(e)", 1], ["log(1000)", 3],
    ["sin(30)", 0.5], ["asin(1)", 90], ["1.5e3", 1500],
  ]) assert.equal(calculate(term), value, term);
  assert.equal(calculate("sin(π/2)", false), 1);
  const nested = "(".repeat(100_000) + "1" + ")".repeat(100_000);
  for (const term of ["", "1+", "(1", "1)", "1/0", "2 2", "alert(1)", "constructor", "1;2", "171!", "(-1)!", "√(-1)", nested]) {
    assert.equal(calculate(term), null, term.slice(0, 20));
  }
});

test("the clock warns once at five minutes and at one, and says once that the time is over", () => {
  const heard = [];
  let now = 0;
  const clock = new Clock({ now: () => now, warn: (seconds) => heard.push(seconds), over: () => heard.push("over") });
  clock.tick();
  assert.equal(clock.seconds, null);
  clock.set(302);
  clock.begin();
  for (now = 0; now <= 310_000; now += 500) clock.tick();
  assert.deepEqual(heard, [300, 60, "over"]);
});

test("the clock follows the service, and warns of no mark that lies behind", () => {
  const heard = [];
  let now = 0;
  const clock = new Clock({ now: () => now, warn: (seconds) => heard.push(seconds), over: () => heard.push("over") });
  clock.set(120);
  clock.begin();
  clock.tick();
  assert.deepEqual(heard, []);
  now = 100_000;
  clock.set(600);
  clock.tick();
  assert.equal(clock.seconds, 600);
  // The machine has slept.
  now = 690_000;
  clock.tick();
  assert.deepEqual(heard, [60]);
});

test("durations are written as clocks do", () => {
  assert.deepEqual([0, 59, 60, 3599, 3600, 36061].map(duration), ["0:00", "0:59", "1:00", "59:59", "1:00:00", "10:01:01"]);
});
