"""Every area with the client: what is made, read, listed through its pages, changed and removed, and an error with its type."""

import pytest
from conftest import unique

from lectern import BadRequest, Conflict, Forbidden, InvalidToken, NotFound, TooManyRequests, UnprocessableEntity

NOTHING = 9_000_000_000


def test_directory(admin, school):
    course = admin.create_course(1, {"course": {"name": "Zoology"}})
    assert admin.update_course(course["id"], {"course": {"name": "Animals"}})["name"] == "Animals"
    assert admin.get_course(course["id"])["name"] == "Animals"
    sections = [admin.create_section(course["id"], {"course_section": {"name": name}})["id"] for name in "abc"]
    listed = [section["id"] for section in admin.list_sections(course["id"], per_page=2)]
    assert set(sections) <= set(listed) and len(listed) == len(set(listed))
    admin.delete_section(sections[0])
    users = admin.list_course_users(school.course, enrollment_type=["student", "teacher"], per_page=1)
    assert [user["id"] for user in users] == sorted([school.teacher_id, school.student_id])
    assert len(list(users.answers())) >= 2
    with pytest.raises(BadRequest) as refused:
        admin.create_course(1, {"course": {"name": "x" * 300}})
    assert (refused.value.status, refused.value.code, list(refused.value.fields)) == (400, "too_long", ["name"])
    assert refused.value.request_id
    admin.delete_course(course["id"], {"event": "delete"})
    with pytest.raises(NotFound) as gone:
        admin.get_course(course["id"])
    assert gone.value.message == "The specified resource does not exist."


def test_coursework(school):
    teacher, course = school.teacher, school.course
    essay = {"name": "Essay", "submission_types": ["online_text_entry"], "points_possible": 10, "published": True}
    made = [teacher.create_assignment(course, {"assignment": essay})["id"] for _ in range(3)]
    assert set(made) <= {assignment["id"] for assignment in teacher.list_assignments(course, per_page=1)}
    assert teacher.update_assignment(course, made[0], {"assignment": {"name": "Leaves"}})["name"] == "Leaves"
    handed_in = {"submission": {"submission_type": "online_text_entry", "body": "<p>Oak</p>"}}
    assert school.student.submit_assignment(course, made[0], handed_in)["attempt"] == 1
    grade = teacher.grade_submission(course, made[0], school.student_id, {"submission": {"posted_grade": "8"}})
    assert grade["score"] == 8
    with pytest.raises(Forbidden) as refused:
        school.student.create_assignment(course, {"assignment": essay})
    assert refused.value.code == "unauthorized"
    teacher.delete_assignment(course, made[1])


def test_quiz_groups(school):
    teacher, course = school.teacher, school.course
    quiz = teacher.create_quiz(course, {"quiz": {"title": "Leaves"}})["id"]
    groups = {"quiz_groups": [{"name": "Oaks", "pick_count": 2, "question_points": 5}]}
    [group] = teacher.create_quiz_group(course, quiz, groups)["quiz_groups"]
    assert teacher.get_quiz_group(course, quiz, group["id"])["pick_count"] == 2
    [changed] = teacher.update_quiz_group(course, quiz, group["id"], {"quiz_groups": [{"name": "Elms"}]})["quiz_groups"]
    assert changed["name"] == "Elms"
    with pytest.raises(UnprocessableEntity) as refused:
        teacher.create_quiz_group(course, quiz, {"quiz_groups": [{"name": "x" * 300}]})
    assert list(refused.value.fields) == ["name"] and "too long" in refused.value.fields["name"][0]
    teacher.delete_quiz_group(course, quiz, group["id"])
    assert teacher.list_quiz_groups(course, quiz)["quiz_groups"] == []


def question(title, **changes):
    return {
        "title": title,
        "item_body": "<p>Is it a tree?</p>",
        "interaction_type_slug": "true-false",
        "interaction_data": {"true_choice": "Yes", "false_choice": "No"},
        "scoring_data": {"value": True},
        "scoring_algorithm": "Equivalence",
        **changes,
    }


