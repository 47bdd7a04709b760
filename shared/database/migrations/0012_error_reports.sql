-- Error reports, and their way to the operator's receiver.

CREATE TABLE error_reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- Null: nobody in particular.
    user_id INTEGER REFERENCES users (id),
    subject TEXT NOT NULL,
    message TEXT,
    comments TEXT,
    backtrace TEXT,
    category TEXT,
    url TEXT,
    email TEXT,
    user_perceived_severity TEXT,
    context_asset_string TEXT,
    -- With commas between them.
    user_roles TEXT,
    -- JSON.
    http_env TEXT NOT NULL,
    workflow_state TEXT NOT NULL DEFAULT 'open' CHECK (workflow_state IN ('open', 'closed')),
    -- What those who work on it tell each other.
    note TEXT,
    updated_by_id INTEGER REFERENCES users (id),
    closed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX error_reports_by_account ON error_reports (root_account_id, id);
CREATE INDEX error_reports_by_state ON error_reports (root_account_id, workflow_state, id);
CREATE INDEX error_reports_by_user ON error_reports (user_id, id);
CREATE INDEX error_reports_by_creation ON error_reports (created_at);

-- A report that is forwarded: pending until the receiver took it, or dead.
CREATE TABLE error_report_forwards (
    report_id INTEGER PRIMARY KEY REFERENCES error_reports (id) ON DELETE CASCADE,
    -- By this the receiver knows a repetition: it never changes.
    message_id TEXT NOT NULL UNIQUE DEFAULT ('msg_' || lower(hex(randomblob(16)))),
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When it is due; while it is leased, when the lease ends.
    next_at TEXT NOT NULL,
    -- Who sends it at the moment.
    lease TEXT,
    error TEXT
) STRICT;
CREATE INDEX error_report_forwards_due ON error_report_forwards (next_at) WHERE status = 'pending';
CREATE INDEX error_report_forwards_leased ON error_report_forwards (lease) WHERE lease IS NOT NULL;
