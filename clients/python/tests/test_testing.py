"""The library for tests, against sandboxes that it starts: LECTERN_COMMAND says how, `cargo xtask test` sets it."""

import datetime
import os
import pathlib
import re
import signal
import time

import httpx
import pytest

from lectern import BadRequest, ConnectionFailed, InvalidToken, NotFound, Retries, ServiceFailed, WebhookRefused
from lectern.testing import SandboxFailed, start

SCHOOL = {
    "users": [{"login": "ada", "name": "Ada"}, {"login": "grace", "name": "Grace"}],
    "courses": [
        {
            "name": "Biology",
            "code": "BIO1",
            "state": "available",
            "teachers": ["ada"],
            "students": ["grace"],
            "assignments": [{"name": "Essay", "points": 10}],
        }
    ],
}
HOME = pathlib.Path.home()
ONCE = Retries(times=0)
OTHER_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
# Long enough ago for every token, and after all that a sandbox makes at its start.
LATER = datetime.datetime(2031, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)


def grade(lectern, score):
    place = [
        lectern.ids[kind][name]
        for kind, name in [("courses", "Biology"), ("assignments", "Biology/Essay"), ("users", "grace")]
    ]
    return lectern.client("ada").grade_submission(*place, {"submission": {"posted_grade": score}})


