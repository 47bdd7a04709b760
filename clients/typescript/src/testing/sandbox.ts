/** A running sandbox: who calls, what time it is, what goes wrong, and what is there. */

import { AssertionError } from "node:assert";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import { Lectern, type Settings } from "../client.ts";
import { RefusedRequest } from "../errors.ts";
import { Calls, sinceOf, type Call, type CallFilter } from "./calls.ts";
import { Inbox } from "./inbox.ts";
import { SandboxFailed } from "./failed.ts";

/** The snapshot that a sandbox makes of its start. */
const START = "start";
/** The pause between two looks at what is waited for. */
const PAUSE_MILLISECONDS = 100;

/** A scenario: what a file of one says, or the path of such a file. */
export type Scenario = string | URL | { readonly [name: string]: unknown };

/**
 * The ids of what scenarios made, by kind and name: `ids.users.ada`, `ids.courses.Biology`. What lies in a course has
 * its name before the own one: `ids.assignments["Biology/Essay"]`.
 */
export interface Ids {
    readonly accounts: { readonly [name: string]: number };
    readonly users: { readonly [login: string]: number };
    readonly courses: { readonly [name: string]: number };
    readonly sections: { readonly [name: string]: number };
    readonly assignments: { readonly [name: string]: number };
    readonly quizzes: { readonly [name: string]: number };
    /** The parts of addresses that pages are known by. */
    readonly pages: { readonly [name: string]: string };
}

const NOTHING: Ids = { accounts: {}, users: {}, courses: {}, sections: {}, assignments: {}, quizzes: {}, pages: {} };

/** What the sandbox answers to a scenario. */
interface Loaded extends Ids {
    readonly webhooks: readonly { readonly secret: string }[];
}

/** A client for log-ins; they come back with their parameters as JSON. */
export interface OauthClient {
    readonly client_id: string;
    readonly client_secret: string;
    readonly redirect_uri: string;
}

/** What a sandbox tells of itself. */
export interface State {
    readonly address: string;
    readonly now: string;
    readonly tokens: { readonly [login: string]: string };
    readonly oauth_client: OauthClient;
    readonly webhook_inbox: string;
    readonly snapshots: readonly unknown[];
    readonly faults: readonly unknown[];
}

/** A service with a school of its own. Nothing in it outlives it. */
export class Sandbox {
    readonly clock: Clock;
    readonly faults: Faults;
    /** What the scenarios made that are loaded, by kind and name. */
    ids: Ids = NOTHING;
    readonly #loaded = new Map<string, Ids>();
    #address: string | undefined;
    #end: (() => Promise<void>) | undefined;

    constructor(address?: string, end?: () => Promise<void>) {
        this.clock = new Clock(this);
        this.faults = new Faults(this);
        if (address !== undefined) {
            this.attach(address, end);
        }
    }

    /** Makes this the sandbox at that address, which is not the one before. */
    attach(address: string, end?: () => Promise<void>): void {
        this.#address = address.replace(/\/+$/, "");
        this.#end = end;
        this.#loaded.clear();
        this.ids = NOTHING;
    }

    /** Where it serves, without a slash at the end. */
    get address(): string {
        if (this.#address === undefined) {
            throw new SandboxFailed("the sandbox has not started yet: it is there in hooks and tests");
        }
        return this.#address;
    }

    /** Ends it, if we have started it. */
    async stop(): Promise<void> {
        await this.#end?.();
        this.#end = undefined;
    }

    /** What it tells of itself. */
    async state(): Promise<State> {
        return (await this.ask("GET", "/sandbox")) as State;
    }

    /** A token of a user, in the account of that name if it is not the first; or one whose time is over. */
    async token(login: string, { account, expired }: { account?: string; expired?: boolean } = {}): Promise<string> {
        const wanted = { login, account, expired };
        return ((await this.ask("POST", "/sandbox/tokens", wanted)) as { token: string }).token;
    }

    /** The client as that user, with settings such as `retries`. */
    async client(login = "admin", settings: Settings = {}): Promise<Lectern> {
        return new Lectern(this.address, { ...settings, token: await this.token(login) });
    }

