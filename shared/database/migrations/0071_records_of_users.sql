-- A user as those are told who know the user closely: the record of lists of users.
CREATE VIEW user_records (user_id, record) AS
SELECT id, concat('{"id":', id, ',"name":', json_quote(name), ',"created_at":"', substr(created_at, 1, 19),
    'Z","sortable_name":', json_quote(sortable_name), ',"short_name":', json_quote(short_name),
    ',"first_name":', json_quote(kept_given_name), ',"last_name":', json_quote(kept_family_name),
    ',"sis_user_id":', json_quote(kept_sis_user_id), ',"integration_id":', json_quote(kept_integration_id),
    ',"login_id":', json_quote(kept_login_id), ',"email":', json_quote(kept_email), ',"locale":', json_quote(locale),
    ',"time_zone":', json_quote(time_zone), '}')
FROM users;

-- It is kept with the user: to write a hundred of them was more than half of what SQLite did for a list.
ALTER TABLE users ADD COLUMN kept_record TEXT;

UPDATE users SET kept_record = (SELECT r.record FROM user_records r WHERE r.user_id = users.id);

-- A new user gets the parts of the name by a trigger, and so the record by this one.
CREATE TRIGGER users_keep_records
AFTER UPDATE OF name, created_at, sortable_name, short_name, kept_given_name, kept_family_name, kept_sis_user_id,
    kept_integration_id, kept_login_id, kept_email, locale, time_zone ON users
BEGIN
    UPDATE users SET kept_record = (SELECT r.record FROM user_records r WHERE r.user_id = new.id) WHERE id = new.id;
END;