@pytest.fixture(autouse=True)
def compiled_components(monkeypatch):
    """Where they are kept, also for tests that have a home of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", str(HOME / ".cache")))


@pytest.mark.lectern_scenario(SCHOOL)
def test_clients_call_as_who_they_are(lectern):
    assert lectern.client().get_user_profile("self")["login_id"] == "admin"
    ada = lectern.client("ada")
    assert [course["name"] for course in ada.list_own_courses()] == ["Biology"]
    assert lectern.tokens["ada"] == lectern.token("ada")
    with pytest.raises(InvalidToken):
        list(ada.with_token(lectern.token("ada", expired=True)).list_own_courses())
    with pytest.raises((BadRequest, NotFound)):
        lectern.client("nobody")


def test_each_test_begins_at_the_start(lectern):
    """The scenario of the test before is gone."""
    assert lectern.ids == {}
    with pytest.raises((BadRequest, NotFound)):
        lectern.token("ada")


@pytest.mark.lectern_scenario(SCHOOL)
@pytest.mark.lectern_scenario({"users": [{"login": "alan", "name": "Alan"}]}, users=[{"login": "mary", "name": "Mary"}])
def test_scenarios_add_up(lectern):
    assert set(lectern.ids["users"]) >= {"ada", "grace", "alan", "mary"}
    made = lectern.scenario({"users": [{"login": "emmy", "name": "Emmy"}]})
    assert lectern.ids["users"]["emmy"] == made["users"]["emmy"]
    with pytest.raises(BadRequest, match="user"):
        lectern.scenario({"users": [{"login": "x", "surname": "X"}]})


@pytest.mark.lectern_scenario(SCHOOL)
def test_snapshots_bring_back_what_was_there(lectern):
    grade(lectern, 7)
    lectern.clock.freeze(LATER)
    lectern.snapshot("graded")
    assert grade(lectern, 1)["score"] == 1
    lectern.clock.advance(days=1)
    lectern.restore("graded")
    assert grade(lectern, 7)["score"] == 7 and lectern.ids["courses"]["Biology"]
    assert (lectern.clock.now(), lectern.clock.is_frozen) == (LATER, True)
    with pytest.raises(NotFound):
        lectern.restore("nothing")


def test_the_clock_is_set_moved_and_stopped(lectern):
    assert abs(lectern.clock.now() - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(minutes=1)
    assert lectern.clock.freeze(LATER) == LATER
    assert lectern.clock.advance(hours=1, minutes=30) == LATER + datetime.timedelta(minutes=90)
    assert lectern.clock.advance(datetime.timedelta(minutes=-90)) == LATER
    date = lectern.client().create_course(1, {"course": {"name": "Botany"}})["created_at"]
    assert date == "2031-05-06T07:08:09Z"
    lectern.clock.unfreeze()
    assert lectern.clock.set("2032-01-01T00:00:00Z").year == 2032
    with pytest.raises(ValueError, match="time zone"):
        lectern.clock.set(datetime.datetime(2030, 1, 1))


def test_faults_come_as_often_as_they_should(lectern):
    admin = lectern.client(retries=ONCE)
    own = ("GET", "/api/v1/users/self/profile")
    fault = lectern.faults.add(*own, status=503, body={"errors": [{"message": "out of order"}]}, times=2)
    for _ in range(2):
        with pytest.raises(ServiceFailed, match="out of order"):
            admin.get_user_profile("self")
    admin.get_user_profile("self")
    assert fault.left == 0
    lectern.faults.add(*own, kind="disconnect")
    with pytest.raises(ConnectionFailed):
        admin.get_user_profile("self")
    lectern.faults.add(*own, kind="expired_token")
    with pytest.raises(InvalidToken):
        admin.get_user_profile("self")
    lectern.faults.add(*own, delay_ms=300)
    before = time.monotonic()
    admin.get_user_profile("self")
    assert time.monotonic() - before >= 0.3
    lectern.faults.add("GET", "/api/v1/accounts", kind="empty_page")
    assert list(admin.list_accounts()) == [] and list(admin.list_accounts()) != []
    fault = lectern.faults.add(status=500, times=0)
    assert fault.left is None and lectern.faults.all()[-1]["id"] == fault.id
    fault.remove()
    lectern.faults.add(status=500, times=0)
    lectern.faults.clear()
    assert lectern.faults.all() == []
    admin.get_user_profile("self")
    with pytest.raises(BadRequest):
        lectern.faults.add(kind="earthquake")


@pytest.mark.lectern_scenario(SCHOOL)
def test_calls_are_found_and_failures_show_them(lectern):
    grade(lectern, 7)
    list(lectern.client("grace").list_own_courses(per_page=5))
    call = lectern.calls("PUT", login="ada").assert_called_once()
    assert call.sent == {"submission": {"posted_grade": 7}} and call.answered["score"] == 7
    assert (call.status, call.login) == (200, "ada")
    assert "secret" not in str(call.request_headers) and lectern.tokens["ada"] not in str(call.request_headers)
    lectern.calls(path="/api/v1/courses", status=200).assert_called(times=1)
    assert lectern.calls("GET")[0].query == "per_page=5"
    assert lectern.calls().assert_statuses(200, 200).statuses == [200, 200]
    lectern.calls("DELETE").assert_not_called()
    assert len(lectern.calls(since=lectern.clock.now() + datetime.timedelta(hours=1))) == 0
    with pytest.raises(
        AssertionError,
        match=r"(?s)PUT was called once, and not twice; .*\n    GET /api/v1/courses\?per_page=5: 200 by grace",
    ):
        lectern.calls("PUT").assert_called(times=2)
    with pytest.raises(AssertionError, match="DELETE was not called"):
        lectern.calls("DELETE").assert_called()
    with pytest.raises(AssertionError, match=r"was answered with \[200\], and not with \[429, 200\]"):
        lectern.calls("PUT").assert_statuses(429, 200)
    lectern.forget_calls()
    with pytest.raises(AssertionError, match="none"):
        lectern.calls().assert_called()


@pytest.mark.lectern_scenario(SCHOOL)
def test_an_inbox_takes_webhooks(lectern):
    inbox = lectern.inbox("grades")
    secret = inbox.subscribe("GRADE_CHANGE")
    lectern.clock.freeze(LATER)
    grade(lectern, 7)
    [delivery] = inbox.wait_for(event="GRADE_CHANGE", timeout=60)
    assert (delivery.signature, delivery.problem) == ("valid", None)
    assert delivery.verify(secret) == delivery.message and delivery.message["body"]["score"] == 7
    with pytest.raises(WebhookRefused):
        delivery.verify(OTHER_SECRET)
    inbox.answer_with(500)
    grade(lectern, 8)
    admin = lectern.client()
    lectern.wait_for(lambda: 500 in [one["response_status"] for one in admin.list_webhook_deliveries()], timeout=60)
    inbox.answer_with(200)
    lectern.clock.advance(minutes=1)
    first, second = [one for one in inbox.wait_for(3, timeout=60) if one.message["body"]["score"] == 8]
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    inbox.expect_secret(OTHER_SECRET)
    assert inbox.deliveries()[0].signature == "invalid" and inbox.deliveries()[0].problem
    inbox.clear()
    with pytest.raises(AssertionError, match="1 deliveries of TEST did not come within 0.2 s; there came: nothing"):
        inbox.wait_for(event="TEST", timeout=0.2)


def answers(address):
    try:
        return httpx.get(f"{address}/sandbox").status_code == 200
    except httpx.TransportError:
        return False


def test_a_sandbox_ends_with_whoever_started_it(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(__file__).parents[1] / "src"))
    with start() as sandbox:
        assert answers(sandbox.address)
    assert not answers(sandbox.address)
    script = pytester.makepyfile(
        """
        import os, signal
        from lectern.testing import start
        print(start().address, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    result = pytester.runpython(script)
    assert result.ret == -signal.SIGKILL
    [address] = result.outlines
    end = time.monotonic() + 60
    while answers(address):
        assert time.monotonic() < end, "it has outlived its parent"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("script", "reason", "timeout"),
    [
        (
            "echo 'Error: no port is free' >&2; exit 3",
            r"(?s)ended with 3 before it served\n.*Error: no port is free",
            60,
        ),
        ("echo hello", "ended with 0 before it served; it gave no reason", 60),
        ('echo \'{"base_url":"http://x"}\'; echo busy >&2; exec sleep 60', r"(?s)does not serve after 3 s\n.*busy", 3),
    ],
)
def test_a_program_that_serves_nothing_is_told(tmp_path, script, reason, timeout):
    program = tmp_path / "odd program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(SandboxFailed, match=reason):
        start(f"'{program}'", timeout=timeout)


