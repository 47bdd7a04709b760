"""Files, pages, exports and imports, as canvasapi and programs that know nothing of us use them."""

import io
import time
import zipfile
from xml.etree import ElementTree

import pytest
import requests
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz


def upload(owner, tmp_path, name, content, **kwargs):
    path = tmp_path / name
    path.write_bytes(content)
    done, answer = owner.upload(str(path), **kwargs)
    assert done, answer
    return answer


def ended(canvas, url):
    for _ in range(600):
        progress = canvas.get_progress(url.rsplit("/", 1)[-1])
        if progress.workflow_state in ("completed", "failed"):
            return progress
        time.sleep(0.1)
    raise AssertionError(f"{url} does not end")


def package(canvas, course, export_type, **kwargs):
    export = course.export_content(export_type, **kwargs)
    assert export.workflow_state == "created"
    progress = ended(canvas, export.progress_url)
    assert (progress.workflow_state, progress.completion) == ("completed", 100)
    export = course.get_content_export(export.id)
    assert export.workflow_state == "exported"
    answer = requests.get(export.attachment["url"], timeout=60)
    answer.raise_for_status()
    return zipfile.ZipFile(io.BytesIO(answer.content))


@pytest.fixture
def questions(quiz):
    quiz.create_question(
        question={
            "question_name": "Tree",
            "question_type": "multiple_choice_question",
            "question_text": "<p>Which tree?</p>",
            "points_possible": 3,
            "answers": [
                {"answer_text": "oak", "answer_weight": 100},
                {"answer_text": "cow", "answer_weight": 0},
            ],
        }
    )
    quiz.create_question(
        question={
            "question_name": "Green",
            "question_type": "true_false_question",
            "question_text": "<p>Leaves are green.</p>",
            "points_possible": 2,
            "answers": [
                {"answer_text": "True", "answer_weight": 100},
                {"answer_text": "False", "answer_weight": 0},
            ],
        }
    )
    quiz.create_question(
        question={
            "question_name": "Essay",
            "question_type": "essay_question",
            "question_text": "<p>Tell about leaves.</p>",
            "points_possible": 5,
        }
    )
    return quiz


def test_files_come_and_go(canvas, course, tmp_path):
    answer = upload(course, tmp_path, "leaf.txt", b"green", parent_folder_path="notes")
    file = canvas.get_file(answer["id"])
    assert (file.display_name, file.size) == ("leaf.txt", 5)
    assert file.get_contents(binary=True) == b"green"
    folder = canvas.get_folder(file.folder_id)
    assert folder.full_name == "course files/notes"
    assert [own.id for own in folder.get_files()] == [file.id]
    assert [own.id for own in course.get_files()] == [file.id]
    assert {own.name for own in course.get_folders()} == {"course files", "notes"}
    sub = course.create_folder("seeds", parent_folder_path="notes")
    assert sub.full_name == "course files/notes/seeds"
    file.delete()
    assert list(course.get_files()) == []


def test_a_user_uploads_to_own_files(new_user, seen_by, tmp_path):
    user = new_user("ada")
    answer = upload(seen_by(user).get_current_user(), tmp_path, "mine.txt", b"mine")
    assert answer["url"]


def test_pages_are_made_and_changed(course):
    page = course.create_page({"title": "Leaves", "body": "<p>green</p>", "published": True})
    assert page.url == "leaves"
    assert [own.title for own in course.get_pages()] == ["Leaves"]
    page = page.edit(wiki_page={"front_page": True})
    assert course.show_front_page().title == "Leaves"
    course.edit_front_page(wiki_page={"body": "<p>brown</p>"})
    assert course.get_page("leaves").body == "<p>brown</p>"


