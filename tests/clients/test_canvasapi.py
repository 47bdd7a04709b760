"""The flows of canvasapi, a client that we did not write."""

import pytest
from canvasapi import Canvas
from canvasapi.exceptions import (
    BadRequest,
    Forbidden,
    InvalidAccessToken,
    ResourceDoesNotExist,
    Unauthorized,
    UnprocessableEntity,
)

from conftest import URL


def test_users_and_enrollments(course, new_user, seen_by):
    student = new_user("student")
    enrollment = course.enroll_user(student, enrollment={"type": "StudentEnrollment", "enrollment_state": "active"})
    assert enrollment.user_id == student.id
    assert [user.id for user in course.get_users()] == [student.id]
    assert [course.name for course in seen_by(student).get_courses()] == ["Botany"]
    assert seen_by(student).get_current_user().name == "student"


def test_a_course_changes(canvas, course):
    assert course.update(course={"name": "Plants"}) == "Plants"
    assert canvas.get_course(course.id).name == "Plants"
    section = course.create_course_section(course_section={"name": "Afternoon"})
    assert section.id in [section.id for section in course.get_sections()]
    course.delete(event="delete")
    with pytest.raises(ResourceDoesNotExist):
        canvas.get_course(course.id)


def test_a_sub_account_has_its_courses(account):
    faculty = account.create_subaccount({"name": "Faculty"})
    course = faculty.create_course(course={"name": "Zoology"})
    assert [found.id for found in faculty.get_courses()] == [course.id]


def test_a_classic_quiz(course):
    quiz = course.create_quiz({"title": "Leaves", "quiz_type": "practice_quiz"})
    assert quiz.edit(quiz={"title": "Roots", "published": True}).title == "Roots"
    question = quiz.create_question(
        question={
            "question_name": "Oak",
            "question_text": "Is it a tree?",
            "question_type": "true_false_question",
            "points_possible": 2,
            "answers": [{"answer_text": "True", "answer_weight": 100}, {"answer_text": "False", "answer_weight": 0}],
        }
    )
    assert quiz.get_question(question.id).question_name == "Oak"
    assert question.edit(question={"question_name": "Elm"}).question_name == "Elm"
    assert [found.question_name for found in quiz.get_questions()] == ["Elm"]
    assert question.delete()
    assert list(quiz.get_questions()) == []
    quiz.delete()
    with pytest.raises(ResourceDoesNotExist):
        course.get_quiz(quiz.id)


def test_a_question_group(quiz):
    group = quiz.create_question_group([{"name": "Fractions", "pick_count": 2, "question_points": 5}])
    assert (group.name, group.pick_count, group.question_points) == ("Fractions", 2, 5.0)
    assert quiz.get_quiz_group(group.id).name == "Fractions"
    assert group.update([{"name": "Decimals"}])
    assert (group.name, group.pick_count) == ("Decimals", 2)
    assert group.update([{"name": ""}]), "the key is there even when the name is blank"
    assert group.delete()
    with pytest.raises(ResourceDoesNotExist):
        quiz.get_quiz_group(group.id)


def test_the_questions_of_a_group_are_put_in_order(quiz):
    group = quiz.create_question_group([{"name": "Fractions"}])

    def create(name):
        question = {"question_name": name, "question_text": "?", "question_type": "essay_question"}
        return quiz.create_question(question={**question, "quiz_group_id": group.id})

    first, second = create("first"), create("second")
    assert group.reorder_question_group([{"id": second.id, "type": "question"}, {"id": first.id, "type": "question"}])
    assert [quiz.get_question(question.id).position for question in (second, first)] == [1, 2]
    assert group.reorder_question_group([{"id": first.id}]), "without a type it changes nothing"
    assert quiz.get_question(second.id).position == 1


def test_a_new_quiz(course):
    quiz = course.create_new_quiz(quiz={"title": "Seeds", "points_possible": 10})
    assert course.get_new_quiz(quiz.id).title == "Seeds"
    assert [found.title for found in course.get_new_quizzes()] == ["Seeds"]
    assert quiz.update(quiz={"title": "Fruits"}).title == "Fruits"
    assert quiz.delete().title == "Fruits"
    with pytest.raises(ResourceDoesNotExist):
        course.get_new_quiz(quiz.id)


def test_a_long_list_is_paged_to_its_end(account):
    school = account.create_subaccount({"name": "A large school"})
    created = {school.create_course(course={"name": f"Course {number:03}"}).id for number in range(250)}
    listed = [course.id for course in school.get_courses()]
    assert len(listed) == 250
    assert set(listed) == created


def test_users_of_an_account_are_paged_to_the_end(account, new_user):
    created = {new_user(f"user {number:03}").id for number in range(250)}
    listed = [user.id for user in account.get_users()]
    assert len(listed) == len(set(listed))
    assert created <= set(listed)


def test_400_is_a_bad_request(quiz):
    with pytest.raises(BadRequest):
        # The body has the name and lacks the list.
        quiz._requester.request("POST", f"courses/{quiz.course_id}/quizzes/{quiz.id}/groups", name="Fractions")


def test_401_with_the_challenge_is_an_invalid_token():
    with pytest.raises(InvalidAccessToken):
        Canvas(URL, "nonsense").get_current_user()


def test_401_without_the_challenge_is_unauthorized(new_user, seen_by):
    limited = seen_by(new_user("limited"), scopes=["url:GET|/api/v1/courses"])
    assert list(limited.get_courses()) == []
    with pytest.raises(Unauthorized):
        limited.get_current_user()


def test_403_is_forbidden(course, new_user, seen_by):
    with pytest.raises(Forbidden):
        seen_by(new_user("stranger")).get_course(course.id).create_quiz({"title": "Mine"})


def test_404_is_a_resource_that_does_not_exist(canvas):
    with pytest.raises(ResourceDoesNotExist):
        canvas.get_course(9_999_999)


def test_422_is_an_unprocessable_entity(quiz):
    with pytest.raises(UnprocessableEntity):
        quiz.create_question_group([{"name": "x" * 256}])
