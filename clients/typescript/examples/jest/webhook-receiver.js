/** An integration: a receiver of webhooks that keeps the scores of all who were graded. */

import { createServer } from "node:http";

import { Webhook, WebhookRefused } from "lectern-client";

/** Takes each event once, however often it is delivered; `onScore` gets user and score. */
export class Receiver {
    #seen = new Set();
    #server = createServer((request, response) => {
        const chunks = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", async () => {
            response.statusCode = await this.take(Buffer.concat(chunks), request.headers);
            response.end();
        });
    });

    /** The signing secret, which the answer to the subscription has. */
    secret = "";

    constructor(onScore) {
        this.onScore = onScore;
    }

    async open() {
        await new Promise((listening) => this.#server.listen(0, "127.0.0.1", listening));
        this.url = `http://127.0.0.1:${this.#server.address().port}/webhooks`;
    }

    close() {
        this.#server.closeAllConnections();
        this.#server.close();
    }

    /** The status for a delivery. 500 asks for it once more. */
    async take(body, headers) {
        let message;
        try {
            message = await new Webhook(this.secret).verify(body, headers);
        } catch (error) {
            if (error instanceof WebhookRefused) return 401;
            throw error;
        }
        const id = headers["webhook-id"];
        if (!this.#seen.has(id) && message.metadata.event_name === "grade_change") {
            try {
                await this.onScore(Number(message.body.student_id), message.body.score);
            } catch {
                return 500;
            }
        }
        this.#seen.add(id);
        return 200;
    }
}