def test_a_cartridge_is_opened_by_others(canvas, course, questions, tmp_path):
    upload(course, tmp_path, "leaf.txt", b"green")
    course.create_page({"title": "Leaves", "body": "<p>green</p>"})
    archive = package(canvas, course, "common_cartridge", skip_notifications=True)
    assert archive.testzip() is None
    assert archive.read("web_resources/leaf.txt") == b"green"
    manifest = ElementTree.fromstring(archive.read("imsmanifest.xml"))
    space = manifest.tag.partition("}")[0] + "}"
    declared = [file.get("href") for file in manifest.iter(f"{space}file")]
    assert sorted(declared + ["imsmanifest.xml"]) == sorted(archive.namelist())
    resources = [resource.get("identifier") for resource in manifest.iter(f"{space}resource")]
    assert len(resources) == len(set(resources))
    assert [export.export_type for export in course.get_content_exports()] == ["common_cartridge"]


def imported(canvas, course, migration_type, content, **settings):
    migration = course.create_content_migration(
        migration_type, pre_attachment={"name": "package.zip", "size": len(content)}, settings=settings
    )
    assert migration.workflow_state == "pre_processing"
    announced = migration.pre_attachment
    answer = requests.post(
        announced["upload_url"],
        data=announced["upload_params"],
        files={announced["file_param"]: ("package.zip", content)},
        timeout=60,
    )
    assert answer.status_code == 201, answer.text
    ended(canvas, migration.progress_url)
    return course.get_content_migration(migration.id)


@pytest.mark.parametrize(
    ("export_type", "options", "migration_type"),
    [
        ("qti", {"qti_version": "2.1"}, "qti_converter"),
        ("qti", {"qti_version": "1.2"}, "qti_converter"),
        ("common_cartridge", {"version": "1.3"}, "common_cartridge_importer"),
        ("common_cartridge", {"version": "1.1"}, "common_cartridge_importer"),
    ],
)
def test_what_is_exported_comes_back(canvas, account, course, questions, export_type, options, migration_type):
    archive = package(canvas, course, export_type, skip_notifications=True, **options)
    copy = account.create_course(course={"name": "Botany again"})
    migration = imported(canvas, copy, migration_type, archive.fp.getvalue())
    issues = [issue.description for issue in migration.get_migration_issues()]
    assert migration.workflow_state == "completed", issues
    (quiz,) = copy.get_quizzes()
    assert quiz.title == "Leaves"
    before, after = list(questions.get_questions()), list(quiz.get_questions())

    def told(question):
        right = sorted(answer["text"] for answer in question.answers if answer["weight"] > 0)
        return question.question_type, question.points_possible, right

    assert [told(question) for question in after] == [told(question) for question in before]


def test_a_package_that_is_none_is_refused_in_words(canvas, course):
    migration = imported(canvas, course, "qti_converter", b"this is no package")
    assert migration.workflow_state == "failed"
    (issue,) = migration.get_migration_issues()
    assert issue.issue_type == "error"
    assert "archive" in issue.description or "zip" in issue.description


def test_a_package_of_another_program_is_read(canvas, course, tmp_path):
    source = """Quiz title: Addition
Title: A question
Points: 2
1. What is 2+3?
a) 6
b) 1
*c) 5

2. Which are dinosaurs?
[ ] Woolly mammoth
[*] Tyrannosaurus rex
[*] Triceratops

3. Who lives at the North Pole?
* Santa
* Santa Claus

4. What is the square root of 2?
= 1.4142 +- 0.0001

5. Tell.
____
"""
    config = Config()
    config.load()
    quiz = Quiz(source, config=config)
    path = tmp_path / "quiz.zip"
    QTI(quiz).save(str(path))
    migration = imported(canvas, course, "qti_converter", path.read_bytes())
    assert migration.workflow_state == "completed", [i.description for i in migration.get_migration_issues()]
    (quiz,) = course.get_quizzes()
    assert quiz.title == "Addition"
    kinds = [question.question_type for question in quiz.get_questions()]
    assert kinds == [
        "multiple_choice_question",
        "multiple_answers_question",
        "short_answer_question",
        "numerical_question",
        "essay_question",
    ]
    assert next(iter(quiz.get_questions())).points_possible == 2
