"""A client that openapi-python-client makes of the API description: a round in every area, with its types.

`cargo xtask test` has it made and names its folder in PYTHONPATH.
"""

import importlib
import uuid

import pytest

from conftest import TOKEN, URL

pytest.importorskip("generated", reason="the client is made by `cargo xtask test`")

from generated import AuthenticatedClient, Client, models  # noqa: E402
from generated.types import Unset  # noqa: E402


@pytest.fixture(scope="module")
def client():
    return AuthenticatedClient(base_url=URL, token=TOKEN, raise_on_unexpected_status=True)


def call(client, operation, *path, expected=200, **arguments):
    """The typed answer of an operation, which must have that status."""
    module = importlib.import_module(f"generated.api.{operation}")
    answer = module.sync_detailed(*path, client=client, **arguments)
    assert answer.status_code == expected, (operation, answer.status_code, answer.content)
    return answer.parsed


def made(client, operation, *path, body, expected=200):
    """The same for an operation that takes a body of JSON: the first type that it takes."""
    module = importlib.import_module(f"generated.api.{operation}")
    kind = module.sync_detailed.__annotations__["body"]
    kind = next(part for part in getattr(kind, "__args__", (kind,)) if part is not Unset)
    return call(client, operation, *path, body=kind.from_dict(body), expected=expected)


@pytest.fixture(scope="module")
def course(client):
    course = made(client, "directory.create_course", "self", body={"course": {"name": "Mosses"}, "offer": True})
    assert isinstance(course, models.DirectoryCourse)
    return str(course.id)


@pytest.fixture(scope="module")
def quiz(client, course):
    quiz = made(client, "coursework.create_quiz", course, body={"quiz": {"title": "Spores"}})
    return quiz.id


def test_the_directory_and_what_it_refuses(client, course):
    assert call(client, "directory.get_course", course).name == "Mosses"
    assert "Mosses" in {found.name for found in call(client, "directory.list_account_courses", "self", search_term="Mosses")}
    assert call(client, "directory.get_course", "0", expected=404).errors
    nobody = Client(base_url=URL, raise_on_unexpected_status=True)
    assert call(nobody, "directory.get_course", course, expected=401).errors


def test_coursework(client, course):
    essay = {"assignment": {"name": "Essay", "points_possible": 10, "submission_types": ["online_text_entry"]}}
    essay = made(client, "coursework.create_assignment", course, body=essay, expected=201)
    assert [found.id for found in call(client, "coursework.list_assignments", course)] == [essay.id]


def test_quiz_groups(client, course, quiz):
    group = {"quiz_groups": [{"name": "Drawn", "pick_count": 2, "question_points": 1}]}
    group = made(client, "quiz_groups.create_quiz_group", course, quiz, body=group, expected=201).quiz_groups[0]
    found = call(client, "quiz_groups.get_quiz_group", course, quiz, group.id)
    assert (found.name, found.pick_count) == ("Drawn", 2)


def test_quiz_items(client, course):
    quiz = made(client, "coursework.create_new_quiz", course, body={"quiz": {"title": "New"}})
    entry = {
        "title": "Spores",
        "item_body": "<p>Mosses have spores.</p>",
        "calculator_type": "none",
        "interaction_type_slug": "true-false",
        "interaction_data": {"true_choice": "True", "false_choice": "False"},
        "properties": {},
        "scoring_data": {"value": True},
        "scoring_algorithm": "Equivalence",
    }
    item = {"item": {"entry_type": "Item", "points_possible": 1, "position": 1, "entry": entry}}
    item = made(client, "quiz_items.create_quiz_item", course, int(quiz.id), body=item)
    assert call(client, "quiz_items.get_quiz_item", course, int(quiz.id), int(item.id)).id == item.id


