"""Badges as others verify them: the validator of the Open Badges project, its bakery, and a library for signed tokens."""

import base64
import gzip
import io
import uuid

import jwt
import openbadges_bakery
import png
import pytest
import requests
from openbadges.verifier import verify as validate
from openbadges.verifier.openbadges_context import OPENBADGES_CONTEXT_V2_DICT
from openbadges.verifier.utils import CachableDocumentLoader

from conftest import TOKEN, URL

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
TESTED = {"use_cache": False, "cache_backend": None}


@pytest.fixture(autouse=True)
def contexts(monkeypatch):
    """The validator carries the context that it would fetch."""
    fetch = CachableDocumentLoader.__call__

    def load(self, url):
        if url != "https://w3id.org/openbadges/v2":
            return fetch(self, url)
        return {"contextUrl": None, "documentUrl": url, "document": OPENBADGES_CONTEXT_V2_DICT, "from_cache": True}

    monkeypatch.setattr(CachableDocumentLoader, "__call__", load)


def picture():
    image = io.BytesIO()
    png.Writer(width=4, height=4, greyscale=True).write(image, [[0, 80, 160, 240]] * 4)
    return image.getvalue()


def data_uri(kind, image):
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


class Person:
    def __init__(self, new_user, name):
        user = new_user(name)
        self.email = f"{name}-{uuid.uuid4().hex}@school.test"
        admin = {"Authorization": f"Bearer {TOKEN}"}
        channel = {"communication_channel": {"address": self.email, "type": "email"}, "skip_confirmation": True}
        self.id = user.id
        path = f"{URL}/api/v1/users/{user.id}"
        requests.post(f"{path}/communication_channels", json=channel, headers=admin, timeout=60).raise_for_status()
        token = requests.post(f"{path}/tokens", json={"token": {"purpose": "test"}}, headers=admin, timeout=60)
        self.headers = {"Authorization": f"Bearer {token.json()['visible_token']}"}

    def teaches(self):
        """Who teaches somewhere may make issuers."""
        admin = {"Authorization": f"Bearer {TOKEN}"}
        course = requests.post(f"{URL}/api/v1/accounts/1/courses", json={"course": {"name": "Knots"}}, headers=admin, timeout=60)
        enrollment = {"user_id": self.id, "type": "TeacherEnrollment", "enrollment_state": "active"}
        path = f"{URL}/api/v1/courses/{course.json()['id']}/enrollments"
        requests.post(path, json={"enrollment": enrollment}, headers=admin, timeout=60).raise_for_status()
        return self

    def send(self, method, path, **body):
        answer = requests.request(method, f"{URL}/v2{path}", json=body, headers=self.headers, timeout=60)
        answer.raise_for_status()
        return answer.json()["result"] if answer.content else None

    def one(self, method, path, **body):
        (record,) = self.send(method, path, **body)
        return record


class Room:
    def __init__(self, new_user):
        self.owner, self.earner = Person(new_user, "owner").teaches(), Person(new_user, "earner")
        fields = {"name": "Harbor College", "email": self.owner.email, "url": "https://harbor.test"}
        self.issuer = self.owner.one("POST", "/issuers", **fields)

    def badge(self, image=None, **fields):
        image = image or data_uri("png", picture())
        fields = {"name": "Knots", "description": "Six", "criteriaNarrative": "Tie them.", "image": image, **fields}
        return self.owner.one("POST", f"/issuers/{self.issuer['entityId']}/badgeclasses", **fields)

    def award(self, badge, **fields):
        fields = {"recipient": {"identity": self.earner.email}, **fields}
        return self.owner.one("POST", f"/badgeclasses/{badge['entityId']}/assertions", **fields)


@pytest.fixture
def room(new_user):
    return Room(new_user)


def report(badge, profile=None):
    return validate(badge, recipient_profile=profile, **TESTED)["report"]


def assert_valid(badge, profile=None):
    told = report(badge, profile)
    assert told["valid"], told
    return told


def test_the_validator_accepts_what_is_hosted(room):
    badge = room.badge(tags=["ropes"], alignments=[{"targetName": "RW", "targetUrl": "https://std.test/rw"}])
    evidence = [{"url": "https://e.test/film", "narrative": "A film"}, {"narrative": "Seen"}]
    plain = {"identity": room.earner.email, "hashed": False}
    for fields in [
        {},
        {"narrative": "Well done", "evidence": evidence},
        {"recipient": plain},
        {"expires": "2999-01-01T00:00:00Z"},
        {"recipient": {"identity": "https://ada.test/", "type": "openBadgeId"}},
        {"recipient": {"identity": "+4930123456", "type": "telephone"}},
    ]:
        award = room.award(badge, **fields)
        assert assert_valid(award["openBadgeId"])["validationSubject"] == award["openBadgeId"]
    assert_valid(badge["openBadgeId"])
    assert_valid(room.issuer["openBadgeId"])


def test_the_validator_knows_the_recipient(room):
    award = room.award(room.badge())
    told = assert_valid(award["openBadgeId"], {"email": room.earner.email})
    assert told["recipientProfile"] == {"email": room.earner.email}
    assert not report(award["openBadgeId"], {"email": "eve@school.test"})["valid"]


