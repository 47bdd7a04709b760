-- Indexes for statements that went through a whole table without them.

-- The pages of a course, deleted ones too: when another becomes the front page, and when a course is copied.
CREATE INDEX wiki_pages_by_course ON wiki_pages (course_id);

-- The folders in a folder: whoever goes down a tree looks them up.
CREATE INDEX folders_by_parent ON folders (parent_folder_id);
