/** The sandboxes of the workers of this process, for a setup and a teardown that may be loaded apart. */

import { Workers } from "./workers.ts";

const KEPT = Symbol.for("lectern-client/testing");
const kept = globalThis as { [KEPT]?: Workers };

export async function open(): Promise<void> {
    await close();
    const workers = new Workers();
    await workers.open();
    kept[KEPT] = workers;
}

export async function close(): Promise<void> {
    const workers = kept[KEPT];
    delete kept[KEPT];
    await workers?.close();
}