    /** What clients have asked for since the last restoration, oldest first. */
    async calls(filter: CallFilter = {}): Promise<Calls> {
        const { method, path, since, login, status } = filter;
        const query = new URLSearchParams();
        for (const [name, value] of Object.entries({ method, path, since: since && sinceOf(since) })) {
            if (value !== undefined) {
                query.append(name, value);
            }
        }
        const everything = (await this.ask("GET", "/sandbox/calls")) as Call[];
        const found = query.size === 0 ? everything : ((await this.ask("GET", `/sandbox/calls?${query}`)) as Call[]);
        const of = login === undefined ? found : found.filter((call) => call.login === login);
        return new Calls(status === undefined ? of : of.filter((call) => call.status === status), everything, filter);
    }

    /** Empties the list of calls. */
    async forgetCalls(): Promise<void> {
        await this.ask("DELETE", "/sandbox/calls");
    }

    /** A receiver of webhooks in the sandbox. */
    inbox(name = "default"): Inbox {
        return new Inbox(this, name);
    }

    /** Does the background work that is due now, such as sending webhooks. */
    async tick(): Promise<unknown> {
        return this.ask("POST", "/sandbox/tick");
    }

    /**
     * Does background work until the condition holds, and answers what it is then.
     *
     * The service also sends webhooks by itself, after other requests: what one `tick` has sent may not be all.
     * `timeout` is in seconds, and shorter than the one that Jest and Vitest have for a test.
     */
    async waitFor<Found>(condition: () => Found | Promise<Found>, { timeout = 4 } = {}): Promise<Found> {
        for (const end = Date.now() + timeout * 1000; ; await pause(PAUSE_MILLISECONDS)) {
            const found = await condition();
            if (found) {
                return found;
            }
            if (Date.now() > end) {
                const message = `what was waited for did not happen within ${timeout} s`;
                throw new AssertionError({ message, actual: found, expected: true });
            }
            await this.tick();
        }
    }

    /** Keeps what is there and what time it is under that name, in place of what was kept under it before. */
    async snapshot(name: string): Promise<void> {
        await this.ask("POST", "/sandbox/snapshots", { name });
        this.#loaded.set(name, this.ids);
    }

    /** Makes all as it was at the snapshot, or at the start. Faults, calls and inboxes are empty then. */
    async restore(name = START): Promise<void> {
        await this.ask("POST", `/sandbox/snapshots/${encodeURIComponent(name)}/restore`);
        this.ids = this.#loaded.get(name) ?? NOTHING;
    }

    /** Loads a scenario into what is there. Answers the ids of what it made, which `ids` has from now on, too. */
    async scenario(scenario: Scenario): Promise<Ids> {
        const content = await contentOf(scenario);
        const { webhooks, ...made } = (await this.#send("POST", "/sandbox/scenario", content)) as Loaded;
        const kinds = Object.keys(NOTHING) as (keyof Ids)[];
        const merged = kinds.map((kind) => [kind, { ...this.ids[kind], ...made[kind] }]);
        this.ids = Object.fromEntries(merged) as unknown as Ids;
        return made;
    }

    /** Subscribes a receiver to events such as `GRADE_CHANGE`, as a tool of its own. Answers the signing secret. */
    async subscribe(url: string, ...events: string[]): Promise<string> {
        const { webhooks } = (await this.ask("POST", "/sandbox/scenario", { webhooks: [{ url, events }] })) as Loaded;
        return webhooks[0]!.secret;
    }

    /** Makes all as it was at the start with these scenarios loaded. They are loaded once, and restored after that. */
    async begin(...scenarios: Scenario[]): Promise<void> {
        let name = START;
        const loaded = createHash("sha256");
        for (const scenario of scenarios) {
            loaded.update(`${await contentOf(scenario)}\0`);
            name = `scenario-${loaded.copy().digest("hex").slice(0, 16)}`;
        }
        if (name !== START && !this.#loaded.has(name)) {
            await this.restore();
            for (const scenario of scenarios) {
                await this.scenario(scenario);
            }
            await this.snapshot(name);
        }
        await this.restore(name);
    }

    /** Any request to the sandbox itself, with a body of JSON. What it refuses is a `RefusedRequest`. */
    async ask(method: string, path: string, body?: unknown): Promise<unknown> {
        return this.#send(method, path, body === undefined ? undefined : JSON.stringify(body));
    }

    async #send(method: string, path: string, body?: string): Promise<unknown> {
        const response = await fetch(`${this.address}${path}`, body === undefined ? { method } : { method, body });
        const text = await response.text();
        if (!response.ok) {
            throw new RefusedRequest(method, path, response.status, text, response.headers);
        }
        return text === "" ? undefined : JSON.parse(text);
    }
}

