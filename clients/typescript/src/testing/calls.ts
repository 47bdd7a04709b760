/** What clients have asked the sandbox for, and what a test expects of it. */

import { AssertionError } from "node:assert";

/** One request of a client, and how it was answered. */
export interface Call {
    readonly id: number;
    /** The time in the sandbox. */
    readonly at: string;
    readonly method: string;
    readonly path: string;
    /** The query as it was sent, without the question mark. */
    readonly query: string;
    /** Null where there was no answer, or is none yet. */
    readonly status: number | null;
    readonly milliseconds: number | null;
    /** Who called, where the token told it. */
    readonly login?: string;
    /** The id of the fault that it met. */
    readonly fault?: number;
    readonly request_headers: { readonly [name: string]: string };
    /** The bodies as text, as far as they are text and not too long. */
    readonly request_body?: string;
    readonly response_body?: string;
}

/** Which calls are meant. In `path` a `*` stands for anything. */
export interface CallFilter {
    readonly method?: string;
    readonly path?: string;
    readonly login?: string;
    readonly status?: number;
    /** From a time on, or after a call. */
    readonly since?: Date | Call;
}

/** Calls in the order in which they came. The assertions show what was called instead. */
export class Calls implements Iterable<Call> {
    readonly list: readonly Call[];
    readonly #everything: readonly Call[];
    readonly #wanted: string;

    constructor(list: readonly Call[], everything: readonly Call[], filter: CallFilter) {
        this.list = list;
        this.#everything = everything;
        const { since, ...others } = filter;
        const wanted = [...Object.values(others), ...(since === undefined ? [] : [sinceOf(since)])];
        this.#wanted = wanted.join(" ") || "anything";
    }

    [Symbol.iterator](): Iterator<Call> {
        return this.list[Symbol.iterator]();
    }

    get length(): number {
        return this.list.length;
    }

    /** How they were answered. */
    get statuses(): (number | null)[] {
        return this.list.map(({ status }) => status);
    }

    /** There was at least one such call, or that many. Answers them. */
    assertCalled(count?: number): this {
        if (count === undefined && this.length === 0) {
            this.#fail("was not called", this.length, "at least 1");
        }
        if (count !== undefined && this.length !== count) {
            this.#fail(`was called ${times(this.length)}, and not ${times(count)}`, this.length, count);
        }
        return this;
    }

    /** There was one such call. Answers it. */
    assertCalledOnce(): Call {
        this.assertCalled(1);
        return this.list[0] as Call;
    }

    /** There was no such call. */
    assertNotCalled(): void {
        this.assertCalled(0);
    }

    /** Such calls were answered with these statuses, in this order, and there were no others. Answers them. */
    assertStatuses(...expected: (number | null)[]): this {
        const actual = this.statuses;
        if (actual.length !== expected.length || actual.some((status, at) => status !== expected[at])) {
            const what = `was answered with [${actual.join(", ")}], and not with [${expected.join(", ")}]`;
            this.#fail(what, actual, expected);
        }
        return this;
    }

    #fail(what: string, actual: unknown, expected: unknown): never {
        const lines = this.#everything.length > 0 ? this.#everything.map(shown) : ["none"];
        const message = [`${this.#wanted} ${what}; the calls were:`, ...lines].join("\n    ");
        throw new AssertionError({ message, actual, expected, stackStartFn: this.#fail });
    }
}

/** What the sandbox takes: the id of a call, or a time. */
export function sinceOf(since: Date | Call): string {
    return since instanceof Date ? since.toISOString() : String(since.id);
}

function shown({ method, path, query, status, login, milliseconds }: Call): string {
    const who = login ? ` by ${login}` : "";
    const howLong = milliseconds === null ? "" : `, ${milliseconds} ms`;
    return `${method} ${path}${query ? `?${query}` : ""}: ${status ?? "no answer"}${who}${howLong}`;
}

function times(count: number): string {
    return ["never", "once", "twice"][count] ?? `${count} times`;
}
