-- Lists that their readers put in order, a page at a time: users and courses of a tenant by name, courses by SIS id.
CREATE INDEX users_by_sortable_name ON users (root_account_id, lower(sortable_name), id);
CREATE INDEX courses_by_name ON courses (root_account_id, lower(name), id);
CREATE INDEX courses_by_sis_id_or_none ON courses (root_account_id, ifnull(sis_course_id, ''), id);
