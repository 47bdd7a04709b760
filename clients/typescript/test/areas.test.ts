// Every area with the client: what is made, read, listed through its pages, changed and removed, and an error with its type.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Body, Pages } from "../src/index.ts";
import { admin, refused, school, unique } from "./school.ts";

const NOTHING = 9_000_000_000;
const { course, teacher, student } = await school();
const inCourse = { course_id: course };

/** The ids of a list, which is asked for in pages of one. */
async function ids<One extends { id: number | string }>(pages: Pages<unknown, One>): Promise<One["id"][]> {
    return (await pages.all()).map((one) => one.id);
}

function includes<Id>(listed: Id[], made: Id[]): void {
    assert.equal(new Set(listed).size, listed.length, "a record is listed once");
    assert.deepEqual(made.filter((id) => !listed.includes(id)), []);
}

test("directory", async () => {
    const path = { account_id: 1 };
    const made = await admin.create_course({ path, body: { course: { name: "Zoology" } } });
    const one = { id: made.id };
    assert.equal((await admin.update_course({ path: one, body: { course: { name: "Animals" } } })).name, "Animals");
    assert.equal((await admin.get_course({ path: one })).name, "Animals");
    const sections: number[] = [];
    for (const name of ["a", "b", "c"]) {
        const section = await admin.create_section({ path: { course_id: made.id }, body: { course_section: { name } } });
        sections.push(section.id);
    }
    includes(await ids(admin.list_sections({ path: { course_id: made.id }, query: { per_page: 1 } })), sections);
    const users = await ids(
        admin.list_course_users({ path: inCourse, query: { per_page: 1, "enrollment_type[]": ["StudentEnrollment", "TeacherEnrollment"] } }),
    );
    assert.deepEqual(users.sort(), [teacher.id, student.id].sort());
    const error = await refused(admin.create_course({ path, body: { course: { name: "x".repeat(300) } } }), 400);
    assert.equal(error.code, "too_long");
    assert.deepEqual(Object.keys(error.fields), ["name"]);
    assert.ok(error.requestId);
    await admin.delete_course({ path: one, body: { event: "delete" } });
    const gone = await refused(admin.get_course({ path: one }), 404);
    assert.match(gone.message, /The specified resource does not exist/);
});

test("coursework", async () => {
    const assignment: Body<"create_assignment">["assignment"] = {
        name: "Essay",
        submission_types: ["online_text_entry"],
        points_possible: 10,
        published: true,
    };
    const { id } = await teacher.lectern.create_assignment({ path: inCourse, body: { assignment } });
    const other = await teacher.lectern.create_assignment({ path: inCourse, body: { assignment } });
    includes(await ids(teacher.lectern.list_assignments({ path: inCourse, query: { per_page: 1 } })), [id, other.id]);
    const renamed = { assignment: { name: "Leaves" } };
    assert.equal((await teacher.lectern.update_assignment({ path: { ...inCourse, id }, body: renamed })).name, "Leaves");
    const path = { ...inCourse, assignment_id: id };
    const handedIn: Body<"submit_assignment"> = { submission: { submission_type: "online_text_entry", body: "<p>Oak</p>" } };
    assert.equal((await student.lectern.submit_assignment({ path, body: handedIn })).attempt, 1);
    const graded = { submission: { posted_grade: "8" } };
    const grade = await teacher.lectern.grade_submission({ path: { ...path, user_id: student.id }, body: graded });
    assert.equal(grade.score, 8);
    const error = await refused(student.lectern.create_assignment({ path: inCourse, body: { assignment } }), 403);
    assert.equal(error.code, "unauthorized");
    await teacher.lectern.delete_assignment({ path: { ...inCourse, id: other.id } });
});

