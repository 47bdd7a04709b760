/** What goes wrong, in one form for all areas of the API, whose bodies of errors differ. */

/** Anything that this library throws about a request. */
export class LecternError extends Error {
    override name = "LecternError";
}

/** The service could not be reached, or ended the connection. */
export class ConnectionFailed extends LecternError {
    override name = "ConnectionFailed";
}

/** The service took longer than the timeout. */
export class TimedOut extends ConnectionFailed {
    override name = "TimedOut";
}

/** The service answered with an error. */
export class RefusedRequest extends LecternError {
    override name = "RefusedRequest";
    readonly method: string;
    readonly path: string;
    /** The status of HTTP: 400, 401, 403, 404, 409, 422, 429, 503 and others. */
    readonly status: number;
    /** The word of the area for the kind of error, where it has one. */
    readonly code: string | undefined;
    /** What is said of single fields of the request. */
    readonly fields: Readonly<{ [name: string]: readonly string[] }>;
    /** The body as it came: what JSON says, or text. */
    readonly body: unknown;
    /** After how many seconds the request may be sent again, if the service says so. */
    readonly retryAfter: number | undefined;
    /** By which the operator finds the request in the logs. */
    readonly requestId: string | undefined;

    constructor(method: string, path: string, status: number, text: string, headers: Headers) {
        const body = parsed(text);
        const said = read(body);
        super(`${method} ${path}: ${status} ${said.message ?? ""}`.trimEnd());
        this.method = method;
        this.path = path;
        this.status = status;
        this.body = body;
        this.code = said.code;
        this.fields = said.fields;
        this.retryAfter = retryAfter(headers);
        this.requestId = headers.get("x-request-context-id") ?? undefined;
    }
}

function parsed(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}

/** The seconds of `Retry-After`, which may also be a date. */
function retryAfter(headers: Headers): number | undefined {
    const value = headers.get("retry-after")?.trim() ?? "";
    if (/^\d+$/.test(value)) {
        return Number(value);
    }
    const then = Date.parse(value);
    return Number.isNaN(then) ? undefined : Math.max(0, (then - Date.now()) / 1000);
}

interface Said {
    code: string | undefined;
    message: string | undefined;
    fields: { [name: string]: string[] };
}

type Members = { [name: string]: unknown };

function isMembers(value: unknown): value is Members {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

class Reading {
    readonly codes: string[] = [];
    readonly messages: string[] = [];
    readonly fields: { [name: string]: string[] } = Object.create(null);

    /** Reads `errors`: a text, a list of errors, or errors by field. */
    errors(errors: unknown): void {
        if (typeof errors === "string") {
            this.messages.push(errors);
        } else if (Array.isArray(errors)) {
            for (const error of errors) {
                if (isMembers(error)) {
                    this.#error(error);
                } else if (typeof error === "string") {
                    this.messages.push(error);
                }
            }
        } else if (isMembers(errors)) {
            for (const [name, said] of Object.entries(errors)) {
                for (const one of Array.isArray(said) ? said : [said]) {
                    this.field(name, isMembers(one) ? one["message"] : one);
                    if (isMembers(one) && typeof one["type"] === "string") {
                        this.codes.push(one["type"]);
                    }
                }
            }
        }
    }

    field(name: string, text: unknown): void {
        (this.fields[name] ??= []).push(String(text));
    }

    #error(error: Members): void {
        const text = error["message"] ?? error["detail"] ?? error["title"];
        if (typeof text === "string") {
            this.messages.push(text);
            if (typeof error["attribute"] === "string") {
                this.field(error["attribute"], text);
            }
        } else {
            for (const [name, said] of Object.entries(error)) {
                if (typeof said === "string") {
                    this.field(name, said);
                }
            }
        }
        for (const name of ["code", "error_code", "error_type", "type"]) {
            const code = error[name];
            if (typeof code === "string") {
                this.codes.push(code);
            }
        }
    }

    said(): Said {
        const ofFields = Object.entries(this.fields).flatMap(([name, texts]) => texts.map((text) => `${name} ${text}`));
        const messages = new Set(this.messages.length > 0 ? this.messages : ofFields);
        return { code: this.codes[0], message: [...messages].join("; ") || undefined, fields: { ...this.fields } };
    }
}

function read(body: unknown): Said {
    const reading = new Reading();
    if (typeof body === "string") {
        reading.errors(body.trim().slice(0, 1000) || undefined);
    } else if (isMembers(body)) {
        if (isMembers(body["status"])) {
            return ofBadges(body, body["status"], reading);
        }
        reading.errors(body["errors"]);
        if (typeof body["error"] === "string") {
            ("error_description" in body ? reading.codes : reading.messages).unshift(body["error"]);
        }
        if (typeof body["error_description"] === "string") {
            reading.messages.unshift(body["error_description"]);
        }
        if (typeof body["status"] === "string") {
            reading.codes.push(body["status"]);
        }
    }
    return reading.said();
}

function ofBadges(body: Members, status: Members, reading: Reading): Said {
    reading.errors(body["fieldErrors"]);
    reading.errors(body["validationErrors"]);
    const fields = Object.entries(reading.fields).flatMap(([name, texts]) => texts.map((text) => `${name} ${text}`));
    reading.messages.push(...fields);
    if (reading.messages.length === 0) {
        reading.errors(status["description"]);
    }
    return reading.said();
}
