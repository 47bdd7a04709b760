//! The SQL of the operator's home.

use serde::Deserialize;
use shared::clock::DAY;
use shared::db::Json;
use shared::ids::{AccountId, UserId};
use shared::{Db, Timestamp, db, users};

use crate::model::operator::{
    DeveloperKey, Export, Import, ModelUse, Operator, Overview, PackageImport, Secret, Tenant, TenantQueues,
};

/// The administrator of a root account, or of the site; `None`: the user is neither any more.
pub(crate) async fn operator(db: &Db, user: UserId) -> db::Result<Option<Operator>> {
    db.fetch(&users::administrator_sql("?1", "u.root_account_id"), (user,)).await
}

/// What there is of a tenant, or of all: the largest tenants, those that use the model most, what ends within 30 days,
/// developer keys, and the newest imports and exports.
pub(crate) async fn overview(db: &Db, tenant: Option<AccountId>, now: Timestamp) -> db::Result<Overview> {
    #[derive(Deserialize)]
    struct Row {
        tenants: Json<Vec<Tenant>>,
        model: Json<Vec<ModelUse>>,
        ending: Json<Vec<Secret>>,
        keys: Json<Vec<DeveloperKey>>,
        imports: Json<Vec<Import>>,
        packages: Json<Vec<PackageImport>>,
        exports: Json<Vec<Export>>,
    }
    // Conditions that may be none would keep SQLite from the indexes.
    let (root, whose) = match tenant {
        Some(_) => ("r.id = ?1", "root_account_id = ?1"),
        None => ("?1 IS NULL AND r.parent_account_id IS NULL", "?1 IS NULL"),
    };
    let sql = format!(
        "SELECT ({}) AS tenants, ({}) AS model, ({}) AS ending, ({}) AS keys, ({}) AS imports, ({}) AS packages,
                ({}) AS exports",
        tenants_sql(root),
        model_sql(root),
        ending_sql(root),
        keys_sql(whose),
        imports_sql(whose),
        packages_sql(whose),
        exports_sql(whose),
    );
    let (month, month_before) = months(now);
    let Row { tenants, model, ending, keys, imports, packages, exports } =
        db.fetch_one(&sql, (tenant, now, now.plus_seconds(30 * DAY), month, month_before)).await?;
    Ok(Overview {
        tenants: tenants.0,
        model: model.0,
        ending: ending.0,
        keys: keys.0,
        imports: imports.0,
        packages: packages.0,
        exports: exports.0,
    })
}

/// The largest tenants, of the accounts `r` of that condition.
fn tenants_sql(root: &str) -> String {
    format!(
        "SELECT json_group_array(json_object('id', id, 'name', name, 'files', files, 'bytes', bytes))
         FROM (SELECT r.id, r.name, ifnull(s.files, 0) AS files, ifnull(s.bytes, 0) AS bytes
               FROM accounts r LEFT JOIN tenant_storage s ON s.root_account_id = r.id
               WHERE {root} AND r.workflow_state <> 'deleted' ORDER BY ifnull(s.bytes, 0) DESC, r.id LIMIT 50)"
    )
}

/// The tenants that use the model most, in the months `?4` and `?5`.
fn model_sql(root: &str) -> String {
    format!(
        "SELECT json_group_array(json_object(
             'tenant', id, 'name', name, 'month', month, 'conversations', conversations, 'calls', calls,
             'failed_calls', failed_calls, 'last_failure', last_failure, 'tokens', tokens))
         FROM (SELECT r.id, r.name, u.month, u.conversations, u.calls, u.failed_calls, u.last_failure, u.tokens
               FROM accounts r CROSS JOIN ai_usage u ON u.root_account_id = r.id AND u.month IN (?4, ?5)
               WHERE {root} AND r.workflow_state <> 'deleted'
               ORDER BY u.month DESC, u.tokens DESC, r.id LIMIT 50)"
    )
}

/// What ends after `?2` and until `?3`.
fn ending_sql(root: &str) -> String {
    format!(
        "SELECT json_group_array(json_object(
             'kind', kind, 'tenant', tenant, 'holder', holder, 'purpose', purpose, 'expires_at', expires_at))
         FROM (SELECT 'access_token' AS kind, r.name AS tenant, u.name AS holder, t.purpose, t.expires_at
               FROM accounts r CROSS JOIN access_tokens t INDEXED BY access_tokens_ending
                   ON t.root_account_id = r.id AND t.expires_at > ?2 AND t.expires_at <= ?3
                       AND t.purpose IS NOT NULL AND t.revoked_at IS NULL
               JOIN users u ON u.id = t.user_id
               WHERE {root} AND r.workflow_state <> 'deleted'
               UNION ALL
               SELECT 'mastery_client', r.name, m.client_id, NULL, m.expires_at
               FROM accounts r CROSS JOIN mastery_credentials m ON m.account_id = r.id
               WHERE {root} AND r.workflow_state <> 'deleted' AND m.revoked_at IS NULL
                   AND m.expires_at > ?2 AND m.expires_at <= ?3
               ORDER BY expires_at LIMIT 50)"
    )
}