test("quiz groups", async () => {
    const quiz = await teacher.lectern.create_quiz({ path: inCourse, body: { quiz: { title: "Leaves" } } });
    const path = { ...inCourse, quiz_id: quiz.id };
    const body = { quiz_groups: [{ name: "Oaks", pick_count: 2, question_points: 5 }] };
    const [group] = (await teacher.lectern.create_quiz_group({ path, body })).quiz_groups;
    assert.ok(group);
    const one = { ...path, id: group.id };
    assert.equal((await teacher.lectern.get_quiz_group({ path: one })).pick_count, 2);
    const changed = await teacher.lectern.update_quiz_group({ path: one, body: { quiz_groups: [{ name: "Elms" }] } });
    assert.equal(changed.quiz_groups[0]?.name, "Elms");
    const bad = { quiz_groups: [{ name: "x".repeat(300) }] };
    const error = await refused(teacher.lectern.create_quiz_group({ path, body: bad }), 422);
    assert.match(error.fields["name"]?.[0] ?? "", /too long/);
    await teacher.lectern.delete_quiz_group({ path: one });
    assert.deepEqual((await teacher.lectern.list_quiz_groups({ path })).quiz_groups, []);
});

test("quiz items", async () => {
    const quiz = await teacher.lectern.create_new_quiz({ path: inCourse, body: { quiz: { title: "Trees" } } });
    const path = { ...inCourse, assignment_id: quiz.id };
    const entry = {
        title: "Oak",
        item_body: "<p>Is it a tree?</p>",
        interaction_type_slug: "true-false",
        interaction_data: { true_choice: "Yes", false_choice: "No" },
        scoring_data: { value: true },
        scoring_algorithm: "Equivalence",
    };
    const made: (string | number)[] = [];
    for (const title of ["Oak", "Elm", "Fern"]) {
        const body = { item: { entry_type: "Item", entry: { ...entry, title } } } as Body<"create_quiz_item">;
        made.push((await teacher.lectern.create_quiz_item({ path, body })).id);
    }
    assert.deepEqual(await ids(teacher.lectern.list_quiz_items({ path, query: { per_page: 2 } })), made);
    const one = { ...path, item_id: made[0] ?? NOTHING };
    const changed = await teacher.lectern.update_quiz_item({ path: one, body: { item: { points_possible: 3 } } });
    assert.equal(changed.points_possible, 3);
    const bad: unknown = { item: { entry_type: "Item", entry: { ...entry, scoring_algorithm: "Guess" } } };
    const error = await refused(teacher.lectern.create_quiz_item({ path, body: bad as Body<"create_quiz_item"> }), 422);
    assert.equal(error.code, "ActiveRecord::RecordInvalid");
    await teacher.lectern.delete_quiz_item({ path: one });
    await refused(teacher.lectern.get_quiz_item({ path: one }), 404);
});

test("polls", async () => {
    const polls: number[] = [];
    for (const question of ["Oak?", "Elm?", "Ash?"]) {
        const made = await teacher.lectern.create_poll({ body: { polls: [{ question }] } });
        polls.push(...made.polls.map((poll) => Number(poll.id)));
    }
    const listed = await ids(teacher.lectern.list_polls({ query: { per_page: 1 } }));
    includes(listed.map(Number), polls);
    const [first = NOTHING, second = NOTHING] = polls;
    const changed = await teacher.lectern.update_poll({ path: { id: first }, body: { polls: [{ question: "Beech?" }] } });
    assert.equal(changed.polls[0]?.question, "Beech?");
    await refused(teacher.lectern.create_poll({ body: { polls: [{ question: "" }] } }), 400);
    assert.equal(await teacher.lectern.delete_poll({ path: { id: second } }), undefined);
    await refused(teacher.lectern.get_poll({ path: { id: second } }), 404);
});

test("AI conversations", async () => {
    const ai_experience = {
        title: "Trees",
        learning_objectives: ["Tell an oak from an elm"],
        pedagogical_guidance: "Ask for the edge of the leaf, and never name the tree at once.",
        facts: "The leaf of an oak has lobes; that of an elm has teeth, and its two halves are not alike.",
    };
    const { id } = await teacher.lectern.create_ai_experience({ path: inCourse, body: { ai_experience } });
    const path = { ...inCourse, id };
    const body = { ai_experience: { title: "Leaves" } };
    assert.equal((await teacher.lectern.update_ai_experience({ path, body })).title, "Leaves");
    const { experiences } = await teacher.lectern.list_ai_experiences({ path: inCourse });
    assert.ok(experiences.some((one) => one.id === id));
    const error = await refused(teacher.lectern.create_ai_experience({ path: inCourse, body: {} }), 400);
    assert.match(error.message, /ai_experience is missing/);
    await teacher.lectern.delete_ai_experience({ path });
    await refused(teacher.lectern.get_ai_experience({ path }), 404);
});

