-- Badges: who may make issuers, images that nobody uses any more, a signing key for each tenant, status lists that are kept.

-- Who may make issuers of badges; the setting of a root account holds for its tenant.
ALTER TABLE accounts ADD COLUMN
    badge_issuers TEXT NOT NULL DEFAULT 'staff' CHECK (badge_issuers IN ('everyone', 'staff', 'admins'))
;

-- Whose image it is, for the quotas, and since when nothing names it: a day later it goes with its bytes.
ALTER TABLE badge_images ADD COLUMN root_account_id INTEGER REFERENCES accounts (id);
ALTER TABLE badge_images ADD COLUMN user_id INTEGER REFERENCES users (id);
ALTER TABLE badge_images ADD COLUMN unused_since TEXT;
CREATE INDEX badge_images_by_user ON badge_images (user_id, size);
CREATE INDEX badge_images_by_tenant ON badge_images (root_account_id, size);
CREATE INDEX badge_images_unused ON badge_images (unused_since) WHERE unused_since IS NOT NULL;
CREATE INDEX badge_issuers_by_image ON badge_issuers (image) WHERE image IS NOT NULL;
CREATE INDEX badge_classes_by_image ON badge_classes (image);
CREATE INDEX badge_imports_by_image ON badge_imports (image) WHERE image IS NOT NULL;

UPDATE badge_images SET root_account_id = i.root_account_id, user_id = i.created_by
FROM badge_issuers i WHERE i.image = badge_images.name;
UPDATE badge_images SET root_account_id = i.root_account_id, user_id = k.created_by
FROM badge_classes k JOIN badge_issuers i ON i.id = k.issuer_id WHERE k.image = badge_images.name;
UPDATE badge_images SET root_account_id = u.root_account_id, user_id = u.id
FROM badge_imports m JOIN users u ON u.id = m.user_id WHERE m.image = badge_images.name;
UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ')
WHERE NOT EXISTS (SELECT 1 FROM badge_issuers i WHERE i.image = badge_images.name)
AND NOT EXISTS (SELECT 1 FROM badge_classes k WHERE k.image = badge_images.name)
AND NOT EXISTS (SELECT 1 FROM badge_imports m WHERE m.image = badge_images.name);

-- The last record that names an image lets it go, however the record ends.
CREATE TRIGGER badge_image_of_issuer_changes AFTER UPDATE OF image ON badge_issuers
WHEN OLD.image IS NOT NULL AND OLD.image IS NOT NEW.image BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE name = OLD.image;
END;
CREATE TRIGGER badge_image_of_issuer_goes AFTER DELETE ON badge_issuers WHEN OLD.image IS NOT NULL BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE name = OLD.image;
END;
CREATE TRIGGER badge_image_of_class_changes AFTER UPDATE OF image ON badge_classes
WHEN OLD.image IS NOT NEW.image BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ')
    WHERE name = OLD.image AND NOT EXISTS (SELECT 1 FROM badge_classes WHERE image = OLD.image);
END;
CREATE TRIGGER badge_image_of_class_goes AFTER DELETE ON badge_classes BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ')
    WHERE name = OLD.image AND NOT EXISTS (SELECT 1 FROM badge_classes WHERE image = OLD.image);
END;
CREATE TRIGGER badge_image_of_import_goes AFTER DELETE ON badge_imports WHEN OLD.image IS NOT NULL BEGIN
    UPDATE badge_images SET unused_since = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE name = OLD.image;
END;

-- Keys of tenants. One without a tenant was made for all of them: it signs no more, and still verifies.
ALTER TABLE badge_signing_keys ADD COLUMN root_account_id INTEGER REFERENCES accounts (id);
-- Another signs in its place.
ALTER TABLE badge_signing_keys ADD COLUMN retired_at TEXT;
-- It is published no more: what it has signed does not verify.
ALTER TABLE badge_signing_keys ADD COLUMN withdrawn_at TEXT;
UPDATE badge_signing_keys SET retired_at = strftime('%Y-%m-%dT%H:%M:%SZ');
-- One key signs for a tenant.
CREATE UNIQUE INDEX badge_signing_keys_current ON badge_signing_keys (root_account_id) WHERE retired_at IS NULL;

-- Counts what changes the bits of an issuer's status lists, beside new awards.
ALTER TABLE badge_issuers ADD COLUMN status_changes INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER badge_status_of_revoked AFTER UPDATE OF revoked_at ON badge_assertions
WHEN OLD.revoked_at IS NOT NEW.revoked_at BEGIN
    UPDATE badge_issuers SET status_changes = status_changes + 1 WHERE id = NEW.issuer_id;
END;
CREATE TRIGGER badge_status_of_deleted AFTER DELETE ON badge_assertions BEGIN
    UPDATE badge_issuers SET status_changes = status_changes + 1 WHERE id = OLD.issuer_id;
END;

-- Signed status lists, as long as nothing of what they say changes.
CREATE TABLE badge_status_lists (
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    list INTEGER NOT NULL,
    -- A hash of all that the list says beside the moment of signing.
    state TEXT NOT NULL,
    credential TEXT NOT NULL,
    signed_at TEXT NOT NULL,
    PRIMARY KEY (issuer_id, list)
) STRICT, WITHOUT ROWID;
