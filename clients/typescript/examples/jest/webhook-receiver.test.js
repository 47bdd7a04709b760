// The receiver against real deliveries: signed, forged, and sent once more.

import { useSandbox } from "lectern-client/testing";
import { Receiver } from "./webhook-receiver.js";

const lectern = useSandbox({
    scenario: {
        users: [
            { login: "ada", name: "Ada" },
            { login: "grace", name: "Grace" },
        ],
        courses: [
            {
                name: "Biology",
                code: "BIO1",
                state: "available",
                teachers: ["ada"],
                students: ["grace"],
                assignments: [{ name: "Essay", points: 10 }],
            },
        ],
    },
});

let receiver;
let scores;

beforeEach(async () => {
    scores = [];
    receiver = new Receiver((user, score) => scores.push([user, score]));
    await receiver.open();
    receiver.secret = await lectern.subscribe(receiver.url, "GRADE_CHANGE");
});

afterEach(() => receiver.close());

async function grade(score) {
    const { courses, assignments, users } = lectern.ids;
    const path = { course_id: courses.Biology, assignment_id: assignments["Biology/Essay"], user_id: users.grace };
    const ada = await lectern.client("ada");
    await ada.grade_submission({ path, body: { submission: { posted_grade: String(score) } } });
}

test("a score arrives once", async () => {
    await grade(7);
    await lectern.waitFor(() => scores.length);
    expect(scores).toEqual([[lectern.ids.users.grace, 7]]);
});

test("what cannot be kept comes again", async () => {
    const keep = receiver.onScore;
    receiver.onScore = () => {
        receiver.onScore = keep;
        throw new Error("the disk is full");
    };
    await grade(7);
    const admin = await lectern.client();
    await lectern.waitFor(async () => (await admin.list_webhook_deliveries().all())[0]?.attempts === 1);
    expect(scores).toEqual([]);
    await lectern.clock.advance({ minutes: 1 });
    await lectern.waitFor(() => scores.length);
    expect(scores).toEqual([[lectern.ids.users.grace, 7]]);
});

test("a forged delivery is refused", async () => {
    const inbox = lectern.inbox();
    const secret = await inbox.subscribe("GRADE_CHANGE");
    await grade(7);
    const [delivery] = await inbox.waitFor(1, { event: "GRADE_CHANGE" });
    expect((await inbox.verify(delivery, secret)).body.score).toBe(7);
    expect(await receiver.take(Buffer.from(delivery.body), delivery.headers)).toBe(401);
});
