-- A package with questions of banks that not everybody may read who sees the exports of its course is for who asked for it alone. Null:
-- nobody has noted whether it has some.
ALTER TABLE content_exports ADD COLUMN is_private INTEGER CHECK (is_private IN (0, 1));
