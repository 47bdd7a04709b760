/**
 * An integration: the scores of a laboratory's own system go into the gradebook of a course.
 *
 * It may run again and again: what is there already is not written once more. Late work loses a tenth.
 */

import { RefusedRequest, type Lectern } from "lectern-client";

const LATE_FACTOR = 0.9;

export class GradeSync {
    #lectern: Lectern;
    readonly #newToken: () => Promise<string>;

    constructor(lectern: Lectern, newToken: () => Promise<string>) {
        this.#lectern = lectern;
        this.#newToken = newToken;
    }

    /** Writes the scores by user, and answers whose have changed. */
    async run(course: number, assignment: number, scores: ReadonlyMap<number, number>): Promise<number[]> {
        try {
            return await this.#write(course, assignment, scores);
        } catch (error) {
            if (!(error instanceof RefusedRequest && error.status === 401)) {
                throw error;
            }
            // The token has ended, maybe in the middle: the next run leaves out what is there.
            this.#lectern = this.#lectern.withToken(await this.#newToken());
            return this.#write(course, assignment, scores);
        }
    }

    async #write(course: number, assignment: number, scores: ReadonlyMap<number, number>): Promise<number[]> {
        const written: number[] = [];
        const path = { course_id: course, assignment_id: assignment };
        for await (const submission of this.#lectern.list_submissions({ path, query: { per_page: 50 } })) {
            // Whose work it is is hidden while it is graded anonymously.
            const student = submission.user_id ?? undefined;
            const score = student === undefined ? undefined : scores.get(student);
            if (student === undefined || score === undefined) {
                continue;
            }
            const due = score * (submission.late ? LATE_FACTOR : 1);
            if (submission.score !== due) {
                const body = { submission: { posted_grade: String(due) } };
                await this.#lectern.grade_submission({ path: { ...path, user_id: student }, body });
                written.push(student);
            }
        }
        return written;
    }
}
