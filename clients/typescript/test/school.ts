// A running service, given by LECTERN_URL and an administrator's LECTERN_TOKEN: `cargo xtask test` sets both.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { Lectern, RefusedRequest } from "../src/index.ts";

export const URL = required("LECTERN_URL");
export const admin = new Lectern(URL, { token: required("LECTERN_TOKEN") });

function required(name: string): string {
    const value = process.env[name];
    assert.ok(value, `${name} is not set`);
    return value;
}

export function unique(name: string): string {
    return `${name}-${randomUUID()}`;
}

/** The error of a call that is refused with that status. */
export async function refused(call: Promise<unknown>, status: number): Promise<RefusedRequest> {
    const error: unknown = await call.then(
        () => assert.fail("nothing was refused"),
        (error: unknown) => error,
    );
    assert.ok(error instanceof RefusedRequest, String(error));
    assert.equal(error.status, status, error.message);
    return error;
}

export interface Member {
    id: number;
    lectern: Lectern;
}

export async function tokenOf(user: number): Promise<string> {
    const token = await admin.create_personal_token({ path: { user_id: user }, body: { token: { purpose: "test" } } });
    assert.ok(token.visible_token);
    return token.visible_token;
}

async function member(course: number, type: "TeacherEnrollment" | "StudentEnrollment"): Promise<Member> {
    const body = { user: { name: type }, pseudonym: { unique_id: unique(type) } };
    const { id } = await admin.create_user({ path: { account_id: 1 }, body });
    const enrollment = { user_id: String(id), type, enrollment_state: "active" as const };
    await admin.create_course_enrollment({ path: { course_id: course }, body: { enrollment } });
    return { id, lectern: admin.withToken(await tokenOf(id)) };
}

/** A course with a teacher and a student. */
export async function school(): Promise<{ course: number; teacher: Member; student: Member }> {
    const course = { name: "Botany", course_code: "BOT-101" };
    const { id } = await admin.create_course({ path: { account_id: 1 }, body: { course, offer: true } });
    return { course: id, teacher: await member(id, "TeacherEnrollment"), student: await member(id, "StudentEnrollment") };
}
