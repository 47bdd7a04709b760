/** `globalSetup` of Vitest and of Jest: each worker of the test runner has a sandbox for all its files. */

import { close, open } from "./global.ts";

/** What it answers ends the sandboxes; Jest takes `lectern-client/testing/global-teardown` for that. */
export default async function setup(): Promise<() => Promise<void>> {
    await open();
    return close;
}