def test_polls(client, course):
    teacher = {"enrollment": {"user_id": "self", "type": "TeacherEnrollment", "enrollment_state": "active"}}
    made(client, "directory.create_course_enrollment", course, body=teacher)
    poll = {"polls": [{"question": "Wet or dry?", "description": "Where do they grow?"}]}
    poll = made(client, "polls.create_poll", body=poll).polls[0]
    assert call(client, "polls.get_poll", int(poll.id)).polls[0].question == "Wet or dry?"


def test_ai_conversations(client, course):
    experience = {
        "title": "A walk",
        "learning_objectives": ["Tell mosses from lichens"],
        "pedagogical_guidance": "Ask before you tell.",
    }
    made(client, "ai_conversations.create_ai_experience", course, body={"ai_experience": experience}, expected=201)
    assert len(call(client, "ai_conversations.list_ai_experiences", course).experiences) == 1


def test_communication_channels_and_notification_preferences(client):
    channel = {"communication_channel": {"address": f"{uuid.uuid4().hex}@school.test", "type": "email"}}
    channel = made(client, "communication_channels.create_communication_channel", "self", body=channel)
    assert channel.id in [found.id for found in call(client, "communication_channels.list_communication_channels", "self")]
    preferences = call(client, "notification_preferences.list_notification_preferences", "self", str(channel.id))
    assert preferences.notification_preferences


def test_content_exports(client, course):
    export = made(client, "content_exports.create_course_content_export", course, body={"export_type": "common_cartridge"})
    assert call(client, "content_exports.get_course_content_export", course, export.id).export_type == "common_cartridge"


def test_webhook_subscriptions(client):
    tool = {"capabilities": ["vnd.vendor.webhooks.root_account.all"], "name": "Likeness"}
    tool = made(client, "webhook_subscriptions.create_tool_proxy", body=tool, expected=201)
    assert call(client, "webhook_subscriptions.get_tool_proxy", tool.guid).guid == tool.guid


def test_the_audit_log(client, course):
    events = call(client, "course_audit.list_course_events", course).events
    assert "created" in {event.event_type for event in events}


def test_error_reports(client):
    report = {"error": {"subject": "It hangs", "comments": "For a minute", "url": f"{URL}/courses"}}
    assert made(client, "error_reports.create_error_report", body=report).logged


def test_mastery(client):
    credential = made(client, "mastery.create_mastery_credential", "self", body={}, expected=201)
    grant = {
        "grant_type": "client_credentials",
        "client_id": credential.client_id,
        "client_secret": credential.client_secret,
    }
    token = made(client, "mastery.issue_mastery_token", body=grant).access_token
    district = AuthenticatedClient(base_url=URL, token=token, raise_on_unexpected_status=True)
    assert call(district, "mastery.list_mastery_districts").data


def test_badges(client):
    address = f"{uuid.uuid4().hex}@school.test"
    channel = {"communication_channel": {"address": address, "type": "email"}, "skip_confirmation": True}
    made(client, "communication_channels.create_communication_channel", "self", body=channel)
    issuer = {"name": "Society", "email": address, "url": "https://school.test", "description": "Mosses"}
    issuer = made(client, "badges.create_issuer", body=issuer, expected=201).result[0]
    assert call(client, "badges.get_issuer", issuer.entity_id).result[0].name == "Society"


def test_files(client, course):
    folder = made(client, "files.create_course_folder", course, body={"name": "Photos"})
    assert "Photos" in {found.name for found in call(client, "files.list_course_folders", course)}
    assert call(client, "files.get_folder", str(folder.id)).full_name.endswith("Photos")


def test_tokens(client):
    token = made(client, "oauth.create_personal_token", "self", body={"token": {"purpose": "a round"}})
    assert call(client, "oauth.get_personal_token", "self", str(token.id)).purpose == "a round"


def test_sis_imports(client):
    imports = call(client, "sis_imports.list_sis_imports", "self")
    assert isinstance(imports.sis_imports, list)


def test_the_outbox_and_the_description(client):
    assert isinstance(call(client, "background.list_outbox_messages"), list)
    assert importlib.import_module("generated.api.reference.get_openapi").sync_detailed(client=client).status_code == 200
