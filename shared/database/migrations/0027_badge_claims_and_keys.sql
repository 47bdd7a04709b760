-- Codes by which people award a badge of a class to themselves, and who has done so.

CREATE TABLE badge_claim_codes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    class_id INTEGER NOT NULL REFERENCES badge_classes (id) ON DELETE CASCADE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    entity_id TEXT NOT NULL UNIQUE,
    -- The code itself is told once, to who makes it.
    code_hash TEXT NOT NULL UNIQUE,
    name TEXT,
    max_uses INTEGER NOT NULL CHECK (max_uses > 0),
    uses INTEGER NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND max_uses),
    expires_at TEXT,
    revoked_at TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX badge_claim_codes_by_class ON badge_claim_codes (class_id, created_at DESC, id DESC);

CREATE TABLE badge_claims (
    code_id INTEGER NOT NULL REFERENCES badge_claim_codes (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    assertion_id INTEGER NOT NULL REFERENCES badge_assertions (id) ON DELETE CASCADE,
    claimed_at TEXT NOT NULL,
    PRIMARY KEY (code_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX badge_claims_by_assertion ON badge_claims (assertion_id);

-- The import went to an address that its user had not confirmed: it waits for that.
ALTER TABLE badge_imports ADD COLUMN pending INTEGER NOT NULL DEFAULT 0 CHECK (pending IN (0, 1));
