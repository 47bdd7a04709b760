// What the client does when a service is slow, busy, gone or elsewhere: against answers that are written here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ConnectionFailed, Lectern, RefusedRequest, TimedOut, type Settings } from "../src/index.ts";
import { refused } from "./school.ts";

interface Asked {
    address: URL;
    init: RequestInit;
}

/** Answers what it was given, and keeps what it was asked. */
class Service {
    readonly asked: Asked[] = [];
    readonly waits: number[] = [];
    readonly lectern: Lectern;

    constructor(answers: (Response | Error)[], settings: Settings = {}, base = "http://lms.test/") {
        const fetch = (address: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
            this.asked.push({ address: new URL(String(address)), init });
            const answer = answers.shift() ?? assert.fail("one request too many");
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        };
        const sleep = (seconds: number): Promise<void> => {
            this.waits.push(seconds);
            return Promise.resolve();
        };
        this.lectern = new Lectern(base, { token: "secret", fetch, sleep, ...settings });
    }

    headers(): Headers[] {
        return this.asked.map(({ init }) => new Headers(init.headers));
    }
}

const FOUND = { id: 7 };
const course = { path: { id: 7 } };
const poll = { body: { polls: [{ question: "Oak?" }] } };

function busy(status = 503, headers: { [name: string]: string } = {}): Response {
    return Response.json({}, { status, headers });
}

function isBetween(value: number | undefined, least: number, most: number): void {
    assert.ok(value !== undefined && least <= value && value <= most, `${value} is not between ${least} and ${most}`);
}

test("a busy service is asked again when it says", async () => {
    const service = new Service([busy(503, { "Retry-After": "3" }), busy(429, { "Retry-After": "0" }), Response.json(FOUND)]);
    assert.deepEqual(await service.lectern.get_course(course), FOUND);
    isBetween(service.waits[0], 3, 3.5);
    isBetween(service.waits[1], 0, 0.5);
});

test("waits grow where the service says nothing", async () => {
    const service = new Service([busy(), busy(), busy(), busy()]);
    await refused(service.lectern.get_course(course), 503);
    assert.equal(service.waits.length, 3);
    service.waits.forEach((wait, tries) => isBetween(wait, 0.25 * 2 ** tries, 0.5 * 2 ** tries));
});

test("Retry-After may be a date, and too far", async () => {
    const service = new Service([busy(429, { "Retry-After": new Date(Date.now() + 600_000).toUTCString() })]);
    isBetween((await refused(service.lectern.get_course(course), 429)).retryAfter, 590, 601);
    assert.deepEqual(service.waits, []);
});

test("what would be done twice is not sent again", async () => {
    const service = new Service([busy(503, { "Retry-After": "1" }), new TypeError("fetch failed")]);
    await refused(service.lectern.create_poll(poll), 503);
    await assert.rejects(service.lectern.create_poll(poll), ConnectionFailed);
    assert.equal(service.asked.length, 2);
});

test("broken connections are tried again", async () => {
    const service = new Service([new TypeError("fetch failed"), Response.json(FOUND)]);
    assert.deepEqual(await service.lectern.get_course(course), FOUND);
});

test("a slow service and a caller who gives up", async () => {
    const hanging = (_: unknown, init: RequestInit = {}): Promise<Response> =>
        new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
    const settings = { fetch: hanging, timeout: 0.02, retries: { times: 0 } };
    // A timer of its own keeps the process awake: that of the limit does not.
    const awake = setTimeout(() => undefined, 5_000);
    await assert.rejects(new Lectern("http://lms.test", settings).get_course(course), TimedOut);
    const stop = new AbortController();
    const call = new Lectern("http://lms.test", { fetch: hanging }).get_course({ ...course, signal: stop.signal });
    stop.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    clearTimeout(awake);
});

test("the token stays with the service", async () => {
    const link = '<https://elsewhere.test/api/v1/polls?page=2&per_page=1>; rel="next", <https://elsewhere.test/x>; rel="last"';
    const service = new Service([
        Response.json({ polls: [{ id: 1 }] }, { headers: { Link: link } }),
        Response.json({ polls: [{ id: 2 }] }),
    ]);
    const listed = await service.lectern.list_polls({ query: { per_page: 1 } }).all();
    assert.deepEqual(listed.map((one) => Number(one.id)), [1, 2]);
    assert.equal(service.asked[1]?.address.href, "http://lms.test/api/v1/polls?page=2&per_page=1");
    assert.deepEqual(service.asked.map(({ init }) => init.redirect), ["manual", "manual"]);
});