async function channel(): Promise<number> {
    const body: Body<"create_communication_channel"> = {
        communication_channel: { address: `${unique("ada")}@school.test`, type: "email" },
        skip_confirmation: true,
    };
    return (await admin.create_communication_channel({ path: { user_id: student.id }, body })).id;
}

test("communication channels and notification preferences", async () => {
    const made = [await channel(), await channel()];
    const path = { user_id: "self" };
    includes(await ids(student.lectern.list_communication_channels({ path, query: { per_page: 1 } })), made);
    const [id = NOTHING, other = NOTHING] = made;
    const place = { communication_channel_id: id, notification: "new_announcement" };
    await student.lectern.update_notification_preference({ path: place, body: { notification_preferences: { frequency: "weekly" } } });
    const read = await student.lectern.get_notification_preference({ path: { ...path, ...place } });
    assert.equal(read.notification_preferences[0]?.frequency, "weekly");
    const sometimes = { notification_preferences: { frequency: "sometimes" } } as unknown as Body<"update_notification_preference">;
    await refused(student.lectern.update_notification_preference({ path: place, body: sometimes }), 422);
    await student.lectern.delete_communication_channel({ path: { ...path, id: other } });
    await refused(student.lectern.delete_communication_channel({ path: { ...path, id: NOTHING } }), 404);
});

test("content exports", async () => {
    const body = { export_type: "common_cartridge" } as Body<"create_course_content_export">;
    const { id } = await teacher.lectern.create_course_content_export({ path: inCourse, body });
    includes(await ids(teacher.lectern.list_course_content_exports({ path: inCourse, query: { per_page: 1 } })), [id]);
    const bad = { export_type: "paper" } as unknown as Body<"create_course_content_export">;
    await refused(teacher.lectern.create_course_content_export({ path: inCourse, body: bad }), 400);
});

test("course audit log", async () => {
    const events = await admin.list_course_events({ path: inCourse, query: { per_page: 1 } }).all();
    const types = new Set(events.map((event) => event.event_type));
    assert.ok(types.has("created") && types.has("published"));
    await refused(student.lectern.list_account_course_events({ path: { account_id: 1 } }).all(), 403);
});

test("error reports", async () => {
    const error = { subject: "A leaf fell", comments: "In autumn." };
    const { id } = (await student.lectern.create_error_report({ body: { error } })) as { id: number };
    includes(await ids(admin.list_error_reports({ query: { per_page: 50 } })), [id]);
    assert.equal((await admin.get_error_report({ path: { id } })).id, id);
    await refused(student.lectern.list_error_reports().all(), 403);
});

test("files", async () => {
    const content = "Oak, elm, ash.\n";
    const parameters = { parent_folder_path: "leaves" };
    const upload = { name: "trees.txt", content, contentType: "text/plain", parameters };
    const file = (await teacher.lectern.upload("create_course_file", inCourse, upload)) as { id: number; size: number };
    assert.equal(file.size, content.length);
    const { id } = (await teacher.lectern.upload("create_course_file", inCourse, { name: "a.txt", content: "x" })) as { id: number };
    includes(await ids(teacher.lectern.list_course_files({ path: inCourse, query: { per_page: 1 } })), [file.id, id]);
    const bytes = await teacher.lectern.download_course_file({ path: { ...inCourse, id: file.id } });
    assert.equal(new TextDecoder().decode(bytes as Uint8Array), content);
    const changed = await teacher.lectern.update_file({ path: { id }, body: { name: "oaks.txt" } });
    assert.equal(changed.display_name, "oaks.txt");
    const big = { name: "big.txt", size: 10 ** 12 };
    await refused(teacher.lectern.create_course_file({ path: inCourse, body: big }), 400);
    await teacher.lectern.delete_file({ path: { id } });
    await refused(teacher.lectern.get_file({ path: { id } }), 404);
});

