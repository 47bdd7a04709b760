/** Requests: who calls, for how long, how often again, and from page to page. */

import { ConnectionFailed, RefusedRequest, TimedOut } from "./errors.ts";
import { OPERATIONS, type Operation, type operations } from "./operations.ts";

/** Methods that may be sent again without doing anything twice. */
const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE"]);
/** Statuses that say: not now. */
const LATER = new Set([429, 503]);

/** The id of an operation, as the API description has it. */
export type OperationId = keyof typeof OPERATIONS;

type Parameters<Id extends OperationId> = operations[Id]["parameters"];
type Content<Id extends OperationId> = operations[Id] extends { requestBody?: infer B } ? NonNullable<B> : never;

/** What an operation takes as JSON. */
export type Body<Id extends OperationId> = Content<Id> extends { content: { "application/json": infer B } } ? B : never;

type Success<Responses> = Responses[Extract<keyof Responses, 200 | 201 | 202>];

/** What an operation answers. */
export type Answer<Id extends OperationId> =
    Success<operations[Id]["responses"]> extends { content: { "application/json": infer A } } ? A : unknown;

/** A record of a list that an operation answers. */
export type RecordOf<Id extends OperationId> = (typeof OPERATIONS)[Id] extends { readonly records: infer Name }
    ? Name extends keyof Answer<Id>
        ? ElementOf<Answer<Id>[Name]>
        : ElementOf<Answer<Id>>
    : never;

type ElementOf<List> = List extends readonly (infer Element)[] ? Element : unknown;

/** Numbers serve as ids where the description has text, because a place may also be `self` or `sis_…_id:…`. */
type PathOf<P> = P extends { path: infer Path } ? { path: { [Name in keyof Path]: string | number } } : object;
type QueryOf<P> = P extends { query: infer Query }
    ? { query: Query }
    : P extends { query?: infer Query }
      ? [Query] extends [undefined]
          ? object
          : { query?: Query }
      : object;
type BodyOf<Id extends OperationId> = [Content<Id>] extends [never]
    ? object
    : { body?: Body<Id>; content?: Blob | Uint8Array<ArrayBuffer> | string | FormData | URLSearchParams; contentType?: string };

/** One object in place of an intersection. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** What a call of an operation takes. */
export type Options<Id extends OperationId> = Flat<PathOf<Parameters<Id>> & QueryOf<Parameters<Id>> & BodyOf<Id> & { signal?: AbortSignal }>;

type Called<Id extends OperationId> = (typeof OPERATIONS)[Id] extends { readonly records: string }
    ? Pages<Answer<Id>, RecordOf<Id>>
    : Promise<Answer<Id>>;

/** A method for each operation, which is named like it. */
export type Methods = {
    [Id in OperationId]: object extends Options<Id> ? (options?: Options<Id>) => Called<Id> : (options: Options<Id>) => Called<Id>;
};

/** How often a request is sent again that may be, and how many seconds are waited before. */
export interface Retries {
    readonly times?: number;
    readonly first?: number;
    /** A wait that the service asks for (`Retry-After`) and that is longer ends the tries. */
    readonly longest?: number;
}

export interface Settings {
    readonly token?: string | undefined;
    /** Seconds that one try may take. */
    readonly timeout?: number;
    readonly retries?: Retries;
    readonly fetch?: typeof fetch;
    readonly sleep?: (seconds: number) => Promise<void>;
}

/** The operations that announce a file. */
export type AnnouncingId = {
    [Id in OperationId]: Extract<keyof Answer<Id>, "upload_url" | "pre_attachment"> extends never ? never : Id;
}[OperationId];

/** A file to upload. */
export interface Upload {
    readonly name: string;
    readonly content: Blob | Uint8Array<ArrayBuffer> | string;
    readonly contentType?: string;
    /** Further parameters of the operation, such as `parent_folder_path`. */
    readonly parameters?: { readonly [name: string]: unknown };
}

/** Any options, once their types have done their work. */
interface Loose {
    path?: { [name: string]: string | number } | undefined;
    query?: { [name: string]: unknown };
    body?: unknown;
    content?: BodyInit;
    contentType?: string;
    signal?: AbortSignal;
}

const CALL = Symbol("call");

