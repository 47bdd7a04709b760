// The module for tests, against sandboxes that it starts: LECTERN_COMMAND says how, `cargo xtask test` sets it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { ConnectionFailed, RefusedRequest, WebhookRefused } from "../src/index.ts";
import { SandboxFailed, connectSandbox, startSandbox, useSandbox } from "../src/testing/index.ts";
import setup from "../src/testing/global-setup.ts";

const SCHOOL = {
    users: [
        { login: "ada", name: "Ada" },
        { login: "grace", name: "Grace" },
    ],
    courses: [
        {
            name: "Biology",
            code: "BIO1",
            state: "available",
            teachers: ["ada"],
            students: ["grace"],
            assignments: [{ name: "Essay", points: 10 }],
        },
    ],
};
const LATER = new Date("2031-05-06T07:08:09Z");
const once = { retries: { times: 0 } };

const lectern = useSandbox({ beforeAll: before, beforeEach, afterAll: after }, { scenario: SCHOOL });

async function grade(score: number): Promise<number | null | undefined> {
    const { courses, assignments, users } = lectern.ids;
    const [course, essay, grace] = [courses["Biology"]!, assignments["Biology/Essay"]!, users["grace"]!];
    const path = { course_id: course, assignment_id: essay, user_id: grace };
    const ada = await lectern.client("ada");
    return (await ada.grade_submission({ path, body: { submission: { posted_grade: String(score) } } })).score;
}

async function refusedWith(call: Promise<unknown>, ...statuses: number[]): Promise<void> {
    await assert.rejects(call, (error) => error instanceof RefusedRequest && statuses.includes(error.status));
}

test("clients call as who they are", async () => {
    const ada = await lectern.client("ada");
    assert.deepEqual((await ada.list_own_courses().all()).map(({ name }) => name), ["Biology"]);
    assert.equal((await lectern.state()).tokens["ada"], await lectern.token("ada"));
    await refusedWith(ada.withToken(await lectern.token("ada", { expired: true })).list_own_courses().all(), 401);
    await refusedWith(lectern.client("nobody"), 400, 404);
});

test("each test begins at the start, with the scenario", async () => {
    const made = await lectern.scenario({ users: [{ login: "emmy", name: "Emmy" }] });
    assert.equal(lectern.ids.users["emmy"], made.users["emmy"]);
    assert.ok(lectern.ids.users["ada"]);
    await lectern.begin(SCHOOL);
    assert.equal(lectern.ids.users["emmy"], undefined);
    await refusedWith(lectern.token("emmy"), 400, 404);
    await refusedWith(lectern.scenario({ users: [{ login: "x", surname: "X" }] }), 400);
});

test("snapshots bring back what was there", async () => {
    await grade(7);
    await lectern.clock.freeze(LATER);
    await lectern.snapshot("graded");
    assert.equal(await grade(1), 1);
    await lectern.clock.advance({ days: 1 });
    await lectern.restore("graded");
    assert.deepEqual(await lectern.clock.now(), LATER);
    assert.equal(await grade(7), 7);
    await refusedWith(lectern.restore("nothing"), 404);
});

test("the clock is set, moved and stopped", async () => {
    assert.ok(Math.abs((await lectern.clock.now()).getTime() - Date.now()) < 60_000);
    assert.deepEqual(await lectern.clock.freeze(LATER), LATER);
    const passed = await lectern.clock.advance({ hours: 1, minutes: 30 });
    assert.equal(passed.getTime() - LATER.getTime(), 90 * 60_000);
    assert.equal(await lectern.clock.isFrozen(), true);
    await lectern.clock.unfreeze();
    assert.ok((await lectern.clock.set("2032-01-01T00:00:00Z")) > LATER);
});

test("faults come as often as they should", async () => {
    const admin = await lectern.client("admin", once);
    const path = { user_id: "self" };
    const own = { method: "GET", path: "/api/v1/users/self/profile" };
    const busy = await lectern.faults.add({ ...own, status: 503, times: 2 });
    await refusedWith(admin.get_user_profile({ path }), 503);
    await refusedWith(admin.get_user_profile({ path }), 503);
    await admin.get_user_profile({ path });
    assert.deepEqual([busy.left, (await lectern.faults.get(busy)).left], [2, 0]);
    await lectern.faults.add({ ...own, kind: "disconnect" });
    await assert.rejects(admin.get_user_profile({ path }), ConnectionFailed);
    await lectern.faults.add({ ...own, kind: "expired_token" });
    await refusedWith(admin.get_user_profile({ path }), 401);
    await lectern.faults.add({ ...own, delayMs: 300 });
    const before = Date.now();
    await admin.get_user_profile({ path });
    assert.ok(Date.now() - before >= 300);
    const fault = await lectern.faults.add({ status: 500, times: 0 });
    assert.deepEqual((await lectern.faults.all()).at(-1), fault);
    await lectern.faults.remove(fault);
    await lectern.faults.add({ status: 500, times: 0 });
    await lectern.faults.clear();
    assert.deepEqual(await lectern.faults.all(), []);
    await admin.get_user_profile({ path });
});

