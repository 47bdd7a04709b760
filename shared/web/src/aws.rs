//! Requests to Amazon Web Services: where they go, and their signature (Signature Version 4).
//!
//! The signer is Amazon's own; it is checked below against the vectors that Amazon publishes.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{self, SignableBody, SignableRequest, SigningSettings};
use aws_sigv4::sign::v4::SigningParams;
use aws_smithy_runtime_api::client::identity::Identity;
use bytes::Bytes;
use http::Request;

use crate::config;
use crate::error::{Error, Result};

/// The account that the operator has given us.
#[derive(Debug, Clone)]
pub struct Aws {
    /// Its region.
    pub region: String,
    /// The address of all services, if it is not Amazon that serves them.
    endpoint: Option<String>,
    /// Prints nothing of the secret.
    identity: Identity,
}

impl Aws {
    /// The account of the variables; `None` where region or keys are missing.
    pub async fn configured() -> Result<Option<Self>> {
        let region = config::get("aws_region").await?;
        let key = config::get("aws_access_key_id").await?;
        let secret = config::secret("aws_secret_access_key").await?;
        let (Some(region), Some(key), Some(secret)) = (region, key, secret) else { return Ok(None) };
        let endpoint = config::get("aws_endpoint_url").await?;
        Ok(Some(Self::new(region, endpoint, &key, secret.expose())))
    }

    fn new(region: String, endpoint: Option<String>, key: &str, secret: &str) -> Self {
        let endpoint = endpoint.map(|endpoint| endpoint.trim_end_matches('/').to_owned());
        let identity = Credentials::new(key, secret, None, None, "variables").into();
        Self { region, endpoint, identity }
    }

    /// The address of a service of the account's region, without a slash at the end.
    pub fn endpoint(&self, service: &str) -> String {
        match &self.endpoint {
            Some(endpoint) => endpoint.clone(),
            None => format!("https://{service}.{}.amazonaws.com", self.region),
        }
    }

    /// The address of all services, if it is not Amazon that serves them.
    pub fn endpoint_override(&self) -> Option<&str> {
        self.endpoint.as_deref()
    }

    /// Signs a request to a service, which is good for some minutes from now. `service` is the name that the signature
    /// knows (`ses`, `sns`, `sqs`), `region` the one that serves the request.
    pub fn sign(&self, request: &mut Request<Bytes>, service: &str, region: &str) -> Result<()> {
        self.sign_at(request, service, region, SystemTime::now())
    }

    fn sign_at(&self, request: &mut Request<Bytes>, service: &str, region: &str, now: SystemTime) -> Result<()> {
        let params = SigningParams::builder()
            .identity(&self.identity)
            .region(region)
            .name(service)
            .time(now)
            .settings(SigningSettings::default())
            .build()
            .map_err(Error::internal)?
            .into();
        let uri = request.uri().to_string();
        let headers = request.headers().iter().map(|(name, value)| Ok((name.as_str(), value.to_str()?)));
        let headers = headers.collect::<Result<Vec<_>, http::header::ToStrError>>().map_err(Error::internal)?;
        let body = SignableBody::Bytes(request.body());
        let signable = SignableRequest::new(request.method().as_str(), uri, headers.into_iter(), body);
        let signed = http_request::sign(signable.map_err(Error::internal)?, &params).map_err(Error::internal)?;
        signed.into_parts().0.apply_to_request_http1x(request);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    const SIGNED_HEADERS: &str = "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";

    fn account(endpoint: Option<&str>) -> Aws {
        let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
        Aws::new("us-east-1".to_owned(), endpoint.map(str::to_owned), "AKIDEXAMPLE", secret)
    }

    /// 2015-08-30T12:36:00Z, the moment of the vectors.
    fn moment() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_440_938_160)
    }

    #[track_caller]
    fn is_signed(request: http::request::Builder, body: &str, headers: &str, signature: &str) {
        let mut request = request.body(Bytes::from(body.to_owned())).unwrap();
        account(None).sign_at(&mut request, "service", "us-east-1", moment()).unwrap();
        let expected = format!("AWS4-HMAC-SHA256 {SIGNED_HEADERS}, SignedHeaders={headers}, Signature={signature}");
        assert_eq!(request.headers()["authorization"], expected.as_str());
        assert_eq!(request.headers()["x-amz-date"], "20150830T123600Z");
    }

    #[test]
    fn signatures_are_those_that_amazon_publishes() {
        let host = "https://example.amazonaws.com";
        is_signed(
            Request::get(format!("{host}/")),
            "",
            "host;x-amz-date",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        );
        is_signed(
            Request::get(format!("{host}/?Param2=value2&Param1=value1")),
            "",
            "host;x-amz-date",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        );
        is_signed(
            Request::post(format!("{host}/")).header("content-type", "application/x-www-form-urlencoded"),
            "Param1=value1",
            "content-type;host;x-amz-date",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
        );
        is_signed(
            Request::post(format!("{host}/")),
            "",
            "host;x-amz-date",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        );
    }

    #[test]
    fn an_emulator_serves_all_services_at_one_address() {
        assert_eq!(account(None).endpoint("sns"), "https://sns.us-east-1.amazonaws.com");
        assert_eq!(account(Some("http://127.0.0.1:5000/")).endpoint("sns"), "http://127.0.0.1:5000");
    }

    #[test]
    fn the_secret_is_never_printed() {
        assert!(!format!("{:?}", account(None)).contains("wJalr"));
    }
}
