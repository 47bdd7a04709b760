/** A receiver of webhooks that stands in the sandbox. */

import { AssertionError } from "node:assert";

import { Webhook } from "../webhooks.ts";
import type { Sandbox } from "./sandbox.ts";

/** One attempt to deliver a webhook. */
export interface Delivery {
    readonly id: number;
    /** The time in the sandbox. */
    readonly at: string;
    readonly headers: { readonly [name: string]: string };
    /** The body as it came. */
    readonly body: string;
    /** `unknown` where the inbox does not have the secret. */
    readonly signature: "valid" | "invalid" | "unknown" | "missing";
    /** What is wrong with the signature. */
    readonly problem?: string;
}

/** Takes webhooks, tells whether their signatures are good, and answers as the test wants. */
export class Inbox {
    readonly #sandbox: Sandbox;
    readonly #name: string;
    readonly #path: string;

    constructor(sandbox: Sandbox, name: string) {
        this.#sandbox = sandbox;
        this.#name = name;
        this.#path = `/sandbox/inbox/${encodeURIComponent(name)}`;
    }

    /** Its address, for subscriptions that the integration makes; `expectSecret` tells it their secret. */
    get url(): string {
        return `${this.#sandbox.address}${this.#path}`;
    }

    /** Subscribes it to events such as `GRADE_CHANGE`. It knows the signing secret, which is answered. */
    async subscribe(...events: string[]): Promise<string> {
        return this.#sandbox.subscribe(`inbox:${this.#name}`, ...events);
    }

    /** What has come since the last restoration, oldest first. */
    async deliveries(): Promise<Delivery[]> {
        return ((await this.#sandbox.ask("GET", this.#path)) as { events: Delivery[] }).events;
    }

    /**
     * Does background work until so many have come, of that event if one is named, and answers them.
     *
     * `timeout` is in seconds.
     */
    async waitFor(count = 1, { event, timeout = 4 }: { event?: string; timeout?: number } = {}): Promise<Delivery[]> {
        const enough = async () => {
            const all = await this.deliveries();
            const found = all.filter((delivery) => event === undefined || eventOf(delivery) === event.toLowerCase());
            return found.length >= count ? found : undefined;
        };
        try {
            return (await this.#sandbox.waitFor(enough, { timeout })) ?? [];
        } catch (error) {
            if (!(error instanceof AssertionError)) {
                throw error;
            }
            const all = await this.deliveries();
            const came = all.map(eventOf).join(", ") || "nothing";
            const wanted = `${count} deliveries${event === undefined ? "" : ` of ${event}`}`;
            const message = `${wanted} did not come within ${timeout} s; there came: ${came}`;
            throw new AssertionError({ message, actual: all.length, expected: count });
        }
    }

    /** What the body of a delivery says, or `WebhookRefused`: as a receiver with that secret has it when it came. */
    async verify(delivery: Delivery, secret: string): Promise<unknown> {
        return new Webhook(secret).verify(delivery.body, { ...delivery.headers }, Date.parse(delivery.at) / 1000);
    }

    /** Answers deliveries with that status from now on, so that a failing one is sent again. */
    async answerWith(status: number): Promise<void> {
        await this.#sandbox.ask("PUT", this.#path, { status });
    }

    /** Tells it the secret of a subscription, by which it knows good signatures. */
    async expectSecret(secret: string): Promise<void> {
        await this.#sandbox.ask("PUT", this.#path, { secret });
    }

    /** Forgets what has come. */
    async clear(): Promise<void> {
        await this.#sandbox.ask("DELETE", this.#path);
    }
}

/** The name of the event, such as `grade_change`. */
function eventOf({ body }: Delivery): string | undefined {
    return (JSON.parse(body) as { metadata?: { event_name?: string } } | null)?.metadata?.event_name;
}
