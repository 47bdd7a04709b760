"""Every kind of page as axe judges it, wide and on a telephone, in light and in dark."""

import base64
import json
import os
import pathlib
import re
import time
import uuid

import jwt
import pytest
import requests

from browser import CHROMIUM, FITS, LEAST_CONTRAST, Browser
from conftest import TOKEN, URL

AXE = os.environ.get("LECTERN_AXE")
# How the pages look is kept in docs/ by running these tests with SCREENSHOTS=docs.
SCREENSHOTS = os.environ.get("SCREENSHOTS")
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
PASSWORD = "analytical engine"
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

MEDAL = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120"><circle cx="60" cy="60" r="56" fill="#0b57c2"/>
<circle cx="60" cy="60" r="46" fill="none" stroke="#fff" stroke-width="3"/><path d="M32 72c0-34 56-34 56 0M32 48c0 34 56 34 56 0"
fill="none" stroke="#fff" stroke-width="9" stroke-linecap="round"/></svg>"""
NAMES = {"teacher": "Ada Lovelace", "student": "Grace Hopper"}


class Caller:
    """Somebody with a token."""

    def __init__(self, token=TOKEN):
        self.headers = {"Authorization": f"Bearer {token}"}

    def send(self, method, path, **body):
        answer = requests.request(method, f"{URL}{path}", json=body, headers=self.headers, timeout=60)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def post(self, path, **body):
        return self.send("POST", path, **body)


class School:
    """A course with a teacher and a student, and a record of each kind that has a page."""

    def __init__(self):
        self.admin = Caller()
        course = self.admin.post("/api/v1/accounts/self/courses", course={"name": "Botany"}, offer=True)
        self.course = f"/api/v1/courses/{course['id']}"
        self.teacher = self.member("teacher", "TeacherEnrollment")
        self.student = self.member("student", "StudentEnrollment")

    def member(self, name, role):
        full_name, name = NAMES[name], f"{name}-{uuid.uuid4().hex}"
        login = {"unique_id": name, "password": PASSWORD}
        user = self.admin.post("/api/v1/accounts/self/users", user={"name": full_name}, pseudonym=login)
        enrollment = {"user_id": user["id"], "type": role, "enrollment_state": "active"}
        self.admin.post(f"{self.course}/enrollments", enrollment=enrollment)
        channels = f"/api/v1/users/{user['id']}/communication_channels"
        channel = {"address": f"{name}@school.test", "type": "email"}
        self.admin.post(channels, communication_channel=channel, skip_confirmation=True)
        token = self.admin.post(f"/api/v1/users/{user['id']}/tokens", token={"purpose": "test"})
        member = Caller(token["visible_token"])
        member.email, member.login, member.id = channel["address"], name, user["id"]
        return member

    def sign_in(self, browser, member):
        """Gives the browser a session of the member's."""
        session = requests.Session()
        page = session.get(f"{URL}/login", timeout=60).text
        token = re.search('name="authenticity_token" value="([^"]+)"', page)[1]
        form = {"login": member.login, "password": PASSWORD, "return_to": "/home", "authenticity_token": token}
        answer = session.post(f"{URL}/login", data=form, allow_redirects=False, timeout=60)
        assert answer.status_code == 303, answer.text
        (cookie,) = session.cookies
        browser.sign_in(cookie)

    def poll(self):
        (poll,) = self.teacher.post("/api/v1/polls", polls=[{"question": "Which leaf is lobed?"}])["polls"]
        path = f"/api/v1/polls/{poll['id']}"
        for text in ["Oak", "Beech"]:
            self.teacher.post(f"{path}/poll_choices", poll_choices=[{"text": text}])
        course = self.course.rsplit("/", 1)[1]
        (session,) = self.teacher.post(f"{path}/poll_sessions", poll_sessions=[{"course_id": course}])["poll_sessions"]
        self.session = f"{URL}/polls/{poll['id']}/sessions/{session['id']}"
        path = f"{path}/poll_sessions/{session['id']}"
        self.teacher.send("GET", f"{path}/open")
        yield "live poll", self.teacher.post(f"{path}/live_link", audience="teacher")["url"]
        yield "vote", self.student.post(f"{path}/live_link", audience="student")["url"]

    def badges(self):
        fields = {"name": "Harbor", "email": self.teacher.email, "url": "https://harbor.test", "image": PIXEL}
        (issuer,) = self.teacher.post("/v2/issuers", **fields)["result"]
        medal = f"data:image/svg+xml;base64,{base64.b64encode(MEDAL.encode()).decode()}"
        criteria = "# Tie, without looking\n\n- a bowline\n- a clove hitch\n- a sheet bend"
        fields = {"name": "Knots", "description": "Ties the knots that every sailor needs.", "criteriaNarrative": criteria}
        fields["image"] = medal
        (badge,) = self.teacher.post(f"/v2/issuers/{issuer['entityId']}/badgeclasses", **fields)["result"]
        award = {"recipient": {"identity": self.student.email}, "narrative": "Tied all three **in a minute**.", "evidence": [{"narrative": "Seen on the pier"}]}
        path = f"/v2/badgeclasses/{badge['entityId']}/assertions"
        good, bad = (self.teacher.post(path, **award)["result"][0]["entityId"] for _ in range(2))
        collection = {"name": "Mine", "published": True, "assertions": [good]}
        (shared,) = self.student.post("/v2/backpack/collections", **collection)["result"]
        self.teacher.send("DELETE", f"/v2/assertions/{bad}", revocation_reason="a mistake")
        yield "issuer", f"{URL}/public/issuers/{issuer['entityId']}.html"
        yield "badge class", f"{URL}/public/badges/{badge['entityId']}.html"
        yield "award", f"{URL}/public/assertions/{good}.html"
        yield "revoked award", f"{URL}/public/assertions/{bad}.html"
        yield "collection", f"{shared['share_url']}.html"
        yield "backpack", f"{URL}/backpack", self.student
        yield "badge in the backpack", f"{URL}/backpack/assertions/{good}", self.student
        yield "revoked badge in the backpack", f"{URL}/backpack/assertions/{bad}", self.student
        yield "import of a badge", f"{URL}/backpack/import", self.student

    def conversations(self):
        experience = {
            "title": "Leaves",
            "description": "Find out what they are",
            "learning_objectives": ["Tell a leaf from a needle", "Name three trees"],
            "pedagogical_guidance": "Ask first.",
            "workflow_state": "published",
        }
        path = f"{self.course}/ai_experiences"
        begun, other = (self.teacher.post(path, ai_experience=experience)["id"] for _ in range(2))
        talk = self.student.post(f"{path}/{begun}/conversations")
        path = f"{path}/{begun}/conversations/{talk['id']}"
        talk = self.student.post(f"{path}/messages", message="Is it an oak?")
        answer = talk["messages"][-1]["id"]
        self.student.post(f"{path}/messages/{answer}/feedback", vote="disliked", feedback_message="Too short")
        experiences = f"{URL}{self.course.removeprefix('/api/v1')}/ai_experiences"
        yield "conversation", f"{experiences}/{begun}/talk", self.student
        yield "conversation that was not begun", f"{experiences}/{other}/talk", self.student
        yield "failure", f"{experiences}/{begun}/talk?problem=llm_no_response", self.student
        yield "trial", f"{experiences}/{begun}/talk", self.teacher
        yield "experiences", experiences, self.teacher
        yield "conversations", f"{experiences}/{begun}/ai_conversations", self.teacher
        yield "transcript", f"{experiences}/{begun}/ai_conversations/{talk['id']}", self.teacher

    def operator(self):
        report = self.student.post("/api/v1/error_reports", error={"subject": "Leaves", "comments": "They fall."})
        home, reports = (self.admin.post(f"/api/v1/{name}/live_link")["url"] for name in ["operator", "error_reports"])
        yield "operator's home", home
        yield "messages given up", home.replace("/operator?", "/operator/outbox?")
        yield "deliveries", self.admin.post("/api/v1/webhook_deliveries/live_link")["url"]
        yield "error reports", reports
        yield "error report", reports.replace("/error_reports?", f"/error_reports/{report['id']}?")

    def tool(self):
        capability = "vnd.vendor.webhooks.root_account.all"
        tool = self.admin.post("/api/lti/tool_proxies", name="Mirror", capabilities=[capability])
        address, now = f"/api/lti/accounts/{tool['account_id']}/authorize", int(time.time())
        claims = {"sub": tool["guid"], "aud": f"{URL}{address}", "iat": now, "exp": now + 60, "jti": uuid.uuid4().hex}
        assertion = jwt.encode(claims, tool["shared_secret"], algorithm="HS256")
        grant = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
        own = Caller(self.admin.post(address, **grant)["access_token"])
        fields = {"ContextType": "account", "ContextId": str(tool["account_id"]), "EventTypes": ["GRADE_CHANGE"]}
        fields |= {"Format": "live-event", "TransportType": "https", "TransportMetadata": {"Url": "https://tool.test/hook"}}
        subscription = own.post("/api/lti/subscriptions", subscription=fields)
        delivery = own.post(f"/api/lti/subscriptions/{subscription['Id']}/test")
        deliveries = own.post("/api/lti/deliveries/live_link")["url"]
        yield "tool's deliveries", deliveries
        yield "tool's delivery", deliveries.replace("/tool_deliveries?", f"/tool_deliveries/{delivery['id']}?")
    def addresses(self):
        channel = {"address": f"new-{uuid.uuid4().hex}@school.test", "type": "email"}
        channels = f"/api/v1/users/{self.student.id}/communication_channels"
        made = self.admin.post(channels, communication_channel=channel)
        outbox = self.admin.send("GET", "/api/v1/outbox?per_page=100")
        (message,) = (message for message in outbox if message["channel_id"] == made["id"])
        yield "confirmation", f"{URL}/register/{message['body'].split('/register/')[1].split()[0]}"
        yield "no confirmation", f"{URL}/register/NOSUCHCODE"
        yield "signpost", f"{URL}{self.course.removeprefix('/api/v1')}"
        yield "unknown address", f"{URL}/nowhere"

    def signing_in(self):
        key = {"name": "Reader", "redirect_uris": "https://reader.test/back"}
        key = self.admin.post("/api/v1/accounts/1/developer_keys", developer_key=key)
        query = f"client_id={key['id']}&response_type=code&redirect_uri=https://reader.test/back"
        yield "log in", f"{URL}/login"
        yield "log in and allow", f"{URL}/login/oauth2/auth?{query}"
        yield "course settings", self.teacher.post(f"{self.course}/settings_link")["url"]
        yield "ended link", f"{URL}/operator?ticket=ended"

    def documentation(self):
        yield "front page", f"{URL}/"
        for name in ["", "/guides/webhooks", "/polls"]:
            yield f"docs{name}", f"{URL}/docs{name}"

    def own(self):
        """Pages of people who have signed in."""
        course = self.course.removeprefix("/api/v1")
        quiz = self.teacher.post(f"/api/quiz/v1{course}/quizzes", quiz={"title": "Leaves", "published": True})
        yield "student's home", f"{URL}/home", self.student
        yield "quiz", f"{URL}{course}/assignments/{quiz['id']}/take", self.student
        yield "quiz to grade", f"{URL}{course}/assignments/{quiz['id']}/grade", self.teacher
        yield "refused page", f"{URL}/operator", self.teacher
        yield "home", f"{URL}/home", self.teacher
        yield "polls", f"{URL}/polls", self.teacher
        yield "join", f"{URL}/join", self.teacher
        yield "wrong code", f"{URL}/join/WRONG", self.teacher
        yield "run a poll", f"{self.session}/live", self.teacher
        yield "own course settings", f"{URL}{course}/settings", self.teacher
        yield "no such page", f"{URL}/polls/9999999/sessions/9/vote", self.teacher

    def pages(self):
        """The name and address of each page, with the member who is to be signed in: first those that need nobody."""
        open_to_all = [self.poll, self.operator, self.tool, self.addresses, self.signing_in, self.documentation]
        kinds = [self.badges, *open_to_all, self.conversations, self.own]
        pages = [(page + (None,))[:3] for kind in kinds for page in kind()]
        members = [None, self.student, self.teacher]
        return sorted(pages, key=lambda page: members.index(page[2]))


