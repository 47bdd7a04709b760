-- What is told of a user beside the name: the parts of the sortable name, `Lovelace, Ada`, of which without a comma the last of
-- several words is the family name; the address that reaches the user first; and of several logins the first that has the value.
CREATE VIEW user_details (user_id, given_name, family_name, email, login_id, sis_user_id, integration_id) AS
SELECT
    named.id,
    trim(replace(replace(replace(replace(
        CASE
            WHEN named.has_comma THEN substr(named.sortable_name, instr(named.sortable_name, ',') + 1)
            WHEN instr(named.whole, ' ') THEN rtrim(named.whole, replace(named.whole, ' ', ''))
            ELSE named.whole
        END, ',', ' '), ' ', ' ' || char(31)), char(31) || ' ', ''), char(31), '')),
    trim(CASE
        WHEN named.has_comma THEN substr(named.sortable_name, 1, instr(named.sortable_name, ',') - 1)
        WHEN instr(named.whole, ' ')
        THEN substr(named.whole, length(rtrim(named.whole, replace(named.whole, ' ', ''))) + 1)
        ELSE ''
    END),
    ifnull(
        (SELECT c.address FROM communication_channels c
         WHERE c.user_id = named.id AND c.type = 'email' AND c.workflow_state = 'active'
         ORDER BY c.position, c.id LIMIT 1),
        named.email
    ),
    (SELECT p.unique_id FROM pseudonyms p
     WHERE p.user_id = named.id AND p.workflow_state = 'active' ORDER BY p.id LIMIT 1),
    (SELECT p.sis_user_id FROM pseudonyms p
     WHERE p.user_id = named.id AND p.workflow_state = 'active' AND p.sis_user_id IS NOT NULL
     ORDER BY p.id LIMIT 1),
    (SELECT p.integration_id FROM pseudonyms p
     WHERE p.user_id = named.id AND p.workflow_state = 'active' AND p.integration_id IS NOT NULL
     ORDER BY p.id LIMIT 1)
FROM (
    SELECT id, email, sortable_name, instr(sortable_name, ',') > 0 AS has_comma, trim(sortable_name) AS whole FROM users
) named;

-- They are kept with the user: a list of a hundred users looked up four hundred of them.
ALTER TABLE users ADD COLUMN kept_given_name TEXT;
ALTER TABLE users ADD COLUMN kept_family_name TEXT;
ALTER TABLE users ADD COLUMN kept_email TEXT;
ALTER TABLE users ADD COLUMN kept_login_id TEXT;
ALTER TABLE users ADD COLUMN kept_sis_user_id TEXT;
ALTER TABLE users ADD COLUMN kept_integration_id TEXT;

UPDATE users
SET (kept_given_name, kept_family_name, kept_email, kept_login_id, kept_sis_user_id, kept_integration_id) = (
    SELECT d.given_name, d.family_name, d.email, d.login_id, d.sis_user_id, d.integration_id
    FROM user_details d WHERE d.user_id = users.id
);

CREATE TRIGGER users_keep_names AFTER INSERT ON users BEGIN
    UPDATE users SET (kept_given_name, kept_family_name, kept_email) = (
        SELECT d.given_name, d.family_name, d.email FROM user_details d WHERE d.user_id = new.id)
    WHERE id = new.id;
END;

CREATE TRIGGER users_keep_other_names AFTER UPDATE OF sortable_name, email ON users
WHEN new.sortable_name IS NOT old.sortable_name OR new.email IS NOT old.email
BEGIN
    UPDATE users SET (kept_given_name, kept_family_name, kept_email) = (
        SELECT d.given_name, d.family_name, d.email FROM user_details d WHERE d.user_id = new.id)
    WHERE id = new.id;
END;

CREATE TRIGGER pseudonyms_keep_logins AFTER INSERT ON pseudonyms BEGIN
    UPDATE users SET (kept_login_id, kept_sis_user_id, kept_integration_id) = (
        SELECT d.login_id, d.sis_user_id, d.integration_id FROM user_details d WHERE d.user_id = new.user_id)
    WHERE id = new.user_id;
END;

CREATE TRIGGER pseudonyms_keep_other_logins
AFTER UPDATE OF user_id, unique_id, sis_user_id, integration_id, workflow_state ON pseudonyms
WHEN new.user_id IS NOT old.user_id OR new.unique_id IS NOT old.unique_id COLLATE BINARY
    OR new.sis_user_id IS NOT old.sis_user_id OR new.integration_id IS NOT old.integration_id
    OR new.workflow_state IS NOT old.workflow_state
BEGIN
    UPDATE users SET (kept_login_id, kept_sis_user_id, kept_integration_id) = (
        SELECT d.login_id, d.sis_user_id, d.integration_id FROM user_details d WHERE d.user_id = users.id)
    WHERE id IN (old.user_id, new.user_id);
END;

CREATE TRIGGER pseudonyms_keep_no_logins AFTER DELETE ON pseudonyms BEGIN
    UPDATE users SET (kept_login_id, kept_sis_user_id, kept_integration_id) = (
        SELECT d.login_id, d.sis_user_id, d.integration_id FROM user_details d WHERE d.user_id = old.user_id)
    WHERE id = old.user_id;
END;

CREATE TRIGGER channels_keep_email AFTER INSERT ON communication_channels
WHEN new.type = 'email' AND new.workflow_state = 'active'
BEGIN
    UPDATE users SET kept_email = (SELECT d.email FROM user_details d WHERE d.user_id = new.user_id)
    WHERE id = new.user_id;
END;

CREATE TRIGGER channels_keep_other_email
AFTER UPDATE OF user_id, type, address, position, workflow_state ON communication_channels
WHEN (new.type = 'email' OR old.type = 'email') AND (new.workflow_state = 'active' OR old.workflow_state = 'active')
BEGIN
    UPDATE users SET kept_email = (SELECT d.email FROM user_details d WHERE d.user_id = users.id)
    WHERE id IN (old.user_id, new.user_id);
END;

CREATE TRIGGER channels_keep_no_email AFTER DELETE ON communication_channels
WHEN old.type = 'email' AND old.workflow_state = 'active'
BEGIN
    UPDATE users SET kept_email = (SELECT d.email FROM user_details d WHERE d.user_id = old.user_id)
    WHERE id = old.user_id;
END;

-- Who is or was a student of a course, in which sections: lists of submissions ask it for each of them, twice.
CREATE INDEX enrollments_of_students ON enrollments (course_id, user_id, course_section_id)
WHERE type = 'StudentEnrollment' AND workflow_state IN ('active', 'completed', 'inactive');