test("mastery tracking", async () => {
    const path = { account_id: 1 };
    const schools = ["Lakeside", "Hilltop", "Harbor"].map((name) => ({ id: unique("school"), name }));
    await admin.create_mastery_import({ path, content: JSON.stringify({ schools }), contentType: "application/json" });
    const { client_id, client_secret } = await admin.create_mastery_credential({ path, body: { scopes: ["schools:read"] } });
    assert.ok(client_secret);
    const { access_token } = await admin.issue_mastery_token({ body: { grant_type: "client_credentials", client_id, client_secret } });
    const district = admin.withToken(access_token);
    const place = { district_id: 1 };
    const listed = await district.list_mastery_district_schools({ path: place, query: { "page[size]": 2 } }).all();
    assert.ok(listed.length >= 3 && new Set(listed.map((one) => one.id)).size === listed.length);
    assert.equal((await refused(district.list_mastery_teachers().all(), 403)).code, "insufficient_scope");
    const none = district.list_mastery_district_schools({ path: place, query: { "page[size]": 0 } });
    assert.equal((await refused(none.all(), 422)).code, "validation_error");
    await admin.revoke_mastery_credential({ path: { ...path, client_id } });
    assert.equal((await refused(district.list_mastery_district_schools({ path: place }).all(), 401)).code, "invalid_token");
});

const PNG =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("badges", async () => {
    const owner = teacher.lectern;
    const email = `${unique("owner")}@school.test`;
    await admin.create_communication_channel({
        path: { user_id: teacher.id },
        body: { communication_channel: { address: email, type: "email" }, skip_confirmation: true },
    });
    const issuer = { name: "Harbor College", email, url: "https://harbor.test", description: "A college" };
    const [made] = (await owner.create_issuer({ body: issuer })).result;
    assert.ok(made);
    const path = { id: made.entityId };
    const badge = { name: "Knots", description: "Six", criteriaNarrative: "Tie them.", image: PNG } as Body<"create_issuer_badge_class">;
    const badges: string[] = [];
    for (let count = 0; count < 3; count += 1) {
        const { result } = await owner.create_issuer_badge_class({ path, body: badge });
        badges.push(...result.map((one) => one.entityId));
    }
    const listed = await owner.list_issuer_badge_classes({ path, query: { num: 1 } }).all();
    assert.deepEqual(listed.map((one) => one.entityId).sort(), [...badges].sort());
    const [first = "", second = ""] = badges;
    const recipient = { identity: `${unique("ada")}@school.test` };
    const [award] = (await owner.award_badge({ path: { id: first }, body: { recipient } })).result;
    assert.equal(award?.revoked, false);
    await owner.delete_badge_class({ path: { id: second } });
    const error = await refused(owner.create_issuer_badge_class({ path, body: { ...badge, name: "x".repeat(2000) } }), 400);
    assert.ok("name" in error.fields);
});

test("SIS imports", async () => {
    const path = { account_id: 1 };
    const content = `user_id,login_id,first_name,last_name,status\n${unique("ada")},${unique("ada")},Ada,Byron,active\n`;
    const query = { import_type: "instructure_csv", extension: "csv" } as const;
    const { id } = await admin.create_sis_import({ path, query, content, contentType: "text/csv" });
    includes(await ids(admin.list_sis_imports({ path, query: { per_page: 1 } })), [id]);
    await refused(admin.get_sis_import({ path: { ...path, id: NOTHING } }), 404);
});

test("OAuth", async () => {
    const path = { account_id: 1 };
    const { id } = await admin.create_developer_key({ path, body: { developer_key: { name: "Tool" } } });
    const changed = await admin.update_developer_key({ path: { id }, body: { developer_key: { name: "Renamed" } } });
    assert.equal(changed.name, "Renamed");
    await admin.delete_developer_key({ path: { id } });
    const token = admin.issue_token({ body: { grant_type: "client_credentials", client_id: "nobody", client_secret: "x" } });
    assert.equal((await refused(token, 401)).code, "invalid_client");
    const error = await refused(admin.withToken("x").get_course({ path: { id: course } }), 401);
    assert.match(error.message, /Invalid access token/);
});

test("background and reference", async () => {
    await channel();
    for await (const { to } of admin.list_outbox_messages({ query: { per_page: 1 } })) {
        assert.match(to, /@/);
        break;
    }
    await refused(student.lectern.list_outbox_messages().all(), 403);
    const document = (await admin.get_openapi()) as unknown as { info: { title: string } };
    assert.equal(document.info.title, "Lectern");
    assert.match(new TextDecoder().decode((await admin.get_reference()) as Uint8Array), /<html/);
});