/** The service at an address. It has a method for each operation. */
export class Lectern {
    readonly #address: string;
    readonly #settings: Settings;

    constructor(address: string, settings: Settings = {}) {
        this.#address = address.replace(/\/+$/, "");
        this.#settings = settings;
    }

    /** The same for another caller. */
    withToken(token: string): Lectern {
        return new Lectern(this.#address, { ...this.#settings, token });
    }

    /** Uploads a file in its three steps. */
    async upload<Id extends AnnouncingId>(id: Id, path: PathOf<Parameters<Id>> extends { path: infer Path } ? Path : never, file: Upload): Promise<unknown> {
        const content =
            file.content instanceof Blob ? file.content : new Blob([file.content], file.contentType ? { type: file.contentType } : {});
        const type = file.contentType ?? content.type;
        const body = { name: file.name, size: content.size, ...(type && { content_type: type }), ...file.parameters };
        const announced = (await decoded(await this.#operation(OPERATIONS[id], { path: path as unknown as Loose["path"], body }))) as Ticket;
        const ticket = announced.pre_attachment ?? announced;
        const form = new FormData();
        for (const [name, value] of Object.entries(ticket.upload_params ?? {})) {
            form.append(name, String(value));
        }
        form.append(ticket.file_param ?? "file", content, file.name);
        // The address carries its own right, and the token is nobody else's business.
        const stored = await this.#send("POST", ticket.upload_url, { body: form });
        const location = stored.headers.get("location");
        if (location === null) {
            return decoded(stored);
        }
        return decoded(await this.#send("GET", this.#own(location), { headers: this.#headers(true) }));
    }

    /** Calls an operation, and answers what JSON says, bytes of anything else, and `undefined` for nothing. */
    [CALL](operation: Operation, options?: Loose): Promise<unknown> | Pages<unknown, unknown> {
        const { records, takesToken } = operation;
        if (records === undefined) {
            return this.#operation(operation, options).then(decoded);
        }
        const first = () => this.#operation(operation, options);
        const next = (address: string) =>
            this.#send("GET", this.#own(address), { headers: this.#headers(takesToken !== false) }, options?.signal);
        return new Pages(first, next, records);
    }

    async #operation({ method, path, takesToken }: Operation, options: Loose = {}): Promise<Response> {
        const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(options.path?.[name])));
        const query = pairs(options.query ?? {}).toString();
        const headers = this.#headers(takesToken !== false);
        const init: RequestInit = { method, headers };
        if (options.body !== undefined) {
            headers.set("Content-Type", "application/json");
            init.body = JSON.stringify(options.body);
        } else if (options.content !== undefined) {
            init.body = options.content;
            if (options.contentType !== undefined) {
                headers.set("Content-Type", options.contentType);
            }
        }
        return this.#send(method, `${this.#address}${filled}${query && "?"}${query}`, init, options.signal);
    }

    #headers(takesToken: boolean): Headers {
        const token = takesToken ? this.#settings.token : undefined;
        return new Headers(token === undefined ? {} : { Authorization: `Bearer ${token}` });
    }

    /**
     * An address of the service, at the host that is called.
     *
     * A service may be called by another name than the one that it gives itself; the token goes to the one that was called.
     */
    #own(address: string): string {
        const { pathname, search } = new URL(address, this.#address);
        const base = new URL(this.#address).pathname.replace(/\/$/, "");
        return `${this.#address}${pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname}${search}`;
    }

    async #send(method: string, address: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
        const { retries = {}, sleep = seconds } = this.#settings;
        const { pathname } = new URL(address);
        for (let tries = 1; ; tries += 1) {
            const error = await this.#try(method, pathname, address, init, signal);
            if (error instanceof Response) {
                return error;
            }
            const asked = error instanceof RefusedRequest ? error.retryAfter : undefined;
            const isLater = !(error instanceof RefusedRequest) || LATER.has(error.status);
            const wait = isLater && IDEMPOTENT.has(method) ? pause(retries, tries, asked) : undefined;
            if (wait === undefined) {
                throw error;
            }
            await sleep(wait);
            signal?.throwIfAborted();
        }
    }

