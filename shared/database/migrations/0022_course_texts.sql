-- Courses whose texts were stored as they were sent. The tick takes out what would run, and the course from this list.
CREATE TABLE courses_to_sanitize (
    course_id INTEGER PRIMARY KEY REFERENCES courses (id)
) STRICT;
INSERT INTO courses_to_sanitize (course_id)
SELECT id FROM courses
WHERE instr(public_description, '<') OR instr(public_description, '&') OR instr(syllabus_body, '<') OR instr(syllabus_body, '&');
