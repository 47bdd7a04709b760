//! The table of all variables, in the order of `spin.toml`.

use crate::Secret::{OfService, Own, Signing};
use crate::{Kind, Variable};

const ONE_DAY: i64 = 1;
const CENTURY: i64 = 36_500;
const TERABYTE: i64 = 1_000_000;
const MILLION: i64 = 1_000_000;
const MAX_TOKENS: i64 = 1_000_000_000_000;
/// How a secret of the operator's own is made.
const MADE: &str = "openssl rand -hex 32";

/// The type and an example of each variable.
pub const VARIABLES: &[Variable] = &[
    // The service.
    of("public_base_url", Kind::BaseAddress, "https://lms.example.edu"),
    of("trusted_proxies", whole(0, 100, Some(0)), "1"),
    of("cors_allowed_origins", Kind::Origins, "https://app.example.edu, https://admin.example.edu"),
    of("development", Kind::Flag, "true"),
    // Its secrets.
    of("token_secret", Kind::Secret(Own), MADE),
    of("token_secret_previous", Kind::Secret(Own), MADE),
    of("admin_client_id", Kind::Text, "admin"),
    of("admin_client_secret", Kind::Secret(Own), MADE),
    of("admin_client_secret_previous", Kind::Secret(Own), MADE),
    of("tick_token", Kind::Secret(Own), MADE),
    of("tick_token_previous", Kind::Secret(Own), MADE),
    of("status_token", Kind::Secret(Own), MADE),
    of("status_token_previous", Kind::Secret(Own), MADE),
    // Log-ins.
    of("password_checks_at_once", whole(1, 1000, Some(2)), "4"),
    of("access_token_in_query", Kind::Flag, "false"),
    of("badges_password_grant", Kind::OneOf(&["any", "client", "off"]), "client"),
    // Hosts that components may connect to.
    of("development_host", Kind::OutboundHost, "http://127.0.0.1:*"),
    of("development_host_name", Kind::OutboundHost, "http://localhost:*"),
    of("ai_http_host", Kind::OutboundHost, "http://ollama.internal:11434"),
    of("mail_http_host", Kind::OutboundHost, "http://127.128.0.1:2580"),
    // Amazon Web Services.
    of("aws_region", Kind::Text, "eu-west-1"),
    of("aws_access_key_id", Kind::Text, "AKIAIOSFODNN7EXAMPLE"),
    of("aws_secret_access_key", Kind::Secret(OfService), "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    of("aws_endpoint_url", Kind::Address, "http://127.0.0.1:4566"),
    of("media_bucket", Kind::Text, "lectern-media"),
    // E-mail.
    of("mail_transport", Kind::OneOf(&["outbox", "ses", "sendgrid", "postmark", "relay"]), "postmark"),
    of("mail_from", Kind::Text, "lms@example.edu"),
    of("mail_api_key", Kind::Secret(OfService), "SG.example"),
    of("mail_base_url", Kind::Address, "https://api.eu.sendgrid.com"),
    of("bounce_sns_topics", Kind::List(&["arn:"]), "arn:aws:sns:eu-west-1:123456789012:bounces"),
    of("bounce_sendgrid_key", Kind::Text, "MFkwEwYHKoZIzj0CAQ…"),
    of("bounce_postmark_token", Kind::Secret(Own), MADE),
    of("bounce_postmark_token_previous", Kind::Secret(Own), MADE),
    // Text messages.
    of("sms_transport", Kind::OneOf(&["outbox", "sns", "twilio"]), "twilio"),
    of("sms_from", Kind::Text, "+15550199"),
    of("sms_account", Kind::Text, "AC0123456789abcdef"),
    of("sms_api_key", Kind::Secret(OfService), "example"),
    of("sms_api_key_previous", Kind::Secret(OfService), "example"),
    of("sms_base_url", Kind::Address, "https://api.dublin.ie1.twilio.com"),
    // The model of AI conversations.
    of("ai_api", Kind::OneOf(&["openai", "anthropic"]), "anthropic"),
    of("ai_base_url", Kind::Address, "https://api.openai.com/v1"),
    of("ai_api_key", Kind::Secret(OfService), "sk-example"),
    of("ai_model", Kind::Text, "gpt-4o-mini"),
    of("ai_temperature", Kind::Decimal { min: 0.0, max: 2.0, default: None }, "0.5"),
    of("ai_max_tokens", whole(1, MAX_TOKENS, Some(1024)), "2048"),
    of("ai_context_tokens", whole(1, MAX_TOKENS, Some(8000)), "32000"),
    of("ai_timeout_seconds", Kind::Decimal { min: 0.1, max: 3600.0, default: Some(25.0) }, "25"),
    of("ai_monthly_tokens", whole(0, MAX_TOKENS, Some(0)), "5000000"),
    of("ai_daily_conversations", whole(0, MILLION, Some(100)), "20"),
    of("ai_daily_messages", whole(0, MILLION, Some(1000)), "200"),
    of("ai_daily_evaluations", whole(0, MILLION, Some(1000)), "100"),
    // Files, exports and imports.
    of("file_size_limit_megabytes", whole(1, TERABYTE, Some(500)), "200"),
    of("file_quota_megabytes", whole(1, TERABYTE, Some(2000)), "5000"),
    of("storage_limit_megabytes", whole(1, 1000 * TERABYTE, None), "200000"),
    of("content_export_retention_days", whole(ONE_DAY, CENTURY, Some(30)), "14"),
    of("content_export_quota_megabytes", whole(1, TERABYTE, Some(5000)), "10000"),
    of("content_export_hourly_limit", whole(1, MILLION, Some(60)), "20"),
    // The course audit log.
    of("audit_retention_days", whole(ONE_DAY, CENTURY, None), "730"),
    // Webhooks.
    of("webhook_retention_days", whole(ONE_DAY, CENTURY, Some(30)), "90"),
    of("webhook_subscriptions_per_tool", whole(1, 100_000, Some(250)), "50"),
    of(
        "sqs_allowed_queues",
        Kind::List(&["arn:", "https://", "http://"]),
        "arn:aws:sqs:eu-west-1:123456789012:lectern-",
    ),
    // Error reports.
    of("error_report_daily_limit", whole(0, MILLION, Some(1000)), "100"),
    of("error_report_retention_days", whole(ONE_DAY, CENTURY, Some(365)), "90"),
    of("error_report_webhook_url", Kind::SecureAddress, "https://desk.example.edu/hooks/lectern"),
    of("error_report_webhook_secret", Kind::Secret(Signing), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    of("error_report_webhook_secret_previous", Kind::Secret(Signing), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    // Rich texts.
    of("frame_hosts", Kind::HostNames, "www.youtube-nocookie.com, *.example.org, media.example.org:8443"),
];

const fn of(name: &'static str, kind: Kind, example: &'static str) -> Variable {
    Variable { name, kind, example }
}

const fn whole(min: i64, max: i64, default: Option<i64>) -> Kind {
    Kind::Whole { min, max, default }
}