/// The newest developer keys, of the tenants of that condition.
fn keys_sql(whose: &str) -> String {
    format!(
        "SELECT json_group_array(json_object(
             'id', id, 'tenant', root_account_id, 'name', name, 'acts_for', acts_for, 'scopes', scopes,
             'created_at', created_at))
         FROM (SELECT id, root_account_id, name, (SELECT name FROM users WHERE id = user_id) AS acts_for,
                   json_array_length(scopes) AS scopes, created_at
               FROM developer_keys WHERE {whose} AND workflow_state = 'active' ORDER BY id DESC LIMIT 50)"
    )
}

/// The newest imports of an institution's data.
fn imports_sql(whose: &str) -> String {
    format!(
        "SELECT json_group_array(json_object(
             'id', id, 'tenant', root_account_id, 'name', upload_name, 'state', workflow_state,
             'progress', progress, 'created_at', created_at, 'ended_at', ended_at, 'errors', (
                 SELECT count(*) FROM (
                     SELECT 1 FROM sis_import_errors WHERE sis_import_id = newest.id LIMIT 1001))))
         FROM (SELECT id, root_account_id, upload_name, workflow_state, progress, created_at, ended_at
               FROM sis_imports WHERE {whose} ORDER BY id DESC LIMIT 10) newest"
    )
}

/// The newest packages that came in.
fn packages_sql(whose: &str) -> String {
    format!(
        "SELECT json_group_array(json_object(
             'id', id, 'tenant', root_account_id, 'kind', migration_type, 'course', course_id,
             'state', workflow_state, 'attempts', attempts, 'created_at', started_at, 'issues', (
                 SELECT count(*) FROM (
                     SELECT 1 FROM migration_issues WHERE content_migration_id = newest.id LIMIT 1001))))
         FROM (SELECT id, root_account_id, migration_type, course_id, workflow_state, attempts, started_at
               FROM content_migrations WHERE {whose} ORDER BY id DESC LIMIT 10) newest"
    )
}

/// The newest exports.
fn exports_sql(whose: &str) -> String {
    format!(
        "SELECT json_group_array(json_object(
             'id', id, 'tenant', root_account_id, 'kind', export_type, 'context_type', context_type,
             'context_id', context_id, 'state', workflow_state, 'attempts', attempts, 'created_at', created_at))
         FROM (SELECT id, root_account_id, export_type, context_type, context_id, workflow_state, attempts,
                   created_at
               FROM content_exports WHERE {whose} ORDER BY id DESC LIMIT 10)"
    )
}

/// This month and the one before, as the use of the model is kept by them.
fn months(now: Timestamp) -> (String, String) {
    let month = |at: Timestamp| at.to_string().chars().take("2026-03".len()).collect::<String>();
    let this = month(now);
    let first = Timestamp::parse(&format!("{this}-01T00:00:00Z")).unwrap_or(now);
    (this, month(first.plus_seconds(-DAY)))
}

/// How much of a tenant waits or was given up; more than a thousand are counted as one more.
pub(crate) async fn queues(db: &Db, tenant: AccountId) -> db::Result<TenantQueues> {
    db.fetch_one(
        "SELECT
             (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries
              WHERE root_account_id = ?1 AND status = 'pending' LIMIT 1001)) AS waiting_deliveries,
             (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries
              WHERE root_account_id = ?1 AND status = 'dead' AND kept_for_tool_id IS NULL LIMIT 1001))
                 AS dead_deliveries,
             (SELECT count(*) FROM (SELECT 1 FROM messages
              WHERE root_account_id = ?1 AND state = 'dead' LIMIT 1001)) AS dead_messages",
        (tenant,),
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn january_comes_after_december() {
        let months = |text| months(Timestamp::parse(text).unwrap());
        assert_eq!(months("2026-01-31T23:59:59Z"), ("2026-01".to_owned(), "2025-12".to_owned()));
        assert_eq!(months("2026-03-30T00:00:00Z"), ("2026-03".to_owned(), "2026-02".to_owned()));
    }
}