test("calls are found, and failures show them", async () => {
    await grade(7);
    const grace = await lectern.client("grace");
    await grace.list_own_courses({ query: { per_page: 5 } }).all();
    const call = (await lectern.calls({ method: "PUT", login: "ada" })).assertCalledOnce();
    assert.deepEqual(JSON.parse(call.request_body ?? ""), { submission: { posted_grade: "7" } });
    (await lectern.calls()).assertStatuses(200, 200);
    (await lectern.calls({ method: "DELETE" })).assertNotCalled();
    const puts = await lectern.calls({ method: "PUT" });
    const shown = /PUT was called once, and not twice;[^]*\n {4}GET \/api\/v1\/courses\?per_page=5: 200 by grace/;
    assert.throws(() => puts.assertCalled(2), shown);
    assert.throws(() => puts.assertStatuses(429, 200), /was answered with \[200\], and not with \[429, 200\]/);
    await lectern.forgetCalls();
    assert.equal((await lectern.calls()).length, 0);
});

test("an inbox takes webhooks", async () => {
    const inbox = lectern.inbox("grades");
    const secret = await inbox.subscribe("GRADE_CHANGE");
    await lectern.clock.freeze(LATER);
    await grade(7);
    const [delivery] = await inbox.waitFor(1, { event: "GRADE_CHANGE", timeout: 60 });
    assert.ok(delivery);
    assert.deepEqual([delivery.signature, delivery.problem], ["valid", undefined]);
    assert.deepEqual(await inbox.verify(delivery, secret), JSON.parse(delivery.body));
    await assert.rejects(inbox.verify(delivery, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), WebhookRefused);
    await inbox.expectSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    assert.deepEqual((await inbox.deliveries()).map(({ signature }) => signature), ["invalid"]);
    await inbox.clear();
    const nothing = /1 deliveries did not come within 0.2 s; there came: nothing/;
    await assert.rejects(inbox.waitFor(1, { timeout: 0.2 }), nothing);
});

async function answers(address: string): Promise<boolean> {
    return fetch(`${address}/sandbox`).then(
        ({ ok }) => ok,
        () => false,
    );
}

test("a sandbox ends with whoever started it", async () => {
    const sandbox = await startSandbox();
    assert.ok(await answers(sandbox.address));
    await sandbox.stop();
    assert.ok(!(await answers(sandbox.address)));
    const module = new URL("../src/testing/index.ts", import.meta.url);
    const script = `const { startSandbox } = await import("${module}");
        console.log((await startSandbox()).address);
        process.kill(process.pid, "SIGKILL");`;
    const address = await new Promise<string>((resolve) => {
        execFile(process.execPath, ["--input-type=module", "--eval", script], (_, stdout) => resolve(stdout.trim()));
    });
    assert.match(address, /^http:/);
    for (const end = Date.now() + 20_000; await answers(address); await pause(100)) {
        assert.ok(Date.now() < end, "it has outlived its parent");
    }
});

test("workers have a sandbox each, and files of one worker share it", async () => {
    const close = await setup();
    const found = async (worker: string) => {
        process.env["VITEST_POOL_ID"] = worker;
        const files: { sandbox?: ReturnType<typeof useSandbox>; hooks: (() => Promise<void>)[] } = { hooks: [] };
        const hook = (work: () => Promise<void>) => files.hooks.push(work);
        files.sandbox = useSandbox({ beforeAll: hook, beforeEach: hook, afterAll: hook });
        for (const work of files.hooks) {
            await work();
        }
        return files.sandbox.address;
    };
    try {
        const [first, second, again] = [await found("1"), await found("2"), await found("1")];
        assert.notEqual(first, second);
        assert.equal(first, again);
        assert.ok((await answers(first)) && (await answers(second)));
        await close();
        assert.ok(!(await answers(first)) && !(await answers(second)));
    } finally {
        delete process.env["VITEST_POOL_ID"];
        await close();
    }
});

const ODD: [string, RegExp, number][] = [
    ["echo 'Error: no port is free' >&2; exit 3", /ended with 3 before it served\n.*Error: no port is free/, 60],
    ["echo hello", /ended with 0 before it served; it gave no reason/, 60],
    [`echo '{"base_url":"http://x"}'; echo busy >&2; exec sleep 60`, /does not serve after 3 s\n.*busy/, 3],
];

async function failure(start: Promise<unknown>): Promise<SandboxFailed> {
    const error = await start.then(() => undefined, (error: unknown) => error);
    assert.ok(error instanceof SandboxFailed, String(error));
    return error;
}

test("a program that serves nothing is told", async () => {
    const folder = await mkdtemp(join(tmpdir(), "odd folder "));
    try {
        const program = join(folder, "lectern");
        for (const [script, reason, timeout] of ODD) {
            await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
            const error = await failure(startSandbox({ command: `'${program}'`, timeout }));
            assert.match(error.message, reason);
        }
        await rm(program);
        const missing = await failure(startSandbox({ command: [program] }));
        assert.match(missing.message, /no sandbox can be started: .*ENOENT.* Put `lectern` of a release on the PATH/);
        await assert.rejects(connectSandbox("http://127.0.0.1:9"), /no sandbox answers at http:\/\/127.0.0.1:9/);
    } finally {
        await rm(folder, { recursive: true });
    }
});

test("a sandbox is there in hooks and tests alone, and hooks are needed", () => {
    assert.throws(() => useSandbox(), /no global hooks/);
    const idle = () => undefined;
    const early = useSandbox({ beforeAll: idle, beforeEach: idle, afterAll: idle });
    assert.throws(() => early.address, /has not started yet/);
});

test("the example of the readme is one that is tested", async () => {
    const text = async (name: string) => readFile(new URL(name, import.meta.url), "utf8");
    const [, example = ""] = /```ts\n(import \{ afterAll.*?)```/s.exec(await text("../README.md")) ?? [];
    assert.equal(example, await text("../examples/vitest/readme.test.ts"));
});
