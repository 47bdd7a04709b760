//! The part of an event about the request that caused it.

use http::header::{REFERER, USER_AGENT};
use serde::{Deserialize, Serialize};
use types::ids::{AccountId, ClientId, TokenId, UserId};
use web::Context;
use web::error::Result;

/// The author of an event, and the request that caused it. The data of the user in the database are added when the event
/// is recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cause {
    /// The caller, or the user as whom an administrator acts.
    pub user_id: Option<UserId>,
    /// The administrator who acts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real_user_id: Option<UserId>,
    /// The user's tenant.
    pub user_account_id: Option<AccountId>,
    #[serde(skip)]
    pub(super) token_id: Option<TokenId>,
    /// The request's id, as the answer and the log have it.
    pub request_id: String,
    /// The request's method.
    pub http_method: String,
    /// The request's address, without a token.
    pub url: String,
    /// Our name, as the client wrote it.
    pub hostname: String,
    /// Our address, without a slash at its end.
    pub base_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) referrer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client_ip: Option<String>,
    #[serde(skip_serializing)]
    pub(super) root_account_uuid: Option<String>,
    #[serde(skip_serializing)]
    pub(super) user_login: Option<String>,
    #[serde(skip_serializing)]
    pub(super) user_sis_id: Option<String>,
    #[serde(skip_serializing)]
    pub(super) time_zone: Option<String>,
    #[serde(skip_serializing)]
    pub(super) developer_key_id: Option<ClientId>,
    #[serde(skip_serializing)]
    pub(super) context_sis_source_id: Option<String>,
    #[serde(skip_serializing)]
    pub(super) context_role: Option<String>,
    #[serde(skip_serializing)]
    pub(super) student_sis_id: Option<String>,
}

impl Cause {
    /// The request that is being answered.
    pub async fn of(cx: &Context) -> Result<Self> {
        let caller = cx.known_caller();
        let base_url = cx.lasting_base_url().await?;
        let text = |name| cx.header(name).map(str::to_owned);
        Ok(Self {
            user_id: caller.map(|caller| caller.user),
            real_user_id: caller.and_then(|caller| caller.real_user),
            user_account_id: caller.map(|caller| caller.root_account),
            token_id: caller.and_then(|caller| caller.token),
            request_id: cx.request_id().to_owned(),
            http_method: cx.parts().method.to_string(),
            // A query may hold a token.
            url: format!("{base_url}{}", cx.path()),
            hostname: host(&base_url).to_owned(),
            base_url,
            user_agent: text(USER_AGENT),
            referrer: text(REFERER),
            client_ip: cx.client_address().map(|address| without_port(address).to_owned()),
            ..Self::default()
        })
    }

    /// Work that no request of a user asks for, and that is done for that user.
    pub async fn of_job(cx: &Context, user: UserId, root_account: AccountId) -> Result<Self> {
        let base_url = cx.lasting_base_url().await?;
        let hostname = host(&base_url).to_owned();
        let (user_id, user_account_id) = (Some(user), Some(root_account));
        Ok(Self { user_id, user_account_id, hostname, base_url, ..Self::default() })
    }

    /// Work that the service does by itself, for no user in particular.
    pub async fn of_service(cx: &Context) -> Result<Self> {
        let base_url = cx.lasting_base_url().await?;
        Ok(Self { hostname: host(&base_url).to_owned(), base_url, ..Self::default() })
    }

    /// The same where events may go untold: `None` where nobody knows the address that would stand in them.
    pub async fn of_job_if_known(cx: &Context, user: UserId, root_account: AccountId) -> Result<Option<Self>> {
        match cx.known_base_url().await? {
            Some(_) => Self::of_job(cx, user, root_account).await.map(Some),
            None => Ok(None),
        }
    }

    /// The same of a request without a token, whose address says for whom it is: the address itself stays a secret.
    pub fn by(self, user: UserId, root_account: AccountId) -> Self {
        let url = format!("{}/", self.base_url);
        Self { user_id: Some(user), user_account_id: Some(root_account), url, ..self }
    }
}

fn host(base_url: &str) -> &str {
    let authority = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    without_port(authority.split('/').next().unwrap_or_default())
}

fn without_port(address: &str) -> &str {
    match address.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostname_has_no_port() {
        assert_eq!(host("https://lms.test"), "lms.test");
        assert_eq!(host("http://127.0.0.1:3000/lms"), "127.0.0.1");
        assert_eq!(without_port("[::1]:80"), "[::1]");
    }
}