@pytest.fixture(scope="module")
def school():
    return School()


@pytest.fixture(scope="module")
def pages(school):
    return school.pages()


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A browser with axe, which the policies of our pages would not let in."""
    if AXE is None or CHROMIUM is None:
        assert not os.environ.get("CI"), "Chromium is missing, or LECTERN_AXE does not say where axe is"
        pytest.skip("there is no Chromium, or LECTERN_AXE does not say where axe is")
    browser = Browser(tmp_path_factory.mktemp("axe"))
    browser.call("Page.setBypassCSP", enabled=True)
    yield browser
    browser.close()


def findings(browser):
    """What axe finds on the page that is open: rules with the places that break them."""
    browser.evaluate(pathlib.Path(AXE).read_text())
    told = browser.evaluate(f"axe.run(document, {{ runOnly: {json.dumps(RULES)} }}).then((told) => told.violations)")
    return [
        f"{rule['id']}: {rule['help']}: {', '.join(' '.join(map(str, node['target'])) for node in rule['nodes'][:3])}"
        for rule in told
    ]


def judged(reader, name, address):
    """What axe finds on a page, and whether the page is wider than its screen."""
    reader.call("Page.navigate", url=address)
    reader.see(name, "document.readyState === 'complete' && document.querySelector('h1') !== null")
    return findings(reader) + ([] if reader.evaluate(FITS) else ["it is wider than the screen"])


# German has the longest words.
@pytest.mark.parametrize("scheme, width, language", [("light", 1280, "en"), ("dark", 390, "de")])
def test_axe_finds_nothing(reader, school, pages, scheme, width, language):
    found, known = {}, None
    reader.use(scheme, width=width, height=800)
    reader.speak(language)
    reader.call("Network.clearBrowserCookies")
    for name, address, member in pages:
        if member is not known:
            school.sign_in(reader, member)
            known = member
        found[name] = judged(reader, name, address)
    assert {name: rules for name, rules in found.items() if rules} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name, width, height", [("award", 720, 840), ("home", 720, 480)])
def test_how_pages_look(browser, school, pages, name, width, height, scheme):
    browser.use(scheme, width=width, height=height)
    browser.speak("en")
    school.sign_in(browser, school.teacher)
    browser.open(next(address for known, address, _ in pages if known == name))
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    if SCREENSHOTS:
        pathlib.Path(SCREENSHOTS, f"{name}-{scheme}.png").write_bytes(browser.screenshot())


def test_axe_finds_what_is_wrong(reader):
    reader.use(width=1280)
    reader.open(f"{URL}/")
    reader.evaluate("document.documentElement.removeAttribute('lang')")
    assert any(rule.startswith("html-has-lang") for rule in findings(reader))
