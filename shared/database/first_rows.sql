-- The rows of a new database, as migrations leave them: the first tenant and its administrator, who is also the site's, and
-- what there is one row of. A trigger makes the tenant's term.

INSERT INTO accounts (id, name, root_account_id, uuid, created_at, updated_at)
VALUES (1, 'Lectern', 1, lower(hex(randomblob(16))), strftime('%Y-%m-%dT%H:%M:%SZ'), strftime('%Y-%m-%dT%H:%M:%SZ'));
INSERT INTO users (id, root_account_id, name, sortable_name, short_name, site_admin, created_at, updated_at)
VALUES (1, 1, 'Admin', 'Admin', 'Admin', 1, strftime('%Y-%m-%dT%H:%M:%SZ'), strftime('%Y-%m-%dT%H:%M:%SZ'));
INSERT INTO pseudonyms (user_id, root_account_id, unique_id, created_at)
VALUES (1, 1, 'admin', strftime('%Y-%m-%dT%H:%M:%SZ'));
INSERT INTO account_admins (account_id, user_id, created_at)
VALUES (1, 1, strftime('%Y-%m-%dT%H:%M:%SZ'));
INSERT INTO blob_totals (id, bytes) VALUES (1, 0);
INSERT INTO ticks (id) VALUES (1);
