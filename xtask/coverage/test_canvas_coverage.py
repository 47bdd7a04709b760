"""How calls are read from source, and compared with our paths."""

import canvas_coverage as coverage
import pytest

SOURCE = '''
class Course(CanvasObject):
    def get_quiz(self, quiz):
        """
        :calls: `GET /api/v1/courses/:course_id/quizzes/:id \\
        <https://canvas.instructure.com/doc/api/quizzes.html#method.quizzes/quizzes_api.show>`_
        """
        response = self._requester.request("GET", "courses/{}/quizzes/{}".format(self.id, quiz_id))

    def get_rubrics(self):
        return PaginatedList(Rubric, self._requester, "GET", "courses/%s/rubrics" % (self.id))

    def create_new_quiz(self):
        endpoint = "courses/{}/quizzes".format(self.id)
        return self._requester.request("POST", endpoint, _url="new_quizzes", _kwargs=combine_kwargs(**kwargs))

    def get_user(self, by):
        if by:
            uri = "courses/{}/users/{}"
        else:
            uri = f"users/{by}"
        return self._requester.request("GET", uri.format(self.id, by))

    def upload(self, file):
        """
        :calls: `POST /api/v1/courses/:course_id/ \\
            files <https://canvas.instructure.com/doc/api/files.html#x>`_
        """
        return Uploader(self._requester, "courses/{}/files".format(self.id), file).start()

    def get_contents(self):
        return self._requester.request("GET", _url=self.url)
'''


def test_each_way_of_writing_a_path_is_read():
    calls = {call.function: call for call in coverage.calls_of("course", SOURCE)}
    assert {name: (call.method, call.paths) for name, call in calls.items() if name != "Course.get_user"} == {
        "Course.get_quiz": ("GET", ("/api/v1/courses/{}/quizzes/{}",)),
        "Course.get_rubrics": ("GET", ("/api/v1/courses/{}/rubrics",)),
        "Course.create_new_quiz": ("POST", ("/api/quiz/v1/courses/{}/quizzes",)),
        "Course.upload": ("POST", ("/api/v1/courses/{}/files",)),
    }
    assert calls["Course.get_user"].paths == ("/api/v1/courses/{}/users/{}", "/api/v1/users/{}")
    assert calls["Course.get_quiz"].resources == ("quizzes",)
    assert calls["Course.upload"].resources == ("files",)


def test_what_cannot_be_read_is_not_left_out():
    source = 'class A:\n    def b(self):\n        self._requester.request("GET", path_of(self))\n'
    with pytest.raises(SystemExit, match="A.b"):
        coverage.calls_of("a", source)


def test_a_kind_of_place_is_what_the_documentation_names():
    documented = [("GET", "/api/v1/courses/:course_id/pages/:url", "pages"), ("GET", "/api/v1/groups/:id/pages/:url", "pages")]
    path = "/api/v1/{}s/{}/pages/{}"
    assert coverage.expanded(path, "GET", documented) == ["/api/v1/courses/{}/pages/{}", "/api/v1/groups/{}/pages/{}"]
    assert len(coverage.expanded(path, "PUT", documented)) == len(coverage.CONTEXTS)
    whole = [("GET", "/api/v1/courses/:course_id/outcome_groups/:id", "outcome_groups")]
    assert coverage.expanded("/api/v1/{}/outcome_groups/{}", "GET", whole) == ["/api/v1/courses/{}/outcome_groups/{}"]


@pytest.mark.parametrize(
    ("path", "is_here"),
    [
        ("/api/v1/courses/{}/assignments/{}", True),
        ("/api/v1/courses/self/assignments/{}", True),
        ("/api/v1/courses/{}/assignments/overrides", False),
        ("/api/v1/courses/{}/assignments", False),
        ("/api/v1/courses/{}/quizzes/{}", False),
    ],
)
def test_a_word_is_no_id(path, is_here):
    assert coverage.answers(path, ["/api/v1/courses/{course_id}/assignments/{id}"]) is is_here


def test_what_is_here_in_part_is_neither():
    call = coverage.Call("page", "Page.delete", "DELETE", ("/api/v1/courses/{}/pages/{}", "/api/v1/groups/{}/pages/{}"), ("pages",))
    shares = coverage.measured([call], {"DELETE": ["/api/v1/courses/{course_id}/pages/{url}"]})
    assert shares == {call: 0.5} and coverage.word(shares.values()) == "in part"
