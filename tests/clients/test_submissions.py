"""Handing in, grading and taking quizzes, as canvasapi does it."""

import time

import pytest
import requests
from canvasapi.exceptions import Conflict, Forbidden


@pytest.fixture
def students(course, new_user, seen_by):
    """Two students: the users, and the course as each of them sees it."""
    users = [new_user("student"), new_user("student")]
    for user in users:
        course.enroll_user(user, enrollment={"type": "StudentEnrollment", "enrollment_state": "active"})
    return users, [seen_by(user).get_course(course.id) for user in users]


@pytest.fixture
def essay(course):
    return course.create_assignment(
        {
            "name": "Essay",
            "points_possible": 10,
            "published": True,
            "submission_types": ["online_text_entry", "online_url", "online_upload"],
        }
    )


def test_a_text_is_handed_in_graded_and_handed_in_again(course, students, essay):
    (user, other), (seen, _) = students
    mine = seen.get_assignment(essay.id)
    first = mine.submit({"submission_type": "online_text_entry", "body": "<p>Oaks</p>"})
    assert (first.attempt, first.workflow_state, first.user_id) == (1, "submitted", user.id)
    graded = essay.get_submission(user.id).edit(
        submission={"posted_grade": "85%"}, comment={"text_comment": "Good"}
    )
    assert (graded.score, graded.grade, graded.workflow_state) == (8.5, "8.5", "graded")
    assert [comment["comment"] for comment in graded.submission_comments] == ["Good"]
    second = mine.submit({"submission_type": "online_url", "url": "https://example.com/elms"})
    assert (second.id, second.attempt, second.url) == (first.id, 2, "https://example.com/elms")
    history = mine.get_submission(user.id, include=["submission_history"]).submission_history
    assert [(entry["attempt"], entry["submission_type"]) for entry in history] == [
        (1, "online_text_entry"),
        (2, "online_url"),
    ]
    submissions = {submission.user_id: submission for submission in essay.get_submissions()}
    assert submissions[user.id].attempt == 2
    assert submissions[other.id].workflow_state == "unsubmitted"
    everything = course.get_multiple_submissions(student_ids=["all"], assignment_ids=[essay.id])
    assert user.id in [submission.user_id for submission in everything]
    grouped = course.get_multiple_submissions(student_ids=["all"], grouped=True)
    assert {entry.user_id: len(entry.submissions) for entry in grouped} == {user.id: 1, other.id: 1}
    with pytest.raises(Forbidden):
        list(mine.get_submissions())


def test_a_file_is_uploaded_and_handed_in(students, essay, tmp_path):
    (user, _), (seen, _) = students
    path = tmp_path / "leaf.txt"
    path.write_text("leaf")
    handed_in = seen.get_assignment(essay.id).submit({"submission_type": "online_upload"}, file=str(path))
    assert [file.display_name for file in handed_in.attachments] == ["leaf.txt"]
    [file] = essay.get_submission(user.id).attachments
    assert (file.size, file.get_contents()) == (4, "leaf")


def test_a_quiz_is_taken(course, students):
    (user, _), (seen, _) = students
    quiz = course.create_quiz({"title": "Leaves", "quiz_type": "assignment", "allowed_attempts": 2})
    question = quiz.create_question(
        question={
            "question_name": "Oak",
            "question_type": "true_false_question",
            "points_possible": 2,
            "answers": [{"answer_text": "True", "answer_weight": 100}, {"answer_text": "False", "answer_weight": 0}],
        }
    )
    quiz = quiz.edit(quiz={"published": True})
    mine = seen.get_quiz(quiz.id)
    attempt = mine.create_submission()
    with pytest.raises(Conflict):
        mine.create_submission()
    [asked] = attempt.get_submission_questions()
    assert asked.id == question.id
    [answered] = attempt.answer_submission_questions(
        quiz_questions=[{"id": asked.id, "answer": asked.answers[0]["id"]}]
    )
    assert answered.flag() and answered.flagged
    done = attempt.complete()
    assert (done.workflow_state, done.score, done.kept_score) == ("complete", 2, 2)
    assert [submission.id for submission in quiz.get_submissions()] == [attempt.id]
    assignment = course.get_assignment(quiz.assignment_id)
    graded = assignment.get_submission(user.id)
    assert (graded.score, graded.submission_type, graded.workflow_state) == (2, "online_quiz", "graded")
    changed = quiz.get_quiz_submission(attempt.id).update_score_and_comments(
        quiz_submissions=[{"attempt": 1, "questions": {str(question.id): {"score": 1.5, "comment": "Half"}}}]
    )
    assert changed.score == 1.5
    assert assignment.get_submission(user.id).score == 1.5


