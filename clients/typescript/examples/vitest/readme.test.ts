import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { useSandbox } from "lectern-client/testing";

const lectern = useSandbox({ afterAll, beforeAll, beforeEach }, { scenario: new URL("school.yaml", import.meta.url) });

test("a busy service is asked again", async () => {
    const ada = await lectern.client("ada");
    await lectern.faults.add({ method: "GET", path: "/api/v1/courses", status: 429, retryAfter: 1 });

    const courses = await ada.list_own_courses().all();

    expect(courses.map(({ name }) => name)).toEqual(["Biology"]);
    (await lectern.calls({ path: "/api/v1/courses" })).assertStatuses(429, 200);
});
