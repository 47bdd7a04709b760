-- An institution: users with logins, courses with a section and an assignment, 200 students in each course that has any, each with
-- a submission, and the history of the courses. Ids begin at 100,001, behind the application's own records.
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {users})
INSERT INTO users (id, root_account_id, name, sortable_name, short_name, created_at, updated_at)
SELECT 100000 + n, 1, 'User ' || n, printf('%06d, User', n), 'User ' || n, '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
FROM numbers;

INSERT INTO pseudonyms (user_id, root_account_id, unique_id, sis_user_id, created_at)
SELECT id, 1, 'login-' || id, 'sis-' || id, created_at FROM users WHERE id > 100000;

WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {courses})
INSERT INTO courses (id, root_account_id, account_id, name, course_code, uuid, workflow_state, created_at, updated_at)
SELECT 100000 + n, 1, 1, 'Course ' || n, 'C' || n,
       lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a'
             || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
       'available', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
FROM numbers;

INSERT INTO course_sections (id, root_account_id, course_id, name, default_section, created_at, updated_at)
SELECT id, 1, id, name, 1, created_at, created_at FROM courses WHERE id > 100000;

INSERT INTO assignments
    (id, root_account_id, course_id, name, points_possible, submission_types, workflow_state, created_at, updated_at)
SELECT id, 1, id, 'Essay', 10, '["online_text_entry"]', 'published', created_at, created_at FROM courses WHERE id > 100000;

-- The n-th submission is of course n modulo those with students, and of the next user of that course.
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {submissions})
INSERT INTO enrollments
    (root_account_id, course_id, course_section_id, user_id, type, workflow_state, created_at, updated_at)
SELECT 1, 100001 + n % {classes}, 100001 + n % {classes},
       100001 + (n % {classes} * 37 + n / {classes}) % {users}, 'StudentEnrollment', 'active',
       '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
FROM numbers;

INSERT INTO submissions
    (id, root_account_id, course_id, assignment_id, user_id, attempt, submission_type, body, submitted_at, workflow_state,
     created_at, updated_at)
SELECT 100000 + id, 1, course_id, course_id, user_id, 1, 'online_text_entry', '<p>An essay.</p>', '2026-02-02T08:00:00Z',
       'submitted', '2026-02-02T08:00:00Z', '2026-02-02T08:00:00Z'
FROM enrollments;

INSERT INTO submission_versions (submission_id, attempt, submission_type, body, submitted_at)
SELECT id, 1, 'online_text_entry', body, submitted_at FROM submissions;

-- A hundred events in each second.
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {events})
INSERT INTO course_events
    (id, root_account_id, account_id, course_id, user_id, event_type, event_source, event_data, created_at)
SELECT printf('%s-%s-4%s-8%s-%s', lower(hex(randomblob(4))), lower(hex(randomblob(2))),
              substr(lower(hex(randomblob(2))), 2), substr(lower(hex(randomblob(2))), 2), lower(hex(randomblob(6)))),
       1, 1, 100001 + n % {courses}, 1, 'updated', 'api', json_object('name', json_array('Botany', 'Botany ' || n)),
       strftime('%Y-%m-%dT%H:%M:%S', 1600000000 + n / 100, 'unixepoch') || printf('.%06dZ', n % 100 * 10000)
FROM numbers;