def test_a_student_has_extensions_of_a_quiz(course, students):
    (user, _), (seen, _) = students
    quiz = course.create_quiz({"title": "Roots", "quiz_type": "assignment", "time_limit": 10, "published": True})
    [extension] = quiz.set_extensions([{"user_id": user.id, "extra_attempts": 1, "extra_time": 5}])
    assert (extension.quiz_id, extension.extra_attempts, extension.extra_time) == (quiz.id, 1, 5)
    attempt = seen.get_quiz(quiz.id).create_submission()
    assert (attempt.attempts_left, attempt.extra_time) == (1, 5)
    attempt.complete()
    extended = course.set_quiz_extensions([{"user_id": user.id, "manually_unlocked": True}])
    assert all(extension.manually_unlocked for extension in extended)
    [statistics] = quiz.get_statistics()
    assert statistics.submission_statistics["unique_count"] == 1


def test_a_course_has_a_late_policy(course, students):
    (user, _), _ = students
    made = course.create_late_policy(
        late_policy={"late_submission_deduction_enabled": True, "late_submission_deduction": 25}
    )
    assert made.late_submission_interval == "day"
    form = {"name": "Late", "published": True, "points_possible": 8, "due_at": "2020-01-01T00:00:00Z"}
    essay = course.create_assignment({**form, "submission_types": ["online_text_entry"]})
    work = {"submission_type": "online_text_entry", "body": "x", "submitted_at": "2020-01-01T06:00:00Z"}
    essay.submit({**work, "user_id": user.id})
    graded = essay.get_submission(user.id).edit(submission={"posted_grade": "8"})
    assert (graded.score, graded.entered_score, graded.points_deducted) == (6, 8, 2)
    assert course.edit_late_policy(late_policy={"late_submission_interval": "hour"})
    assert course.get_late_policy().late_submission_interval == "hour"


@pytest.mark.parametrize("kind, row", [("student_analysis", "1,0,2.0"), ("item_analysis", "Tree,1")])
def test_a_quiz_has_reports(course, students, kind, row):
    (user, _), (seen, _) = students
    quiz = course.create_quiz({"title": "Leaves", "quiz_type": "assignment"})
    answers = [{"text": "Oak", "weight": 100}, {"text": "Elm", "weight": 0}]
    question = {"question_name": "Tree", "question_type": "multiple_choice_question", "points_possible": 2}
    quiz.create_question(question={**question, "answers": answers})
    quiz.edit(quiz={"published": True})
    attempt = seen.get_quiz(quiz.id).create_submission()
    [asked] = attempt.get_submission_questions()
    attempt.answer_submission_questions(quiz_questions=[{"id": asked.id, "answer": asked.answers[0]["id"]}])
    attempt.complete()

    report = quiz.create_report(kind)
    assert (report.report_type, report.quiz_id, report.anonymous) == (kind, quiz.id, False)
    for _ in range(1200):
        report = quiz.get_quiz_report(report, include=["file", "progress"])
        if report.file:
            break
        time.sleep(0.05)
    text = requests.get(report.file["url"], timeout=60).text
    assert len(text.splitlines()) == 2 and row in text
    assert [one.id for one in quiz.get_all_quiz_reports()] == [report.id]
    assert report.abort_or_delete()
    assert list(quiz.get_all_quiz_reports()) == []


def test_an_assignment_has_overrides(course, students):
    (user, _), (seen, _) = students
    dates = {"due_at": "2020-01-01T00:00:00Z", "lock_at": "2020-01-01T00:00:00Z"}
    essay = course.create_assignment(
        {"name": "Bark", "published": True, "submission_types": ["online_text_entry"], **dates}
    )
    later = {"due_at": "2099-01-01T00:00:00Z", "lock_at": "2099-01-01T00:00:00Z"}
    own = essay.create_override(assignment_override={"student_ids": [user.id], "title": "Later", **later})
    assert [override.id for override in essay.get_overrides()] == [own.id]
    assert seen.get_assignment(essay.id).due_at == later["due_at"]
    assert essay.get_override(own.id).student_ids == [user.id]
    named = {"id": own.id, "assignment_id": essay.id}
    assert [override.title for override in course.get_assignment_overrides([named])] == ["Later"]
    list(course.update_assignment_overrides([{**named, **dates}]))
    own = own.edit(assignment_override={"title": "Never", **later})
    assert own.title == "Never"
    own.delete()
    [section] = course.get_sections()
    of_section = essay.create_override(assignment_override={"course_section_id": section.id, **later})
    assert section.get_assignment_override(essay).id == of_section.id
    course._requester.request("POST", f"courses/{course.id}/groups", name="Ferns")
    [group] = course.get_groups()
    of_group = essay.create_override(assignment_override={"group_id": group.id, **later})
    assert group.get_assignment_override(essay).id == of_group.id
    quiz = course.create_quiz({"title": "Dates", "quiz_type": "assignment", **dates})
    [dated] = course.get_quiz_overrides(quiz_assignment_overrides=[{"quiz_ids": [quiz.id]}])
    assert (dated.quiz_id, dated.all_dates[0]["due_at"]) == (quiz.id, dates["due_at"])
    made = course.create_assignment_overrides([{"assignment_id": essay.id, "student_ids": [user.id], **later}])
    assert [override.due_at for override in made] == [later["due_at"]]