def test_a_program_that_heeds_no_signal_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("lectern.testing._process.END_SECONDS", 0.5)
    program, noted = tmp_path / "stubborn", tmp_path / "pid"
    ready = '{"address":"http://127.0.0.1:9"}'
    lines = ["#!/bin/sh", "trap '' TERM", f"echo $$ >'{noted}'", f"echo '{ready}'", "while :; do sleep 1; done", ""]
    program.write_text("\n".join(lines))
    program.chmod(0o755)
    start(str(program)).close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)


PLUGIN = """
pytest_plugins = ["pytest_lectern"]
"""


def test_a_missing_program_is_told_in_words(pytester, monkeypatch):
    monkeypatch.delenv("LECTERN_COMMAND", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    pytester.makeconftest(PLUGIN)
    pytester.makepyfile("def test(lectern): pass")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*there is no `lectern` on the PATH. Put `lectern` of a release on the PATH*"])
    assert "Traceback" not in result.stdout.str()
    result = pytester.runpytest("--lectern-command", "/nowhere/lectern")
    result.stdout.fnmatch_lines(["*`/nowhere/lectern` is no program*"])
    result = pytester.runpytest("--lectern-address", "http://127.0.0.1:9")
    result.stdout.fnmatch_lines(["*no sandbox answers at http://127.0.0.1:9*"])


def test_workers_have_a_sandbox_each(pytester):
    pytester.makeconftest(PLUGIN)
    pytester.makefile(".yaml", school="users: [{login: ada, name: Ada Lovelace}]")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", [1, 2])
        def test(lectern, number, tmp_path_factory, worker_id):
            folder = tmp_path_factory.getbasetemp().parent
            (folder / worker_id).write_text(lectern.address)
            assert lectern.client("ada").get_user_profile("self")["name"] == "Ada Lovelace"
        """
    )
    result = pytester.runpytest(
        "-n", "2", "--dist", "each", "--lectern-scenario", "school.yaml", "--basetemp", "temporary"
    )
    result.assert_outcomes(passed=4)
    addresses = {(pytester.path / "temporary" / worker).read_text() for worker in ["gw0", "gw1"]}
    assert len(addresses) == 2 and not any(map(answers, addresses))


def test_a_failure_shows_the_calls_of_the_test(pytester, lectern):
    pytester.makeconftest(PLUGIN)
    pytester.makeini("[pytest]\nlectern_scenario = school.json")
    pytester.path.joinpath("school.json").write_text('{"users": [{"login": "ada", "name": "Ada"}]}')
    pytester.makepyfile(
        """
        def test(lectern):
            lectern.client("ada").get_user_profile("self")
            assert False
        """
    )
    result = pytester.runpytest("--lectern-address", lectern.address)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Calls to Lectern*", "GET /api/v1/users/self/profile: 200 by ada, * ms"])
    refused = pytester.runpytest("-n", "2", "--lectern-address", lectern.address)
    refused.stdout.fnmatch_lines(["*workers cannot share the sandbox at*"])


@pytest.mark.parametrize("name", ["README.md", "../../docs/guides/sandbox-in-tests.md"])
def test_the_examples_of_the_documents_work(pytester, name):
    text = pathlib.Path(__file__).parents[1].joinpath(name).read_text()
    examples = [example for example in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "def test_" in example]
    assert examples
    pytester.makeconftest(PLUGIN)
    for number, example in enumerate(examples):
        pytester.makepyfile(**{f"test_{number}": example})
    tests = sum(example.count("def test_") for example in examples)
    pytester.runpytest().assert_outcomes(passed=tests)
