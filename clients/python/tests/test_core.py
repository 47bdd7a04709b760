"""What the client does when a service is slow, busy, gone or elsewhere: against answers that are written here."""

import email.utils
import pathlib
import re
import time

import httpx
import pytest
from conftest import URL

from lectern import (
    BadRequest,
    ConnectionFailed,
    Forbidden,
    InvalidToken,
    Lectern,
    RefusedRequest,
    Retries,
    ServiceFailed,
    TimedOut,
    TooManyRequests,
    UnprocessableEntity,
)


class Service:
    """Answers what it was given, and keeps what it was asked."""

    def __init__(self, *answers, address="http://lms.test", **settings):
        self.answers, self.requests, self.waits = list(answers), [], []
        transport = httpx.MockTransport(self.answer)
        self.lectern = Lectern(address, "secret", transport=transport, sleep=self.waits.append, **settings)

    def answer(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def busy(status=503, **headers):
    return httpx.Response(status, json={}, headers=headers)


FOUND = {"id": 7}


def test_a_busy_service_is_asked_again_when_it_says():
    service = Service(busy(**{"Retry-After": "3"}), busy(429, **{"retry-after": "0"}), httpx.Response(200, json=FOUND))
    assert service.lectern.get_course(7) == FOUND
    assert 3 <= service.waits[0] <= 3.5 and 0 <= service.waits[1] <= 0.5


def test_waits_grow_where_the_service_says_nothing():
    service = Service(*[busy() for _ in range(4)])
    with pytest.raises(ServiceFailed):
        service.lectern.get_course(7)
    assert [0.25 * 2**n <= wait <= 0.5 * 2**n for n, wait in enumerate(service.waits)] == [True] * 3


def test_retry_after_may_be_a_date_and_too_far():
    date = email.utils.formatdate(time.time() + 600, usegmt=True)
    service = Service(busy(429, **{"Retry-After": date}))
    with pytest.raises(TooManyRequests) as refused:
        service.lectern.get_course(7)
    assert 590 < refused.value.retry_after <= 601 and service.waits == []


def test_what_would_be_done_twice_is_not_sent_again():
    service = Service(busy(**{"Retry-After": "1"}), httpx.ConnectError("gone"))
    with pytest.raises(ServiceFailed):
        service.lectern.create_poll({"polls": [{"question": "Oak?"}]})
    with pytest.raises(ConnectionFailed):
        service.lectern.create_poll({"polls": [{"question": "Oak?"}]})
    assert len(service.requests) == 2 and service.waits == []


def test_broken_connections_and_timeouts():
    service = Service(httpx.ConnectError("gone"), httpx.ReadTimeout("slow"), httpx.Response(200, json=FOUND))
    assert service.lectern.get_course(7) == FOUND
    slow = Service(httpx.ReadTimeout("slow"), retries=Retries(times=0))
    with pytest.raises(TimedOut):
        slow.lectern.get_course(7)


def test_the_token_stays_with_the_service():
    link = '<https://elsewhere.test/api/v1/polls?page=2&per_page=1>; rel="next", <https://elsewhere.test/x>; rel="last"'
    service = Service(
        httpx.Response(200, json={"polls": [{"id": 1}]}, headers={"Link": link}),
        httpx.Response(200, json={"polls": [{"id": 2}]}),
        httpx.Response(302, headers={"Location": "https://elsewhere.test"}),
    )
    assert [poll["id"] for poll in service.lectern.list_polls(per_page=1)] == [1, 2]
    service.lectern.get_course(7)
    assert {request.url.host for request in service.requests} == {"lms.test"}
    assert str(service.requests[1].url) == "http://lms.test/api/v1/polls?page=2&per_page=1"


def test_a_service_may_lie_below_a_path():
    service = Service(
        httpx.Response(200, json={"polls": []}, headers={"Link": '<https://school.test/lms/api/v1/polls?page=2>; rel="next"'}),
        httpx.Response(200, json={"polls": []}),
        address="http://lms.test/lms/",
    )
    assert list(service.lectern.list_polls()) == []
    assert [str(request.url) for request in service.requests] == [
        "http://lms.test/lms/api/v1/polls",
        "http://lms.test/lms/api/v1/polls?page=2",
    ]


def test_an_upload_shows_its_token_to_the_service_alone():
    ticket = {"upload_url": "https://store.test/put", "upload_params": {"key": "k"}, "file_param": "file"}
    service = Service(
        httpx.Response(200, json=ticket),
        httpx.Response(201, headers={"Location": "http://lms.test/api/v1/files/1/create_success?ticket=t"}),
        httpx.Response(200, json=FOUND),
    )
    lectern = service.lectern
    assert lectern.upload(lectern.create_course_file, 7, name="a.txt", content=b"leaf") == FOUND
    assert ["authorization" in request.headers for request in service.requests] == [True, False, True]
    assert b'name="key"' in service.requests[1].content and b"leaf" in service.requests[1].content


def test_values_of_paths_and_queries_are_written_as_they_are_read():
    service = Service(httpx.Response(200, json=[]), httpx.Response(200, json=FOUND), httpx.Response(204))
    list(service.lectern.list_own_courses(include=["term", "sections"], enrollment_type=None))
    service.lectern.get_course("sis_course_id:a/b c")
    assert service.lectern.delete_poll(1) is None
    paths = [request.url.raw_path.decode() for request in service.requests]
    assert paths[0] == "/api/v1/courses?include%5B%5D=term&include%5B%5D=sections"
    assert paths[1] == "/api/v1/courses/sis_course_id%3Aa%2Fb%20c"


ENVELOPES = [
    (401, {"status": "unauthenticated", "errors": [{"message": "no"}]}, InvalidToken, "unauthenticated", "no", {}),
    (400, {"errors": {"name": [{"attribute": "name", "type": "too_long", "message": "is too long"}]}}, BadRequest, "too_long",
     "name is too long", {"name": ["is too long"]}),
    (401, {"errors": "Invalid as_user_id"}, InvalidToken, None, "Invalid as_user_id", {}),
    (400, {"status": "bad_request", "errors": [{"page": "is none"}]}, BadRequest, "bad_request", "page is none", {"page": ["is none"]}),
    (500, {"errors": [{"message": "An error occurred.", "error_code": "internal_server_error"}]}, ServiceFailed,
     "internal_server_error", "An error occurred.", {}),
    (422, {"errors": {"name": "is too long"}}, UnprocessableEntity, None, "name is too long", {"name": ["is too long"]}),
    (422, {"error": "Bad", "errors": [{"error_type": "ActiveRecord::RecordInvalid", "message": "Bad"}]}, UnprocessableEntity,
     "ActiveRecord::RecordInvalid", "Bad", {}),
    (403, {"errors": [{"status": "403", "code": "insufficient_scope", "title": "Forbidden", "detail": "no scope"}]}, Forbidden,
     "insufficient_scope", "no scope", {}),
    (400, {"status": {"success": False, "description": "bad request"}, "result": [], "fieldErrors": {"email": ["is none"]},
           "validationErrors": []}, BadRequest, None, "email is none", {"email": ["is none"]}),
    (400, {"error": "invalid_grant", "error_description": "used"}, BadRequest, "invalid_grant", "used", {}),
    (401, {"error": "Unauthorized subscription"}, InvalidToken, None, "Unauthorized subscription", {}),
    (404, {}, RefusedRequest, None, None, {}),
    (502, "<html>", ServiceFailed, None, None, {}),
]


@pytest.mark.parametrize(("status", "body", "kind", "code", "message", "fields"), ENVELOPES)
def test_each_envelope_is_read(status, body, kind, code, message, fields):
    service = Service(httpx.Response(status, json=body))
    with pytest.raises(kind) as refused:
        service.lectern.get_course(7)
    error = refused.value
    assert (error.status, error.code, error.fields, error.body) == (status, code, fields, body)
    assert error.message == message or (message is None and error.message == body)


def test_the_example_of_the_readme_works(admin, school, capsys):
    text = pathlib.Path(__file__).parents[1].joinpath("README.md").read_text()
    [example, *_] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    token = admin.create_personal_token(school.teacher_id, {"token": {"purpose": "test"}})["visible_token"]
    example = example.replace("http://127.0.0.1:3000", URL).replace('os.environ["TEACHER"]', repr(token))
    exec(compile(example, "README.md", "exec"), {"__name__": "readme"})
    assert "Fractions" in capsys.readouterr().out
