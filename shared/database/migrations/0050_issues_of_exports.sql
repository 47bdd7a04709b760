-- What the package of an export could not say, or not as it was: objects with `about` and `description`.
ALTER TABLE content_exports ADD COLUMN issues TEXT NOT NULL DEFAULT '[]';