/** A sandbox that others have started, and end. */
export async function connectSandbox(address: string): Promise<Sandbox> {
    const sandbox = new Sandbox(address);
    try {
        await sandbox.state();
    } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new SandboxFailed(`no sandbox answers at ${address}: ${reason}`, { cause });
    }
    return sandbox;
}

/** Time that passes. */
export interface Duration {
    readonly days?: number;
    readonly hours?: number;
    readonly minutes?: number;
    readonly seconds?: number;
}

interface Reading {
    now: string;
    offset_seconds: number;
    is_frozen: boolean;
}

/** The time in the sandbox: tokens end by it, due dates pass, webhooks are dated. It goes on unless it is frozen. */
export class Clock {
    readonly #sandbox: Sandbox;

    constructor(sandbox: Sandbox) {
        this.#sandbox = sandbox;
    }

    /** The time there. */
    async now(): Promise<Date> {
        return new Date((await this.#reading()).now);
    }

    /** Makes it that time, and does the background work that has become due. */
    async set(now: Date | string): Promise<Date> {
        return this.#put({ now: moment(now) });
    }

    /** Lets that much time pass at once, and does the background work that has become due. */
    async advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): Promise<Date> {
        return this.#put({ advance_seconds: Math.round(((days * 24 + hours) * 60 + minutes) * 60 + seconds) });
    }

    /** Stops the clock, at that time if one is given. */
    async freeze(now?: Date | string): Promise<Date> {
        return this.#put({ now: now && moment(now), is_frozen: true });
    }

    /** Lets it go on from where it stands. */
    async unfreeze(): Promise<Date> {
        return this.#put({ is_frozen: false });
    }

    /** True if it stands still. */
    async isFrozen(): Promise<boolean> {
        return (await this.#reading()).is_frozen;
    }

    async #reading(): Promise<Reading> {
        return (await this.#sandbox.ask("GET", "/sandbox/clock")) as Reading;
    }

    async #put(wanted: object): Promise<Date> {
        return new Date(((await this.#sandbox.ask("PUT", "/sandbox/clock", wanted)) as Reading).now);
    }
}

/** What goes wrong. In `path` a `*` stands for anything. */
export interface FaultSettings {
    readonly method?: string;
    readonly path?: string;
    /** May be left out where `status` or `delayMs` tells it. */
    readonly kind?: "status" | "delay" | "disconnect" | "expired_token" | "empty_page";
    readonly status?: number;
    /** The seconds of `Retry-After`. */
    readonly retryAfter?: number;
    readonly delayMs?: number;
    readonly body?: unknown;
    /** How many requests meet it; 1 by default, 0: all. */
    readonly times?: number;
}

/** A fault that was added. */
export interface Fault {
    readonly id: number;
    /** How many more requests meet it; null: all. */
    readonly left: number | null;
}

/** What goes wrong with requests of clients, until a snapshot is restored. */
export class Faults {
    readonly #sandbox: Sandbox;

    constructor(sandbox: Sandbox) {
        this.#sandbox = sandbox;
    }

    /** Answers the next such requests with a fault. */
    async add({ kind, retryAfter, delayMs, times = 1, ...others }: FaultSettings): Promise<Fault> {
        const told = others.status === undefined && delayMs !== undefined ? "delay" : "status";
        const wanted = { ...others, kind: kind ?? told, retry_after: retryAfter, delay_ms: delayMs, times };
        return (await this.#sandbox.ask("POST", "/sandbox/faults", wanted)) as Fault;
    }

    /** Those that are there. */
    async all(): Promise<Fault[]> {
        return (await this.#sandbox.ask("GET", "/sandbox/faults")) as Fault[];
    }

    /** A fault as it is now. */
    async get({ id }: Fault): Promise<Fault> {
        return (await this.#sandbox.ask("GET", `/sandbox/faults/${id}`)) as Fault;
    }

    /** Lets such requests go well again. */
    async remove({ id }: Fault): Promise<void> {
        await this.#sandbox.ask("DELETE", `/sandbox/faults/${id}`);
    }

    /** Lets everything go well again. */
    async clear(): Promise<void> {
        await this.#sandbox.ask("DELETE", "/sandbox/faults");
    }
}

function moment(time: Date | string): string {
    return typeof time === "string" ? time : time.toISOString();
}

/** YAML, of which JSON is a part. */
async function contentOf(scenario: Scenario): Promise<string> {
    const isFile = typeof scenario === "string" || scenario instanceof URL;
    return isFile ? readFile(scenario, "utf8") : JSON.stringify(scenario);
}
