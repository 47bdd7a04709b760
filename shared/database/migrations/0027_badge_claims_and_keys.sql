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

-- Keys of several algorithms: one of each signs for a tenant.
ALTER TABLE badge_signing_keys ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'EdDSA' CHECK (algorithm IN ('EdDSA', 'RS256'));
DROP INDEX badge_signing_keys_current;
CREATE UNIQUE INDEX badge_signing_keys_current ON badge_signing_keys (root_account_id, algorithm) WHERE retired_at IS NULL;

-- Signed status lists, one for each form of credentials that refer to them. What was kept is signed again.
DROP TABLE badge_status_lists;
CREATE TABLE badge_status_lists (
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    list INTEGER NOT NULL,
    form TEXT NOT NULL,
    -- A hash of all that the list says beside the moment of signing.
    state TEXT NOT NULL,
    credential TEXT NOT NULL,
    signed_at TEXT NOT NULL,
    PRIMARY KEY (issuer_id, list, form)
) STRICT, WITHOUT ROWID;
