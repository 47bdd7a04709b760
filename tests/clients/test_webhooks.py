"""Webhook deliveries, checked by the verifier of Standard Webhooks, by an implementation of JSON Web Tokens that is not
ours, and by an emulator of Amazon SQS."""

import http.server
import json
import os
import threading
import time
import uuid

import boto3
import jwt
import pytest
import requests
from moto.server import ThreadedMotoServer
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

URL = os.environ["LECTERN_URL"]
ADMIN = {"Authorization": f"Bearer {os.environ['LECTERN_TOKEN']}"}
EVENTS = ["SUBMISSION_CREATED", "SUBMISSION_UPDATED", "GRADE_CHANGE"]


def eventually(found):
    """What is found within a minute."""
    for _ in range(1200):
        if result := found():
            return result
        time.sleep(0.05)
    pytest.fail("nothing came")


class Receiver:
    """A server that keeps what it is sent, and answers with the given statuses, then with 200."""

    def __init__(self, *statuses):
        receiver = self
        self.received = []
        self.statuses = list(statuses)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.append((dict(self.headers.items()), body))
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()


@pytest.fixture(scope="module")
def tool():
    """The headers of a tool that may subscribe to everything."""
    capabilities = ["vnd.vendor.webhooks.root_account.all"]
    answer = requests.post(f"{URL}/api/lti/tool_proxies", json={"capabilities": capabilities}, headers=ADMIN, timeout=60)
    answer.raise_for_status()
    proxy, now = answer.json(), int(time.time())
    address = f"{URL}/api/lti/accounts/1/authorize"
    claims = {"sub": proxy["guid"], "aud": address, "iat": now, "exp": now + 60, "jti": uuid.uuid4().hex}
    form = {
        "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "assertion": jwt.encode(claims, proxy["shared_secret"], algorithm="HS256"),
    }
    answer = requests.post(address, data=form, timeout=60)
    answer.raise_for_status()
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


def subscribe(tool, url, **changes):
    subscription = {
        "ContextId": "1",
        "ContextType": "account",
        "EventTypes": EVENTS,
        "Format": "live-event",
        "TransportType": "https",
        "TransportMetadata": {"Url": url},
        **changes,
    }
    answer = requests.post(f"{URL}/api/lti/subscriptions", json={"subscription": subscription}, headers=tool, timeout=60)
    answer.raise_for_status()
    return answer.json()


def post(path, headers):
    answer = requests.post(f"{URL}{path}", headers=headers, timeout=60)
    answer.raise_for_status()
    return answer.json()


def unsubscribe(tool, subscription):
    requests.delete(f"{URL}/api/lti/subscriptions/{subscription['Id']}", headers=tool, timeout=60).raise_for_status()


def test_the_verifier_takes_our_signatures_and_no_others(tool, receiver):
    subscription = subscribe(tool, receiver.url)
    post(f"/api/lti/subscriptions/{subscription['Id']}/test", tool)
    headers, body = eventually(lambda: receiver.received and receiver.received[0])
    message = Webhook(subscription["SigningSecret"]).verify(body, headers)
    assert message["metadata"]["subscription_id"] == subscription["Id"]
    for other in (body + b" ", body.replace(b"test", b"tent")):
        with pytest.raises(WebhookVerificationError):
            Webhook(subscription["SigningSecret"]).verify(other, headers)
    stranger = subscribe(tool, receiver.url)
    with pytest.raises(WebhookVerificationError):
        Webhook(stranger["SigningSecret"]).verify(body, headers)
    unsubscribe(tool, subscription)
    unsubscribe(tool, stranger)


def test_while_a_secret_is_rotated_the_verifier_takes_both(tool, receiver):
    subscription = subscribe(tool, receiver.url)
    rotated = post(f"/api/lti/subscriptions/{subscription['Id']}/rotate_secret", tool)
    post(f"/api/lti/subscriptions/{subscription['Id']}/test", tool)
    headers, body = eventually(lambda: receiver.received and receiver.received[0])
    for secret in (subscription["SigningSecret"], rotated["SigningSecret"]):
        Webhook(secret).verify(body, headers)
    unsubscribe(tool, subscription)


def test_submissions_and_grades_reach_the_tool(tool, receiver, course, new_user, seen_by):
    subscription = subscribe(tool, receiver.url, ContextType="course", ContextId=str(course.id))
    assignment = course.create_assignment(
        {"name": "Essay", "submission_types": ["online_text_entry"], "points_possible": 10, "published": True}
    )
    student = new_user("ada")
    course.enroll_user(student, "StudentEnrollment", enrollment={"enrollment_state": "active"})
    handed_in = seen_by(student).get_course(course.id).get_assignment(assignment.id)
    handed_in.submit({"submission_type": "online_text_entry", "body": "<p>An essay</p>"})
    assignment.get_submission(student.id).edit(submission={"posted_grade": "8"})

    def of(name):
        messages = [Webhook(subscription["SigningSecret"]).verify(body, headers) for headers, body in receiver.received]
        return [message for message in messages if message["metadata"]["event_name"] == name]

    created = eventually(lambda: of("submission_created"))[0]
    assert created["body"]["user_id"] == str(student.id)
    assert created["body"]["assignment_id"] == str(assignment.id)
    graded = eventually(lambda: of("grade_change"))[0]
    assert (graded["body"]["score"], graded["body"]["student_id"]) == (8, str(student.id))
    assert created["metadata"]["event_time"] < graded["metadata"]["event_time"]
    unsubscribe(tool, subscription)


@pytest.fixture(scope="module")
def queue():
    """A queue of the emulator, and how to read it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    sqs = boto3.client("sqs", endpoint_url=f"http://{host}:{port}", **keys)
    url = sqs.create_queue(QueueName="canvas-live-events")["QueueUrl"]
    account, name = url.rsplit("/", 2)[1:]
    yield sqs, f"http://127.0.0.1:{port}/{account}/{name}"
    server.stop()


@pytest.mark.parametrize("form", ["live-event", "caliper"])
def test_a_queue_takes_our_messages(tool, queue, form):
    sqs, url = queue
    subscription = subscribe(tool, url, TransportType="sqs", Format=form)
    delivery = post(f"/api/lti/subscriptions/{subscription['Id']}/test", tool)

    def received():
        return sqs.receive_message(QueueUrl=url, MessageAttributeNames=["All"]).get("Messages")

    [message] = eventually(received)
    attributes = {name: value["StringValue"] for name, value in message["MessageAttributes"].items()}
    assert attributes == {"webhook-id": delivery["message_id"], "webhook-subscription-id": subscription["Id"]}
    body = json.loads(message["Body"])
    if form == "live-event":
        assert body["metadata"]["subscription_id"] == subscription["Id"]
    else:
        extensions = body["data"][0]["extensions"]["com.instructure.canvas"]
        assert extensions["subscription_id"] == subscription["Id"]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    unsubscribe(tool, subscription)