def test_quiz_items(school):
    teacher, course = school.teacher, school.course
    quiz = teacher.create_new_quiz(course, {"quiz": {"title": "Trees"}})["id"]
    items = [
        teacher.create_quiz_item(course, quiz, {"item": {"entry_type": "Item", "entry": question(name)}})["id"]
        for name in ["Oak", "Elm", "Fern"]
    ]
    assert [item["id"] for item in teacher.list_quiz_items(course, quiz, per_page=2)] == items
    changed = teacher.update_quiz_item(course, quiz, items[0], {"item": {"points_possible": 3}})
    assert changed["points_possible"] == 3
    with pytest.raises(UnprocessableEntity) as refused:
        bad = question("Oak", scoring_algorithm="Guess")
        teacher.create_quiz_item(course, quiz, {"item": {"entry_type": "Item", "entry": bad}})
    assert refused.value.code == "ActiveRecord::RecordInvalid"
    assert refused.value.message.startswith("Validation failed")
    teacher.delete_quiz_item(course, quiz, items[0])
    with pytest.raises(NotFound):
        teacher.get_quiz_item(course, quiz, items[0])
    png = b"\x89PNG\r\n\x1a\n" + bytes(40)
    address = teacher.get_media_upload_url(course, quiz)["url"]
    path, query = address.split("?")
    context, image = path.split("/")[-2:]
    pairs = dict(pair.split("=", 1) for pair in query.split("&"))
    school.admin.upload_media(context, image, content=png, content_type="image/png", **pairs)
    assert school.admin.get_media(context, image) == png
    with pytest.raises(Conflict):
        school.admin.upload_media(context, image, content=png, content_type="image/png", **pairs)


def test_polls(school):
    teacher = school.teacher
    polls = [teacher.create_poll({"polls": [{"question": name}]})["polls"][0]["id"] for name in ["Oak?", "Elm?", "Ash?"]]
    assert set(polls) <= {poll["id"] for poll in teacher.list_polls(per_page=2)}
    [changed] = teacher.update_poll(polls[0], {"polls": [{"question": "Beech?"}]})["polls"]
    assert changed["question"] == "Beech?"
    [choice] = teacher.create_poll_choice(polls[0], {"poll_choices": [{"text": "Yes"}]})["poll_choices"]
    sessions = {"poll_sessions": [{"course_id": school.course}]}
    [session] = teacher.create_poll_session(polls[0], sessions)["poll_sessions"]
    teacher.open_poll_session(polls[0], session["id"])
    vote = {"poll_submissions": [{"poll_choice_id": choice["id"]}]}
    assert school.student.create_poll_submission(polls[0], session["id"], vote)["poll_submissions"]
    with pytest.raises(BadRequest) as refused:
        teacher.create_poll({"polls": [{"question": ""}]})
    assert refused.value.message
    assert teacher.delete_poll(polls[1]) is None
    with pytest.raises(NotFound):
        teacher.get_poll(polls[1])


def test_ai_conversations(school):
    teacher, course = school.teacher, school.course
    fields = {
        "title": "Trees",
        "learning_objectives": ["Tell an oak from an elm"],
        "pedagogical_guidance": "Ask for the edge of the leaf, and never name the tree at once.",
        "facts": "The leaf of an oak has lobes; that of an elm has teeth, and its two halves are not alike.",
        "workflow_state": "unpublished",
    }
    made = teacher.create_ai_experience(course, {"ai_experience": fields})
    assert made["id"] in [one["id"] for one in teacher.list_ai_experiences(course)["experiences"]]
    changed = teacher.update_ai_experience(course, made["id"], {"ai_experience": {"title": "Leaves"}})
    assert (changed["title"], teacher.get_ai_experience(course, made["id"])["title"]) == ("Leaves", "Leaves")
    assert list(teacher.list_message_feedback(course, made["id"], per_page=1)) == []
    with pytest.raises(BadRequest) as refused:
        teacher.create_ai_experience(course, {})
    assert refused.value.message == "ai_experience is missing"
    teacher.delete_ai_experience(course, made["id"])
    with pytest.raises(NotFound):
        teacher.get_ai_experience(course, made["id"])


def channel(school):
    address = f"{unique('ada')}@school.test"
    body = {"communication_channel": {"address": address, "type": "email"}, "skip_confirmation": True}
    return school.admin.create_communication_channel(school.student_id, body)


