/** Deliveries of webhooks, as Standard Webhooks signs them (scheme `v1`, HMAC-SHA256). */

const PREFIX = "whsec_";

/** A request is no delivery of this subscription, or not a fresh one. */
export class WebhookRefused extends Error {
    override name = "WebhookRefused";
}

/**
 * Knows the deliveries of a subscription by its `SigningSecret`.
 *
 * While a secret is rotated deliveries are signed with both, so that either is enough.
 */
export class Webhook {
    readonly #key: Promise<CryptoKey>;
    readonly #tolerance: number;

    constructor(secret: string, options: { tolerance?: number } = {}) {
        const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
        const bytes = decoded(text);
        if (bytes === undefined || bytes.length === 0) {
            throw new TypeError("a signing secret is base64 after `whsec_`");
        }
        this.#key = crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
        this.#tolerance = options.tolerance ?? 300;
    }

    /** What the body says, or `WebhookRefused`. The body must be as it came, not JSON that was read and written. */
    async verify(body: Uint8Array | string, headers: Headers | { [name: string]: string }, now = Date.now() / 1000): Promise<unknown> {
        const all = headers instanceof Headers ? headers : new Headers(headers);
        const id = header(all, "webhook-id");
        const sent = header(all, "webhook-timestamp");
        const signatures = header(all, "webhook-signature");
        if (!/^\d{1,15}$/.test(sent)) {
            throw new WebhookRefused("webhook-timestamp is no time");
        }
        if (Math.abs(now - Number(sent)) > this.#tolerance) {
            throw new WebhookRefused("webhook-timestamp is too far from now");
        }
        const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
        const prefix = new TextEncoder().encode(`${id}.${sent}.`);
        const signed = new Uint8Array(prefix.length + content.length);
        signed.set(prefix);
        signed.set(content, prefix.length);
        const key = await this.#key;
        for (const signature of signatures.split(" ")) {
            const bytes = signature.startsWith("v1,") ? decoded(signature.slice(3)) : undefined;
            if (bytes !== undefined && (await crypto.subtle.verify("HMAC", key, bytes, signed))) {
                return JSON.parse(new TextDecoder().decode(content));
            }
        }
        throw new WebhookRefused("no signature is ours");
    }
}

function header(headers: Headers, name: string): string {
    const value = headers.get(name);
    if (value === null) {
        throw new WebhookRefused(`the header ${name} is missing`);
    }
    return value;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
    try {
        return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    } catch {
        return undefined;
    }
}
