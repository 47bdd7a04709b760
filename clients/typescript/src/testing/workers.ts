/**
 * A sandbox for each worker of a test runner, whatever files it runs one after another.
 *
 * The modules of a worker are loaded anew for each file, so the process that starts the workers keeps their sandboxes:
 * it starts one when a worker asks for the first time, and ends them all.
 */

import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { SandboxFailed } from "./failed.ts";
import { startSandbox, wordsOf, type StartOptions } from "./process.ts";
import type { Sandbox } from "./sandbox.ts";

/** Where the workers ask; the last part of the path is a secret. */
const WHERE = "LECTERN_SANDBOXES";
/** The variables by which workers that run at the same time differ. */
const WORKER = ["VITEST_POOL_ID", "JEST_WORKER_ID"];

/** The sandboxes of all workers. */
export class Workers {
    readonly #sandboxes = new Map<string, Promise<Sandbox>>();
    readonly #server: Server;
    readonly #secret = `/${randomUUID()}`;

    constructor() {
        this.#server = createServer((request, response) => {
            const url = new URL(request.url ?? "/", "http://127.0.0.1");
            if (request.method !== "POST" || url.pathname !== this.#secret) {
                response.writeHead(404).end();
                return;
            }
            const command = url.searchParams.getAll("command");
            this.#sandbox(url.searchParams.get("worker") ?? "", command.length > 0 ? { command } : {}).then(
                ({ address }) => response.end(JSON.stringify({ address })),
                (error: unknown) => response.writeHead(500).end(JSON.stringify({ failed: String(error) })),
            );
        });
    }

    /** Lets the workers that are started from now on ask. */
    async open(): Promise<void> {
        await new Promise<void>((listening, failed) => {
            this.#server.once("error", failed).listen(0, "127.0.0.1", listening);
        });
        // A test runner that ends us does not wait for it.
        this.#server.unref();
        process.env[WHERE] = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#secret}`;
    }

    /** Ends all sandboxes. */
    async close(): Promise<void> {
        delete process.env[WHERE];
        this.#server.closeAllConnections();
        this.#server.close();
        const started = await Promise.allSettled(this.#sandboxes.values());
        await Promise.all(started.map((one) => (one.status === "fulfilled" ? one.value.stop() : undefined)));
    }

    #sandbox(worker: string, options: StartOptions): Promise<Sandbox> {
        const started = this.#sandboxes.get(worker) ?? startSandbox(options);
        this.#sandboxes.set(worker, started);
        return started;
    }
}

/** The address of this worker's sandbox; `undefined` where nobody keeps sandboxes for workers. */
export async function ofWorker({ command }: StartOptions): Promise<string | undefined> {
    const where = process.env[WHERE];
    if (where === undefined) {
        return undefined;
    }
    const query = new URLSearchParams({ worker: WORKER.map((name) => process.env[name] ?? "").join("-") });
    for (const word of command === undefined ? [] : wordsOf(command)) {
        query.append("command", word);
    }
    const response = await fetch(`${where}?${query}`, { method: "POST" });
    const { address, failed } = (await response.json()) as { address?: string; failed?: string };
    if (address === undefined) {
        throw new SandboxFailed(failed ?? "the process that keeps the sandboxes of workers answers oddly");
    }
    return address;
}
