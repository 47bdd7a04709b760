"""Communication channels and notification preferences, by canvasapi."""

import uuid

import pytest
from canvasapi.exceptions import BadRequest, Forbidden, ResourceDoesNotExist


@pytest.fixture
def user(new_user):
    return new_user("ada")


@pytest.fixture
def channel(user):
    return user.create_communication_channel(
        communication_channel={"address": "ada@school.test", "type": "email"}, skip_confirmation=True
    )


def test_a_channel_is_made_listed_and_deleted(user):
    for number in range(11):
        address = {"address": f"+1 555 01{number:02}", "type": "sms"}
        made = user.create_communication_channel(communication_channel=address)
        assert (made.address, made.type, made.workflow_state) == (address["address"], "sms", "unconfirmed")
        assert made.position == number + 1
    listed = list(user.get_communication_channels(per_page=4))
    assert [channel.position for channel in listed] == list(range(1, 12))
    assert listed[0].delete(), "the library takes a deletion for one"
    assert [channel.position for channel in user.get_communication_channels()] == list(range(2, 12))
    with pytest.raises(ResourceDoesNotExist):
        listed[0].delete()


def test_a_channel_of_ones_own(user, seen_by):
    me = seen_by(user).get_current_user()
    made = me.create_communication_channel(communication_channel={"address": "ada@school.test", "type": "email"})
    assert made.workflow_state == "unconfirmed"
    with pytest.raises(BadRequest):
        me.create_communication_channel(communication_channel={"address": "ADA@school.test", "type": "email"})
    assert [channel.id for channel in user.get_communication_channels()] == [made.id]


def test_the_channels_of_others_are_closed(user, new_user, seen_by):
    stranger = seen_by(new_user("stranger"))
    same_user = stranger.get_current_user()
    same_user.id = user.id
    with pytest.raises(Forbidden):
        list(same_user.get_communication_channels())


def test_preferences_are_read(channel):
    preferences = channel.get_preferences()
    announcement = next(one for one in preferences if one["notification"] == "new_announcement")
    assert (announcement["category"], announcement["frequency"]) == ("announcement", "immediately")
    assert announcement["href"].endswith(f"/{channel.id}/notification_preferences/new_announcement")
    assert channel.get_preference("new_announcement").frequency == "immediately"
    categories = channel.get_preference_categories()
    assert categories[:2] == ["added_to_conversation", "conversation_created"]
    assert len(categories) == 34


def test_preferences_are_changed(user, channel, seen_by):
    mine = next(iter(seen_by(user).get_current_user().get_communication_channels()))
    assert mine.id == channel.id
    assert mine.update_preference("new_announcement", "daily").frequency == "daily"
    changed = mine.update_preferences_by_catagory("due_date", "never")
    assert {preference["frequency"] for preference in changed} == {"never"}
    changed = mine.update_multiple_preferences(
        {"new_announcement": {"frequency": "weekly"}, "assignment_created": {"frequency": "daily"}}
    )
    assert {preference["notification"]: preference["frequency"] for preference in changed} == {
        "new_announcement": "weekly",
        "assignment_created": "daily",
    }
    assert channel.get_preference("assignment_created").frequency == "daily"
    with pytest.raises(ResourceDoesNotExist):
        mine.update_preference("nothing", "daily")


def test_a_new_user_comes_with_a_channel(account):
    user = account.create_user(
        {"unique_id": f"ada-{uuid.uuid4().hex}"},
        user={"name": "Ada"},
        communication_channel={"type": "email", "address": "new@school.test", "skip_confirmation": True},
    )
    (channel,) = user.get_communication_channels()
    assert (channel.address, channel.workflow_state) == ("new@school.test", "active")
