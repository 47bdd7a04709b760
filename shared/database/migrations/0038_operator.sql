-- What an operator sees on one page: the bytes of each tenant, what was given up, and the tokens that end soon.

-- How many files and media each tenant has, and their bytes: triggers count. Files that share their bytes count each.
CREATE TABLE tenant_storage (
    root_account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

INSERT INTO tenant_storage (root_account_id, files, bytes)
SELECT root_account_id, count(*), sum(size) FROM (
    SELECT root_account_id, size FROM attachments WHERE blob <> ''
    UNION ALL
    SELECT root_account_id, size FROM media_objects
) GROUP BY root_account_id;

CREATE TRIGGER attachments_stored AFTER INSERT ON attachments WHEN new.blob <> '' BEGIN
    INSERT INTO tenant_storage (root_account_id, files, bytes) VALUES (new.root_account_id, 1, new.size)
    ON CONFLICT (root_account_id) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER attachments_stored_anew AFTER UPDATE OF size, blob ON attachments
WHEN new.size <> old.size OR (new.blob <> '') <> (old.blob <> '') BEGIN
    INSERT INTO tenant_storage (root_account_id, files, bytes) VALUES (
        new.root_account_id, (new.blob <> '') - (old.blob <> ''),
        iif(new.blob <> '', new.size, 0) - iif(old.blob <> '', old.size, 0)
    )
    ON CONFLICT (root_account_id) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER attachments_stored_no_more AFTER DELETE ON attachments WHEN old.blob <> '' BEGIN
    UPDATE tenant_storage SET files = files - 1, bytes = bytes - old.size WHERE root_account_id = old.root_account_id;
END;

CREATE TRIGGER media_objects_stored AFTER INSERT ON media_objects BEGIN
    INSERT INTO tenant_storage (root_account_id, files, bytes) VALUES (new.root_account_id, 1, new.size)
    ON CONFLICT (root_account_id) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER media_objects_stored_no_more AFTER DELETE ON media_objects BEGIN
    UPDATE tenant_storage SET files = files - 1, bytes = bytes - old.size WHERE root_account_id = old.root_account_id;
END;

CREATE INDEX messages_dead_by_account ON messages (root_account_id, id) WHERE state = 'dead';
CREATE INDEX content_exports_by_account ON content_exports (root_account_id, id);
-- Those that somebody has made for a purpose: clients get theirs anew every hour.
CREATE INDEX access_tokens_ending ON access_tokens (root_account_id, expires_at)
WHERE expires_at IS NOT NULL AND purpose IS NOT NULL AND revoked_at IS NULL;
