/** The sandbox as a process: found, started, ended. */

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import { SandboxFailed } from "./failed.ts";
import { Sandbox } from "./sandbox.ts";

export { SandboxFailed };

/** At the first start on a machine the components are compiled, which takes minutes on a slow one. */
export const START_SECONDS = 300;
/** How long a sandbox may take to end before it is killed. */
const END_SECONDS = 10;
const SHOWN_CHARACTERS = 2000;
const HOW =
    "Put `lectern` of a release on the PATH, or name it: " +
    "the environment variable LECTERN_COMMAND, or the option `command`.";

export interface StartOptions {
    /** The program, with options if it needs some; else `LECTERN_COMMAND` says it, or it is `lectern` on the `PATH`. */
    readonly command?: string | readonly string[];
    /** Seconds until it has to serve; 300 by default. */
    readonly timeout?: number;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a sandbox on a free port of this machine. It ends with `stop()`, or with this process, however that ends. */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
    const [program = "lectern", ...own] = wordsOf(options.command ?? process.env["LECTERN_COMMAND"] ?? "lectern");
    const words = [...own, "sandbox", "--json", "--listen", "127.0.0.1:0", "--with-parent"];
    // Ctrl-C is for the tests, and they end the sandbox. Its group has what a script in between started, too.
    const child: Child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const end = () => ended(child);
    try {
        const address = await addressOf(child, [program, ...words].join(" "), options.timeout ?? START_SECONDS);
        // It does not keep this process: when that ends, the pipe of its standard input closes, and it ends as well.
        for (const one of [child, child.stdin, child.stdout, child.stderr]) {
            (one as unknown as { unref(): void }).unref();
        }
        return new Sandbox(address, end);
    } catch (error) {
        await end();
        throw error;
    }
}

/** The words of a command; where it is one text, quotation marks keep spaces in a word. */
export function wordsOf(command: string | readonly string[]): readonly string[] {
    if (typeof command !== "string") {
        return command;
    }
    const words = command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
    return [...words].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
}

/** Where it serves, once it does. */
function addressOf(child: Child, shown: string, timeout: number): Promise<string> {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-SHOWN_CHARACTERS);
    });
    const reason = () => (said.trim() ? `\n${said.trim().replace(/^/gm, "    ")}` : "; it gave no reason");
    return new Promise((resolve, reject) => {
        const fail = (message: string, cause?: Error) => {
            clearTimeout(late);
            reject(new SandboxFailed(message, { cause }));
        };
        const giveUp = () => fail(`\`${shown}\` does not serve after ${timeout} s${reason()}`);
        const late = setTimeout(giveUp, timeout * 1000);
        child.once("error", (cause) => fail(`no sandbox can be started: ${cause.message}. ${HOW}`, cause));
        child.once("close", (code, signal) => {
            fail(`\`${shown}\` ended with ${code ?? signal} before it served${reason()}`);
        });
        // Reads on after the line that is waited for: a pipe that nobody reads would stop the process.
        createInterface(child.stdout).on("line", (line) => {
            const address = addressIn(line);
            if (address !== undefined) {
                clearTimeout(late);
                resolve(address);
            }
        });
    });
}

function addressIn(line: string): string | undefined {
    try {
        const { address } = JSON.parse(line) as { address?: unknown };
        return typeof address === "string" ? address : undefined;
    } catch {
        return undefined;
    }
}

/** Ends a process and what it has started; resolves when it is gone. */
async function ended(child: Child): Promise<void> {
    if (child.pid === undefined) {
        return;
    }
    child.ref();
    child.stdin.destroy();
    const gone = new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) {
            resolve();
        }
        child.once("exit", () => resolve());
    });
    signal(child.pid, "SIGTERM");
    const patience = setTimeout(signal, END_SECONDS * 1000, child.pid, "SIGKILL");
    await gone;
    clearTimeout(patience);
    // What a script in between has started may have outlived it.
    signal(child.pid, "SIGKILL");
}

function signal(group: number, name: "SIGTERM" | "SIGKILL"): void {
    try {
        process.kill(-group, name);
    } catch {
        // It is gone.
    }
}
