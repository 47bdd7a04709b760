/** A client of Lectern, the HTTP/JSON API of a learning-management system. */

export {
    Lectern,
    Pages,
    type Answer,
    type Body,
    type Methods,
    type OperationId,
    type Options,
    type RecordOf,
    type Retries,
    type Settings,
    type Upload,
} from "./client.ts";
export { ConnectionFailed, LecternError, RefusedRequest, TimedOut } from "./errors.ts";
export { OPERATIONS, type components, type operations, type paths } from "./operations.ts";
export { Webhook, WebhookRefused } from "./webhooks.ts";