def test_communication_channels(school):
    made = [channel(school)["id"] for _ in range(3)]
    listed = school.student.list_communication_channels("self", per_page=1)
    assert set(made) <= {one["id"] for one in listed}
    school.student.delete_communication_channel("self", made[0])
    with pytest.raises(NotFound):
        school.student.delete_communication_channel("self", NOTHING)


def test_notification_preferences(school):
    made = channel(school)["id"]
    student = school.student
    body = {"notification_preferences": {"frequency": "weekly"}}
    student.update_notification_preference(made, "new_announcement", body)
    [one] = student.get_notification_preference("self", made, "new_announcement")["notification_preferences"]
    assert one["frequency"] == "weekly"
    assert student.list_notification_preferences("self", made)["notification_preferences"]
    with pytest.raises(UnprocessableEntity):
        body = {"notification_preferences": {"frequency": "sometimes"}}
        student.update_notification_preference(made, "new_announcement", body)


def test_content_exports(school):
    teacher, course = school.teacher, school.course
    made = teacher.create_course_content_export(course, {"export_type": "common_cartridge"})
    assert made["id"] in [one["id"] for one in teacher.list_course_content_exports(course, per_page=1)]
    progress = made["progress_url"].rsplit("/", 1)[1]
    assert teacher.get_progress(progress)["id"]
    with pytest.raises(BadRequest) as refused:
        teacher.create_course_content_export(course, {"export_type": "paper"})
    assert refused.value.message


def test_course_audit(school):
    events = school.admin.list_course_events(school.course, per_page=1)
    assert {"created", "published"} <= {event["event_type"] for event in events}
    first = next(events.answers())
    assert "linked" in first
    with pytest.raises(Forbidden):
        list(school.student.list_account_course_events(1))


def test_error_reports(admin, school):
    made = school.student.create_error_report({"error": {"subject": "A leaf fell", "comments": "In autumn."}})["id"]
    assert made in [report["id"] for report in admin.list_error_reports(per_page=1)]
    changed = admin.update_error_report(made, {"error_report": {"status": "closed"}})
    assert changed["id"] == admin.get_error_report(made)["id"] == made
    with pytest.raises(Forbidden):
        list(school.student.list_error_reports())


def test_files(school):
    teacher, course = school.teacher, school.course
    text = b"Oak, elm, ash.\n"
    file = teacher.upload(
        teacher.create_course_file, course, name="trees.txt", content=text, content_type="text/plain", parent_folder_path="leaves"
    )
    assert (file["display_name"], file["size"], file["content-type"]) == ("trees.txt", len(text), "text/plain")
    for name in ["a.txt", "b.txt"]:
        teacher.upload(teacher.create_course_file, course, name=name, content=b"x")
    assert {"trees.txt", "a.txt", "b.txt"} <= {one["display_name"] for one in teacher.list_course_files(course, per_page=1)}
    assert teacher.download_course_file(course, file["id"]) == text
    assert teacher.update_file(file["id"], {"name": "oaks.txt"})["display_name"] == "oaks.txt"
    with pytest.raises(BadRequest):
        teacher.create_course_file(course, {"name": "big.txt", "size": 10**12})
    teacher.delete_file(file["id"])
    with pytest.raises(NotFound):
        teacher.get_file(file["id"])


def test_mastery(admin):
    schools = [{"id": unique("school"), "name": name} for name in ["Lakeside", "Hilltop", "Harbor"]]
    loaded = admin.create_mastery_import(1, {"schools": schools})
    assert loaded["complete"] and loaded["error_count"] == 0
    credential = admin.create_mastery_credential(1, {"scopes": ["schools:read"]})
    granted = admin.issue_mastery_token(
        {
            "grant_type": "client_credentials",
            "client_id": credential["client_id"],
            "client_secret": credential["client_secret"],
        }
    )
    district = admin.with_token(granted["access_token"])
    listed = list(district.list_mastery_district_schools(1, page_size=2))
    assert len(listed) >= 3 and len({one["id"] for one in listed}) == len(listed)
    assert district.get_mastery_district_school(1, listed[0]["id"])["data"]["id"] == listed[0]["id"]
    with pytest.raises(Forbidden) as refused:
        list(district.list_mastery_teachers())
    assert refused.value.code == "insufficient_scope"
    with pytest.raises(UnprocessableEntity) as refused:
        next(district.list_mastery_district_schools(1, page_size=0).answers())
    assert refused.value.code == "validation_error"
    admin.revoke_mastery_credential(1, credential["client_id"])
    with pytest.raises(InvalidToken) as refused:
        district.get_mastery_district_school(1, listed[0]["id"])
    assert refused.value.code == "invalid_token"


PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_badges(school):
    owner = school.teacher
    issuer = {"name": "Harbor College", "email": f"{unique('owner')}@school.test", "url": "https://harbor.test", "description": "x"}
    school.admin.create_communication_channel(
        school.teacher_id,
        {"communication_channel": {"address": issuer["email"], "type": "email"}, "skip_confirmation": True},
    )
    [made] = owner.create_issuer(issuer)["result"]
    badge = {"name": "Knots", "description": "Six", "criteriaNarrative": "Tie them.", "image": PNG}
    badges = [owner.create_issuer_badge_class(made["entityId"], badge)["result"][0]["entityId"] for _ in range(3)]
    listed = owner.list_issuer_badge_classes(made["entityId"], num=1)
    assert {one["entityId"] for one in listed} == set(badges)
    assert set(badges) <= {one["entityId"] for one in owner.list_changed_badge_classes(num=1)}
    [award] = owner.award_badge(badges[0], {"recipient": {"identity": f"{unique('ada')}@school.test"}})["result"]
    [read] = owner.get_assertion(award["entityId"])["result"]
    assert not read["revoked"]
    owner.revoke_assertion(award["entityId"], {"revocation_reason": "A slip knot"})
    owner.delete_badge_class(badges[1])
    with pytest.raises(BadRequest) as refused:
        owner.create_issuer_badge_class(made["entityId"], {**badge, "name": "x" * 2000})
    assert "name" in refused.value.fields
    with pytest.raises(NotFound) as refused:
        owner.get_assertion("AAAAAAAAAAAAAAAAAAAAAA")
    assert refused.value.message


def test_sis_imports(admin):
    users = f"user_id,login_id,first_name,last_name,status\n{unique('ada')},{unique('ada')},Ada,Byron,active\n"
    made = admin.create_sis_import(1, users, "text/csv", import_type="instructure_csv", extension="csv")["id"]
    assert admin.get_sis_import(1, made)["id"] == made
    assert made in [one["id"] for one in admin.list_sis_imports(1, per_page=1)]
    assert list(admin.list_sis_import_errors(1, made, per_page=1)) == []
    with pytest.raises(NotFound):
        admin.get_sis_import(1, NOTHING)


def test_oauth(admin, school):
    keys = [admin.create_developer_key(1, {"developer_key": {"name": name}})["id"] for name in ["Tool", "Other"]]
    assert set(map(str, keys)) <= {str(key["id"]) for key in admin.list_developer_keys(1, per_page=1)}
    assert admin.update_developer_key(keys[0], {"developer_key": {"name": "Renamed"}})["name"] == "Renamed"
    admin.delete_developer_key(keys[0])
    with pytest.raises(InvalidToken) as refused:
        admin.issue_token({"grant_type": "client_credentials", "client_id": "nobody", "client_secret": "x"})
    assert refused.value.code == "invalid_client" and refused.value.message
    with pytest.raises(InvalidToken) as refused:
        admin.with_token("x").get_course(school.course)
    assert refused.value.message == "Invalid access token."


def test_background(admin, school):
    channel(school)
    address = channel(school)["address"]
    told = next(message for message in admin.list_outbox_messages(per_page=2) if address in message["body"])
    assert told["notification"] == "new_email_address_added"
    with pytest.raises(Forbidden):
        list(school.student.list_outbox_messages())
    with pytest.raises(InvalidToken):
        admin.run_tick()


def test_reference(admin):
    assert admin.get_openapi()["info"]["title"] == "Lectern"
    assert b"<html" in admin.get_reference()


def test_what_is_done_too_often_says_when_to_come_back(school):
    """Nothing that is no repetition of itself is sent again: the error says how long to wait."""
    body = {"communication_channel": {"address": f"{unique('ada')}@school.test", "type": "email"}}
    made = school.student.create_communication_channel("self", body)["id"]
    with pytest.raises(TooManyRequests) as refused:
        for _ in range(30):
            school.student.resend_confirmation("self", made)
    assert refused.value.retry_after > 0