@pytest.mark.parametrize("kind, image", [("png", picture()), ("svg+xml", SVG.encode())])
def test_what_is_baked_is_read_by_others(room, kind, image):
    badge = room.badge(data_uri(kind, image))
    award = room.award(badge)
    baked = requests.get(award["image"], timeout=60)
    assert baked.headers["Content-Type"] == f"image/{kind}"
    assert award["openBadgeId"] in openbadges_bakery.unbake(io.BytesIO(baked.content))
    assert assert_valid(io.BytesIO(baked.content))["validationSubject"] == award["openBadgeId"]

    changed = room.owner.one("PUT", f"/assertions/{award['entityId']}", narrative="Better ]]> than <that>")
    fresh = requests.get(changed["image"], timeout=60)
    assert fresh.url != baked.url and fresh.content != baked.content
    assert_valid(io.BytesIO(fresh.content))


def test_a_baked_png_differs_by_one_chunk(room):
    award = room.award(room.badge())
    baked = requests.get(award["image"], timeout=60).content
    chunks = list(png.Reader(bytes=baked).chunks())
    ours = [chunk for chunk in chunks if chunk[0] == b"iTXt" and chunk[1].startswith(b"openbadges\0")]
    assert len(ours) == 1 and chunks[1] == ours[0]
    assert [chunk for chunk in chunks if chunk not in ours] == list(png.Reader(bytes=picture()).chunks())


def test_the_validator_refuses_what_is_broken(room):
    badge = room.badge()
    award = room.award(badge)
    assert_valid(award["openBadgeId"])
    room.owner.send("DELETE", f"/assertions/{award['entityId']}", revocation_reason="a mistake")
    assert not report(award["openBadgeId"])["valid"]
    assert requests.get(award["image"], timeout=60).status_code == 404
    over = room.award(badge, issuedOn="2020-01-01T00:00:00Z", expires="2021-01-01T00:00:00Z")
    assert not report(over["openBadgeId"])["valid"]
    assert not report(f"{URL}/public/assertions/nothing")["valid"]


def test_a_baked_badge_goes_into_the_backpack(room):
    award = room.award(room.badge())
    baked = requests.get(award["image"], timeout=60).content
    kept = room.earner.one("POST", "/backpack/import", image=data_uri("png", baked))
    assert (kept["entityId"], kept["acceptance"]) == (award["entityId"], "Accepted")
    other = room.award(room.badge())
    by_others = io.BytesIO()
    openbadges_bakery.bake(io.BytesIO(picture()), other["openBadgeId"], by_others)
    kept = room.earner.one("POST", "/backpack/import", image=data_uri("png", by_others.getvalue()))
    assert kept["entityId"] == other["entityId"]


def verified(token):
    """The claims, after the signature was checked with the key that the header names."""
    keys = jwt.PyJWKClient(f"{URL}/.well-known/jwks.json")
    return jwt.decode(token, keys.get_signing_key_from_jwt(token).key, algorithms=["EdDSA", "RS256"])


def revoked(status):
    claims = verified(requests.get(status["statusListCredential"], timeout=60).text)
    encoded = claims["credentialSubject"]["encodedList"]
    bits = gzip.decompress(base64.urlsafe_b64decode(encoded[1:] + "=" * (-len(encoded[1:]) % 4)))
    assert encoded[0] == "u" and len(bits) * 8 >= 131072
    place = int(status["statusListIndex"])
    return bool(bits[place // 8] & 0x80 >> place % 8)


def test_a_credential_is_signed_and_can_be_revoked(room):
    badge = room.badge()
    award, other = room.award(badge), room.award(badge)
    answer = requests.get(f"{award['openBadgeId']}/credential", timeout=60)
    assert answer.headers["Content-Type"] == "application/vc+jwt"
    claims = verified(answer.text)
    assert claims["type"] == ["VerifiableCredential", "OpenBadgeCredential"]
    assert claims["iss"] == claims["issuer"]["id"] == room.issuer["openBadgeId"]
    assert claims["jti"] == claims["id"] == award["openBadgeId"]
    assert claims["credentialSubject"]["achievement"]["id"] == badge["openBadgeId"]
    header, _, signature = answer.text.split(".")
    forged = base64.urlsafe_b64encode(b'{"id":"forged"}').decode().rstrip("=")
    with pytest.raises(jwt.InvalidSignatureError):
        verified(f"{header}.{forged}.{signature}")

    assert not revoked(claims["credentialStatus"])
    room.owner.send("DELETE", f"/assertions/{award['entityId']}", revocation_reason="a mistake")
    assert revoked(claims["credentialStatus"])
    good = verified(requests.get(f"{other['openBadgeId']}/credential", timeout=60).text)
    assert not revoked(good["credentialStatus"])


def test_a_credential_is_signed_with_rs256_for_those_who_know_nothing_else(room):
    award = room.award(room.badge())
    # The first one makes the key.
    answer = requests.get(f"{award['openBadgeId']}/credential?alg=RS256", timeout=60)
    header = jwt.get_unverified_header(answer.text)
    assert (header["alg"], header["typ"]) == ("RS256", "JWT")
    # As the validator of the specification does: the name of the key is where it is.
    key = jwt.PyJWK(requests.get(header["kid"], timeout=60).json())
    claims = jwt.decode(answer.text, key.key, algorithms=["RS256"])
    assert claims == verified(answer.text)
    assert claims["iss"] == claims["issuer"]["id"] == room.issuer["openBadgeId"]
    assert not revoked(claims["credentialStatus"])
    room.owner.send("DELETE", f"/assertions/{award['entityId']}", revocation_reason="a mistake")
    assert revoked(claims["credentialStatus"])
    header, _, signature = answer.text.split(".")
    forged = base64.urlsafe_b64encode(b'{"id":"forged"}').decode().rstrip("=")
    with pytest.raises(jwt.InvalidSignatureError):
        verified(f"{header}.{forged}.{signature}")
