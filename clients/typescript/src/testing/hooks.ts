/** The sandbox in a file of tests: Vitest, Jest, and Node's own test runner. */

import { SandboxFailed } from "./failed.ts";
import { START_SECONDS, startSandbox, type StartOptions } from "./process.ts";
import { Sandbox, connectSandbox, type Scenario } from "./sandbox.ts";
import { ofWorker } from "./workers.ts";

/** The second parameter is a time limit in milliseconds. Node's hooks have none by default, and pass over a number. */
type Hook = (work: () => Promise<void>, timeout?: any) => unknown;

/** The hooks of a test runner. Node's own are `before` and `after`. */
export interface Hooks {
    readonly beforeAll: Hook;
    readonly beforeEach: Hook;
    readonly afterAll: Hook;
}

export interface UseOptions extends StartOptions {
    /** What is in the sandbox when a test begins. */
    readonly scenario?: Scenario | readonly Scenario[];
    /** A sandbox that runs already; else `LECTERN_SANDBOX_ADDRESS` says it, or the worker or the file has its own. */
    readonly address?: string;
}

/**
 * A sandbox that is as at its start, with the scenario loaded, before each test of the file.
 *
 * With `lectern-client/testing/global-setup` a worker of the test runner has one for all its files; else each file
 * starts its own. Where the test runner has no global hooks, hand them over.
 */
export function useSandbox(options?: UseOptions): Sandbox;
export function useSandbox(hooks: Hooks, options?: UseOptions): Sandbox;
export function useSandbox(first: Hooks | UseOptions = {}, second: UseOptions = {}): Sandbox {
    const [hooks, options] = "beforeEach" in first ? [first, second] : [globalHooks(), first];
    const { scenario = [] } = options;
    const scenarios = Array.isArray(scenario) ? (scenario as Scenario[]) : [scenario as Scenario];
    const sandbox = new Sandbox();
    const timeout = (options.timeout ?? START_SECONDS) * 1000;
    hooks.beforeAll(async () => {
        const found = await find(options);
        sandbox.attach(found.address, () => found.stop());
    }, timeout);
    hooks.beforeEach(() => sandbox.begin(...scenarios), timeout);
    hooks.afterAll(() => sandbox.stop(), timeout);
    return sandbox;
}

async function find(options: UseOptions): Promise<Sandbox> {
    const address = options.address ?? process.env["LECTERN_SANDBOX_ADDRESS"] ?? (await ofWorker(options));
    return address === undefined ? startSandbox(options) : connectSandbox(address);
}

function globalHooks(): Hooks {
    const { beforeAll, beforeEach, afterAll } = globalThis as unknown as Partial<Hooks>;
    if (!beforeAll || !beforeEach || !afterAll) {
        const how = "useSandbox({ beforeAll, beforeEach, afterAll }, …)";
        throw new SandboxFailed(`this test runner has no global hooks: ${how}`);
    }
    return { beforeAll, beforeEach, afterAll };
}
