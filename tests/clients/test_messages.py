"""Messages through Amazon SES and SNS, in an app of its own beside an emulator of both."""

import os
import pathlib
import subprocess
import time
import uuid

import boto3
import pytest
import requests
from moto.core import DEFAULT_ACCOUNT_ID
from moto.server import ThreadedMotoServer
from moto.ses.models import ses_backends
from moto.sns.models import sns_backends

ROOT = pathlib.Path(__file__).parents[2]
REGION = "eu-central-1"
SECRETS = {"token_secret": "x" * 64, "admin_client_id": "admin", "admin_client_secret": "y" * 64, "tick_token": "z" * 64}


@pytest.fixture(scope="module")
def amazon():
    """The emulator, with a verified sender and an application for push messages."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"

    class Amazon:
        endpoint = url

        @staticmethod
        def client(service):
            keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
            return boto3.client(service, region_name=REGION, endpoint_url=url, **keys)

    Amazon.client("ses").verify_email_identity(EmailAddress="school@lectern.test")
    application = Amazon.client("sns").create_platform_application(Name="lectern", Platform="GCM", Attributes={})
    Amazon.application = application["PlatformApplicationArn"]
    yield Amazon
    server.stop()


class App:
    """An application, as far as these tests use it."""

    def __init__(self, url):
        self.url = url
        form = {"grant_type": "client_credentials", "client_id": "admin", "client_secret": SECRETS["admin_client_secret"]}
        answer = requests.post(f"{url}/login/oauth2/token", data=form, timeout=60)
        answer.raise_for_status()
        self.admin = answer.json()["access_token"]

    def call(self, method, path, caller=None, /, **body):
        headers = {"Authorization": f"Bearer {caller or self.admin}"}
        answer = requests.request(method, f"{self.url}{path}", json=body or None, headers=headers, timeout=60)
        assert answer.ok, answer.text
        return answer.json() if answer.content else None

    def tick(self):
        self.call("POST", "/internal/tick", SECRETS["tick_token"])

    def user(self, name):
        login = f"{name}-{uuid.uuid4().hex}"
        user = self.call("POST", "/api/v1/accounts/1/users", user={"name": name}, pseudonym={"unique_id": login})
        return user["id"], self.token(user["id"], purpose="test")

    def token(self, user, **token):
        return self.call("POST", f"/api/v1/users/{user}/tokens", token=token)["visible_token"]

    def message(self, channel):
        """The newest message to a channel, once somebody has tried to send it."""
        for _ in range(1200):
            self.tick()
            messages = [found for found in self.call("GET", "/api/v1/outbox?per_page=100") if found["channel_id"] == channel]
            if messages and (messages[0]["state"] != "queued" or messages[0]["failure"]):
                return messages[0]
            time.sleep(0.05)
        pytest.fail("nobody has tried to send it")


@pytest.fixture(scope="module")
def app(amazon, tmp_path_factory):
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    settings = {
        **SECRETS,
        "development": "true",
        "development_host": "http://127.0.0.1:*",
        "aws_region": REGION,
        "aws_access_key_id": "key",
        "aws_secret_access_key": "secret",
        "aws_endpoint_url": amazon.endpoint,
        "mail_transport": "ses",
        "mail_from": "school@lectern.test",
        "sms_transport": "sns",
        "sms_from": "Lectern",
    }
    environment = {**os.environ, **{f"SPIN_VARIABLE_{name.upper()}": value for name, value in settings.items()}}
    manifest = os.environ.get("LECTERN_MANIFEST", "spin.toml")
    command = [target / "host/lectern-host", "--from", manifest, "--listen", "127.0.0.1:0", "--quiet"]
    command += ["--state-dir", tmp_path_factory.mktemp("state")]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        serving = next(line for line in process.stdout if line.startswith("Serving "))
        yield App(serving.removeprefix("Serving ").strip().rstrip("/"))
    finally:
        process.kill()
        process.wait()


def channel(app, caller, /, **fields):
    return app.call("POST", "/api/v1/users/self/communication_channels", caller, communication_channel=fields)["id"]


def test_mail_goes_out_through_ses(app, amazon):
    _, token = app.user("ada")
    address = f"ada-{uuid.uuid4().hex}@school.test"
    message = app.message(channel(app, token, type="email", address=address))
    assert (message["state"], message["failure"]) == ("sent", None)
    sent = ses_backends[DEFAULT_ACCOUNT_ID][REGION].sent_messages
    [mail] = [mail for mail in sent if address in mail.destinations["ToAddresses"]]
    assert mail.source == "school@lectern.test"
    assert mail.subject == message["subject"]
    assert "/register/" in mail.body


def test_a_sender_that_is_not_verified_is_refused(app, amazon):
    amazon.client("ses").delete_identity(Identity="school@lectern.test")
    try:
        _, token = app.user("ada")
        message = app.message(channel(app, token, type="email", address=f"ada-{uuid.uuid4().hex}@school.test"))
        assert message["sent_at"] is None
        assert message["failure"].startswith("it answered 4")
    finally:
        amazon.client("ses").verify_email_identity(EmailAddress="school@lectern.test")


def test_texts_go_out_through_sns(app, amazon):
    _, token = app.user("ada")
    number = f"+1555{uuid.uuid4().int % 10**7:07}"
    message = app.message(channel(app, token, type="sms", address=number))
    assert (message["state"], message["failure"]) == ("sent", None)
    texts = sns_backends[DEFAULT_ACCOUNT_ID][REGION].sms_messages.values()
    [text] = [text for to, text, *_ in texts if to == number]
    assert text.startswith(message["subject"]) and "/register/" in text


@pytest.fixture
def device(app, amazon):
    """A student with a device that is told of comments at once, and a teacher who makes them."""
    key = {"name": "An app", "push_topic_arn": amazon.application}
    key = app.call("POST", "/api/v1/accounts/1/developer_keys", developer_key=key)["id"]
    student, _ = app.user("ada")
    token = app.token(student, purpose="push", developer_key_id=key)
    name = f"device-{uuid.uuid4().hex}"
    push = channel(app, token, type="push", token=name)
    path = f"/api/v1/users/self/communication_channels/{push}/notification_preferences/submission_comment"
    app.call("PUT", path, token, notification_preferences={"frequency": "immediately"})
    course = app.call("POST", "/api/v1/accounts/1/courses", course={"name": "Botany"}, offer=True)["id"]
    enrollment = {"user_id": student, "type": "StudentEnrollment", "enrollment_state": "active"}
    app.call("POST", f"/api/v1/courses/{course}/enrollments", enrollment=enrollment)
    assignment = {"name": "Essay", "published": True}
    assignment = app.call("POST", f"/api/v1/courses/{course}/assignments", assignment=assignment)["id"]

    def comment(text):
        submission = f"/api/v1/courses/{course}/assignments/{assignment}/submissions/{student}"
        app.call("PUT", submission, comment={"text_comment": text})

    return push, name, comment


def endpoint(amazon, name):
    endpoints = sns_backends[DEFAULT_ACCOUNT_ID][REGION].platform_endpoints.values()
    [found] = [found for found in endpoints if found.token == name]
    return found


def test_devices_are_reached_through_sns(app, amazon, device):
    push, name, comment = device
    comment("Well done")
    message = app.message(push)
    assert (message["state"], message["failure"], message["to"]) == ("sent", None, name)
    comment("And so on")
    app.message(push)
    shown = [str(text) for text in endpoint(amazon, name).messages.values()]
    assert len(shown) == 2
    assert any("Comment on Essay" in text for text in shown)


def test_a_device_that_is_gone_is_forgotten(app, amazon, device):
    push, name, comment = device
    comment("Well done")
    assert app.message(push)["state"] == "sent"
    arn = endpoint(amazon, name).arn
    amazon.client("sns").set_endpoint_attributes(EndpointArn=arn, Attributes={"Enabled": "false"})
    comment("Are you there?")
    for _ in range(1200):
        app.tick()
        newest = app.message(push)
        if newest["state"] == "dead":
            break
        time.sleep(0.05)
    assert newest["state"] == "dead"
    assert newest["body"].startswith("Are you there?")
    comment("Nobody is there")
    app.tick()
    assert app.message(push)["id"] == newest["id"]
