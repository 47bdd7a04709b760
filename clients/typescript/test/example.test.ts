// The example of the readme, as it stands there.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Lectern, RefusedRequest } from "../src/index.ts";
import { URL, school, tokenOf } from "./school.ts";

test("the example", async () => {
    const { teacher } = await school();
    const lines: unknown[] = [];
    const console = { log: (line: unknown) => lines.push(line) };
    const lectern = new Lectern(URL, { token: await tokenOf(teacher.id) });
    // The example
    const [course] = await lectern.list_own_courses().all();
    const path = { course_id: course!.id };
    const quiz = await lectern.create_quiz({ path, body: { quiz: { title: "Numbers" } } });
    const { quiz_groups } = await lectern.create_quiz_group({
        path: { ...path, quiz_id: quiz.id },
        body: { quiz_groups: [{ name: "Fractions", pick_count: 2, question_points: 5 }] },
    });
    console.log(quiz_groups[0]?.name);

    try {
        await lectern.create_quiz({ path, body: { quiz: { title: "x".repeat(1000) } } });
    } catch (error) {
        if (error instanceof RefusedRequest) console.log(error.fields);
    }

    await lectern.upload("create_course_file", path, { name: "notes.txt", content: "1/2 = 2/4" });
    for await (const file of lectern.list_course_files({ path, query: { per_page: 50 } })) {
        console.log(file.display_name);
    }
    // Its end
    assert.equal(lines[0], "Fractions");
    assert.deepEqual(Object.keys(lines[1] as object), ["title"]);
    assert.equal(lines[2], "notes.txt");
});
