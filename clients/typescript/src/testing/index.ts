/**
 * The sandbox of Lectern for the tests of those who write integrations, in Node: a service of their own, whose clock,
 * faults and webhooks the test decides on.
 */

export { Calls, type Call, type CallFilter } from "./calls.ts";
export { Inbox, type Delivery } from "./inbox.ts";
export { SandboxFailed, startSandbox, type StartOptions } from "./process.ts";
export {
    Clock,
    Faults,
    Sandbox,
    connectSandbox,
    type Duration,
    type Fault,
    type FaultSettings,
    type Ids,
    type OauthClient,
    type Scenario,
    type State,
} from "./sandbox.ts";
export { useSandbox, type Hooks, type UseOptions } from "./hooks.ts";
