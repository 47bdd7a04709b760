// The files of the page's script, as the page has them: one script. Each test has one of its own.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const FOLDER = new URL("../../components/quiz-sessions/src/page/script/", import.meta.url);

/** What these files declare, by name. */
export function declared(files, names) {
  const script = files.map((file) => readFileSync(new URL(`${file}.js`, FOLDER), "utf8")).join("\n");
  return vm.runInThisContext(`(() => { 'use strict';\n${script}\nreturn { ${names.join(", ")} }; })()`);
}