    async #try(method: string, path: string, address: string, init: RequestInit, signal?: AbortSignal): Promise<Response | Error> {
        const limit = AbortSignal.timeout((this.#settings.timeout ?? 60) * 1000);
        const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
        const send = this.#settings.fetch ?? fetch;
        try {
            // Redirects lead to pages for people, or to other hosts: none is followed, so that the token goes nowhere else.
            const response = await send(address, { ...init, method, signal: both, redirect: "manual" });
            return response.status < 400 ? response : new RefusedRequest(method, path, response.status, await response.text(), response.headers);
        } catch (cause) {
            signal?.throwIfAborted();
            const Kind = limit.aborted ? TimedOut : ConnectionFailed;
            return new Kind(`${method} ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
        }
    }
}

export interface Lectern extends Methods {}

for (const [id, operation] of Object.entries(OPERATIONS)) {
    Object.defineProperty(Lectern.prototype, id, {
        value(this: Lectern, options?: Loose) {
            return this[CALL](operation, options);
        },
    });
}

/** A list that comes in pages. Iterating over it goes through its records, and fetches pages as they are needed. */
export class Pages<Whole, One> implements AsyncIterable<One> {
    readonly #first: () => Promise<Response>;
    readonly #next: (address: string) => Promise<Response>;
    readonly #records: string;

    constructor(first: () => Promise<Response>, next: (address: string) => Promise<Response>, records: string) {
        this.#first = first;
        this.#next = next;
        this.#records = records;
    }

    async *[Symbol.asyncIterator](): AsyncGenerator<One, void, undefined> {
        for await (const answer of this.answers()) {
            const list: unknown = this.#records ? (answer as { [name: string]: unknown })[this.#records] : answer;
            yield* list as Iterable<One>;
        }
    }

    /** The answers, page by page, with what stands in them beside the records. */
    async *answers(): AsyncGenerator<Whole, void, undefined> {
        let response = await this.#first();
        for (;;) {
            const answer = await decoded(response);
            yield answer as Whole;
            const next = nextIn(response.headers.get("link")) ?? nextOf(answer);
            if (next === undefined) {
                return;
            }
            response = await this.#next(next);
        }
    }

    /** All records at once. */
    async all(): Promise<One[]> {
        const records: One[] = [];
        for await (const record of this) {
            records.push(record);
        }
        return records;
    }
}

interface Ticket {
    upload_url: string;
    upload_params?: { [name: string]: unknown };
    file_param?: string;
    pre_attachment?: Ticket;
}

function seconds(count: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, count * 1000));
}

/** The seconds before the next of so many tries; `undefined` ends them. */
function pause({ times = 3, first = 0.5, longest = 60 }: Retries, tries: number, asked: number | undefined): number | undefined {
    if (tries > times || (asked !== undefined && asked > longest)) {
        return undefined;
    }
    // Those who were told the same moment should not all come at it.
    return asked === undefined ? (first / 2) * (1 + Math.random()) * 2 ** (tries - 1) : asked + Math.random() * first;
}

async function decoded(response: Response): Promise<unknown> {
    const kind = response.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length === 0) {
        return undefined;
    }
    return kind === "application/json" || kind.endsWith("+json") ? JSON.parse(new TextDecoder().decode(bytes)) : bytes;
}

function pairs(query: { [name: string]: unknown }): URLSearchParams {
    const pairs = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one !== undefined && one !== null) {
                pairs.append(name, String(one));
            }
        }
    }
    return pairs;
}

/** The address of the next page in a header `Link`. */
function nextIn(link: string | null): string | undefined {
    for (const [, address, parameters] of (link ?? "").matchAll(/<([^>]*)>([^,<]*)/g)) {
        if (/;\s*rel="?next"?/.test(parameters ?? "")) {
            return address;
        }
    }
    return undefined;
}

/** The same where the body tells it: `links` of mastery tracking, `pagination` of badges that changed. */
function nextOf(answer: unknown): string | undefined {
    const { links, pagination } = (answer ?? {}) as {
        links?: { next?: unknown };
        pagination?: { hasNext?: boolean; nextResults?: unknown };
    };
    const next = links?.next ?? (pagination?.hasNext ? pagination.nextResults : undefined);
    return typeof next === "string" ? next : undefined;
}
