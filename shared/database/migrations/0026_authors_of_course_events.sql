-- The administrator who acted as the user of an event, or as the one who began an import.
ALTER TABLE course_events ADD COLUMN real_user_id INTEGER REFERENCES users (id);
ALTER TABLE sis_imports ADD COLUMN real_user_id INTEGER REFERENCES users (id);