test("a service may lie below a path", async () => {
    const link = '<https://school.test/lms/api/v1/polls?page=2>; rel="next"';
    const answers = [Response.json({ polls: [] }, { headers: { Link: link } }), Response.json({ polls: [] })];
    const service = new Service(answers, {}, "http://lms.test/lms/");
    assert.deepEqual(await service.lectern.list_polls().all(), []);
    const asked = ["http://lms.test/lms/api/v1/polls", "http://lms.test/lms/api/v1/polls?page=2"];
    assert.deepEqual(service.asked.map(({ address }) => address.href), asked);
});

test("an upload shows its token to the service alone", async () => {
    const ticket = { upload_url: "https://store.test/put", upload_params: { key: "k" }, file_param: "file" };
    const service = new Service([
        Response.json(ticket),
        new Response(null, { status: 201, headers: { Location: "http://lms.test/api/v1/files/1/create_success?ticket=t" } }),
        Response.json(FOUND),
    ]);
    const file = { name: "a.txt", content: "leaf", contentType: "text/plain" };
    assert.deepEqual(await service.lectern.upload("create_course_file", { course_id: 7 }, file), FOUND);
    assert.deepEqual(service.headers().map((headers) => headers.has("authorization")), [true, false, true]);
    const form = service.asked[1]?.init.body as FormData;
    assert.deepEqual([...form.keys()], ["key", "file"]);
});

test("values of paths and queries are written as they are read", async () => {
    const service = new Service([Response.json([]), Response.json(FOUND)]);
    await service.lectern.list_own_courses({ query: { "include[]": ["term", "sections"] } }).all();
    await service.lectern.get_course({ path: { id: "sis_course_id:a/b c" } });
    assert.equal(service.asked[0]?.address.search, "?include%5B%5D=term&include%5B%5D=sections");
    assert.equal(service.asked[1]?.address.pathname, "/api/v1/courses/sis_course_id%3Aa%2Fb%20c");
});

const ENVELOPES: [number, unknown, string | undefined, string | undefined, object][] = [
    [401, { status: "unauthenticated", errors: [{ message: "no" }] }, "unauthenticated", "no", {}],
    [400, { errors: { name: [{ attribute: "name", type: "too_long", message: "is too long" }] } }, "too_long", "name is too long",
        { name: ["is too long"] }],
    [401, { errors: "Invalid as_user_id" }, undefined, "Invalid as_user_id", {}],
    [400, { status: "bad_request", errors: [{ page: "is none" }] }, "bad_request", "page is none", { page: ["is none"] }],
    [500, { errors: [{ message: "An error", error_code: "internal_server_error" }] }, "internal_server_error", "An error", {}],
    [422, { errors: { name: "is too long" } }, undefined, "name is too long", { name: ["is too long"] }],
    [422, { error: "Bad", errors: [{ error_type: "ActiveRecord::RecordInvalid", message: "Bad" }] }, "ActiveRecord::RecordInvalid",
        "Bad", {}],
    [403, { errors: [{ status: "403", code: "insufficient_scope", title: "Forbidden", detail: "no scope" }] }, "insufficient_scope",
        "no scope", {}],
    [400, { status: { success: false, description: "bad request" }, result: [], fieldErrors: { email: ["is none"] }, validationErrors: [] },
        undefined, "email is none", { email: ["is none"] }],
    [400, { error: "invalid_grant", error_description: "used" }, "invalid_grant", "used", {}],
    [401, { error: "Unauthorized subscription" }, undefined, "Unauthorized subscription", {}],
    [404, {}, undefined, undefined, {}],
];

for (const [status, body, code, message, fields] of ENVELOPES) {
    test(`the envelope ${JSON.stringify(body)}`, async () => {
        const service = new Service([Response.json(body, { status })]);
        const error = await refused(service.lectern.get_course(course), status);
        assert.ok(error instanceof RefusedRequest);
        assert.deepEqual([error.code, error.fields, error.body], [code, fields, body]);
        assert.equal(error.message, `GET /api/v1/courses/7: ${status} ${message ?? ""}`.trimEnd());
    });
}

test("the example of the readme is what a test runs", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const [, example] = /```ts\n(.*?)```/s.exec(readme) ?? [];
    const tested = readFileSync(new URL("example.test.ts", import.meta.url), "utf8");
    const [, body] = /\/\/ The example\n(.*?)\/\/ Its end\n/s.exec(tested) ?? [];
    const plain = (text = "") => text.replace(/^import .*\n|^const lectern = .*\n/gm, "").replace(/^ +/gm, "").trim();
    assert.equal(plain(example), plain(body));
});
