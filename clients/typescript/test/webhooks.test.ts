// Webhooks: what a receiver gets is known to be the service's, and nothing else is.

import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { Webhook, WebhookRefused, type Body } from "../src/index.ts";
import { URL, admin, refused } from "./school.ts";

// The published vector of Standard Webhooks.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SENT = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": String(SENT),
    "Webhook-Signature": "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

test("the published vector", async () => {
    assert.deepEqual(await new Webhook(SECRET).verify(BODY, HEADERS, SENT), { test: 2432232314 });
});

const OTHERS: [string, object, number][] = [
    [`${BODY} `, {}, SENT],
    [BODY, { "Webhook-Id": "other" }, SENT],
    [BODY, { "Webhook-Timestamp": String(SENT + 1) }, SENT],
    [BODY, { "Webhook-Timestamp": "soon" }, SENT],
    [BODY, { "Webhook-Signature": "v1,AAAA v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,?" }, SENT],
    [BODY, {}, SENT + 301],
    [BODY, {}, SENT - 301],
];

for (const [body, headers, now] of OTHERS) {
    test(`others are refused: ${JSON.stringify([headers, now - SENT])}`, async () => {
        await assert.rejects(new Webhook(SECRET).verify(body, { ...HEADERS, ...headers }, now), WebhookRefused);
    });
}

test("a secret is one, and a header is there", async () => {
    assert.throws(() => new Webhook("whsec_?"), TypeError);
    await assert.rejects(new Webhook(SECRET).verify(BODY, {}, SENT), /webhook-id/);
});

interface Delivery {
    body: Uint8Array;
    headers: IncomingHttpHeaders;
}

/** A server that takes one delivery. */
async function receiver(): Promise<{ url: string; delivery: Promise<Delivery>; close: () => void }> {
    const { promise, resolve } = Promise.withResolvers<Delivery>();
    const server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
            response.end();
            resolve({ body: new Uint8Array(Buffer.concat(chunks)), headers: request.headers });
        });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const close = () => {
        server.closeAllConnections();
        server.close();
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, delivery: promise, close };
}

/** A JSON Web Token, signed HS256 with the tool's secret. */
function assertion(guid: string, secret: string, address: string): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { sub: guid, aud: address, iat: now, exp: now + 60, jti: randomUUID() };
    const signed = [{ alg: "HS256", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    const signature = createHmac("sha256", secret).update(signed.join(".")).digest("base64url");
    return [...signed, signature].join(".");
}

test("a delivery of the service is known", { timeout: 30_000 }, async () => {
    const { url, delivery, close } = await receiver();
    try {
        const capabilities = ["vnd.vendor.webhooks.root_account.all"];
        const { guid, shared_secret } = await admin.create_tool_proxy({ body: { capabilities } });
        assert.ok(shared_secret);
        const body: Body<"authorize_tool_for_account"> = {
            grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
            assertion: assertion(guid, shared_secret, `${URL}/api/lti/accounts/1/authorize`),
        };
        const { access_token } = await admin.authorize_tool_for_account({ path: { account_id: 1 }, body });
        const tool = admin.withToken(access_token);
        const subscription: Body<"create_subscription">["subscription"] = {
            ContextId: "1",
            ContextType: "account",
            EventTypes: ["SUBMISSION_CREATED"],
            Format: "live-event",
            TransportType: "https",
            TransportMetadata: { Url: url },
        };
        const made = await tool.create_subscription({ body: { subscription } });
        const path = { id: made.Id };
        await tool.test_subscription({ path });
        const { body: bytes, headers } = await delivery;
        const webhook = new Webhook(made.SigningSecret ?? "");
        const message = await webhook.verify(bytes, headers as { [name: string]: string });
        assert.equal((message as { metadata: { subscription_id: string } }).metadata.subscription_id, made.Id);
        await assert.rejects(new Webhook(SECRET).verify(bytes, headers as { [name: string]: string }), WebhookRefused);
        const elsewhere = { subscription: { ...subscription, ContextId: "9000000000" } };
        const error = await refused(tool.create_subscription({ body: elsewhere }), 401);
        assert.match(error.message, /Unauthorized subscription/);
        await tool.delete_subscription({ path });
        assert.deepEqual(await tool.list_subscriptions(), []);
    } finally {
        close();
    }
});
