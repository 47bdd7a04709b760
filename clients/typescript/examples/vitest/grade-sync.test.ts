// The sync against a sandbox: what happens in a school, and what goes wrong on the way there.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { useSandbox } from "lectern-client/testing";
import { GradeSync } from "./grade-sync.ts";

const lectern = useSandbox({ afterAll, beforeAll, beforeEach }, { scenario: new URL("school.yaml", import.meta.url) });

const LIST = { method: "GET", path: "/api/v1/courses/*/assignments/*/submissions" };
const WRITE = { method: "PUT", path: "/api/v1/courses/*/assignments/*/submissions/*" };

let sync: GradeSync;
let course: number;
let essay: number;
let students: number[];

beforeEach(async () => {
    const { courses, assignments, users } = lectern.ids;
    course = courses.Biology!;
    essay = assignments["Biology/Essay"]!;
    students = [1, 2, 3].map((n) => users[`student-${n}`]!);
    sync = new GradeSync(await lectern.client("ada"), () => lectern.token("ada"));
});

function scores(...values: number[]): Map<number, number> {
    return new Map(values.map((value, at) => [students[at]!, value]));
}

test("scores are written once", async () => {
    expect(await sync.run(course, essay, scores(7, 8, 9))).toEqual(students);
    (await lectern.calls(WRITE)).assertCalled(3);

    await lectern.snapshot("graded");
    expect(await sync.run(course, essay, scores(7, 8, 9))).toEqual([]);
    (await lectern.calls(WRITE)).assertCalled(3);

    await sync.run(course, essay, scores(1));
    await lectern.restore("graded");
    const ada = await lectern.client("ada");
    const path = { course_id: course, assignment_id: essay, user_id: students[0]! };
    const submission = await ada.get_submission({ path });
    expect(submission.score).toBe(7);
});

test("a busy service is asked again", async () => {
    await lectern.faults.add({ ...LIST, status: 429, retryAfter: 1 });
    await sync.run(course, essay, scores(7));
    (await lectern.calls(LIST)).assertStatuses(429, 200);
    (await lectern.calls(WRITE)).assertCalledOnce();
});

test("a token that ends on the way is replaced", async () => {
    await sync.run(course, essay, scores(7));
    await lectern.faults.add({ ...WRITE, kind: "expired_token" });
    expect(await sync.run(course, essay, scores(7, 8, 9))).toEqual(students.slice(1));
    (await lectern.calls(WRITE)).assertStatuses(200, 401, 200, 200);
});

test("late work loses a tenth", async () => {
    const path = { course_id: course, assignment_id: essay };
    const body = { submission: { submission_type: "online_text_entry" as const, body: "Oaks" } };
    await (await lectern.client("student-1")).submit_assignment({ path, body });
    await lectern.clock.advance({ days: 8 });
    await (await lectern.client("student-2")).submit_assignment({ path, body });

    await sync.run(course, essay, scores(10, 10));
    const calls = [...(await lectern.calls(WRITE)).assertCalled(2)];
    const grades = calls.map(({ request_body }) => JSON.parse(request_body ?? "").submission.posted_grade);
    expect(grades).toEqual(["10", "9"]);
});
