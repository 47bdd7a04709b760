//! Media in a bucket of S3, or of what speaks its protocol: the client uploads to an address that we sign.

use std::time::Duration;

use http::StatusCode;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use serde_json::json;
use shared::{Error, Result, config};

/// The folder of the bucket.
const FOLDER: &str = "item_media";

/// An address that takes the object with `PUT` for so many seconds; `None` where no bucket is configured.
pub(crate) async fn upload_url(object: &str, seconds: u32) -> Result<Option<String>> {
    let Some(bucket) = config::get("media_bucket").await? else { return Ok(None) };
    let region = config::get("aws_region").await?.ok_or_else(not_configured)?;
    let key = config::get("aws_access_key_id").await?.ok_or_else(not_configured)?;
    let secret = config::secret("aws_secret_access_key").await?.ok_or_else(not_configured)?;
    let bucket = match config::get("aws_endpoint_url").await? {
        Some(endpoint) => bucket_at(&endpoint, UrlStyle::Path, bucket, region),
        None => {
            let endpoint = format!("https://s3.{region}.amazonaws.com");
            // A certificate for all buckets does not cover names with dots.
            let style = if bucket.contains('.') { UrlStyle::Path } else { UrlStyle::VirtualHost };
            bucket_at(&endpoint, style, bucket, region)
        }
    };
    let credentials = Credentials::new(key, secret.expose());
    Ok(Some(presigned(&bucket?, &credentials, object, seconds)))
}

fn bucket_at(endpoint: &str, style: UrlStyle, name: String, region: String) -> Result<Bucket> {
    let endpoint = endpoint.parse().map_err(|_no_address| not_configured())?;
    Bucket::new(endpoint, style, name, region).map_err(|_no_bucket| not_configured())
}

fn presigned(bucket: &Bucket, credentials: &Credentials, object: &str, seconds: u32) -> String {
    let object = format!("{FOLDER}/{object}");
    bucket.put_object(Some(credentials), &object).sign(Duration::from_secs(seconds.into())).into()
}

fn not_configured() -> Error {
    let message = "media storage is not configured";
    let body = json!({"error": message, "errors": [{"error_type": "StandardError", "message": message}]});
    Error::own(StatusCode::SERVICE_UNAVAILABLE, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(endpoint: &str, style: UrlStyle) -> String {
        let bucket = bucket_at(endpoint, style, "media".to_owned(), "eu-west-1".to_owned()).unwrap();
        presigned(&bucket, &Credentials::new("key", "secret"), "1/2", 60)
    }

    #[test]
    fn an_address_is_signed_for_its_object() {
        let url = address("https://s3.eu-west-1.amazonaws.com", UrlStyle::VirtualHost);
        assert!(url.starts_with("https://media.s3.eu-west-1.amazonaws.com/item_media/1/2?"), "{url}");
        for part in
            ["X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Expires=60", "X-Amz-SignedHeaders=host", "X-Amz-Signature="]
        {
            assert!(url.contains(part), "{url}");
        }
        let url = address("http://127.0.0.1:9000", UrlStyle::Path);
        assert!(url.starts_with("http://127.0.0.1:9000/media/item_media/1/2?"), "{url}");
    }

    #[test]
    fn what_is_no_address_is_no_configuration() {
        assert!(bucket_at("localhost", UrlStyle::Path, "media".to_owned(), "x".to_owned()).is_err());
        assert!(bucket_at("file:///tmp", UrlStyle::Path, "media".to_owned(), "x".to_owned()).is_err());
    }
}
