-- Digital badges: issuers with their staff, classes of badges, awards, and what the earners keep. Records are known to the outside by
-- their entity ids, which say nothing about how many there are.

-- What the area knows of a user beside the platform: the entity id, and what the user agreed to.
CREATE TABLE badge_users (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    entity_id TEXT NOT NULL UNIQUE,
    marketing_opt_in INTEGER NOT NULL DEFAULT 0 CHECK (marketing_opt_in IN (0, 1)),
    agreed_terms_version INTEGER
) STRICT;

-- Images, whose bytes are blobs of the same name. What is stored under a name is never changed.
CREATE TABLE badge_images (
    name TEXT PRIMARY KEY,
    content_type TEXT NOT NULL CHECK (content_type IN ('image/png', 'image/svg+xml')),
    size INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE badge_issuers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    entity_id TEXT NOT NULL UNIQUE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    description TEXT NOT NULL,
    url TEXT NOT NULL,
    image TEXT REFERENCES badge_images (name),
    extensions TEXT NOT NULL DEFAULT '{}',
    -- How many awards it has made, those that are gone among them: the next one's place in its status lists.
    next_status_index INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE badge_staff (
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES badge_users (user_id),
    role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'staff')),
    PRIMARY KEY (issuer_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX badge_staff_by_user ON badge_staff (user_id, issuer_id);

CREATE TABLE badge_classes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL UNIQUE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    image TEXT NOT NULL REFERENCES badge_images (name),
    image_alt_text TEXT,
    achievement_type TEXT,
    criteria_url TEXT,
    criteria_narrative TEXT,
    alignments TEXT NOT NULL DEFAULT '[]',
    tags TEXT NOT NULL DEFAULT '[]',
    -- How long an award is good: so many days, weeks, months or years.
    expires TEXT,
    extensions TEXT NOT NULL DEFAULT '{}',
    archived_at TEXT,
    archival_note TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT has_criteria CHECK (criteria_url IS NOT NULL OR criteria_narrative IS NOT NULL)
) STRICT;
CREATE INDEX badge_classes_by_issuer ON badge_classes (issuer_id, created_at DESC, id DESC);
CREATE INDEX badge_classes_by_change ON badge_classes (issuer_id, updated_at, id);

-- Awards. An award is never deleted while its issuer is there: it is revoked.
CREATE TABLE badge_assertions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    class_id INTEGER NOT NULL REFERENCES badge_classes (id) ON DELETE CASCADE,
    issuer_id INTEGER NOT NULL REFERENCES badge_issuers (id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL UNIQUE,
    created_by INTEGER NOT NULL REFERENCES badge_users (user_id),
    recipient_type TEXT NOT NULL CHECK (recipient_type IN ('email', 'url', 'telephone', 'openBadgeId')),
    recipient_identity TEXT NOT NULL,
    recipient_hashed INTEGER NOT NULL CHECK (recipient_hashed IN (0, 1)),
    salt TEXT NOT NULL,
    issued_on TEXT NOT NULL,
    expires TEXT,
    narrative TEXT,
    evidence TEXT NOT NULL DEFAULT '[]',
    extensions TEXT NOT NULL DEFAULT '{}',
    acceptance TEXT NOT NULL DEFAULT 'Unaccepted' CHECK (acceptance IN ('Unaccepted', 'Accepted', 'Rejected')),
    revoked_at TEXT,
    revocation_reason TEXT,
    -- Where its bit stands in the issuer's status lists.
    status_index INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (issuer_id, status_index)
) STRICT;
CREATE INDEX badge_assertions_by_issuer ON badge_assertions (issuer_id, created_at DESC, id DESC);
CREATE INDEX badge_assertions_by_class ON badge_assertions (class_id, created_at DESC, id DESC);
CREATE INDEX badge_assertions_by_recipient ON badge_assertions (recipient_identity, recipient_type);
CREATE INDEX badge_assertions_by_change ON badge_assertions (issuer_id, updated_at, id);

-- Awards of other services that users keep here, as they were when they were verified.
CREATE TABLE badge_imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    entity_id TEXT NOT NULL UNIQUE,
    open_badge_id TEXT NOT NULL,
    recipient_type TEXT NOT NULL,
    recipient_identity TEXT NOT NULL,
    assertion TEXT NOT NULL,
    badge TEXT NOT NULL,
    issuer TEXT NOT NULL,
    image TEXT REFERENCES badge_images (name),
    acceptance TEXT NOT NULL DEFAULT 'Accepted' CHECK (acceptance IN ('Unaccepted', 'Accepted')),
    created_at TEXT NOT NULL,
    CONSTRAINT badge_imports_once UNIQUE (user_id, open_badge_id)
) STRICT;

CREATE TABLE badge_collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES badge_users (user_id),
    entity_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    -- Null: it is not published.
    share_hash TEXT UNIQUE,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX badge_collections_by_user ON badge_collections (user_id, id);

CREATE TABLE badge_collection_entries (
    collection_id INTEGER NOT NULL REFERENCES badge_collections (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    assertion_id INTEGER REFERENCES badge_assertions (id) ON DELETE CASCADE,
    import_id INTEGER REFERENCES badge_imports (id) ON DELETE CASCADE,
    CHECK ((assertion_id IS NULL) <> (import_id IS NULL)),
    PRIMARY KEY (collection_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX badge_collection_entries_by_assertion ON badge_collection_entries (assertion_id)
WHERE assertion_id IS NOT NULL;
CREATE INDEX badge_collection_entries_by_import ON badge_collection_entries (import_id) WHERE import_id IS NOT NULL;

-- What credentials are signed with. The newest signs; those before it still verify.
CREATE TABLE badge_signing_keys (
    id INTEGER PRIMARY KEY,
    thumbprint TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL,
    -- The seed of the private key, sealed with the service's own secret.
    sealed_seed TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

-- What renews a token that was given for a password.
CREATE TABLE badge_refresh_tokens (
    id INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    access_token_id INTEGER NOT NULL REFERENCES access_tokens (id),
    scopes TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT
) STRICT;
CREATE INDEX badge_refresh_tokens_by_access_token ON badge_refresh_tokens (access_token_id);
