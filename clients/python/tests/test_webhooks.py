"""Webhooks: what a receiver gets is known to be the service's, and nothing else is."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time
import uuid

import pytest
from conftest import URL

from lectern import InvalidToken, Webhook, WebhookRefused

# The published vector of Standard Webhooks.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SENT = 1_614_265_330
BODY = b'{"test": 2432232314}'
HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": str(SENT),
    "Webhook-Signature": "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_the_published_vector():
    assert Webhook(SECRET).verify(BODY, HEADERS, now=SENT) == {"test": 2432232314}


@pytest.mark.parametrize(
    ("body", "headers", "now"),
    [
        (BODY + b" ", {}, SENT),
        (BODY, {"Webhook-Id": "other"}, SENT),
        (BODY, {"Webhook-Timestamp": str(SENT + 1)}, SENT),
        (BODY, {"Webhook-Timestamp": "soon"}, SENT),
        (BODY, {"Webhook-Signature": "v1,AAAA v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}, SENT),
        (BODY, {"Webhook-Signature": "v1,ä"}, SENT),
        (BODY, {}, SENT + 301),
        (BODY, {}, SENT - 301),
    ],
)
def test_others_are_refused(body, headers, now):
    with pytest.raises(WebhookRefused):
        Webhook(SECRET).verify(body, {**HEADERS, **headers}, now=now)


def test_a_secret_is_one_and_a_header_is_there():
    with pytest.raises(ValueError):
        Webhook("whsec_?")
    with pytest.raises(WebhookRefused, match="webhook-id"):
        Webhook(SECRET).verify(BODY, {}, now=SENT)


@pytest.fixture
def receiver():
    received, came = [], threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            received.append((self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers.items())))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
            came.set()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", received, came
    server.shutdown()
    server.server_close()


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=")


def assertion(proxy, address):
    """A JSON Web Token, signed HS256 with the tool's secret."""
    now = int(time.time())
    claims = {"sub": proxy["guid"], "aud": address, "iat": now, "exp": now + 60, "jti": uuid.uuid4().hex}
    signed = b".".join(part(json.dumps(value).encode()) for value in ({"alg": "HS256", "typ": "JWT"}, claims))
    return (signed + b"." + part(hmac.digest(proxy["shared_secret"].encode(), signed, hashlib.sha256))).decode()


def test_a_delivery_of_the_service_is_known(admin, receiver):
    url, received, came = receiver
    proxy = admin.create_tool_proxy({"capabilities": ["vnd.vendor.webhooks.root_account.all"]})
    grant = {
        "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "assertion": assertion(proxy, f"{URL}/api/lti/accounts/1/authorize"),
    }
    tool = admin.with_token(admin.authorize_tool_for_account(1, grant)["access_token"])
    wanted = {
        "ContextId": "1",
        "ContextType": "account",
        "EventTypes": ["SUBMISSION_CREATED"],
        "Format": "live-event",
        "TransportType": "https",
        "TransportMetadata": {"Url": url},
    }
    subscription = tool.create_subscription({"subscription": wanted})
    assert [one["Id"] for one in tool.list_subscriptions()] == [subscription["Id"]]
    tool.test_subscription(subscription["Id"])
    assert came.wait(20)
    body, headers = received[0]
    message = Webhook(subscription["SigningSecret"]).verify(body, headers)
    assert message["metadata"]["subscription_id"] == subscription["Id"]
    with pytest.raises(WebhookRefused):
        Webhook(SECRET).verify(body, headers)
    assert list(admin.list_webhook_deliveries(subscription_id=subscription["Id"], per_page=1))
    changed = tool.update_subscription(subscription["Id"], {"subscription": {**wanted, "EventTypes": ["GRADE_CHANGE"]}})
    assert changed["EventTypes"] == ["GRADE_CHANGE"]
    with pytest.raises(InvalidToken) as refused:
        tool.create_subscription({"subscription": {**wanted, "ContextId": "9000000000"}})
    assert refused.value.message == "Unauthorized subscription"
    tool.delete_subscription(subscription["Id"])
    assert tool.list_subscriptions() == []
