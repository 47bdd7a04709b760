"""The operations of the API, made from its description by `cargo xtask clients`: do not change this file."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ._core import Core, Pages

Id = int | str
Value = str | int | float | bool | None
Values = Sequence[Value] | Value
Json = Mapping[str, Any] | Sequence[Any] | None
Content = bytes | str


def _part(value: Id) -> str:
    """A value as one part of a path."""
    return quote(str(value), safe="")


class Operations(Core):
    """A method for each operation, which is named like it."""

    # ai-conversations

    def list_ai_experiences(
        self,
        course_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Any:
        """Lists the AI experiences of a course.

        `GET /api/v1/courses/{course_id}/ai_experiences`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences",
            query={
                "page": page,
                "per_page": per_page,
            },
        )

    def create_ai_experience(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates an AI experience.

        `POST /api/v1/courses/{course_id}/ai_experiences`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences",
            body=body,
        )

    def get_current_conversation(
        self,
        course_id: Id,
        ai_experience_id: Id,
    ) -> Any:
        """Reads the caller's active conversation.

        `GET /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations",
        )

    def start_conversation(
        self,
        course_id: Id,
        ai_experience_id: Id,
    ) -> Any:
        """Starts a conversation, and ends the one before it.

        `POST /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations",
        )

    def get_conversation(
        self,
        course_id: Id,
        ai_experience_id: Id,
        id: Id,
    ) -> Any:
        """Reads the conversation of a student.

        `GET /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations/{_part(id)}",
        )

    def end_conversation(
        self,
        course_id: Id,
        ai_experience_id: Id,
        id: Id,
    ) -> Any:
        """Ends a conversation.

        `DELETE /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations/{_part(id)}",
        )

    def get_evaluation(
        self,
        course_id: Id,
        ai_experience_id: Id,
        id: Id,
    ) -> Any:
        """Reads the latest evaluation, without asking the model.

        `GET /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations/{id}/evaluation`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations/{_part(id)}/evaluation",
        )

    def create_evaluation(
        self,
        course_id: Id,
        ai_experience_id: Id,
        id: Id,
    ) -> Any:
        """Lets the model evaluate the conversation.

        `POST /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations/{id}/evaluation`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations/{_part(id)}/evaluation",
        )

    def send_message(
        self,
        course_id: Id,
        ai_experience_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Sends a message and answers the conversation with the model's reply, or streams it as events.

        `POST /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations/{id}/messages`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations/{_part(id)}/messages",
            body=body,
        )

    def give_message_feedback(
        self,
        course_id: Id,
        ai_experience_id: Id,
        id: Id,
        message_id: Id,
        body: Json = None,
    ) -> Any:
        """Likes or dislikes an answer of the model.

        `POST /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations/{id}/messages/{message_id}/feedback`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations/{_part(id)}/messages/{_part(message_id)}/feedback",
            body=body,
        )

    def withdraw_message_feedback(
        self,
        course_id: Id,
        ai_experience_id: Id,
        id: Id,
        message_id: Id,
        feedback_id: Id,
    ) -> Any:
        """Takes a vote back.

        `DELETE /api/v1/courses/{course_id}/ai_experiences/{ai_experience_id}/conversations/{id}/messages/{message_id}/feedback/{feedback_id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/conversations/{_part(id)}/messages/{_part(message_id)}/feedback/{_part(feedback_id)}",
        )

    def get_ai_experience(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads an AI experience.

        `GET /api/v1/courses/{course_id}/ai_experiences/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(id)}",
        )

    def update_ai_experience(
        self,
        course_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes or publishes an AI experience.

        `PUT /api/v1/courses/{course_id}/ai_experiences/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(id)}",
            body=body,
        )

    def delete_ai_experience(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Deletes an AI experience.

        `DELETE /api/v1/courses/{course_id}/ai_experiences/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(id)}",
        )

    def list_ai_conversations(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Lists the latest conversation of each student.

        `GET /api/v1/courses/{course_id}/ai_experiences/{id}/ai_conversations`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(id)}/ai_conversations",
        )

    def get_ai_conversation(
        self,
        course_id: Id,
        id: Id,
        conversation_id: Id,
    ) -> Any:
        """Reads one of them with its messages.

        `GET /api/v1/courses/{course_id}/ai_experiences/{id}/ai_conversations/{conversation_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(id)}/ai_conversations/{_part(conversation_id)}",
        )

    def list_message_feedback(
        self,
        course_id: Id,
        id: Id,
        *,
        vote: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the votes on the answers of an AI experience, the newest first, with what users wrote about them.

        `GET /api/v1/courses/{course_id}/ai_experiences/{id}/feedback`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/ai_experiences/{_part(id)}/feedback",
            query={
                "vote": vote,
                "page": page,
                "per_page": per_page,
            },
            records="feedback",
        )

    def get_ai_experiences_page(
        self,
        course_id: Id,
        *,
        page: Value = None,
    ) -> Any:
        """Shows who is signed in the AI experiences of a course: a page.

        `GET /courses/{course_id}/ai_experiences`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/ai_experiences",
            query={
                "page": page,
            },
            takes_token=False,
        )

    def get_talk_page(
        self,
        course_id: Id,
        ai_experience_id: Id,
        *,
        problem: Value = None,
    ) -> Any:
        """Shows the caller's conversation with an AI experience: a page on which students talk, and teachers try it.

        `GET /courses/{course_id}/ai_experiences/{ai_experience_id}/talk`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/talk",
            query={
                "problem": problem,
            },
            takes_token=False,
        )

    def run_talk_on_page(
        self,
        course_id: Id,
        ai_experience_id: Id,
        body: Json = None,
    ) -> Any:
        """Starts or ends the caller's conversation with an AI experience, and leads back to its page.

        `POST /courses/{course_id}/ai_experiences/{ai_experience_id}/talk`
        """
        return self._call(
            "POST",
            f"/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/talk",
            body=body,
            takes_token=False,
        )

    def send_message_on_page(
        self,
        course_id: Id,
        ai_experience_id: Id,
        body: Json = None,
    ) -> Any:
        """Sends a message from the page of a conversation, and leads back to it, or streams the answer as events.

        `POST /courses/{course_id}/ai_experiences/{ai_experience_id}/talk/messages`
        """
        return self._call(
            "POST",
            f"/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/talk/messages",
            body=body,
            takes_token=False,
        )

    def vote_on_page(
        self,
        course_id: Id,
        ai_experience_id: Id,
        message_id: Id,
        body: Json = None,
    ) -> Any:
        """Likes or dislikes an answer on the page of a conversation, or takes the vote back, and leads back to the page.

        `POST /courses/{course_id}/ai_experiences/{ai_experience_id}/talk/messages/{message_id}/feedback`
        """
        return self._call(
            "POST",
            f"/courses/{_part(course_id)}/ai_experiences/{_part(ai_experience_id)}/talk/messages/{_part(message_id)}/feedback",
            body=body,
            takes_token=False,
        )

    def open_ai_experience(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Leads to the page on which who is signed in talks with an AI experience.

        `GET /courses/{course_id}/ai_experiences/{id}`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/ai_experiences/{_part(id)}",
            takes_token=False,
        )

    def get_ai_conversations_page(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Shows who manages an AI experience the latest conversation of each student, with the progress: a page.

        `GET /courses/{course_id}/ai_experiences/{id}/ai_conversations`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/ai_experiences/{_part(id)}/ai_conversations",
            takes_token=False,
        )

    def get_ai_conversation_page(
        self,
        course_id: Id,
        id: Id,
        conversation_id: Id,
    ) -> Any:
        """Shows who manages an AI experience a conversation with it: a page.

        `GET /courses/{course_id}/ai_experiences/{id}/ai_conversations/{conversation_id}`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/ai_experiences/{_part(id)}/ai_conversations/{_part(conversation_id)}",
            takes_token=False,
        )

    # background

    def create_operator_link(
        self,
    ) -> Any:
        """Makes a link to the operator's home.

        `POST /api/v1/operator/live_link`
        """
        return self._call(
            "POST",
            "/api/v1/operator/live_link",
        )

    def list_outbox_messages(
        self,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the messages to the users of the caller's tenant, the newest first.

        `GET /api/v1/outbox`
        """
        return self._pages(
            "GET",
            "/api/v1/outbox",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_health(
        self,
    ) -> Any:
        """Tells that the service lives, without a look at its database.

        `GET /health`
        """
        return self._call(
            "GET",
            "/health",
            takes_token=False,
        )

    def receive_bounce(
        self,
        body: Json = None,
    ) -> Any:
        """Notes that messages to an e-mail address came back.

        `POST /internal/bounces`
        """
        return self._call(
            "POST",
            "/internal/bounces",
            body=body,
        )

    def receive_postmark_notice(
        self,
        body: Json = None,
    ) -> Any:
        """Takes a notice of Postmark.

        `POST /internal/bounces/postmark`
        """
        return self._call(
            "POST",
            "/internal/bounces/postmark",
            body=body,
            takes_token=False,
        )

    def receive_sendgrid_notice(
        self,
        body: Json = None,
    ) -> Any:
        """Takes a batch of events of `SendGrid`.

        `POST /internal/bounces/sendgrid`
        """
        return self._call(
            "POST",
            "/internal/bounces/sendgrid",
            body=body,
            takes_token=False,
        )

    def receive_ses_notice(
        self,
        body: Json = None,
        content: Content | None = None,
        content_type: str | None = None,
    ) -> Any:
        """Takes a notice of Amazon SES, which comes by SNS.

        `POST /internal/bounces/ses`
        """
        return self._call(
            "POST",
            "/internal/bounces/ses",
            body=body,
            content=content,
            content_type=content_type,
            takes_token=False,
        )

    def receive_twilio_notice(
        self,
        form: Json = None,
    ) -> Any:
        """Takes a status callback of Twilio.

        `POST /internal/bounces/twilio`
        """
        return self._call(
            "POST",
            "/internal/bounces/twilio",
            form=form,
            takes_token=False,
        )

    def get_status(
        self,
        *,
        format: Value = None,
    ) -> Any:
        """Tells what waits, what has failed and how large the installation is, in figures.

        `GET /internal/status`
        """
        return self._call(
            "GET",
            "/internal/status",
            query={
                "format": format,
            },
        )

    def run_tick(
        self,
    ) -> Any:
        """Does what is due: deliveries, messages, the jobs of the areas, and clearing up.

        `POST /internal/tick`
        """
        return self._call(
            "POST",
            "/internal/tick",
        )

    def get_operator_page(
        self,
        *,
        ticket: Value = None,
    ) -> Any:
        """Shows what is wrong, figures, storage, tokens that end, and the newest imports and exports: a page.

        `GET /operator`
        """
        return self._call(
            "GET",
            "/operator",
            query={
                "ticket": ticket,
            },
            takes_token=False,
        )

    def get_dead_messages_page(
        self,
        *,
        before: Value = None,
        replayed: Value = None,
        ticket: Value = None,
    ) -> Any:
        """Shows messages that were given up, and why: a page.

        `GET /operator/outbox`
        """
        return self._call(
            "GET",
            "/operator/outbox",
            query={
                "before": before,
                "replayed": replayed,
                "ticket": ticket,
            },
            takes_token=False,
        )

    def replay_dead_messages_on_page(
        self,
        body: Json = None,
    ) -> Any:
        """Makes the messages that were given up due again, the oldest thousand at once, and leads back to the outbox.

        `POST /operator/outbox/replay`
        """
        return self._call(
            "POST",
            "/operator/outbox/replay",
            body=body,
            takes_token=False,
        )

    def replay_message_on_page(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a message that was given up due again, and leads back to the outbox. One that is due already stays as it is.

        `POST /operator/outbox/{id}/replay`
        """
        return self._call(
            "POST",
            f"/operator/outbox/{_part(id)}/replay",
            body=body,
            takes_token=False,
        )

    def get_readiness(
        self,
    ) -> Any:
        """Tells whether the database, its tables and the store of bytes are there.

        `GET /ready`
        """
        return self._call(
            "GET",
            "/ready",
            takes_token=False,
        )

    # badges

    def get_did_document(
        self,
    ) -> Any:
        """The keys that verify credentials, as a DID document.

        `GET /.well-known/did.json`
        """
        return self._call(
            "GET",
            "/.well-known/did.json",
            takes_token=False,
        )

    def get_key_set(
        self,
    ) -> Any:
        """The keys that verify credentials.

        `GET /.well-known/jwks.json`
        """
        return self._call(
            "GET",
            "/.well-known/jwks.json",
            takes_token=False,
        )

    def get_backpack_page(
        self,
        *,
        after: Value = None,
        before: Value = None,
    ) -> Any:
        """Shows who is signed in the badges that they keep, and their collections: a page.

        `GET /backpack`
        """
        return self._call(
            "GET",
            "/backpack",
            query={
                "after": after,
                "before": before,
            },
            takes_token=False,
        )

    def get_backpack_assertion_page(
        self,
        id: Id,
    ) -> Any:
        """Shows who is signed in a badge of their backpack, with ways to share it: a page.

        `GET /backpack/assertions/{id}`
        """
        return self._call(
            "GET",
            f"/backpack/assertions/{_part(id)}",
            takes_token=False,
        )

    def update_backpack_on_page(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Accepts an award, turns it down or forgets an import, and leads back to the page or to the backpack.

        `POST /backpack/assertions/{id}`
        """
        return self._call(
            "POST",
            f"/backpack/assertions/{_part(id)}",
            body=body,
            takes_token=False,
        )

    def get_badge_import_page(
        self,
    ) -> Any:
        """Asks who is signed in for a badge to import: a page.

        `GET /backpack/import`
        """
        return self._call(
            "GET",
            "/backpack/import",
            takes_token=False,
        )

    def import_badge_on_page(
        self,
        body: Json = None,
    ) -> Any:
        """Verifies a badge of another service, keeps it, and leads to its page in the backpack.

        `POST /backpack/import`
        """
        return self._call(
            "POST",
            "/backpack/import",
            body=body,
            takes_token=False,
        )

    def issue_badge_token(
        self,
        body: Json = None,
    ) -> Any:
        """Gives a token for a login and its password, or for a refresh token.

        `POST /o/token`
        """
        return self._call(
            "POST",
            "/o/token",
            body=body,
            takes_token=False,
        )

    def get_did_json(
        self,
        id: Id,
    ) -> Any:
        """The keys that verify credentials of the issuers of an account, as a DID document.

        `GET /public/accounts/{id}/did.json`
        """
        return self._call(
            "GET",
            f"/public/accounts/{_part(id)}/did.json",
            takes_token=False,
        )

    def get_jwks_json(
        self,
        id: Id,
    ) -> Any:
        """The keys that verify credentials of the issuers of an account.

        `GET /public/accounts/{id}/jwks.json`
        """
        return self._call(
            "GET",
            f"/public/accounts/{_part(id)}/jwks.json",
            takes_token=False,
        )

    def get_public_assertion(
        self,
        id: Id,
        *,
        expand: Values = None,
        v: Value = None,
    ) -> Any:
        """The document of an award, or a page for people.

        `GET /public/assertions/{id}`
        """
        return self._call(
            "GET",
            f"/public/assertions/{_part(id)}",
            query={
                "expand[]": expand,
                "v": v,
            },
            takes_token=False,
        )

    def get_baked_assertion(
        self,
        id: Id,
        *,
        v: Value = None,
    ) -> Any:
        """Leads to the image with the award baked in.

        `GET /public/assertions/{id}/baked`
        """
        return self._call(
            "GET",
            f"/public/assertions/{_part(id)}/baked",
            query={
                "v": v,
            },
            takes_token=False,
        )

    def get_baked_assertion_file(
        self,
        id: Id,
        file: Id,
        *,
        v: Value = None,
    ) -> Any:
        """The image with the award baked in.

        `GET /public/assertions/{id}/baked/{file}`
        """
        return self._call(
            "GET",
            f"/public/assertions/{_part(id)}/baked/{_part(file)}",
            query={
                "v": v,
            },
            takes_token=False,
        )

    def get_assertion_credential(
        self,
        id: Id,
        *,
        alg: Value = None,
        iss: Value = None,
    ) -> Any:
        """An award as a signed credential.

        `GET /public/assertions/{id}/credential`
        """
        return self._call(
            "GET",
            f"/public/assertions/{_part(id)}/credential",
            query={
                "alg": alg,
                "iss": iss,
            },
            takes_token=False,
        )

    def verify_assertion_earner(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """The page of an award, which says whether it was made to an e-mail address.

        `POST /public/assertions/{id}/earner`
        """
        return self._call(
            "POST",
            f"/public/assertions/{_part(id)}/earner",
            body=body,
            takes_token=False,
        )

    def get_public_assertion_image(
        self,
        id: Id,
        *,
        fmt: Value = None,
        type: Value = None,
        v: Value = None,
    ) -> Any:
        """Leads to the image with the award baked in.

        `GET /public/assertions/{id}/image`
        """
        return self._call(
            "GET",
            f"/public/assertions/{_part(id)}/image",
            query={
                "fmt": fmt,
                "type": type,
                "v": v,
            },
            takes_token=False,
        )

    def get_public_badge_class(
        self,
        id: Id,
        *,
        expand: Values = None,
        v: Value = None,
    ) -> Any:
        """The document of a class of badges, or a page for people.

        `GET /public/badges/{id}`
        """
        return self._call(
            "GET",
            f"/public/badges/{_part(id)}",
            query={
                "expand[]": expand,
                "v": v,
            },
            takes_token=False,
        )

    def get_badge_class_criteria(
        self,
        id: Id,
    ) -> Any:
        """Leads to what a badge is awarded for.

        `GET /public/badges/{id}/criteria`
        """
        return self._call(
            "GET",
            f"/public/badges/{_part(id)}/criteria",
            takes_token=False,
        )

    def get_badge_class_image(
        self,
        id: Id,
        *,
        fmt: Value = None,
        type: Value = None,
    ) -> Any:
        """Leads to the image of a class of badges.

        `GET /public/badges/{id}/image`
        """
        return self._call(
            "GET",
            f"/public/badges/{_part(id)}/image",
            query={
                "fmt": fmt,
                "type": type,
            },
            takes_token=False,
        )

    def get_public_collection(
        self,
        id: Id,
        *,
        v: Value = None,
    ) -> Any:
        """The document of a published collection, or a page.

        `GET /public/collections/{id}`
        """
        return self._call(
            "GET",
            f"/public/collections/{_part(id)}",
            query={
                "v": v,
            },
            takes_token=False,
        )

    def get_public_image(
        self,
        file: Id,
    ) -> Any:
        """An image as it was uploaded.

        `GET /public/images/{file}`
        """
        return self._call(
            "GET",
            f"/public/images/{_part(file)}",
            takes_token=False,
        )

    def get_public_import(
        self,
        id: Id,
    ) -> Any:
        """The document of an imported award, as it was verified.

        `GET /public/imports/{id}`
        """
        return self._call(
            "GET",
            f"/public/imports/{_part(id)}",
            takes_token=False,
        )

    def get_public_import_image(
        self,
        id: Id,
        *,
        fmt: Value = None,
        type: Value = None,
    ) -> Any:
        """Leads to the image of an imported award.

        `GET /public/imports/{id}/image`
        """
        return self._call(
            "GET",
            f"/public/imports/{_part(id)}/image",
            query={
                "fmt": fmt,
                "type": type,
            },
            takes_token=False,
        )

    def get_public_issuer(
        self,
        id: Id,
        *,
        v: Value = None,
    ) -> Any:
        """The document of an issuer, or a page for people.

        `GET /public/issuers/{id}`
        """
        return self._call(
            "GET",
            f"/public/issuers/{_part(id)}",
            query={
                "v": v,
            },
            takes_token=False,
        )

    def list_public_badge_classes(
        self,
        id: Id,
        *,
        v: Value = None,
    ) -> Any:
        """The documents of an issuer's classes.

        `GET /public/issuers/{id}/badges`
        """
        return self._call(
            "GET",
            f"/public/issuers/{_part(id)}/badges",
            query={
                "v": v,
            },
            takes_token=False,
        )

    def get_issuer_did_json(
        self,
        id: Id,
    ) -> Any:
        """The keys that verify credentials of an issuer, as the document of its DID.

        `GET /public/issuers/{id}/did.json`
        """
        return self._call(
            "GET",
            f"/public/issuers/{_part(id)}/did.json",
            takes_token=False,
        )

    def get_issuer_image(
        self,
        id: Id,
        *,
        fmt: Value = None,
        type: Value = None,
    ) -> Any:
        """Leads to the image of an issuer.

        `GET /public/issuers/{id}/image`
        """
        return self._call(
            "GET",
            f"/public/issuers/{_part(id)}/image",
            query={
                "fmt": fmt,
                "type": type,
            },
            takes_token=False,
        )

    def get_revocation_list(
        self,
        id: Id,
    ) -> Any:
        """The list of an issuer's revoked awards.

        `GET /public/issuers/{id}/revocations`
        """
        return self._call(
            "GET",
            f"/public/issuers/{_part(id)}/revocations",
            takes_token=False,
        )

    def get_status_list(
        self,
        id: Id,
        list: Id,
        *,
        alg: Value = None,
        iss: Value = None,
    ) -> Any:
        """The signed list of which credentials are revoked.

        `GET /public/issuers/{id}/status/{list}`
        """
        return self._call(
            "GET",
            f"/public/issuers/{_part(id)}/status/{_part(list)}",
            query={
                "alg": alg,
                "iss": iss,
            },
            takes_token=False,
        )

    def get_public_key(
        self,
        id: Id,
    ) -> Any:
        """A key that verifies credentials.

        `GET /public/keys/{id}`
        """
        return self._call(
            "GET",
            f"/public/keys/{_part(id)}",
            takes_token=False,
        )

    def get_oembed(
        self,
        *,
        format: Value = None,
        url: Value = None,
    ) -> Any:
        """The things that a page needs to show an award of ours.

        `GET /public/oembed`
        """
        return self._call(
            "GET",
            "/public/oembed",
            query={
                "format": format,
                "url": url,
            },
            takes_token=False,
        )

    def verify_badge(
        self,
        body: Json = None,
    ) -> Any:
        """Verifies an award that is kept here.

        `POST /public/verify`
        """
        return self._call(
            "POST",
            "/public/verify",
            body=body,
            takes_token=False,
        )

    def list_changed_assertions(
        self,
        *,
        after: Value = None,
        num: Value = None,
        since: Value = None,
    ) -> Pages:
        """Follows the changes of awards.

        `GET /v2/assertions/changed`
        """
        return self._pages(
            "GET",
            "/v2/assertions/changed",
            query={
                "after": after,
                "num": num,
                "since": since,
            },
            records="result",
        )

    def revoke_assertions(
        self,
        body: Json = None,
    ) -> Any:
        """Revokes several awards.

        `POST /v2/assertions/revoke`
        """
        return self._call(
            "POST",
            "/v2/assertions/revoke",
            body=body,
        )

    def get_assertion(
        self,
        id: Id,
    ) -> Any:
        """Reads an award.

        `GET /v2/assertions/{id}`
        """
        return self._call(
            "GET",
            f"/v2/assertions/{_part(id)}",
        )

    def update_assertion(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes an award.

        `PUT /v2/assertions/{id}`
        """
        return self._call(
            "PUT",
            f"/v2/assertions/{_part(id)}",
            body=body,
        )

    def patch_assertion(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes an award.

        `PATCH /v2/assertions/{id}`
        """
        return self._call(
            "PATCH",
            f"/v2/assertions/{_part(id)}",
            body=body,
        )

    def revoke_assertion(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Revokes an award, for a reason.

        `DELETE /v2/assertions/{id}`
        """
        return self._call(
            "DELETE",
            f"/v2/assertions/{_part(id)}",
            body=body,
        )

    def list_auth_tokens(
        self,
    ) -> Any:
        """Lists the caller's tokens.

        `GET /v2/auth/tokens`
        """
        return self._call(
            "GET",
            "/v2/auth/tokens",
        )

    def get_auth_token(
        self,
        id: Id,
    ) -> Any:
        """Reads a token of the caller's.

        `GET /v2/auth/tokens/{id}`
        """
        return self._call(
            "GET",
            f"/v2/auth/tokens/{_part(id)}",
        )

    def revoke_auth_token(
        self,
        id: Id,
    ) -> Any:
        """Revokes a token of the caller's.

        `DELETE /v2/auth/tokens/{id}`
        """
        return self._call(
            "DELETE",
            f"/v2/auth/tokens/{_part(id)}",
        )

    def list_backpack_assertions(
        self,
        *,
        after: Value = None,
        before: Value = None,
        expand: Values = None,
        include_expired: Value = None,
        include_pending: Value = None,
        include_revoked: Value = None,
        num: Value = None,
    ) -> Pages:
        """Lists what the caller has earned or imported.

        `GET /v2/backpack/assertions`
        """
        return self._pages(
            "GET",
            "/v2/backpack/assertions",
            query={
                "after": after,
                "before": before,
                "expand[]": expand,
                "include_expired": include_expired,
                "include_pending": include_pending,
                "include_revoked": include_revoked,
                "num": num,
            },
            records="result",
        )

    def get_backpack_assertion(
        self,
        id: Id,
        *,
        expand: Values = None,
    ) -> Any:
        """Reads an award to the caller.

        `GET /v2/backpack/assertions/{id}`
        """
        return self._call(
            "GET",
            f"/v2/backpack/assertions/{_part(id)}",
            query={
                "expand[]": expand,
            },
        )

    def accept_backpack_assertion(
        self,
        id: Id,
        body: Json = None,
        *,
        expand: Values = None,
    ) -> Any:
        """Accepts an award.

        `PUT /v2/backpack/assertions/{id}`
        """
        return self._call(
            "PUT",
            f"/v2/backpack/assertions/{_part(id)}",
            query={
                "expand[]": expand,
            },
            body=body,
        )

    def remove_backpack_assertion(
        self,
        id: Id,
    ) -> Any:
        """Turns an award down, or forgets an import.

        `DELETE /v2/backpack/assertions/{id}`
        """
        return self._call(
            "DELETE",
            f"/v2/backpack/assertions/{_part(id)}",
        )

    def get_backpack_assertion_image(
        self,
        id: Id,
        *,
        fmt: Value = None,
        type: Value = None,
    ) -> Any:
        """Leads to the image of an award.

        `GET /v2/backpack/assertions/{id}/image`
        """
        return self._call(
            "GET",
            f"/v2/backpack/assertions/{_part(id)}/image",
            query={
                "fmt": fmt,
                "type": type,
            },
        )

    def claim_badge(
        self,
        body: Json = None,
    ) -> Any:
        """Awards the badge of a claim code to the caller.

        `POST /v2/backpack/claim`
        """
        return self._call(
            "POST",
            "/v2/backpack/claim",
            body=body,
        )

    def list_collections(
        self,
    ) -> Any:
        """Lists the caller's collections.

        `GET /v2/backpack/collections`
        """
        return self._call(
            "GET",
            "/v2/backpack/collections",
        )

    def create_collection(
        self,
        body: Json = None,
    ) -> Any:
        """Makes a collection.

        `POST /v2/backpack/collections`
        """
        return self._call(
            "POST",
            "/v2/backpack/collections",
            body=body,
        )

    def get_collection(
        self,
        id: Id,
    ) -> Any:
        """Reads a collection of the caller's.

        `GET /v2/backpack/collections/{id}`
        """
        return self._call(
            "GET",
            f"/v2/backpack/collections/{_part(id)}",
        )

    def update_collection(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a collection of the caller's.

        `PUT /v2/backpack/collections/{id}`
        """
        return self._call(
            "PUT",
            f"/v2/backpack/collections/{_part(id)}",
            body=body,
        )

    def delete_collection(
        self,
        id: Id,
    ) -> Any:
        """Deletes a collection of the caller's.

        `DELETE /v2/backpack/collections/{id}`
        """
        return self._call(
            "DELETE",
            f"/v2/backpack/collections/{_part(id)}",
        )

    def import_badge(
        self,
        body: Json = None,
        *,
        expand: Values = None,
    ) -> Any:
        """Verifies a badge of another service, and keeps it.

        `POST /v2/backpack/import`
        """
        return self._call(
            "POST",
            "/v2/backpack/import",
            query={
                "expand[]": expand,
            },
            body=body,
        )

    def share_assertion(
        self,
        id: Id,
        *,
        provider: Value = None,
        redirect: Value = None,
    ) -> Any:
        """Leads to where an award can be shared.

        `GET /v2/backpack/share/assertion/{id}`
        """
        return self._call(
            "GET",
            f"/v2/backpack/share/assertion/{_part(id)}",
            query={
                "provider": provider,
                "redirect": redirect,
            },
            takes_token=False,
        )

    def share_collection(
        self,
        id: Id,
        *,
        provider: Value = None,
        redirect: Value = None,
    ) -> Any:
        """Leads to where a published collection can be shared.

        `GET /v2/backpack/share/collection/{id}`
        """
        return self._call(
            "GET",
            f"/v2/backpack/share/collection/{_part(id)}",
            query={
                "provider": provider,
                "redirect": redirect,
            },
            takes_token=False,
        )

    def list_badge_classes(
        self,
        *,
        after: Value = None,
        before: Value = None,
        include_archived: Value = None,
        num: Value = None,
    ) -> Pages:
        """Lists the classes of the caller's issuers.

        `GET /v2/badgeclasses`
        """
        return self._pages(
            "GET",
            "/v2/badgeclasses",
            query={
                "after": after,
                "before": before,
                "include_archived": include_archived,
                "num": num,
            },
            records="result",
        )

    def create_badge_class(
        self,
        body: Json = None,
    ) -> Any:
        """Makes a class of badges, of the issuer that the body names.

        `POST /v2/badgeclasses`
        """
        return self._call(
            "POST",
            "/v2/badgeclasses",
            body=body,
        )

    def list_changed_badge_classes(
        self,
        *,
        after: Value = None,
        num: Value = None,
        since: Value = None,
    ) -> Pages:
        """Follows the changes of classes.

        `GET /v2/badgeclasses/changed`
        """
        return self._pages(
            "GET",
            "/v2/badgeclasses/changed",
            query={
                "after": after,
                "num": num,
                "since": since,
            },
            records="result",
        )

    def reactivate_badge_class_by_ref(
        self,
        address: Id,
    ) -> Any:
        """Takes the class out again whose public address it is, in base64.

        `POST /v2/badgeclasses/reactivate/ref/{address}`
        """
        return self._call(
            "POST",
            f"/v2/badgeclasses/reactivate/ref/{_part(address)}",
        )

    def reactivate_badge_class(
        self,
        id: Id,
    ) -> Any:
        """Takes a class out again.

        `POST /v2/badgeclasses/reactivate/{id}`
        """
        return self._call(
            "POST",
            f"/v2/badgeclasses/reactivate/{_part(id)}",
        )

    def get_badge_class(
        self,
        id: Id,
    ) -> Any:
        """Reads a class of badges.

        `GET /v2/badgeclasses/{id}`
        """
        return self._call(
            "GET",
            f"/v2/badgeclasses/{_part(id)}",
        )

    def update_badge_class(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a class of badges.

        `PUT /v2/badgeclasses/{id}`
        """
        return self._call(
            "PUT",
            f"/v2/badgeclasses/{_part(id)}",
            body=body,
        )

    def delete_badge_class(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Puts a class away, or deletes it.

        `DELETE /v2/badgeclasses/{id}`
        """
        return self._call(
            "DELETE",
            f"/v2/badgeclasses/{_part(id)}",
            body=body,
        )

    def list_badge_class_assertions(
        self,
        id: Id,
        *,
        after: Value = None,
        before: Value = None,
        include_expired: Value = None,
        include_revoked: Value = None,
        num: Value = None,
        recipient: Values = None,
    ) -> Pages:
        """Lists the awards of a class.

        `GET /v2/badgeclasses/{id}/assertions`
        """
        return self._pages(
            "GET",
            f"/v2/badgeclasses/{_part(id)}/assertions",
            query={
                "after": after,
                "before": before,
                "include_expired": include_expired,
                "include_revoked": include_revoked,
                "num": num,
                "recipient[]": recipient,
            },
            records="result",
        )

    def award_badge(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Awards a badge of the class.

        `POST /v2/badgeclasses/{id}/assertions`
        """
        return self._call(
            "POST",
            f"/v2/badgeclasses/{_part(id)}/assertions",
            body=body,
        )

    def list_claim_codes(
        self,
        id: Id,
        *,
        after: Value = None,
        before: Value = None,
        num: Value = None,
    ) -> Pages:
        """Lists the claim codes of a class.

        `GET /v2/badgeclasses/{id}/claimcodes`
        """
        return self._pages(
            "GET",
            f"/v2/badgeclasses/{_part(id)}/claimcodes",
            query={
                "after": after,
                "before": before,
                "num": num,
            },
            records="result",
        )

    def create_claim_code(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a claim code of a class.

        `POST /v2/badgeclasses/{id}/claimcodes`
        """
        return self._call(
            "POST",
            f"/v2/badgeclasses/{_part(id)}/claimcodes",
            body=body,
        )

    def revoke_claim_code(
        self,
        id: Id,
        code: Id,
    ) -> Any:
        """Revokes a claim code: nobody uses it any more, and what was awarded by it stays good.

        `DELETE /v2/badgeclasses/{id}/claimcodes/{code}`
        """
        return self._call(
            "DELETE",
            f"/v2/badgeclasses/{_part(id)}/claimcodes/{_part(code)}",
        )

    def duplicate_badge_class(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Copies a class under a new name.

        `POST /v2/badgeclasses/{id}/duplicate`
        """
        return self._call(
            "POST",
            f"/v2/badgeclasses/{_part(id)}/duplicate",
            body=body,
        )

    def award_badges(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Awards badges of the class to many at once.

        `POST /v2/badgeclasses/{id}/issue`
        """
        return self._call(
            "POST",
            f"/v2/badgeclasses/{_part(id)}/issue",
            body=body,
        )

    def list_issuers(
        self,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Lists the issuers of whose staff the caller is.

        `GET /v2/issuers`
        """
        return self._call(
            "GET",
            "/v2/issuers",
            query={
                "include_staff": include_staff,
            },
        )

    def create_issuer(
        self,
        body: Json = None,
    ) -> Any:
        """Makes an issuer of the caller's.

        `POST /v2/issuers`
        """
        return self._call(
            "POST",
            "/v2/issuers",
            body=body,
        )

    def list_changed_issuers(
        self,
        *,
        after: Value = None,
        num: Value = None,
        since: Value = None,
    ) -> Pages:
        """Follows the changes of the caller's issuers.

        `GET /v2/issuers/changed`
        """
        return self._pages(
            "GET",
            "/v2/issuers/changed",
            query={
                "after": after,
                "num": num,
                "since": since,
            },
            records="result",
        )

    def get_issuer_by_open_badge_id(
        self,
        address: Id,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Reads the issuer whose public address it is, in base64.

        `GET /v2/issuers/openBadgeId/{address}`
        """
        return self._call(
            "GET",
            f"/v2/issuers/openBadgeId/{_part(address)}",
            query={
                "include_staff": include_staff,
            },
        )

    def update_issuer_by_open_badge_id(
        self,
        address: Id,
        body: Json = None,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Replaces what the issuer says of itself whose public address it is.

        `PUT /v2/issuers/openBadgeId/{address}`
        """
        return self._call(
            "PUT",
            f"/v2/issuers/openBadgeId/{_part(address)}",
            query={
                "include_staff": include_staff,
            },
            body=body,
        )

    def delete_issuer_by_open_badge_id(
        self,
        address: Id,
    ) -> Any:
        """Deletes the issuer whose public address it is.

        `DELETE /v2/issuers/openBadgeId/{address}`
        """
        return self._call(
            "DELETE",
            f"/v2/issuers/openBadgeId/{_part(address)}",
        )

    def get_issuer_by_ref(
        self,
        address: Id,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Reads the issuer whose public address it is, in base64.

        `GET /v2/issuers/ref/{address}`
        """
        return self._call(
            "GET",
            f"/v2/issuers/ref/{_part(address)}",
            query={
                "include_staff": include_staff,
            },
        )

    def update_issuer_by_ref(
        self,
        address: Id,
        body: Json = None,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Replaces what the issuer says of itself whose public address it is.

        `PUT /v2/issuers/ref/{address}`
        """
        return self._call(
            "PUT",
            f"/v2/issuers/ref/{_part(address)}",
            query={
                "include_staff": include_staff,
            },
            body=body,
        )

    def delete_issuer_by_ref(
        self,
        address: Id,
    ) -> Any:
        """Deletes the issuer whose public address it is.

        `DELETE /v2/issuers/ref/{address}`
        """
        return self._call(
            "DELETE",
            f"/v2/issuers/ref/{_part(address)}",
        )

    def get_issuer(
        self,
        id: Id,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Reads an issuer.

        `GET /v2/issuers/{id}`
        """
        return self._call(
            "GET",
            f"/v2/issuers/{_part(id)}",
            query={
                "include_staff": include_staff,
            },
        )

    def update_issuer(
        self,
        id: Id,
        body: Json = None,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Replaces what an issuer says of itself.

        `PUT /v2/issuers/{id}`
        """
        return self._call(
            "PUT",
            f"/v2/issuers/{_part(id)}",
            query={
                "include_staff": include_staff,
            },
            body=body,
        )

    def patch_issuer(
        self,
        id: Id,
        body: Json = None,
        *,
        include_staff: Value = None,
    ) -> Any:
        """Changes what an issuer says of itself.

        `PATCH /v2/issuers/{id}`
        """
        return self._call(
            "PATCH",
            f"/v2/issuers/{_part(id)}",
            query={
                "include_staff": include_staff,
            },
            body=body,
        )

    def delete_issuer(
        self,
        id: Id,
    ) -> Any:
        """Deletes an issuer without living awards.

        `DELETE /v2/issuers/{id}`
        """
        return self._call(
            "DELETE",
            f"/v2/issuers/{_part(id)}",
        )

    def list_issuer_assertions(
        self,
        id: Id,
        *,
        after: Value = None,
        before: Value = None,
        include_expired: Value = None,
        include_revoked: Value = None,
        num: Value = None,
        recipient: Values = None,
    ) -> Pages:
        """Lists the awards of an issuer.

        `GET /v2/issuers/{id}/assertions`
        """
        return self._pages(
            "GET",
            f"/v2/issuers/{_part(id)}/assertions",
            query={
                "after": after,
                "before": before,
                "include_expired": include_expired,
                "include_revoked": include_revoked,
                "num": num,
                "recipient[]": recipient,
            },
            records="result",
        )

    def award_issuer_badge(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Awards a badge of the issuer.

        `POST /v2/issuers/{id}/assertions`
        """
        return self._call(
            "POST",
            f"/v2/issuers/{_part(id)}/assertions",
            body=body,
        )

    def list_issuer_badge_classes(
        self,
        id: Id,
        *,
        after: Value = None,
        before: Value = None,
        include_archived: Value = None,
        num: Value = None,
    ) -> Pages:
        """Lists the classes of an issuer.

        `GET /v2/issuers/{id}/badgeclasses`
        """
        return self._pages(
            "GET",
            f"/v2/issuers/{_part(id)}/badgeclasses",
            query={
                "after": after,
                "before": before,
                "include_archived": include_archived,
                "num": num,
            },
            records="result",
        )

    def create_issuer_badge_class(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a class of badges of the issuer.

        `POST /v2/issuers/{id}/badgeclasses`
        """
        return self._call(
            "POST",
            f"/v2/issuers/{_part(id)}/badgeclasses",
            body=body,
        )

    def add_issuer_staff(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Adds a member to the staff of an issuer.

        `POST /v2/issuers/{id}/staff`
        """
        return self._call(
            "POST",
            f"/v2/issuers/{_part(id)}/staff",
            body=body,
        )

    def change_issuer_staff(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a member of the staff another role.

        `PUT /v2/issuers/{id}/staff`
        """
        return self._call(
            "PUT",
            f"/v2/issuers/{_part(id)}/staff",
            body=body,
        )

    def patch_issuer_staff(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a member of the staff another role.

        `PATCH /v2/issuers/{id}/staff`
        """
        return self._call(
            "PATCH",
            f"/v2/issuers/{_part(id)}/staff",
            body=body,
        )

    def invite_issuer_staff(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Adds a member to the staff of an issuer, as soon as asked.

        `POST /v2/issuers/{id}/staff/invitations`
        """
        return self._call(
            "POST",
            f"/v2/issuers/{_part(id)}/staff/invitations",
            body=body,
        )

    def remove_issuer_staff(
        self,
        id: Id,
        email: Id,
    ) -> Any:
        """Takes a member off the staff.

        `DELETE /v2/issuers/{id}/staff/{email}`
        """
        return self._call(
            "DELETE",
            f"/v2/issuers/{_part(id)}/staff/{_part(email)}",
        )

    def list_signing_keys(
        self,
    ) -> Any:
        """Lists the keys by which credentials of the caller's account are signed.

        `GET /v2/signing_keys`
        """
        return self._call(
            "GET",
            "/v2/signing_keys",
        )

    def create_signing_key(
        self,
        body: Json = None,
    ) -> Any:
        """Lets a new key sign; the one of the same algorithm before it still verifies.

        `POST /v2/signing_keys`
        """
        return self._call(
            "POST",
            "/v2/signing_keys",
            body=body,
        )

    def delete_signing_key(
        self,
        id: Id,
    ) -> Any:
        """Takes a key back: what it has signed verifies no more.

        `DELETE /v2/signing_keys/{id}`
        """
        return self._call(
            "DELETE",
            f"/v2/signing_keys/{_part(id)}",
        )

    def get_badge_profile(
        self,
    ) -> Any:
        """Reads the caller.

        `GET /v2/users/self`
        """
        return self._call(
            "GET",
            "/v2/users/self",
        )

    def update_badge_profile(
        self,
        body: Json = None,
    ) -> Any:
        """Changes the caller.

        `PUT /v2/users/self`
        """
        return self._call(
            "PUT",
            "/v2/users/self",
            body=body,
        )

    def patch_badge_profile(
        self,
        body: Json = None,
    ) -> Any:
        """Changes the caller.

        `PATCH /v2/users/self`
        """
        return self._call(
            "PATCH",
            "/v2/users/self",
            body=body,
        )

    def get_badge_user(
        self,
        id: Id,
    ) -> Any:
        """Reads the caller, or somebody of the same staff.

        `GET /v2/users/{id}`
        """
        return self._call(
            "GET",
            f"/v2/users/{_part(id)}",
        )

    # communication-channels

    def delete_push_channel(
        self,
        body: Json = None,
    ) -> Any:
        """Forgets a device of the caller.

        `DELETE /api/v1/users/self/communication_channels/push`
        """
        return self._call(
            "DELETE",
            "/api/v1/users/self/communication_channels/push",
            body=body,
        )

    def list_communication_channels(
        self,
        user_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the channels of a user.

        `GET /api/v1/users/{user_id}/communication_channels`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/communication_channels",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_communication_channel(
        self,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a channel.

        `POST /api/v1/users/{user_id}/communication_channels`
        """
        return self._call(
            "POST",
            f"/api/v1/users/{_part(user_id)}/communication_channels",
            body=body,
        )

    def delete_communication_channel(
        self,
        user_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a channel.

        `DELETE /api/v1/users/{user_id}/communication_channels/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(id)}",
        )

    def confirm_communication_channel(
        self,
        user_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Confirms a channel with the code that was sent to it.

        `POST /api/v1/users/{user_id}/communication_channels/{id}/confirm`
        """
        return self._call(
            "POST",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(id)}/confirm",
            body=body,
        )

    def resend_confirmation(
        self,
        user_id: Id,
        id: Id,
    ) -> Any:
        """Sends a new code to a channel that is not confirmed.

        `POST /api/v1/users/{user_id}/communication_channels/{id}/resend`
        """
        return self._call(
            "POST",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(id)}/resend",
        )

    def delete_communication_channel_by_address(
        self,
        user_id: Id,
        type: Id,
        address: Id,
    ) -> Any:
        """Deletes the channel of an address.

        `DELETE /api/v1/users/{user_id}/communication_channels/{type}/{address}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(type)}/{_part(address)}",
        )

    def get_confirmation_page(
        self,
        code: Id,
    ) -> Any:
        """Shows the page that confirms a channel.

        `GET /register/{code}`
        """
        return self._call(
            "GET",
            f"/register/{_part(code)}",
            takes_token=False,
        )

    def confirm_registration(
        self,
        code: Id,
    ) -> Any:
        """Confirms a channel from its page.

        `POST /register/{code}`
        """
        return self._call(
            "POST",
            f"/register/{_part(code)}",
            takes_token=False,
        )

    # content-exports

    def list_course_content_exports(
        self,
        course_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the exports of a course.

        `GET /api/v1/courses/{course_id}/content_exports`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_exports",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course_content_export(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Exports a course.

        `POST /api/v1/courses/{course_id}/content_exports`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/content_exports",
            body=body,
        )

    def get_course_content_export(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads an export of a course.

        `GET /api/v1/courses/{course_id}/content_exports/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_exports/{_part(id)}",
        )

    def list_course_content_export_issues(
        self,
        course_id: Id,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what the package of a course's export could not say, or not as it was.

        `GET /api/v1/courses/{course_id}/content_exports/{id}/issues`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_exports/{_part(id)}/issues",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def list_migration_issues(
        self,
        course_id: Id,
        content_migration_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what went wrong or was left out when a package came in.

        `GET /api/v1/courses/{course_id}/content_migrations/{content_migration_id}/migration_issues`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_migrations/{_part(content_migration_id)}/migration_issues",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_migration_issue(
        self,
        course_id: Id,
        content_migration_id: Id,
        id: Id,
    ) -> Any:
        """Reads one thing that went wrong or was left out.

        `GET /api/v1/courses/{course_id}/content_migrations/{content_migration_id}/migration_issues/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_migrations/{_part(content_migration_id)}/migration_issues/{_part(id)}",
        )

    def update_migration_issue(
        self,
        course_id: Id,
        content_migration_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Marks an issue as resolved, or as active.

        `PUT /api/v1/courses/{course_id}/content_migrations/{content_migration_id}/migration_issues/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/content_migrations/{_part(content_migration_id)}/migration_issues/{_part(id)}",
            body=body,
        )

    def list_group_content_exports(
        self,
        group_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the exports of a group.

        `GET /api/v1/groups/{group_id}/content_exports`
        """
        return self._pages(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/content_exports",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_group_content_export(
        self,
        group_id: Id,
        body: Json = None,
    ) -> Any:
        """Exports the files of a group.

        `POST /api/v1/groups/{group_id}/content_exports`
        """
        return self._call(
            "POST",
            f"/api/v1/groups/{_part(group_id)}/content_exports",
            body=body,
        )

    def get_group_content_export(
        self,
        group_id: Id,
        id: Id,
    ) -> Any:
        """Reads an export of a group.

        `GET /api/v1/groups/{group_id}/content_exports/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/content_exports/{_part(id)}",
        )

    def list_group_content_export_issues(
        self,
        group_id: Id,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what the package of a group's export could not say, or not as it was.

        `GET /api/v1/groups/{group_id}/content_exports/{id}/issues`
        """
        return self._pages(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/content_exports/{_part(id)}/issues",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_progress(
        self,
        id: Id,
    ) -> Any:
        """Tells how far work has come.

        `GET /api/v1/progress/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/progress/{_part(id)}",
        )

    def cancel_progress(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Marks work as failed, which its user alone may do.

        `POST /api/v1/progress/{id}/cancel`
        """
        return self._call(
            "POST",
            f"/api/v1/progress/{_part(id)}/cancel",
            body=body,
        )

    def list_user_content_exports(
        self,
        user_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the exports of a user.

        `GET /api/v1/users/{user_id}/content_exports`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/content_exports",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_user_content_export(
        self,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Exports the files of a user.

        `POST /api/v1/users/{user_id}/content_exports`
        """
        return self._call(
            "POST",
            f"/api/v1/users/{_part(user_id)}/content_exports",
            body=body,
        )

    def get_user_content_export(
        self,
        user_id: Id,
        id: Id,
    ) -> Any:
        """Reads an export of a user.

        `GET /api/v1/users/{user_id}/content_exports/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/content_exports/{_part(id)}",
        )

    def list_user_content_export_issues(
        self,
        user_id: Id,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what the package of a user's export could not say, or not as it was.

        `GET /api/v1/users/{user_id}/content_exports/{id}/issues`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/content_exports/{_part(id)}/issues",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    # course-audit

    def list_account_course_events(
        self,
        account_id: Id,
        *,
        end_time: Value = None,
        start_time: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what happened to the courses of an account.

        `GET /api/v1/audit/course/accounts/{account_id}`
        """
        return self._pages(
            "GET",
            f"/api/v1/audit/course/accounts/{_part(account_id)}",
            query={
                "end_time": end_time,
                "start_time": start_time,
                "page": page,
                "per_page": per_page,
            },
            records="events",
        )

    def list_course_events(
        self,
        course_id: Id,
        *,
        end_time: Value = None,
        start_time: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what happened to a course.

        `GET /api/v1/audit/course/courses/{course_id}`
        """
        return self._pages(
            "GET",
            f"/api/v1/audit/course/courses/{_part(course_id)}",
            query={
                "end_time": end_time,
                "start_time": start_time,
                "page": page,
                "per_page": per_page,
            },
            records="events",
        )

    # coursework

    def list_new_quizzes(
        self,
        course_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the new quizzes of a course.

        `GET /api/quiz/v1/courses/{course_id}/quizzes`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_new_quiz(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a new quiz with its assignment.

        `POST /api/quiz/v1/courses/{course_id}/quizzes`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes",
            body=body,
        )

    def get_new_quiz(
        self,
        course_id: Id,
        assignment_id: Id,
    ) -> Any:
        """Reads a new quiz.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}",
        )

    def update_new_quiz(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a new quiz.

        `PATCH /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}`
        """
        return self._call(
            "PATCH",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}",
            body=body,
        )

    def delete_new_quiz(
        self,
        course_id: Id,
        assignment_id: Id,
    ) -> Any:
        """Deletes a new quiz with its assignment.

        `DELETE /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}`
        """
        return self._call(
            "DELETE",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}",
        )

    def list_new_quiz_attempts(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the caller's attempts at a new quiz, or everybody's for staff.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/attempts`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/attempts",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_new_quiz_attempt(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Attempts a new quiz.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/attempts`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/attempts",
            body=body,
        )

    def list_account_question_banks(
        self,
        account_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the question banks of an account.

        `GET /api/v1/accounts/{account_id}/question_banks`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/question_banks",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_account_question_bank(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a question bank for the courses of an account.

        `POST /api/v1/accounts/{account_id}/question_banks`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/question_banks",
            body=body,
        )

    def get_account_question_bank(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Reads a question bank of an account.

        `GET /api/v1/accounts/{account_id}/question_banks/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/question_banks/{_part(id)}",
        )

    def update_account_question_bank(
        self,
        account_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a question bank of an account.

        `PUT /api/v1/accounts/{account_id}/question_banks/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(account_id)}/question_banks/{_part(id)}",
            body=body,
        )

    def delete_account_question_bank(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a question bank of an account.

        `DELETE /api/v1/accounts/{account_id}/question_banks/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/accounts/{_part(account_id)}/question_banks/{_part(id)}",
        )

    def list_account_question_bank_questions(
        self,
        account_id: Id,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the questions of a bank of an account.

        `GET /api/v1/accounts/{account_id}/question_banks/{id}/questions`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/question_banks/{_part(id)}/questions",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_account_question_bank_question(
        self,
        account_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a question in a bank of an account.

        `POST /api/v1/accounts/{account_id}/question_banks/{id}/questions`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/question_banks/{_part(id)}/questions",
            body=body,
        )

    def list_assignments(
        self,
        course_id: Id,
        *,
        assignment_ids: Values = None,
        bucket: Value = None,
        include: Values = None,
        order_by: Value = None,
        search_term: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the assignments of a course.

        `GET /api/v1/courses/{course_id}/assignments`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments",
            query={
                "assignment_ids[]": assignment_ids,
                "bucket": bucket,
                "include[]": include,
                "order_by": order_by,
                "search_term": search_term,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_assignment(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates an assignment.

        `POST /api/v1/courses/{course_id}/assignments`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/assignments",
            body=body,
        )

    def get_assignment_overrides(
        self,
        course_id: Id,
        *,
        assignment_overrides: Values,
    ) -> Any:
        """Reads several overrides of a course's assignments.

        `GET /api/v1/courses/{course_id}/assignments/overrides`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments/overrides",
            query={
                "assignment_overrides[]": assignment_overrides,
            },
        )

    def create_assignment_overrides(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives sections, groups or students dates of their own for several assignments.

        `POST /api/v1/courses/{course_id}/assignments/overrides`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/assignments/overrides",
            body=body,
        )

    def update_assignment_overrides(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes several overrides of a course's assignments.

        `PUT /api/v1/courses/{course_id}/assignments/overrides`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/assignments/overrides",
            body=body,
        )

    def get_anonymous_submission(
        self,
        course_id: Id,
        assignment_id: Id,
        anonymous_id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a submission by its anonymous id.

        `GET /api/v1/courses/{course_id}/assignments/{assignment_id}/anonymous_submissions/{anonymous_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/anonymous_submissions/{_part(anonymous_id)}",
            query={
                "include[]": include,
            },
        )

    def grade_anonymous_submission(
        self,
        course_id: Id,
        assignment_id: Id,
        anonymous_id: Id,
        body: Json = None,
    ) -> Any:
        """Grades or excuses a submission by its anonymous id, or comments on it.

        `PUT /api/v1/courses/{course_id}/assignments/{assignment_id}/anonymous_submissions/{anonymous_id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/anonymous_submissions/{_part(anonymous_id)}",
            body=body,
        )

    def hide_assignment_grades(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Hides the grades of an assignment: students do not see them until they are posted.

        `PUT /api/v1/courses/{course_id}/assignments/{assignment_id}/hide_grades`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/hide_grades",
            body=body,
        )

    def list_assignment_overrides(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the overrides of an assignment.

        `GET /api/v1/courses/{course_id}/assignments/{assignment_id}/overrides`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/overrides",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_assignment_override(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a section, a group or students dates of their own for an assignment.

        `POST /api/v1/courses/{course_id}/assignments/{assignment_id}/overrides`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/overrides",
            body=body,
        )

    def get_assignment_override(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
    ) -> Any:
        """Reads an override of an assignment.

        `GET /api/v1/courses/{course_id}/assignments/{assignment_id}/overrides/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/overrides/{_part(id)}",
        )

    def update_assignment_override(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes an override of an assignment.

        `PUT /api/v1/courses/{course_id}/assignments/{assignment_id}/overrides/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/overrides/{_part(id)}",
            body=body,
        )

    def delete_assignment_override(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
    ) -> Any:
        """Deletes an override of an assignment: its students have the dates of everybody else again.

        `DELETE /api/v1/courses/{course_id}/assignments/{assignment_id}/overrides/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/overrides/{_part(id)}",
        )

    def post_assignment_grades(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Posts the grades of an assignment: students see them, and are told.

        `PUT /api/v1/courses/{course_id}/assignments/{assignment_id}/post_grades`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/post_grades",
            body=body,
        )

    def list_submissions(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        include: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the submissions of an assignment, one for each student.

        `GET /api/v1/courses/{course_id}/assignments/{assignment_id}/submissions`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/submissions",
            query={
                "include[]": include,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def submit_assignment(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Hands in a text, an address or files.

        `POST /api/v1/courses/{course_id}/assignments/{assignment_id}/submissions`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/submissions",
            body=body,
        )

    def get_submission(
        self,
        course_id: Id,
        assignment_id: Id,
        user_id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a student's submission.

        `GET /api/v1/courses/{course_id}/assignments/{assignment_id}/submissions/{user_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/submissions/{_part(user_id)}",
            query={
                "include[]": include,
            },
        )

    def grade_submission(
        self,
        course_id: Id,
        assignment_id: Id,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Grades or excuses a submission, or comments on it.

        `PUT /api/v1/courses/{course_id}/assignments/{assignment_id}/submissions/{user_id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/submissions/{_part(user_id)}",
            body=body,
        )

    def upload_submission_file(
        self,
        course_id: Id,
        assignment_id: Id,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Announces a file that is to be handed in.

        `POST /api/v1/courses/{course_id}/assignments/{assignment_id}/submissions/{user_id}/files`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/submissions/{_part(user_id)}/files",
            body=body,
        )

    def resubmit_to_plagiarism(
        self,
        course_id: Id,
        assignment_id: Id,
        user_id: Id,
    ) -> Any:
        """Asks the tools that look for plagiarism to look at a submission again.

        `POST /api/v1/courses/{course_id}/assignments/{assignment_id}/submissions/{user_id}/resubmit_to_plagiarism`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/submissions/{_part(user_id)}/resubmit_to_plagiarism",
        )

    def get_assignment(
        self,
        course_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads an assignment.

        `GET /api/v1/courses/{course_id}/assignments/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def update_assignment(
        self,
        course_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes an assignment.

        `PUT /api/v1/courses/{course_id}/assignments/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(id)}",
            body=body,
        )

    def delete_assignment(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Deletes an assignment, and the new quiz that it stands for.

        `DELETE /api/v1/courses/{course_id}/assignments/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/assignments/{_part(id)}",
        )

    def list_course_question_banks(
        self,
        course_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the question banks of a course.

        `GET /api/v1/courses/{course_id}/question_banks`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/question_banks",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course_question_bank(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a question bank.

        `POST /api/v1/courses/{course_id}/question_banks`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/question_banks",
            body=body,
        )

    def get_course_question_bank(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads a question bank.

        `GET /api/v1/courses/{course_id}/question_banks/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/question_banks/{_part(id)}",
        )

    def update_course_question_bank(
        self,
        course_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a question bank.

        `PUT /api/v1/courses/{course_id}/question_banks/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/question_banks/{_part(id)}",
            body=body,
        )

    def delete_course_question_bank(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a question bank.

        `DELETE /api/v1/courses/{course_id}/question_banks/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/question_banks/{_part(id)}",
        )

    def list_course_question_bank_questions(
        self,
        course_id: Id,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the questions of a bank.

        `GET /api/v1/courses/{course_id}/question_banks/{id}/questions`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/question_banks/{_part(id)}/questions",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course_question_bank_question(
        self,
        course_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a question in a bank.

        `POST /api/v1/courses/{course_id}/question_banks/{id}/questions`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/question_banks/{_part(id)}/questions",
            body=body,
        )

    def extend_quizzes_of_course(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives students extra attempts or time for all quizzes that a course has now, or unlocks these for them.

        `POST /api/v1/courses/{course_id}/quiz_extensions`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quiz_extensions",
            body=body,
        )

    def list_quizzes(
        self,
        course_id: Id,
        *,
        search_term: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the classic quizzes of a course.

        `GET /api/v1/courses/{course_id}/quizzes`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes",
            query={
                "search_term": search_term,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_quiz(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a classic quiz.

        `POST /api/v1/courses/{course_id}/quizzes`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes",
            body=body,
        )

    def list_quiz_assignment_overrides(
        self,
        course_id: Id,
        *,
        quiz_assignment_overrides: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the dates of classic quizzes, to staff with those of their overrides.

        `GET /api/v1/courses/{course_id}/quizzes/assignment_overrides`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/assignment_overrides",
            query={
                "quiz_assignment_overrides[]": quiz_assignment_overrides,
                "page": page,
                "per_page": per_page,
            },
            records="quiz_assignment_overrides",
        )

    def get_quiz(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads a classic quiz.

        `GET /api/v1/courses/{course_id}/quizzes/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(id)}",
        )

    def update_quiz(
        self,
        course_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a classic quiz.

        `PUT /api/v1/courses/{course_id}/quizzes/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(id)}",
            body=body,
        )

    def delete_quiz(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a classic quiz.

        `DELETE /api/v1/courses/{course_id}/quizzes/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(id)}",
        )

    def reorder_quiz(
        self,
        course_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Puts the questions and groups of a classic quiz in order.

        `POST /api/v1/courses/{course_id}/quizzes/{id}/reorder`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(id)}/reorder",
            body=body,
        )

    def extend_quiz(
        self,
        course_id: Id,
        quiz_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives students extra attempts or time for a quiz, or unlocks it for them.

        `POST /api/v1/courses/{course_id}/quizzes/{quiz_id}/extensions`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/extensions",
            body=body,
        )

    def list_quiz_questions(
        self,
        course_id: Id,
        quiz_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the questions of a quiz.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/questions`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/questions",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_quiz_question(
        self,
        course_id: Id,
        quiz_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a question.

        `POST /api/v1/courses/{course_id}/quizzes/{quiz_id}/questions`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/questions",
            body=body,
        )

    def get_quiz_question(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
    ) -> Any:
        """Reads a question.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/questions/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/questions/{_part(id)}",
        )

    def update_quiz_question(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a question.

        `PUT /api/v1/courses/{course_id}/quizzes/{quiz_id}/questions/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/questions/{_part(id)}",
            body=body,
        )

    def delete_quiz_question(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a question.

        `DELETE /api/v1/courses/{course_id}/quizzes/{quiz_id}/questions/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/questions/{_part(id)}",
        )

    def list_question_regrades(
        self,
        course_id: Id,
        quiz_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the regrades of a classic quiz, the newest first.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/regrades`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/regrades",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_question_regrade(
        self,
        course_id: Id,
        quiz_id: Id,
        regrade_id: Id,
    ) -> Any:
        """Reads a regrade of a classic quiz with its progress.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/regrades/{regrade_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/regrades/{_part(regrade_id)}",
        )

    def list_question_regrade_attempts(
        self,
        course_id: Id,
        quiz_id: Id,
        regrade_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what a regrade has done to each attempt at a classic quiz, as far as it has come.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/regrades/{regrade_id}/attempts`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/regrades/{_part(regrade_id)}/attempts",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def list_quiz_reports(
        self,
        course_id: Id,
        quiz_id: Id,
        *,
        include: Values = None,
        includes_all_versions: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the reports of a quiz that were asked for and not removed, the newest first.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/reports`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/reports",
            query={
                "include[]": include,
                "includes_all_versions": includes_all_versions,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_quiz_report(
        self,
        course_id: Id,
        quiz_id: Id,
        body: Json = None,
    ) -> Any:
        """Asks for a report of a quiz, which is made after the answer.

        `POST /api/v1/courses/{course_id}/quizzes/{quiz_id}/reports`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/reports",
            body=body,
        )

    def get_quiz_report(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a report of a quiz, with its file when it is made.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/reports/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/reports/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def delete_quiz_report(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
    ) -> Any:
        """Removes a report with its file; one that is being made is given up.

        `DELETE /api/v1/courses/{course_id}/quizzes/{quiz_id}/reports/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/reports/{_part(id)}",
        )

    def get_quiz_statistics(
        self,
        course_id: Id,
        quiz_id: Id,
        *,
        all_versions: Value = None,
    ) -> Any:
        """Reads the statistics of a quiz: of its attempts, and of the answers to each of its questions.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/statistics`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/statistics",
            query={
                "all_versions": all_versions,
            },
        )

    def get_own_quiz_submission(
        self,
        course_id: Id,
        quiz_id: Id,
    ) -> Any:
        """Reads the caller's submission of a quiz.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/submission`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/submission",
        )

    def list_quiz_submissions(
        self,
        course_id: Id,
        quiz_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the submissions of a quiz, or the caller's own attempts.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/submissions`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/submissions",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="quiz_submissions",
        )

    def start_quiz_submission(
        self,
        course_id: Id,
        quiz_id: Id,
        body: Json = None,
    ) -> Any:
        """Starts an attempt at a quiz.

        `POST /api/v1/courses/{course_id}/quizzes/{quiz_id}/submissions`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/submissions",
            body=body,
        )

    def get_quiz_submission(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
    ) -> Any:
        """Reads a submission of a quiz.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/submissions/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/submissions/{_part(id)}",
        )

    def score_quiz_submission(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes the score of answers to a quiz, and comments on them.

        `PUT /api/v1/courses/{course_id}/quizzes/{quiz_id}/submissions/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/submissions/{_part(id)}",
            body=body,
        )

    def complete_quiz_submission(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Hands in and grades an attempt at a quiz.

        `POST /api/v1/courses/{course_id}/quizzes/{quiz_id}/submissions/{id}/complete`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/submissions/{_part(id)}/complete",
            body=body,
        )

    def get_quiz_submission_time(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
    ) -> Any:
        """Tells how much time is left of an attempt at a quiz.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/submissions/{id}/time`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/submissions/{_part(id)}/time",
        )

    def list_student_submissions(
        self,
        course_id: Id,
        *,
        assignment_ids: Values = None,
        graded_since: Value = None,
        grouped: Value = None,
        include: Values = None,
        order: Value = None,
        order_direction: Value = None,
        student_ids: Values = None,
        submitted_since: Value = None,
        workflow_state: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists submissions of students for several assignments.

        `GET /api/v1/courses/{course_id}/students/submissions`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/students/submissions",
            query={
                "assignment_ids[]": assignment_ids,
                "graded_since": graded_since,
                "grouped": grouped,
                "include[]": include,
                "order": order,
                "order_direction": order_direction,
                "student_ids[]": student_ids,
                "submitted_since": submitted_since,
                "workflow_state": workflow_state,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_late_policy(
        self,
        id: Id,
    ) -> Any:
        """Reads the late policy of a course.

        `GET /api/v1/courses/{id}/late_policy`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(id)}/late_policy",
        )

    def create_late_policy(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a course a late policy.

        `POST /api/v1/courses/{id}/late_policy`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(id)}/late_policy",
            body=body,
        )

    def update_late_policy(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes the late policy of a course.

        `PATCH /api/v1/courses/{id}/late_policy`
        """
        return self._call(
            "PATCH",
            f"/api/v1/courses/{_part(id)}/late_policy",
            body=body,
        )

    def get_group_assignment_override(
        self,
        group_id: Id,
        assignment_id: Id,
    ) -> Any:
        """Reads the override of an assignment for a group of its course.

        `GET /api/v1/groups/{group_id}/assignments/{assignment_id}/override`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/assignments/{_part(assignment_id)}/override",
        )

    def list_quiz_submission_questions(
        self,
        quiz_submission_id: Id,
    ) -> Any:
        """Lists the questions of an attempt at a quiz.

        `GET /api/v1/quiz_submissions/{quiz_submission_id}/questions`
        """
        return self._call(
            "GET",
            f"/api/v1/quiz_submissions/{_part(quiz_submission_id)}/questions",
        )

    def answer_quiz_submission_questions(
        self,
        quiz_submission_id: Id,
        body: Json = None,
    ) -> Any:
        """Answers questions of a quiz.

        `POST /api/v1/quiz_submissions/{quiz_submission_id}/questions`
        """
        return self._call(
            "POST",
            f"/api/v1/quiz_submissions/{_part(quiz_submission_id)}/questions",
            body=body,
        )

    def replace_quiz_submission_answers(
        self,
        quiz_submission_id: Id,
        body: Json = None,
    ) -> Any:
        """Answers questions of a quiz.

        `PUT /api/v1/quiz_submissions/{quiz_submission_id}/questions`
        """
        return self._call(
            "PUT",
            f"/api/v1/quiz_submissions/{_part(quiz_submission_id)}/questions",
            body=body,
        )

    def flag_quiz_submission_question(
        self,
        quiz_submission_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Marks a question of a quiz, to come back to it.

        `PUT /api/v1/quiz_submissions/{quiz_submission_id}/questions/{id}/flag`
        """
        return self._call(
            "PUT",
            f"/api/v1/quiz_submissions/{_part(quiz_submission_id)}/questions/{_part(id)}/flag",
            body=body,
        )

    def unflag_quiz_submission_question(
        self,
        quiz_submission_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Takes the mark of a question of a quiz away.

        `PUT /api/v1/quiz_submissions/{quiz_submission_id}/questions/{id}/unflag`
        """
        return self._call(
            "PUT",
            f"/api/v1/quiz_submissions/{_part(quiz_submission_id)}/questions/{_part(id)}/unflag",
            body=body,
        )

    def get_section_assignment_override(
        self,
        course_section_id: Id,
        assignment_id: Id,
    ) -> Any:
        """Reads the override of an assignment for a section.

        `GET /api/v1/sections/{course_section_id}/assignments/{assignment_id}/override`
        """
        return self._call(
            "GET",
            f"/api/v1/sections/{_part(course_section_id)}/assignments/{_part(assignment_id)}/override",
        )

    def list_user_question_banks(
        self,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the caller's own question banks.

        `GET /api/v1/users/self/question_banks`
        """
        return self._pages(
            "GET",
            "/api/v1/users/self/question_banks",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_user_question_bank(
        self,
        body: Json = None,
    ) -> Any:
        """Creates a question bank of the caller's own.

        `POST /api/v1/users/self/question_banks`
        """
        return self._call(
            "POST",
            "/api/v1/users/self/question_banks",
            body=body,
        )

    def get_user_question_bank(
        self,
        id: Id,
    ) -> Any:
        """Reads a question bank of the caller's own.

        `GET /api/v1/users/self/question_banks/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/self/question_banks/{_part(id)}",
        )

    def update_user_question_bank(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a question bank of the caller's own.

        `PUT /api/v1/users/self/question_banks/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/self/question_banks/{_part(id)}",
            body=body,
        )

    def delete_user_question_bank(
        self,
        id: Id,
    ) -> Any:
        """Deletes a question bank of the caller's own.

        `DELETE /api/v1/users/self/question_banks/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/users/self/question_banks/{_part(id)}",
        )

    def list_user_question_bank_questions(
        self,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the questions of a bank of the caller's own.

        `GET /api/v1/users/self/question_banks/{id}/questions`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/self/question_banks/{_part(id)}/questions",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_user_question_bank_question(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a question in a bank of the caller's own.

        `POST /api/v1/users/self/question_banks/{id}/questions`
        """
        return self._call(
            "POST",
            f"/api/v1/users/self/question_banks/{_part(id)}/questions",
            body=body,
        )

    # directory

    def list_accounts(
        self,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the accounts that the caller administers.

        `GET /api/v1/accounts`
        """
        return self._pages(
            "GET",
            "/api/v1/accounts",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_account(
        self,
        body: Json = None,
    ) -> Any:
        """Creates a tenant: a root account with its administrator and client.

        `POST /api/v1/accounts`
        """
        return self._call(
            "POST",
            "/api/v1/accounts",
            body=body,
        )

    def list_admins(
        self,
        account_id: Id,
        *,
        user_id: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the administrators of an account.

        `GET /api/v1/accounts/{account_id}/admins`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/admins",
            query={
                "user_id[]": user_id,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_admin(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a user an administrator of an account.

        `POST /api/v1/accounts/{account_id}/admins`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/admins",
            body=body,
        )

    def delete_admin(
        self,
        account_id: Id,
        user_id: Id,
    ) -> Any:
        """Takes the administration of an account from a user.

        `DELETE /api/v1/accounts/{account_id}/admins/{user_id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/accounts/{_part(account_id)}/admins/{_part(user_id)}",
        )

    def list_account_courses(
        self,
        account_id: Id,
        *,
        by_subaccounts: Values = None,
        by_teachers: Values = None,
        completed: Value = None,
        ends_after: Value = None,
        enrollment_term_id: Value = None,
        enrollment_type: Values = None,
        enrollment_workflow_state: Values = None,
        hide_enrollmentless_courses: Value = None,
        include: Values = None,
        order: Value = None,
        public: Value = None,
        published: Value = None,
        search_by: Value = None,
        search_term: Value = None,
        sort: Value = None,
        starts_before: Value = None,
        state: Values = None,
        with_enrollments: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the courses of an account and of those under it.

        `GET /api/v1/accounts/{account_id}/courses`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/courses",
            query={
                "by_subaccounts[]": by_subaccounts,
                "by_teachers[]": by_teachers,
                "completed": completed,
                "ends_after": ends_after,
                "enrollment_term_id": enrollment_term_id,
                "enrollment_type[]": enrollment_type,
                "enrollment_workflow_state[]": enrollment_workflow_state,
                "hide_enrollmentless_courses": hide_enrollmentless_courses,
                "include[]": include,
                "order": order,
                "public": public,
                "published": published,
                "search_by": search_by,
                "search_term": search_term,
                "sort": sort,
                "starts_before": starts_before,
                "state[]": state,
                "with_enrollments": with_enrollments,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a course with a section.

        `POST /api/v1/accounts/{account_id}/courses`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/courses",
            body=body,
        )

    def get_account_course(
        self,
        account_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a course of an account.

        `GET /api/v1/accounts/{account_id}/courses/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/courses/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def get_enrollment(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Reads an enrollment.

        `GET /api/v1/accounts/{account_id}/enrollments/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/enrollments/{_part(id)}",
        )

    def get_feature_flag(
        self,
        account_id: Id,
        feature: Id,
    ) -> Any:
        """Tells whether a feature is on.

        `GET /api/v1/accounts/{account_id}/features/flags/{feature}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/features/flags/{_part(feature)}",
        )

    def update_feature_flag(
        self,
        account_id: Id,
        feature: Id,
        body: Json = None,
    ) -> Any:
        """Switches a feature on or off, for the account and those below it.

        `PUT /api/v1/accounts/{account_id}/features/flags/{feature}`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(account_id)}/features/flags/{_part(feature)}",
            body=body,
        )

    def list_account_groups(
        self,
        account_id: Id,
        *,
        only_own_groups: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the groups of an account itself.

        `GET /api/v1/accounts/{account_id}/groups`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/groups",
            query={
                "only_own_groups": only_own_groups,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_account_group(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a group of users of an account.

        `POST /api/v1/accounts/{account_id}/groups`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/groups",
            body=body,
        )

    def list_account_logins(
        self,
        account_id: Id,
        *,
        user: Value,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the logins of a user of the account.

        `GET /api/v1/accounts/{account_id}/logins`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/logins",
            query={
                "user": user,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_login(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a user one more login.

        `POST /api/v1/accounts/{account_id}/logins`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/logins",
            body=body,
        )

    def update_login(
        self,
        account_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a login.

        `PUT /api/v1/accounts/{account_id}/logins/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(account_id)}/logins/{_part(id)}",
            body=body,
        )

    def list_sub_accounts(
        self,
        account_id: Id,
        *,
        include: Values = None,
        order: Value = None,
        recursive: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the accounts under an account.

        `GET /api/v1/accounts/{account_id}/sub_accounts`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/sub_accounts",
            query={
                "include[]": include,
                "order": order,
                "recursive": recursive,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_sub_account(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates an account under an account.

        `POST /api/v1/accounts/{account_id}/sub_accounts`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/sub_accounts",
            body=body,
        )

    def delete_sub_account(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Deletes an empty account.

        `DELETE /api/v1/accounts/{account_id}/sub_accounts/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/accounts/{_part(account_id)}/sub_accounts/{_part(id)}",
        )

    def list_terms(
        self,
        account_id: Id,
        *,
        include: Values = None,
        term_name: Value = None,
        workflow_state: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the terms of a root account.

        `GET /api/v1/accounts/{account_id}/terms`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/terms",
            query={
                "include[]": include,
                "term_name": term_name,
                "workflow_state": workflow_state,
                "page": page,
                "per_page": per_page,
            },
            records="enrollment_terms",
        )

    def create_term(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a term.

        `POST /api/v1/accounts/{account_id}/terms`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/terms",
            body=body,
        )

    def get_term(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Reads a term.

        `GET /api/v1/accounts/{account_id}/terms/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/terms/{_part(id)}",
        )

    def update_term(
        self,
        account_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a term.

        `PUT /api/v1/accounts/{account_id}/terms/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(account_id)}/terms/{_part(id)}",
            body=body,
        )

    def delete_term(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a term without courses.

        `DELETE /api/v1/accounts/{account_id}/terms/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/accounts/{_part(account_id)}/terms/{_part(id)}",
        )

    def list_account_users(
        self,
        account_id: Id,
        *,
        enrollment_type: Values = None,
        order: Value = None,
        search_term: Value = None,
        sort: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the users of an account.

        `GET /api/v1/accounts/{account_id}/users`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/users",
            query={
                "enrollment_type[]": enrollment_type,
                "order": order,
                "search_term": search_term,
                "sort": sort,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_user(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a user with a login.

        `POST /api/v1/accounts/{account_id}/users`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/users",
            body=body,
        )

    def delete_user(
        self,
        account_id: Id,
        user_id: Id,
    ) -> Any:
        """Deletes a user, with the user's logins and enrollments.

        `DELETE /api/v1/accounts/{account_id}/users/{user_id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/accounts/{_part(account_id)}/users/{_part(user_id)}",
        )

    def get_account(
        self,
        id: Id,
    ) -> Any:
        """Reads an account.

        `GET /api/v1/accounts/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(id)}",
        )

    def update_account(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes an account.

        `PUT /api/v1/accounts/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(id)}",
            body=body,
        )

    def list_own_courses(
        self,
        *,
        enrollment_role: Values = None,
        enrollment_state: Value = None,
        enrollment_type: Values = None,
        include: Values = None,
        state: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the caller's courses.

        `GET /api/v1/courses`
        """
        return self._pages(
            "GET",
            "/api/v1/courses",
            query={
                "enrollment_role[]": enrollment_role,
                "enrollment_state": enrollment_state,
                "enrollment_type[]": enrollment_type,
                "include[]": include,
                "state[]": state,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def list_content_migrations(
        self,
        course_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what came into a course.

        `GET /api/v1/courses/{course_id}/content_migrations`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_migrations",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_content_migration(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Copies another course into a course, or announces a package.

        `POST /api/v1/courses/{course_id}/content_migrations`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/content_migrations",
            body=body,
        )

    def list_migrators(
        self,
        course_id: Id,
    ) -> Any:
        """Lists the types of content migrations.

        `GET /api/v1/courses/{course_id}/content_migrations/migrators`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_migrations/migrators",
        )

    def get_content_migration(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads a content migration.

        `GET /api/v1/courses/{course_id}/content_migrations/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/content_migrations/{_part(id)}",
        )

    def copy_course(
        self,
        course_id: Id,
        source_course_id: Id,
        body: Json = None,
    ) -> Any:
        """Copies another course into a course.

        `POST /api/v1/courses/{course_id}/course_copy/{source_course_id}`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/course_copy/{_part(source_course_id)}",
            body=body,
        )

    def list_course_enrollments(
        self,
        course_id: Id,
        *,
        enrollment_term_id: Value = None,
        role: Values = None,
        sis_account_id: Values = None,
        sis_course_id: Values = None,
        sis_section_id: Values = None,
        sis_user_id: Values = None,
        state: Values = None,
        type: Values = None,
        user_id: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the enrollments of a course.

        `GET /api/v1/courses/{course_id}/enrollments`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/enrollments",
            query={
                "enrollment_term_id": enrollment_term_id,
                "role[]": role,
                "sis_account_id[]": sis_account_id,
                "sis_course_id[]": sis_course_id,
                "sis_section_id[]": sis_section_id,
                "sis_user_id[]": sis_user_id,
                "state[]": state,
                "type[]": type,
                "user_id": user_id,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course_enrollment(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Enrolls a user in a course.

        `POST /api/v1/courses/{course_id}/enrollments`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/enrollments",
            body=body,
        )

    def end_enrollment(
        self,
        course_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Concludes, deactivates or deletes an enrollment.

        `DELETE /api/v1/courses/{course_id}/enrollments/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/enrollments/{_part(id)}",
            body=body,
        )

    def accept_enrollment(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Accepts the caller's own invitation.

        `POST /api/v1/courses/{course_id}/enrollments/{id}/accept`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/enrollments/{_part(id)}/accept",
        )

    def reactivate_enrollment(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Takes up an enrollment that was inactive.

        `PUT /api/v1/courses/{course_id}/enrollments/{id}/reactivate`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/enrollments/{_part(id)}/reactivate",
        )

    def reject_enrollment(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Rejects the caller's own invitation.

        `POST /api/v1/courses/{course_id}/enrollments/{id}/reject`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/enrollments/{_part(id)}/reject",
        )

    def list_course_groups(
        self,
        course_id: Id,
        *,
        only_own_groups: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the groups of a course.

        `GET /api/v1/courses/{course_id}/groups`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/groups",
            query={
                "only_own_groups": only_own_groups,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course_group(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a group of users of a course.

        `POST /api/v1/courses/{course_id}/groups`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/groups",
            body=body,
        )

    def search_course_users(
        self,
        course_id: Id,
        *,
        enrollment_role: Values = None,
        enrollment_state: Values = None,
        enrollment_type: Values = None,
        include: Values = None,
        search_term: Value = None,
        section_ids: Values = None,
        sort: Value = None,
        user_ids: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the users of a course.

        `GET /api/v1/courses/{course_id}/search_users`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/search_users",
            query={
                "enrollment_role[]": enrollment_role,
                "enrollment_state[]": enrollment_state,
                "enrollment_type[]": enrollment_type,
                "include[]": include,
                "search_term": search_term,
                "section_ids[]": section_ids,
                "sort": sort,
                "user_ids[]": user_ids,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def list_sections(
        self,
        course_id: Id,
        *,
        include: Values = None,
        search_term: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the sections of a course.

        `GET /api/v1/courses/{course_id}/sections`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/sections",
            query={
                "include[]": include,
                "search_term": search_term,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_section(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a section.

        `POST /api/v1/courses/{course_id}/sections`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/sections",
            body=body,
        )

    def get_course_section(
        self,
        course_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a section of a course.

        `GET /api/v1/courses/{course_id}/sections/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/sections/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def list_course_students(
        self,
        course_id: Id,
        *,
        include: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the students of a course.

        `GET /api/v1/courses/{course_id}/students`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/students",
            query={
                "include[]": include,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def list_course_users(
        self,
        course_id: Id,
        *,
        enrollment_role: Values = None,
        enrollment_state: Values = None,
        enrollment_type: Values = None,
        include: Values = None,
        search_term: Value = None,
        section_ids: Values = None,
        sort: Value = None,
        user_ids: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the users of a course.

        `GET /api/v1/courses/{course_id}/users`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/users",
            query={
                "enrollment_role[]": enrollment_role,
                "enrollment_state[]": enrollment_state,
                "enrollment_type[]": enrollment_type,
                "include[]": include,
                "search_term": search_term,
                "section_ids[]": section_ids,
                "sort": sort,
                "user_ids[]": user_ids,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_course_user(
        self,
        course_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a user of a course.

        `GET /api/v1/courses/{course_id}/users/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/users/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def get_course(
        self,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a course.

        `GET /api/v1/courses/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def update_course(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a course or its state.

        `PUT /api/v1/courses/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(id)}",
            body=body,
        )

    def delete_course(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Deletes or concludes a course.

        `DELETE /api/v1/courses/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(id)}",
            body=body,
        )

    def reset_course_content(
        self,
        id: Id,
    ) -> Any:
        """Puts an empty course with the same members in the place of a course.

        `POST /api/v1/courses/{id}/reset_content`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(id)}/reset_content",
        )

    def create_course_settings_link(
        self,
        id: Id,
    ) -> Any:
        """Makes a link to the page on which the caller changes the settings of a course.

        `POST /api/v1/courses/{id}/settings_link`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(id)}/settings_link",
        )

    def get_group(
        self,
        group_id: Id,
    ) -> Any:
        """Reads a group of users.

        `GET /api/v1/groups/{group_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}",
        )

    def update_group(
        self,
        group_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a group of users.

        `PUT /api/v1/groups/{group_id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/groups/{_part(group_id)}",
            body=body,
        )

    def delete_group(
        self,
        group_id: Id,
    ) -> Any:
        """Deletes a group of users.

        `DELETE /api/v1/groups/{group_id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/groups/{_part(group_id)}",
        )

    def list_group_memberships(
        self,
        group_id: Id,
        *,
        filter_states: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the memberships of a group.

        `GET /api/v1/groups/{group_id}/memberships`
        """
        return self._pages(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/memberships",
            query={
                "filter_states[]": filter_states,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_group_membership(
        self,
        group_id: Id,
        body: Json = None,
    ) -> Any:
        """Puts a user into a group, or joins it.

        `POST /api/v1/groups/{group_id}/memberships`
        """
        return self._call(
            "POST",
            f"/api/v1/groups/{_part(group_id)}/memberships",
            body=body,
        )

    def get_group_membership(
        self,
        group_id: Id,
        membership_id: Id,
    ) -> Any:
        """Reads a membership of a group.

        `GET /api/v1/groups/{group_id}/memberships/{membership_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/memberships/{_part(membership_id)}",
        )

    def update_group_membership(
        self,
        group_id: Id,
        membership_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a membership of a group.

        `PUT /api/v1/groups/{group_id}/memberships/{membership_id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/groups/{_part(group_id)}/memberships/{_part(membership_id)}",
            body=body,
        )

    def delete_group_membership(
        self,
        group_id: Id,
        membership_id: Id,
    ) -> Any:
        """Takes a user out of a group, or leaves it.

        `DELETE /api/v1/groups/{group_id}/memberships/{membership_id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/groups/{_part(group_id)}/memberships/{_part(membership_id)}",
        )

    def list_group_users(
        self,
        group_id: Id,
        *,
        exclude_inactive: Value = None,
        search_term: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the members of a group.

        `GET /api/v1/groups/{group_id}/users`
        """
        return self._pages(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/users",
            query={
                "exclude_inactive": exclude_inactive,
                "search_term": search_term,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_group_member(
        self,
        group_id: Id,
        user_id: Id,
    ) -> Any:
        """Reads a user's membership of a group.

        `GET /api/v1/groups/{group_id}/users/{user_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/users/{_part(user_id)}",
        )

    def update_group_member(
        self,
        group_id: Id,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a user's membership of a group.

        `PUT /api/v1/groups/{group_id}/users/{user_id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/groups/{_part(group_id)}/users/{_part(user_id)}",
            body=body,
        )

    def remove_group_member(
        self,
        group_id: Id,
        user_id: Id,
    ) -> Any:
        """Takes a user out of a group, or leaves it.

        `DELETE /api/v1/groups/{group_id}/users/{user_id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/groups/{_part(group_id)}/users/{_part(user_id)}",
        )

    def get_section(
        self,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a section.

        `GET /api/v1/sections/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/sections/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def update_section(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a section.

        `PUT /api/v1/sections/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/sections/{_part(id)}",
            body=body,
        )

    def delete_section(
        self,
        id: Id,
    ) -> Any:
        """Deletes a section in which nobody is enrolled.

        `DELETE /api/v1/sections/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/sections/{_part(id)}",
        )

    def list_section_enrollments(
        self,
        section_id: Id,
        *,
        enrollment_term_id: Value = None,
        role: Values = None,
        sis_account_id: Values = None,
        sis_course_id: Values = None,
        sis_section_id: Values = None,
        sis_user_id: Values = None,
        state: Values = None,
        type: Values = None,
        user_id: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the enrollments of a section.

        `GET /api/v1/sections/{section_id}/enrollments`
        """
        return self._pages(
            "GET",
            f"/api/v1/sections/{_part(section_id)}/enrollments",
            query={
                "enrollment_term_id": enrollment_term_id,
                "role[]": role,
                "sis_account_id[]": sis_account_id,
                "sis_course_id[]": sis_course_id,
                "sis_section_id[]": sis_section_id,
                "sis_user_id[]": sis_user_id,
                "state[]": state,
                "type[]": type,
                "user_id": user_id,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_section_enrollment(
        self,
        section_id: Id,
        body: Json = None,
    ) -> Any:
        """Enrolls a user in a section.

        `POST /api/v1/sections/{section_id}/enrollments`
        """
        return self._call(
            "POST",
            f"/api/v1/sections/{_part(section_id)}/enrollments",
            body=body,
        )

    def list_own_groups(
        self,
        *,
        context_type: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the groups that the caller is in.

        `GET /api/v1/users/self/groups`
        """
        return self._pages(
            "GET",
            "/api/v1/users/self/groups",
            query={
                "context_type": context_type,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def get_user(
        self,
        id: Id,
    ) -> Any:
        """Reads a user.

        `GET /api/v1/users/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(id)}",
        )

    def update_user(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a user.

        `PUT /api/v1/users/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/{_part(id)}",
            body=body,
        )

    def list_user_courses(
        self,
        user_id: Id,
        *,
        enrollment_role: Values = None,
        enrollment_state: Value = None,
        enrollment_type: Values = None,
        include: Values = None,
        state: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists a user's courses.

        `GET /api/v1/users/{user_id}/courses`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/courses",
            query={
                "enrollment_role[]": enrollment_role,
                "enrollment_state": enrollment_state,
                "enrollment_type[]": enrollment_type,
                "include[]": include,
                "state[]": state,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def list_user_enrollments(
        self,
        user_id: Id,
        *,
        enrollment_term_id: Value = None,
        role: Values = None,
        sis_account_id: Values = None,
        sis_course_id: Values = None,
        sis_section_id: Values = None,
        sis_user_id: Values = None,
        state: Values = None,
        type: Values = None,
        user_id_filter: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the enrollments of a user.

        `GET /api/v1/users/{user_id}/enrollments`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/enrollments",
            query={
                "enrollment_term_id": enrollment_term_id,
                "role[]": role,
                "sis_account_id[]": sis_account_id,
                "sis_course_id[]": sis_course_id,
                "sis_section_id[]": sis_section_id,
                "sis_user_id[]": sis_user_id,
                "state[]": state,
                "type[]": type,
                "user_id": user_id_filter,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def list_user_logins(
        self,
        user_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the logins of a user.

        `GET /api/v1/users/{user_id}/logins`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/logins",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def delete_login(
        self,
        user_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a login.

        `DELETE /api/v1/users/{user_id}/logins/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/users/{_part(user_id)}/logins/{_part(id)}",
        )

    def get_user_profile(
        self,
        user_id: Id,
    ) -> Any:
        """Reads a user's profile.

        `GET /api/v1/users/{user_id}/profile`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/profile",
        )

    def get_course_settings_page(
        self,
        id: Id,
        *,
        saved: Value = None,
        ticket: Value = None,
    ) -> Any:
        """Shows the settings of a course: a page.

        `GET /courses/{id}/settings`
        """
        return self._call(
            "GET",
            f"/courses/{_part(id)}/settings",
            query={
                "saved": saved,
                "ticket": ticket,
            },
            takes_token=False,
        )

    def update_course_settings_on_page(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes the settings or the state of a course, and leads back to its page.

        `POST /courses/{id}/settings`
        """
        return self._call(
            "POST",
            f"/courses/{_part(id)}/settings",
            body=body,
            takes_token=False,
        )

    # error-reports

    def list_error_reports(
        self,
        *,
        search_term: Value = None,
        since: Value = None,
        until: Value = None,
        user_id: Value = None,
        user_perceived_severity: Value = None,
        workflow_state: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists error reports, newest first.

        `GET /api/v1/error_reports`
        """
        return self._pages(
            "GET",
            "/api/v1/error_reports",
            query={
                "search_term": search_term,
                "since": since,
                "until": until,
                "user_id": user_id,
                "user_perceived_severity": user_perceived_severity,
                "workflow_state": workflow_state,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_error_report(
        self,
        body: Json = None,
    ) -> Any:
        """Files an error report.

        `POST /api/v1/error_reports`
        """
        return self._call(
            "POST",
            "/api/v1/error_reports",
            body=body,
        )

    def create_error_reports_link(
        self,
    ) -> Any:
        """Makes a link to the page on which error reports are read and closed.

        `POST /api/v1/error_reports/live_link`
        """
        return self._call(
            "POST",
            "/api/v1/error_reports/live_link",
        )

    def get_error_report(
        self,
        id: Id,
    ) -> Any:
        """Reads an error report with its environment.

        `GET /api/v1/error_reports/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/error_reports/{_part(id)}",
        )

    def update_error_report(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Closes an error report or opens it again, and notes something at it.

        `PUT /api/v1/error_reports/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/error_reports/{_part(id)}",
            body=body,
        )

    def get_error_reports_page(
        self,
        *,
        before: Value = None,
        search_term: Value = None,
        since: Value = None,
        ticket: Value = None,
        until: Value = None,
        user_id: Value = None,
        user_perceived_severity: Value = None,
        workflow_state: Value = None,
    ) -> Any:
        """Shows error reports: a page.

        `GET /error_reports`
        """
        return self._call(
            "GET",
            "/error_reports",
            query={
                "before": before,
                "search_term": search_term,
                "since": since,
                "ticket": ticket,
                "until": until,
                "user_id": user_id,
                "user_perceived_severity": user_perceived_severity,
                "workflow_state": workflow_state,
            },
            takes_token=False,
        )

    def get_error_report_page(
        self,
        id: Id,
        *,
        ticket: Value = None,
    ) -> Any:
        """Shows an error report: a page.

        `GET /error_reports/{id}`
        """
        return self._call(
            "GET",
            f"/error_reports/{_part(id)}",
            query={
                "ticket": ticket,
            },
            takes_token=False,
        )

    def update_error_report_on_page(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Closes an error report or opens it again, and leads back to its page.

        `POST /error_reports/{id}`
        """
        return self._call(
            "POST",
            f"/error_reports/{_part(id)}",
            body=body,
            takes_token=False,
        )

    # files

    def list_course_files(
        self,
        course_id: Id,
        *,
        content_types: Values = None,
        exclude_content_types: Values = None,
        include: Values = None,
        order: Value = None,
        search_term: Value = None,
        sort: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the files of a course.

        `GET /api/v1/courses/{course_id}/files`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/files",
            query={
                "content_types[]": content_types,
                "exclude_content_types[]": exclude_content_types,
                "include[]": include,
                "order": order,
                "search_term": search_term,
                "sort": sort,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course_file(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Announces a file of a course.

        `POST /api/v1/courses/{course_id}/files`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/files",
            body=body,
        )

    def get_course_file_quota(
        self,
        course_id: Id,
    ) -> Any:
        """Tells how much room a course has.

        `GET /api/v1/courses/{course_id}/files/quota`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/files/quota",
        )

    def get_course_file(
        self,
        course_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a file of a course.

        `GET /api/v1/courses/{course_id}/files/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/files/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def list_course_folders(
        self,
        course_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists all folders of a course.

        `GET /api/v1/courses/{course_id}/folders`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/folders",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_course_folder(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a folder of a course.

        `POST /api/v1/courses/{course_id}/folders`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/folders",
            body=body,
        )

    def get_course_folder(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads a folder, or the root.

        `GET /api/v1/courses/{course_id}/folders/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/folders/{_part(id)}",
        )

    def get_course_front_page(
        self,
        course_id: Id,
    ) -> Any:
        """Reads the front page of a course.

        `GET /api/v1/courses/{course_id}/front_page`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/front_page",
        )

    def update_course_front_page(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes the front page of a course, or creates it.

        `PUT /api/v1/courses/{course_id}/front_page`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/front_page",
            body=body,
        )

    def list_pages(
        self,
        course_id: Id,
        *,
        include: Values = None,
        order: Value = None,
        published: Value = None,
        search_term: Value = None,
        sort: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the pages of a course.

        `GET /api/v1/courses/{course_id}/pages`
        """
        return self._pages(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/pages",
            query={
                "include[]": include,
                "order": order,
                "published": published,
                "search_term": search_term,
                "sort": sort,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_page(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a page.

        `POST /api/v1/courses/{course_id}/pages`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/pages",
            body=body,
        )

    def get_page(
        self,
        course_id: Id,
        url: Id,
    ) -> Any:
        """Reads a page.

        `GET /api/v1/courses/{course_id}/pages/{url}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/pages/{_part(url)}",
        )

    def update_page(
        self,
        course_id: Id,
        url: Id,
        body: Json = None,
    ) -> Any:
        """Changes a page, or creates it.

        `PUT /api/v1/courses/{course_id}/pages/{url}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/pages/{_part(url)}",
            body=body,
        )

    def delete_page(
        self,
        course_id: Id,
        url: Id,
    ) -> Any:
        """Deletes a page.

        `DELETE /api/v1/courses/{course_id}/pages/{url}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/pages/{_part(url)}",
        )

    def get_file(
        self,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a file.

        `GET /api/v1/files/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/files/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def update_file(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a file's name, folder or visibility.

        `PUT /api/v1/files/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/files/{_part(id)}",
            body=body,
        )

    def delete_file(
        self,
        id: Id,
    ) -> Any:
        """Deletes a file.

        `DELETE /api/v1/files/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/files/{_part(id)}",
        )

    def confirm_upload(
        self,
        id: Id,
        *,
        ticket: Value = None,
    ) -> Any:
        """Reads a file that was uploaded: the last step.

        `GET /api/v1/files/{id}/create_success`
        """
        return self._call(
            "GET",
            f"/api/v1/files/{_part(id)}/create_success",
            query={
                "ticket": ticket,
            },
        )

    def complete_upload(
        self,
        id: Id,
        *,
        ticket: Value = None,
    ) -> Any:
        """Reads a file that was uploaded: the last step.

        `POST /api/v1/files/{id}/create_success`
        """
        return self._call(
            "POST",
            f"/api/v1/files/{_part(id)}/create_success",
            query={
                "ticket": ticket,
            },
        )

    def get_file_public_url(
        self,
        id: Id,
    ) -> Any:
        """Gives an address that needs no token, for an hour.

        `GET /api/v1/files/{id}/public_url`
        """
        return self._call(
            "GET",
            f"/api/v1/files/{_part(id)}/public_url",
        )

    def get_folder(
        self,
        id: Id,
    ) -> Any:
        """Reads a folder.

        `GET /api/v1/folders/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/folders/{_part(id)}",
        )

    def update_folder(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a folder.

        `PUT /api/v1/folders/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/folders/{_part(id)}",
            body=body,
        )

    def delete_folder(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Deletes a folder: with what is in it, if that is forced.

        `DELETE /api/v1/folders/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/folders/{_part(id)}",
            body=body,
        )

    def list_folder_files(
        self,
        id: Id,
        *,
        content_types: Values = None,
        exclude_content_types: Values = None,
        include: Values = None,
        order: Value = None,
        search_term: Value = None,
        sort: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the files in a folder.

        `GET /api/v1/folders/{id}/files`
        """
        return self._pages(
            "GET",
            f"/api/v1/folders/{_part(id)}/files",
            query={
                "content_types[]": content_types,
                "exclude_content_types[]": exclude_content_types,
                "include[]": include,
                "order": order,
                "search_term": search_term,
                "sort": sort,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_folder_file(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Announces a file in a folder.

        `POST /api/v1/folders/{id}/files`
        """
        return self._call(
            "POST",
            f"/api/v1/folders/{_part(id)}/files",
            body=body,
        )

    def list_subfolders(
        self,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the folders in a folder.

        `GET /api/v1/folders/{id}/folders`
        """
        return self._pages(
            "GET",
            f"/api/v1/folders/{_part(id)}/folders",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_subfolder(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a folder in a folder.

        `POST /api/v1/folders/{id}/folders`
        """
        return self._call(
            "POST",
            f"/api/v1/folders/{_part(id)}/folders",
            body=body,
        )

    def get_folder_path(
        self,
        id: Id,
    ) -> Any:
        """Lists the folders from the root down to a folder.

        `GET /api/v1/folders/{id}/path`
        """
        return self._call(
            "GET",
            f"/api/v1/folders/{_part(id)}/path",
        )

    def list_group_files(
        self,
        group_id: Id,
        *,
        content_types: Values = None,
        exclude_content_types: Values = None,
        include: Values = None,
        order: Value = None,
        search_term: Value = None,
        sort: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the files of a group.

        `GET /api/v1/groups/{group_id}/files`
        """
        return self._pages(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/files",
            query={
                "content_types[]": content_types,
                "exclude_content_types[]": exclude_content_types,
                "include[]": include,
                "order": order,
                "search_term": search_term,
                "sort": sort,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_group_file(
        self,
        group_id: Id,
        body: Json = None,
    ) -> Any:
        """Announces a file of a group.

        `POST /api/v1/groups/{group_id}/files`
        """
        return self._call(
            "POST",
            f"/api/v1/groups/{_part(group_id)}/files",
            body=body,
        )

    def get_group_file_quota(
        self,
        group_id: Id,
    ) -> Any:
        """Tells how much room a group has.

        `GET /api/v1/groups/{group_id}/files/quota`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/files/quota",
        )

    def get_group_file(
        self,
        group_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a file of a group.

        `GET /api/v1/groups/{group_id}/files/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/files/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def list_group_folders(
        self,
        group_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists all folders of a group.

        `GET /api/v1/groups/{group_id}/folders`
        """
        return self._pages(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/folders",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_group_folder(
        self,
        group_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a folder of a group.

        `POST /api/v1/groups/{group_id}/folders`
        """
        return self._call(
            "POST",
            f"/api/v1/groups/{_part(group_id)}/folders",
            body=body,
        )

    def get_group_folder(
        self,
        group_id: Id,
        id: Id,
    ) -> Any:
        """Reads a folder, or the root.

        `GET /api/v1/groups/{group_id}/folders/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/groups/{_part(group_id)}/folders/{_part(id)}",
        )

    def list_user_files(
        self,
        user_id: Id,
        *,
        content_types: Values = None,
        exclude_content_types: Values = None,
        include: Values = None,
        order: Value = None,
        search_term: Value = None,
        sort: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the files of a user.

        `GET /api/v1/users/{user_id}/files`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/files",
            query={
                "content_types[]": content_types,
                "exclude_content_types[]": exclude_content_types,
                "include[]": include,
                "order": order,
                "search_term": search_term,
                "sort": sort,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_user_file(
        self,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Announces a file of a user.

        `POST /api/v1/users/{user_id}/files`
        """
        return self._call(
            "POST",
            f"/api/v1/users/{_part(user_id)}/files",
            body=body,
        )

    def get_user_file_quota(
        self,
        user_id: Id,
    ) -> Any:
        """Tells how much room a user has.

        `GET /api/v1/users/{user_id}/files/quota`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/files/quota",
        )

    def get_user_file(
        self,
        user_id: Id,
        id: Id,
        *,
        include: Values = None,
    ) -> Any:
        """Reads a file of a user.

        `GET /api/v1/users/{user_id}/files/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/files/{_part(id)}",
            query={
                "include[]": include,
            },
        )

    def list_user_folders(
        self,
        user_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists all folders of a user.

        `GET /api/v1/users/{user_id}/folders`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/folders",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_user_folder(
        self,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a folder of a user.

        `POST /api/v1/users/{user_id}/folders`
        """
        return self._call(
            "POST",
            f"/api/v1/users/{_part(user_id)}/folders",
            body=body,
        )

    def get_user_folder(
        self,
        user_id: Id,
        id: Id,
    ) -> Any:
        """Reads a folder, or the root.

        `GET /api/v1/users/{user_id}/folders/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/folders/{_part(id)}",
        )

    def download_course_file(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads the bytes of a file of a course.

        `GET /courses/{course_id}/files/{id}/download`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/files/{_part(id)}/download",
        )

    def preview_course_file(
        self,
        course_id: Id,
        id: Id,
    ) -> Any:
        """Reads the bytes of a file of a course, as texts refer to it.

        `GET /courses/{course_id}/files/{id}/preview`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/files/{_part(id)}/preview",
        )

    def download_file(
        self,
        id: Id,
        *,
        verifier: Value = None,
    ) -> Any:
        """Reads the bytes of a file.

        `GET /files/{id}/download`
        """
        return self._call(
            "GET",
            f"/files/{_part(id)}/download",
            query={
                "verifier": verifier,
            },
        )

    def upload_file(
        self,
        ticket: Id,
        files: Mapping[str, Any],
    ) -> Any:
        """Takes the bytes of a file that was announced, in a multipart form, once.

        `POST /files_api/{ticket}`
        """
        return self._call(
            "POST",
            f"/files_api/{_part(ticket)}",
            files=files,
            takes_token=False,
        )

    # mastery

    def list_mastery_credentials(
        self,
        account_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the credentials by which the data of a district are read.

        `GET /api/v1/accounts/{account_id}/mastery_credentials`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/mastery_credentials",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_mastery_credential(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a credential for a district out; its secret is shown this once.

        `POST /api/v1/accounts/{account_id}/mastery_credentials`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/mastery_credentials",
            body=body,
        )

    def revoke_mastery_credential(
        self,
        account_id: Id,
        client_id: Id,
    ) -> Any:
        """Revokes a credential and its tokens.

        `DELETE /api/v1/accounts/{account_id}/mastery_credentials/{client_id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/accounts/{_part(account_id)}/mastery_credentials/{_part(client_id)}",
        )

    def create_mastery_import(
        self,
        account_id: Id,
        body: Json = None,
        content: Content | None = None,
        content_type: str | None = None,
        *,
        file: Value = None,
    ) -> Any:
        """Loads data of a district: JSON, a CASE package, or a OneRoster file named by the parameter file.

        `POST /api/v1/accounts/{account_id}/mastery_imports`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/mastery_imports",
            query={
                "file": file,
            },
            body=body,
            content=content,
            content_type=content_type,
        )

    def list_mastery_banks(
        self,
        *,
        filter_bank_type: Value = None,
        filter_name: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the banks that the district owns or shares.

        `GET /api/v2/banks`
        """
        return self._pages(
            "GET",
            "/api/v2/banks",
            query={
                "filter[bank_type]": filter_bank_type,
                "filter[name]": filter_name,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def list_mastery_bank_passages(
        self,
        bank_id: Id,
        *,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the passages of a bank.

        `GET /api/v2/banks/{bank_id}/passages`
        """
        return self._pages(
            "GET",
            f"/api/v2/banks/{_part(bank_id)}/passages",
            query={
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_bank_passage(
        self,
        bank_id: Id,
        id: Id,
    ) -> Any:
        """Reads a passage of a bank.

        `GET /api/v2/banks/{bank_id}/passages/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/banks/{_part(bank_id)}/passages/{_part(id)}",
        )

    def list_mastery_bank_questions(
        self,
        bank_id: Id,
        *,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the questions of a bank.

        `GET /api/v2/banks/{bank_id}/questions`
        """
        return self._pages(
            "GET",
            f"/api/v2/banks/{_part(bank_id)}/questions",
            query={
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_bank_question(
        self,
        bank_id: Id,
        id: Id,
    ) -> Any:
        """Reads a question of a bank.

        `GET /api/v2/banks/{bank_id}/questions/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/banks/{_part(bank_id)}/questions/{_part(id)}",
        )

    def get_mastery_bank(
        self,
        id: Id,
    ) -> Any:
        """Reads a bank.

        `GET /api/v2/banks/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/banks/{_part(id)}",
        )

    def list_mastery_class_objectives(
        self,
        *,
        filter_available: Value = None,
        filter_class_objective_type: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the objectives that are taught in classrooms.

        `GET /api/v2/class_objectives`
        """
        return self._pages(
            "GET",
            "/api/v2/class_objectives",
            query={
                "filter[available]": filter_available,
                "filter[class_objective_type]": filter_class_objective_type,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_class_objective(
        self,
        id: Id,
    ) -> Any:
        """Reads an objective that is taught in a classroom.

        `GET /api/v2/class_objectives/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/class_objectives/{_part(id)}",
        )

    def list_mastery_classrooms(
        self,
        *,
        filter_school_id: Value = None,
        filter_teacher_id: Value = None,
        filter_archived: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists classrooms.

        `GET /api/v2/classrooms`
        """
        return self._pages(
            "GET",
            "/api/v2/classrooms",
            query={
                "filter[school_id]": filter_school_id,
                "filter[teacher_id]": filter_teacher_id,
                "filter[archived]": filter_archived,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def list_mastery_classroom_objectives(
        self,
        classroom_id: Id,
        *,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the objectives of a classroom.

        `GET /api/v2/classrooms/{classroom_id}/objectives`
        """
        return self._pages(
            "GET",
            f"/api/v2/classrooms/{_part(classroom_id)}/objectives",
            query={
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_classroom(
        self,
        id: Id,
    ) -> Any:
        """Reads a classroom.

        `GET /api/v2/classrooms/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/classrooms/{_part(id)}",
        )

    def list_mastery_curriculum_maps(
        self,
        *,
        filter_privacy_level: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists curriculum maps.

        `GET /api/v2/curriculum_maps`
        """
        return self._pages(
            "GET",
            "/api/v2/curriculum_maps",
            query={
                "filter[privacy_level]": filter_privacy_level,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def list_mastery_curriculum_map_materials(
        self,
        curriculum_map_id: Id,
        *,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the materials of a curriculum map.

        `GET /api/v2/curriculum_maps/{curriculum_map_id}/materials`
        """
        return self._pages(
            "GET",
            f"/api/v2/curriculum_maps/{_part(curriculum_map_id)}/materials",
            query={
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def list_mastery_curriculum_map_objectives(
        self,
        curriculum_map_id: Id,
        *,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the objectives of a curriculum map.

        `GET /api/v2/curriculum_maps/{curriculum_map_id}/objectives`
        """
        return self._pages(
            "GET",
            f"/api/v2/curriculum_maps/{_part(curriculum_map_id)}/objectives",
            query={
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_curriculum_map(
        self,
        id: Id,
    ) -> Any:
        """Reads a curriculum map.

        `GET /api/v2/curriculum_maps/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/curriculum_maps/{_part(id)}",
        )

    def list_mastery_districts(
        self,
        *,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the caller's district.

        `GET /api/v2/districts`
        """
        return self._pages(
            "GET",
            "/api/v2/districts",
            query={
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def list_mastery_district_schools(
        self,
        district_id: Id,
        *,
        filter_nces_school_id: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the schools of the district.

        `GET /api/v2/districts/{district_id}/schools`
        """
        return self._pages(
            "GET",
            f"/api/v2/districts/{_part(district_id)}/schools",
            query={
                "filter[nces_school_id]": filter_nces_school_id,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_district_school(
        self,
        district_id: Id,
        id: Id,
    ) -> Any:
        """Reads a school.

        `GET /api/v2/districts/{district_id}/schools/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/districts/{_part(district_id)}/schools/{_part(id)}",
        )

    def get_mastery_district(
        self,
        id: Id,
    ) -> Any:
        """Reads the caller's district.

        `GET /api/v2/districts/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/districts/{_part(id)}",
        )

    def list_mastery_materials(
        self,
        *,
        filter_subject_id: Value = None,
        filter_objective_id: Value = None,
        filter_draft: Value = None,
        filter_available: Value = None,
        filter_updated_since: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists materials.

        `GET /api/v2/materials`
        """
        return self._pages(
            "GET",
            "/api/v2/materials",
            query={
                "filter[subject_id]": filter_subject_id,
                "filter[objective_id]": filter_objective_id,
                "filter[draft]": filter_draft,
                "filter[available]": filter_available,
                "filter[updated_since]": filter_updated_since,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_material(
        self,
        id: Id,
    ) -> Any:
        """Reads a material with its items.

        `GET /api/v2/materials/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/materials/{_part(id)}",
        )

    def list_mastery_material_items(
        self,
        material_id: Id,
        *,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists the items of a material.

        `GET /api/v2/materials/{material_id}/items`
        """
        return self._pages(
            "GET",
            f"/api/v2/materials/{_part(material_id)}/items",
            query={
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def list_mastery_pathways(
        self,
        *,
        filter_available: Value = None,
        filter_subject_id: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists pathways.

        `GET /api/v2/pathways`
        """
        return self._pages(
            "GET",
            "/api/v2/pathways",
            query={
                "filter[available]": filter_available,
                "filter[subject_id]": filter_subject_id,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_pathway(
        self,
        id: Id,
    ) -> Any:
        """Reads a pathway.

        `GET /api/v2/pathways/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/pathways/{_part(id)}",
        )

    def get_mastery_report(
        self,
        report_name: Id,
        *,
        filter_classroom_id: Value = None,
        filter_assessment_id: Value = None,
    ) -> Any:
        """Reads a report: item_analysis.

        `GET /api/v2/reports/{report_name}`
        """
        return self._call(
            "GET",
            f"/api/v2/reports/{_part(report_name)}",
            query={
                "filter[classroom_id]": filter_classroom_id,
                "filter[assessment_id]": filter_assessment_id,
            },
        )

    def list_mastery_sections(
        self,
        *,
        filter_school_id: Value = None,
        filter_archived: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists sections.

        `GET /api/v2/sections`
        """
        return self._pages(
            "GET",
            "/api/v2/sections",
            query={
                "filter[school_id]": filter_school_id,
                "filter[archived]": filter_archived,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_section(
        self,
        id: Id,
    ) -> Any:
        """Reads a section.

        `GET /api/v2/sections/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/sections/{_part(id)}",
        )

    def list_mastery_teachers(
        self,
        *,
        filter_school_id: Value = None,
        sort: Value = None,
        page_number: Value = None,
        page_size: Value = None,
    ) -> Pages:
        """Lists teachers.

        `GET /api/v2/teachers`
        """
        return self._pages(
            "GET",
            "/api/v2/teachers",
            query={
                "filter[school_id]": filter_school_id,
                "sort": sort,
                "page[number]": page_number,
                "page[size]": page_size,
            },
            records="data",
        )

    def get_mastery_teacher(
        self,
        id: Id,
    ) -> Any:
        """Reads a teacher.

        `GET /api/v2/teachers/{id}`
        """
        return self._call(
            "GET",
            f"/api/v2/teachers/{_part(id)}",
        )

    def issue_mastery_token(
        self,
        body: Json = None,
    ) -> Any:
        """Gives an access token for the credential of a district.

        `POST /api/v2/token`
        """
        return self._call(
            "POST",
            "/api/v2/token",
            body=body,
            takes_token=False,
        )

    def list_tracker_assessments(
        self,
        tracker_id: Id,
    ) -> Any:
        """Reads the assessments of a tracker by standard, with their items.

        `GET /api/v2/trackers/{tracker_id}/assessments`
        """
        return self._call(
            "GET",
            f"/api/v2/trackers/{_part(tracker_id)}/assessments",
        )

    # notification-preferences

    def update_notification_preference_category(
        self,
        communication_channel_id: Id,
        category: Id,
        body: Json = None,
    ) -> Any:
        """Changes how often a channel is told of all that is in a category.

        `PUT /api/v1/users/self/communication_channels/{communication_channel_id}/notification_preference_categories/{category}`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/self/communication_channels/{_part(communication_channel_id)}/notification_preference_categories/{_part(category)}",
            body=body,
        )

    def update_notification_preferences(
        self,
        communication_channel_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes how often a channel is told of several kinds of events.

        `PUT /api/v1/users/self/communication_channels/{communication_channel_id}/notification_preferences`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/self/communication_channels/{_part(communication_channel_id)}/notification_preferences",
            body=body,
        )

    def update_notification_preference(
        self,
        communication_channel_id: Id,
        notification: Id,
        body: Json = None,
    ) -> Any:
        """Changes how often a channel is told of one kind of event.

        `PUT /api/v1/users/self/communication_channels/{communication_channel_id}/notification_preferences/{notification}`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/self/communication_channels/{_part(communication_channel_id)}/notification_preferences/{_part(notification)}",
            body=body,
        )

    def update_notification_preference_category_by_address(
        self,
        type: Id,
        address: Id,
        category: Id,
        body: Json = None,
    ) -> Any:
        """Changes how often a channel is told of all that is in a category.

        `PUT /api/v1/users/self/communication_channels/{type}/{address}/notification_preference_categories/{category}`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/self/communication_channels/{_part(type)}/{_part(address)}/notification_preference_categories/{_part(category)}",
            body=body,
        )

    def update_notification_preferences_by_address(
        self,
        type: Id,
        address: Id,
        body: Json = None,
    ) -> Any:
        """Changes how often a channel is told of several kinds of events.

        `PUT /api/v1/users/self/communication_channels/{type}/{address}/notification_preferences`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/self/communication_channels/{_part(type)}/{_part(address)}/notification_preferences",
            body=body,
        )

    def update_notification_preference_by_address(
        self,
        type: Id,
        address: Id,
        notification: Id,
        body: Json = None,
    ) -> Any:
        """Changes how often a channel is told of one kind of event.

        `PUT /api/v1/users/self/communication_channels/{type}/{address}/notification_preferences/{notification}`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/self/communication_channels/{_part(type)}/{_part(address)}/notification_preferences/{_part(notification)}",
            body=body,
        )

    def list_notification_preference_categories(
        self,
        user_id: Id,
        communication_channel_id: Id,
    ) -> Any:
        """Lists the categories of the kinds of events.

        `GET /api/v1/users/{user_id}/communication_channels/{communication_channel_id}/notification_preference_categories`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(communication_channel_id)}/notification_preference_categories",
        )

    def list_notification_preferences(
        self,
        user_id: Id,
        communication_channel_id: Id,
    ) -> Any:
        """Lists how often a channel is told of each kind of event.

        `GET /api/v1/users/{user_id}/communication_channels/{communication_channel_id}/notification_preferences`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(communication_channel_id)}/notification_preferences",
        )

    def get_notification_preference(
        self,
        user_id: Id,
        communication_channel_id: Id,
        notification: Id,
    ) -> Any:
        """Reads how often a channel is told of one kind of event.

        `GET /api/v1/users/{user_id}/communication_channels/{communication_channel_id}/notification_preferences/{notification}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(communication_channel_id)}/notification_preferences/{_part(notification)}",
        )

    def list_notification_preference_categories_by_address(
        self,
        user_id: Id,
        type: Id,
        address: Id,
    ) -> Any:
        """Lists the categories of the kinds of events.

        `GET /api/v1/users/{user_id}/communication_channels/{type}/{address}/notification_preference_categories`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(type)}/{_part(address)}/notification_preference_categories",
        )

    def list_notification_preferences_by_address(
        self,
        user_id: Id,
        type: Id,
        address: Id,
    ) -> Any:
        """Lists how often a channel is told of each kind of event.

        `GET /api/v1/users/{user_id}/communication_channels/{type}/{address}/notification_preferences`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(type)}/{_part(address)}/notification_preferences",
        )

    def get_notification_preference_by_address(
        self,
        user_id: Id,
        type: Id,
        address: Id,
        notification: Id,
    ) -> Any:
        """Reads how often a channel is told of one kind of event.

        `GET /api/v1/users/{user_id}/communication_channels/{type}/{address}/notification_preferences/{notification}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/communication_channels/{_part(type)}/{_part(address)}/notification_preferences/{_part(notification)}",
        )

    # oauth

    def list_developer_keys(
        self,
        account_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the developer keys of an account.

        `GET /api/v1/accounts/{account_id}/developer_keys`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/developer_keys",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_developer_key(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a developer key, and shows its secret this once.

        `POST /api/v1/accounts/{account_id}/developer_keys`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/developer_keys",
            body=body,
        )

    def list_account_authentication_events(
        self,
        account_id: Id,
        *,
        end_time: Value = None,
        start_time: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists log-ins to a root account, and changes of its keys.

        `GET /api/v1/audit/authentication/accounts/{account_id}`
        """
        return self._pages(
            "GET",
            f"/api/v1/audit/authentication/accounts/{_part(account_id)}",
            query={
                "end_time": end_time,
                "start_time": start_time,
                "page": page,
                "per_page": per_page,
            },
            records="events",
        )

    def list_login_authentication_events(
        self,
        login_id: Id,
        *,
        end_time: Value = None,
        start_time: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists log-ins with a login, and changes of it.

        `GET /api/v1/audit/authentication/logins/{login_id}`
        """
        return self._pages(
            "GET",
            f"/api/v1/audit/authentication/logins/{_part(login_id)}",
            query={
                "end_time": end_time,
                "start_time": start_time,
                "page": page,
                "per_page": per_page,
            },
            records="events",
        )

    def list_user_authentication_events(
        self,
        user_id: Id,
        *,
        end_time: Value = None,
        start_time: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists log-ins of a user, and what was done in the user's name.

        `GET /api/v1/audit/authentication/users/{user_id}`
        """
        return self._pages(
            "GET",
            f"/api/v1/audit/authentication/users/{_part(user_id)}",
            query={
                "end_time": end_time,
                "start_time": start_time,
                "page": page,
                "per_page": per_page,
            },
            records="events",
        )

    def get_developer_key(
        self,
        id: Id,
    ) -> Any:
        """Reads a developer key.

        `GET /api/v1/developer_keys/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/developer_keys/{_part(id)}",
        )

    def update_developer_key(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a developer key.

        `PUT /api/v1/developer_keys/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/developer_keys/{_part(id)}",
            body=body,
        )

    def delete_developer_key(
        self,
        id: Id,
    ) -> Any:
        """Deletes a developer key, which ends all its tokens.

        `DELETE /api/v1/developer_keys/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/developer_keys/{_part(id)}",
        )

    def list_personal_tokens(
        self,
        user_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the tokens of a user.

        `GET /api/v1/users/{user_id}/tokens`
        """
        return self._pages(
            "GET",
            f"/api/v1/users/{_part(user_id)}/tokens",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_personal_token(
        self,
        user_id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a personal token, and shows it this once.

        `POST /api/v1/users/{user_id}/tokens`
        """
        return self._call(
            "POST",
            f"/api/v1/users/{_part(user_id)}/tokens",
            body=body,
        )

    def get_personal_token(
        self,
        user_id: Id,
        id: Id,
    ) -> Any:
        """Reads what is known of a token, by its id or hint.

        `GET /api/v1/users/{user_id}/tokens/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/users/{_part(user_id)}/tokens/{_part(id)}",
        )

    def update_personal_token(
        self,
        user_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a personal token, or makes it anew.

        `PUT /api/v1/users/{user_id}/tokens/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/users/{_part(user_id)}/tokens/{_part(id)}",
            body=body,
        )

    def delete_personal_token(
        self,
        user_id: Id,
        id: Id,
    ) -> Any:
        """Revokes a token.

        `DELETE /api/v1/users/{user_id}/tokens/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/users/{_part(user_id)}/tokens/{_part(id)}",
        )

    def get_home_page(
        self,
    ) -> Any:
        """Shows who is signed in what they may open: a page.

        `GET /home`
        """
        return self._call(
            "GET",
            "/home",
            takes_token=False,
        )

    def get_login_page(
        self,
        *,
        return_to: Value = None,
    ) -> Any:
        """Asks for login and password: a page.

        `GET /login`
        """
        return self._call(
            "GET",
            "/login",
            query={
                "return_to": return_to,
            },
            takes_token=False,
        )

    def start_page_session(
        self,
        body: Json = None,
    ) -> Any:
        """Begins a session on our pages, and leads to the page that was asked for.

        `POST /login`
        """
        return self._call(
            "POST",
            "/login",
            body=body,
            takes_token=False,
        )

    def get_authorization_page(
        self,
        *,
        client_id: Value = None,
        code_challenge: Value = None,
        code_challenge_method: Value = None,
        prompt: Value = None,
        redirect_uri: Value = None,
        response_type: Value = None,
        scope: Value = None,
        state: Value = None,
    ) -> Any:
        """Shows the page on which a user allows a client to act for them.

        `GET /login/oauth2/auth`
        """
        return self._call(
            "GET",
            "/login/oauth2/auth",
            query={
                "client_id": client_id,
                "code_challenge": code_challenge,
                "code_challenge_method": code_challenge_method,
                "prompt": prompt,
                "redirect_uri": redirect_uri,
                "response_type": response_type,
                "scope": scope,
                "state": state,
            },
            takes_token=False,
        )

    def decide_authorization(
        self,
        body: Json = None,
    ) -> Any:
        """Takes the user's decision, and leads back to the client with a code or an error.

        `POST /login/oauth2/auth`
        """
        return self._call(
            "POST",
            "/login/oauth2/auth",
            body=body,
            takes_token=False,
        )

    def issue_token(
        self,
        body: Json = None,
    ) -> Any:
        """Gives a token for a client's credentials, a code, or a refresh token.

        `POST /login/oauth2/token`
        """
        return self._call(
            "POST",
            "/login/oauth2/token",
            body=body,
            takes_token=False,
        )

    def delete_own_token(
        self,
    ) -> Any:
        """Revokes the token of the call.

        `DELETE /login/oauth2/token`
        """
        return self._call(
            "DELETE",
            "/login/oauth2/token",
        )

    def end_page_session(
        self,
        body: Json = None,
    ) -> Any:
        """Ends the session on our pages, or all sessions of its user, and leads to the log-in.

        `POST /logout`
        """
        return self._call(
            "POST",
            "/logout",
            body=body,
            takes_token=False,
        )

    # polls

    def list_closed_poll_sessions(
        self,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the closed sessions of the caller's courses and sections.

        `GET /api/v1/poll_sessions/closed`
        """
        return self._pages(
            "GET",
            "/api/v1/poll_sessions/closed",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="poll_sessions",
        )

    def list_opened_poll_sessions(
        self,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the open sessions of the caller's courses and sections.

        `GET /api/v1/poll_sessions/opened`
        """
        return self._pages(
            "GET",
            "/api/v1/poll_sessions/opened",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="poll_sessions",
        )

    def list_polls(
        self,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the caller's own polls, the newest first.

        `GET /api/v1/polls`
        """
        return self._pages(
            "GET",
            "/api/v1/polls",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="polls",
        )

    def create_poll(
        self,
        body: Json = None,
    ) -> Any:
        """Creates a poll.

        `POST /api/v1/polls`
        """
        return self._call(
            "POST",
            "/api/v1/polls",
            body=body,
        )

    def get_poll(
        self,
        id: Id,
    ) -> Any:
        """Reads a poll.

        `GET /api/v1/polls/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/polls/{_part(id)}",
        )

    def update_poll(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a poll.

        `PUT /api/v1/polls/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/polls/{_part(id)}",
            body=body,
        )

    def delete_poll(
        self,
        id: Id,
    ) -> Any:
        """Deletes a poll with its choices, sessions and submissions.

        `DELETE /api/v1/polls/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/polls/{_part(id)}",
        )

    def list_poll_choices(
        self,
        poll_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the choices of a poll by their position.

        `GET /api/v1/polls/{poll_id}/poll_choices`
        """
        return self._pages(
            "GET",
            f"/api/v1/polls/{_part(poll_id)}/poll_choices",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="poll_choices",
        )

    def create_poll_choice(
        self,
        poll_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a choice.

        `POST /api/v1/polls/{poll_id}/poll_choices`
        """
        return self._call(
            "POST",
            f"/api/v1/polls/{_part(poll_id)}/poll_choices",
            body=body,
        )

    def get_poll_choice(
        self,
        poll_id: Id,
        id: Id,
    ) -> Any:
        """Reads a choice.

        `GET /api/v1/polls/{poll_id}/poll_choices/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/polls/{_part(poll_id)}/poll_choices/{_part(id)}",
        )

    def update_poll_choice(
        self,
        poll_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a choice.

        `PUT /api/v1/polls/{poll_id}/poll_choices/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/polls/{_part(poll_id)}/poll_choices/{_part(id)}",
            body=body,
        )

    def delete_poll_choice(
        self,
        poll_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a choice with its submissions.

        `DELETE /api/v1/polls/{poll_id}/poll_choices/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/polls/{_part(poll_id)}/poll_choices/{_part(id)}",
        )

    def list_poll_sessions(
        self,
        poll_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the sessions of a poll.

        `GET /api/v1/polls/{poll_id}/poll_sessions`
        """
        return self._pages(
            "GET",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="poll_sessions",
        )

    def create_poll_session(
        self,
        poll_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a session, which is closed at first.

        `POST /api/v1/polls/{poll_id}/poll_sessions`
        """
        return self._call(
            "POST",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions",
            body=body,
        )

    def get_poll_session(
        self,
        poll_id: Id,
        id: Id,
    ) -> Any:
        """Reads a session with what the caller may see of it.

        `GET /api/v1/polls/{poll_id}/poll_sessions/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(id)}",
        )

    def update_poll_session(
        self,
        poll_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a session.

        `PUT /api/v1/polls/{poll_id}/poll_sessions/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(id)}",
            body=body,
        )

    def delete_poll_session(
        self,
        poll_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a session with its submissions.

        `DELETE /api/v1/polls/{poll_id}/poll_sessions/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(id)}",
        )

    def close_poll_session(
        self,
        poll_id: Id,
        id: Id,
    ) -> Any:
        """Closes a session: submissions are no longer taken.

        `GET /api/v1/polls/{poll_id}/poll_sessions/{id}/close`
        """
        return self._call(
            "GET",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(id)}/close",
        )

    def create_live_link(
        self,
        poll_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Makes a link to the live page of a session, or to the caller's voting page.

        `POST /api/v1/polls/{poll_id}/poll_sessions/{id}/live_link`
        """
        return self._call(
            "POST",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(id)}/live_link",
            body=body,
        )

    def open_poll_session(
        self,
        poll_id: Id,
        id: Id,
    ) -> Any:
        """Opens a session: submissions are taken.

        `GET /api/v1/polls/{poll_id}/poll_sessions/{id}/open`
        """
        return self._call(
            "GET",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(id)}/open",
        )

    def create_poll_submission(
        self,
        poll_id: Id,
        poll_session_id: Id,
        body: Json = None,
    ) -> Any:
        """Takes one of a poll's choices in an open session.

        `POST /api/v1/polls/{poll_id}/poll_sessions/{poll_session_id}/poll_submissions`
        """
        return self._call(
            "POST",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(poll_session_id)}/poll_submissions",
            body=body,
        )

    def get_poll_submission(
        self,
        poll_id: Id,
        poll_session_id: Id,
        id: Id,
    ) -> Any:
        """Reads a submission.

        `GET /api/v1/polls/{poll_id}/poll_sessions/{poll_session_id}/poll_submissions/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/polls/{_part(poll_id)}/poll_sessions/{_part(poll_session_id)}/poll_submissions/{_part(id)}",
        )

    def get_join_page(
        self,
        *,
        code: Value = None,
    ) -> Any:
        """Asks for the code of a poll, or leads to where it is looked up: a page.

        `GET /join`
        """
        return self._call(
            "GET",
            "/join",
            query={
                "code": code,
            },
            takes_token=False,
        )

    def open_poll_by_code(
        self,
        code: Id,
    ) -> Any:
        """Leads to the voting page of the open session with that code.

        `GET /join/{code}`
        """
        return self._call(
            "GET",
            f"/join/{_part(code)}",
            takes_token=False,
        )

    def get_polls_page(
        self,
    ) -> Any:
        """Shows who is signed in the sessions of their polls, and the open ones that ask them: a page.

        `GET /polls`
        """
        return self._call(
            "GET",
            "/polls",
            takes_token=False,
        )

    def get_live_page(
        self,
        poll_id: Id,
        id: Id,
        *,
        ticket: Value = None,
    ) -> Any:
        """Shows how the votes come in: a page.

        `GET /polls/{poll_id}/sessions/{id}/live`
        """
        return self._call(
            "GET",
            f"/polls/{_part(poll_id)}/sessions/{_part(id)}/live",
            query={
                "ticket": ticket,
            },
            takes_token=False,
        )

    def run_poll_on_live_page(
        self,
        poll_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Opens or closes a session, or keeps its results back until it is closed, and leads back to the live page.

        `POST /polls/{poll_id}/sessions/{id}/live`
        """
        return self._call(
            "POST",
            f"/polls/{_part(poll_id)}/sessions/{_part(id)}/live",
            body=body,
            takes_token=False,
        )

    def get_live_results(
        self,
        poll_id: Id,
        id: Id,
        *,
        audience: Value = None,
        ticket: Value = None,
    ) -> Any:
        """Tells the pages what has changed.

        `GET /polls/{poll_id}/sessions/{id}/results`
        """
        return self._call(
            "GET",
            f"/polls/{_part(poll_id)}/sessions/{_part(id)}/results",
            query={
                "audience": audience,
                "ticket": ticket,
            },
            takes_token=False,
        )

    def get_voting_page(
        self,
        poll_id: Id,
        id: Id,
        *,
        ticket: Value = None,
    ) -> Any:
        """Asks a student: a page.

        `GET /polls/{poll_id}/sessions/{id}/vote`
        """
        return self._call(
            "GET",
            f"/polls/{_part(poll_id)}/sessions/{_part(id)}/vote",
            query={
                "ticket": ticket,
            },
            takes_token=False,
        )

    def vote_in_poll(
        self,
        poll_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Takes the student's vote, and leads back to the page.

        `POST /polls/{poll_id}/sessions/{id}/vote`
        """
        return self._call(
            "POST",
            f"/polls/{_part(poll_id)}/sessions/{_part(id)}/vote",
            body=body,
            takes_token=False,
        )

    # quiz-groups

    def list_quiz_groups(
        self,
        course_id: Id,
        quiz_id: Id,
    ) -> Any:
        """Lists the groups of a quiz.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/groups`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/groups",
        )

    def create_quiz_group(
        self,
        course_id: Id,
        quiz_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a group.

        `POST /api/v1/courses/{course_id}/quizzes/{quiz_id}/groups`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/groups",
            body=body,
        )

    def get_quiz_group(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
    ) -> Any:
        """Reads a group.

        `GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/groups/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/groups/{_part(id)}",
        )

    def update_quiz_group(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a group.

        `PUT /api/v1/courses/{course_id}/quizzes/{quiz_id}/groups/{id}`
        """
        return self._call(
            "PUT",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/groups/{_part(id)}",
            body=body,
        )

    def delete_quiz_group(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
    ) -> Any:
        """Deletes a group with its questions.

        `DELETE /api/v1/courses/{course_id}/quizzes/{quiz_id}/groups/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/groups/{_part(id)}",
        )

    def reorder_quiz_group(
        self,
        course_id: Id,
        quiz_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Puts the questions of a group in order.

        `POST /api/v1/courses/{course_id}/quizzes/{quiz_id}/groups/{id}/reorder`
        """
        return self._call(
            "POST",
            f"/api/v1/courses/{_part(course_id)}/quizzes/{_part(quiz_id)}/groups/{_part(id)}/reorder",
            body=body,
        )

    # quiz-items

    def list_item_banks(
        self,
        course_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the banks of a course that are not archived.

        `GET /api/quiz/v1/courses/{course_id}/banks`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_item_bank(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Creates a bank.

        `POST /api/quiz/v1/courses/{course_id}/banks`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks",
            body=body,
        )

    def get_item_bank(
        self,
        course_id: Id,
        bank_id: Id,
    ) -> Any:
        """Reads a bank.

        `GET /api/quiz/v1/courses/{course_id}/banks/{bank_id}`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}",
        )

    def update_item_bank(
        self,
        course_id: Id,
        bank_id: Id,
        body: Json = None,
    ) -> Any:
        """Renames a bank, or brings it back.

        `PATCH /api/quiz/v1/courses/{course_id}/banks/{bank_id}`
        """
        return self._call(
            "PATCH",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}",
            body=body,
        )

    def archive_item_bank(
        self,
        course_id: Id,
        bank_id: Id,
    ) -> Any:
        """Archives a bank: quizzes keep it, and no other can take it.

        `DELETE /api/quiz/v1/courses/{course_id}/banks/{bank_id}`
        """
        return self._call(
            "DELETE",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}",
        )

    def list_item_bank_entries(
        self,
        course_id: Id,
        bank_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the entries of a bank that are not archived.

        `GET /api/quiz/v1/courses/{course_id}/banks/{bank_id}/entries`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}/entries",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_item_bank_entry(
        self,
        course_id: Id,
        bank_id: Id,
        body: Json = None,
    ) -> Any:
        """Puts a question or a stimulus into a bank.

        `POST /api/quiz/v1/courses/{course_id}/banks/{bank_id}/entries`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}/entries",
            body=body,
        )

    def get_item_bank_entry(
        self,
        course_id: Id,
        bank_id: Id,
        entry_id: Id,
    ) -> Any:
        """Reads an entry of a bank.

        `GET /api/quiz/v1/courses/{course_id}/banks/{bank_id}/entries/{entry_id}`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}/entries/{_part(entry_id)}",
        )

    def update_item_bank_entry(
        self,
        course_id: Id,
        bank_id: Id,
        entry_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes an entry of a bank, or brings it back.

        `PATCH /api/quiz/v1/courses/{course_id}/banks/{bank_id}/entries/{entry_id}`
        """
        return self._call(
            "PATCH",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}/entries/{_part(entry_id)}",
            body=body,
        )

    def archive_item_bank_entry(
        self,
        course_id: Id,
        bank_id: Id,
        entry_id: Id,
    ) -> Any:
        """Archives an entry of a bank: quizzes keep it, and no other can take it.

        `DELETE /api/quiz/v1/courses/{course_id}/banks/{bank_id}/entries/{entry_id}`
        """
        return self._call(
            "DELETE",
            f"/api/quiz/v1/courses/{_part(course_id)}/banks/{_part(bank_id)}/entries/{_part(entry_id)}",
        )

    def add_quiz_bank_entry(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Puts an entry of a bank into a new quiz.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/bank_entries`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/bank_entries",
            body=body,
        )

    def update_quiz_bank_entry(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes the points of a bank's entry in a new quiz, or moves it.

        `PATCH /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/bank_entries/{id}`
        """
        return self._call(
            "PATCH",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/bank_entries/{_part(id)}",
            body=body,
        )

    def remove_quiz_bank_entry(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
    ) -> Any:
        """Takes an entry of a bank out of a new quiz, and answers what stood there. The entry itself stays.

        `DELETE /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/bank_entries/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/bank_entries/{_part(id)}",
        )

    def add_quiz_bank(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Puts a bank into a new quiz, from which items are drawn for each student.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/bank_items`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/bank_items",
            body=body,
        )

    def update_quiz_bank(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes how much a new quiz draws of a bank, or moves the bank.

        `PATCH /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/bank_items/{id}`
        """
        return self._call(
            "PATCH",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/bank_items/{_part(id)}",
            body=body,
        )

    def remove_quiz_bank(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
    ) -> Any:
        """Takes a bank out of a new quiz, and answers what stood there. The bank itself stays.

        `DELETE /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/bank_items/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/bank_items/{_part(id)}",
        )

    def list_quiz_items(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the items of a new quiz in their order, all of them unless a page is asked for.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/items`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/items",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_quiz_item(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Puts a question into a new quiz.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/items`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/items",
            body=body,
        )

    def get_media_upload_url(
        self,
        course_id: Id,
        assignment_id: Id,
    ) -> Any:
        """Gives an address to upload an image of a hot-spot question to.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/items/media_upload_url`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/items/media_upload_url",
        )

    def get_quiz_item(
        self,
        course_id: Id,
        assignment_id: Id,
        item_id: Id,
    ) -> Any:
        """Reads an item.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/items/{item_id}`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/items/{_part(item_id)}",
        )

    def update_quiz_item(
        self,
        course_id: Id,
        assignment_id: Id,
        item_id: Id,
        body: Json = None,
    ) -> Any:
        """Changes or moves a question.

        `PATCH /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/items/{item_id}`
        """
        return self._call(
            "PATCH",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/items/{_part(item_id)}",
            body=body,
        )

    def delete_quiz_item(
        self,
        course_id: Id,
        assignment_id: Id,
        item_id: Id,
    ) -> Any:
        """Deletes a question, and answers what it was.

        `DELETE /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/items/{item_id}`
        """
        return self._call(
            "DELETE",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/items/{_part(item_id)}",
        )

    def create_quiz_stimulus(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Puts a stimulus into a new quiz.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/stimuli`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/stimuli",
            body=body,
        )

    def update_quiz_stimulus(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes or moves a stimulus of a new quiz.

        `PATCH /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/stimuli/{id}`
        """
        return self._call(
            "PATCH",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/stimuli/{_part(id)}",
            body=body,
        )

    def delete_quiz_stimulus(
        self,
        course_id: Id,
        assignment_id: Id,
        id: Id,
    ) -> Any:
        """Takes a stimulus out of a new quiz, and answers what it was. Its questions stay, and belong to none.

        `DELETE /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/stimuli/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/stimuli/{_part(id)}",
        )

    def get_media(
        self,
        context: Id,
        object: Id,
    ) -> Any:
        """Reads an image.

        `GET /api/quiz/v1/media/{context}/{object}`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/media/{_part(context)}/{_part(object)}",
            takes_token=False,
        )

    def upload_media(
        self,
        context: Id,
        object: Id,
        content: Content | None = None,
        content_type: str | None = None,
        *,
        course: Value,
        expires: Value,
        signature: Value,
    ) -> Any:
        """Takes the bytes of an image, once, at an address that was given out.

        `PUT /api/quiz/v1/media/{context}/{object}`
        """
        return self._call(
            "PUT",
            f"/api/quiz/v1/media/{_part(context)}/{_part(object)}",
            query={
                "course": course,
                "expires": expires,
                "signature": signature,
            },
            content=content,
            content_type=content_type,
            takes_token=False,
        )

    # quiz-sessions

    def give_course_quiz_accommodations(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives students more time or fewer choices at all new quizzes of a course.

        `POST /api/quiz/v1/courses/{course_id}/accommodations`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/accommodations",
            body=body,
        )

    def give_quiz_accommodations(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives students more time, attempts or fewer choices at a new quiz.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/accommodations`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/accommodations",
            body=body,
        )

    def list_quiz_regrades(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the regrades of a new quiz, the newest first.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/regrades`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/regrades",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_quiz_regrade(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Corrects what is right in a question of a new quiz, or what it is worth, and regrades the attempts.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/regrades`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/regrades",
            body=body,
        )

    def get_quiz_regrade(
        self,
        course_id: Id,
        assignment_id: Id,
        regrade_id: Id,
    ) -> Any:
        """Reads a regrade with its progress.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/regrades/{regrade_id}`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/regrades/{_part(regrade_id)}",
        )

    def list_regraded_attempts(
        self,
        course_id: Id,
        assignment_id: Id,
        regrade_id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what a regrade has done to each attempt, as far as it has come.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/regrades/{regrade_id}/attempts`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/regrades/{_part(regrade_id)}/attempts",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_new_quiz_report(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Asks for a report of a new quiz, which is made after the answer.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/reports`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/reports",
            body=body,
        )

    def list_quiz_sessions(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        needs_grading: Value = None,
        user_id: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the caller's sessions of a new quiz, or everybody's for the staff, with their own previews.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions`
        """
        return self._pages(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions",
            query={
                "needs_grading": needs_grading,
                "user_id": user_id,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def start_quiz_session(
        self,
        course_id: Id,
        assignment_id: Id,
        body: Json = None,
    ) -> Any:
        """Begins to take a new quiz, or goes on with the session that runs.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions",
            body=body,
        )

    def get_quiz_session(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
    ) -> Any:
        """Reads a session with its items, as the student sees them.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions/{session_id}`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions/{_part(session_id)}",
        )

    def answer_quiz_session(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
        body: Json = None,
    ) -> Any:
        """Saves answers of the session that runs: all of them or none.

        `PUT /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions/{session_id}/answers`
        """
        return self._call(
            "PUT",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions/{_part(session_id)}/answers",
            body=body,
        )

    def update_quiz_session_position(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
        body: Json = None,
    ) -> Any:
        """Moves to another question of the session.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions/{session_id}/position`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions/{_part(session_id)}/position",
            body=body,
        )

    def get_quiz_session_result(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
    ) -> Any:
        """Reads the result of a session that is handed in.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions/{session_id}/result`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions/{_part(session_id)}/result",
        )

    def grade_quiz_session(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
        body: Json = None,
    ) -> Any:
        """Grades a session that is handed in: points and comments of its answers, and points beside them.

        `PUT /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions/{session_id}/result`
        """
        return self._call(
            "PUT",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions/{_part(session_id)}/result",
            body=body,
        )

    def submit_quiz_session(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
    ) -> Any:
        """Hands in a session, and scores it. Graders end those of students.

        `POST /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/sessions/{session_id}/submit`
        """
        return self._call(
            "POST",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/sessions/{_part(session_id)}/submit",
        )

    def get_new_quiz_statistics(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        all_versions: Value = None,
    ) -> Any:
        """Reads the statistics of a new quiz: of its sessions, and of the answers to each of its questions.

        `GET /api/quiz/v1/courses/{course_id}/quizzes/{assignment_id}/statistics`
        """
        return self._call(
            "GET",
            f"/api/quiz/v1/courses/{_part(course_id)}/quizzes/{_part(assignment_id)}/statistics",
            query={
                "all_versions": all_versions,
            },
        )

    def get_quiz_grading_page(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        after: Value = None,
        done: Value = None,
        user_id: Value = None,
        waiting: Value = None,
    ) -> Any:
        """Lists the attempts at a new quiz for those who grade: a page.

        `GET /courses/{course_id}/assignments/{assignment_id}/grade`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/grade",
            query={
                "after": after,
                "done": done,
                "user_id": user_id,
                "waiting": waiting,
            },
            takes_token=False,
        )

    def get_attempt_grading_page(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
        *,
        saved: Value = None,
    ) -> Any:
        """Shows an attempt at a new quiz with its answers and fields for points and comments: a page.

        `GET /courses/{course_id}/assignments/{assignment_id}/grade/{session_id}`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/grade/{_part(session_id)}",
            query={
                "saved": saved,
            },
            takes_token=False,
        )

    def grade_quiz_session_on_page(
        self,
        course_id: Id,
        assignment_id: Id,
        session_id: Id,
        body: Json = None,
    ) -> Any:
        """Grades an attempt on its page, and leads back to it or to the next one that waits.

        `POST /courses/{course_id}/assignments/{assignment_id}/grade/{session_id}`
        """
        return self._call(
            "POST",
            f"/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/grade/{_part(session_id)}",
            body=body,
            takes_token=False,
        )

    def get_quiz_page(
        self,
        course_id: Id,
        assignment_id: Id,
        *,
        preview: Value = None,
    ) -> Any:
        """Lets a student take a new quiz: a page.

        `GET /courses/{course_id}/assignments/{assignment_id}/take`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/assignments/{_part(assignment_id)}/take",
            query={
                "preview": preview,
            },
            takes_token=False,
        )

    # reference

    def get_front_page(
        self,
    ) -> Any:
        """Shows where the API is described.

        `GET /`
        """
        return self._call(
            "GET",
            "/",
            takes_token=False,
        )

    def get_account_user_signpost(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Says where the API has a user of an account: a page for browsers, without any data. To other clients nothing is there.

        `GET /accounts/{account_id}/users/{id}`
        """
        return self._call(
            "GET",
            f"/accounts/{_part(account_id)}/users/{_part(id)}",
            takes_token=False,
        )

    def get_account_signpost(
        self,
        id: Id,
    ) -> Any:
        """Says where the API has an account: a page for browsers, without any data. To other clients nothing is there.

        `GET /accounts/{id}`
        """
        return self._call(
            "GET",
            f"/accounts/{_part(id)}",
            takes_token=False,
        )

    def get_course_signpost(
        self,
        course_id: Id,
    ) -> Any:
        """Says where the API has a course: a page for browsers, without any data. To other clients nothing is there.

        `GET /courses/{course_id}`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}",
            takes_token=False,
        )

    def get_course_list_signpost(
        self,
        course_id: Id,
        resource: Id,
    ) -> Any:
        """Says where the API has what is in a course: a page for browsers, without any data. To other clients nothing is there.

        `GET /courses/{course_id}/{resource}`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/{_part(resource)}",
            takes_token=False,
        )

    def get_course_resource_signpost(
        self,
        course_id: Id,
        resource: Id,
        resource_id: Id,
    ) -> Any:
        """Says where the API has a record of a course: a page for browsers, without any data. To other clients nothing is there.

        `GET /courses/{course_id}/{resource}/{resource_id}`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/{_part(resource)}/{_part(resource_id)}",
            takes_token=False,
        )

    def get_course_submission_signpost(
        self,
        course_id: Id,
        resource: Id,
        resource_id: Id,
        id: Id,
    ) -> Any:
        """Says where the API has what was handed in: a page for browsers, without any data. To other clients nothing is there.

        `GET /courses/{course_id}/{resource}/{resource_id}/submissions/{id}`
        """
        return self._call(
            "GET",
            f"/courses/{_part(course_id)}/{_part(resource)}/{_part(resource_id)}/submissions/{_part(id)}",
            takes_token=False,
        )

    def get_reference(
        self,
    ) -> Any:
        """Shows the areas of the API, their operations and the guides: a page.

        `GET /docs`
        """
        return self._call(
            "GET",
            "/docs",
            takes_token=False,
        )

    def get_contract_page(
        self,
        name: Id,
    ) -> Any:
        """Shows what an area promises, field by field: a page.

        `GET /docs/contract/{name}`
        """
        return self._call(
            "GET",
            f"/docs/contract/{_part(name)}",
            takes_token=False,
        )

    def get_guide(
        self,
        name: Id,
    ) -> Any:
        """Shows a guide, which explains a task from its beginning to its end: a page.

        `GET /docs/guides/{name}`
        """
        return self._call(
            "GET",
            f"/docs/guides/{_part(name)}",
            takes_token=False,
        )

    def get_reference_page(
        self,
        name: Id,
    ) -> Any:
        """Shows the operations of an area, with forms to try them: a page.

        `GET /docs/{name}`
        """
        return self._call(
            "GET",
            f"/docs/{_part(name)}",
            takes_token=False,
        )

    def get_group_signpost(
        self,
        id: Id,
    ) -> Any:
        """Says where the API has a group: a page for browsers, without any data. To other clients nothing is there.

        `GET /groups/{id}`
        """
        return self._call(
            "GET",
            f"/groups/{_part(id)}",
            takes_token=False,
        )

    def get_openapi(
        self,
    ) -> Any:
        """Describes the API for programs.

        `GET /openapi.json`
        """
        return self._call(
            "GET",
            "/openapi.json",
            takes_token=False,
        )

    def get_profile_signpost(
        self,
    ) -> Any:
        """Says where the API has the caller's tokens: a page for browsers, without any data. To other clients nothing is there.

        `GET /profile/settings`
        """
        return self._call(
            "GET",
            "/profile/settings",
            takes_token=False,
        )

    def get_user_signpost(
        self,
        id: Id,
    ) -> Any:
        """Says where the API has a user: a page for browsers, without any data. To other clients nothing is there.

        `GET /users/{id}`
        """
        return self._call(
            "GET",
            f"/users/{_part(id)}",
            takes_token=False,
        )

    # sis-imports

    def list_sis_imports(
        self,
        account_id: Id,
        *,
        created_before: Value = None,
        created_since: Value = None,
        workflow_state: Values = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the imports of an account, the newest first.

        `GET /api/v1/accounts/{account_id}/sis_imports`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports",
            query={
                "created_before": created_before,
                "created_since": created_since,
                "workflow_state[]": workflow_state,
                "page": page,
                "per_page": per_page,
            },
            records="sis_imports",
        )

    def create_sis_import(
        self,
        account_id: Id,
        content: Content | None = None,
        content_type: str | None = None,
        *,
        add_sis_stickiness: Value = None,
        batch_mode: Value = None,
        batch_mode_enrollment_drop_status: Value = None,
        batch_mode_term_id: Value = None,
        change_threshold: Value = None,
        clear_sis_stickiness: Value = None,
        diff_row_count_threshold: Value = None,
        diffing_data_set_identifier: Value = None,
        diffing_drop_status: Value = None,
        diffing_remaster_data_set: Value = None,
        diffing_user_remove_status: Value = None,
        extension: Value = None,
        import_type: Value = None,
        multi_term_batch_mode: Value = None,
        override_sis_stickiness: Value = None,
        skip_deletes: Value = None,
    ) -> Any:
        """Imports CSV files, one or a zip of them.

        `POST /api/v1/accounts/{account_id}/sis_imports`
        """
        return self._call(
            "POST",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports",
            query={
                "add_sis_stickiness": add_sis_stickiness,
                "batch_mode": batch_mode,
                "batch_mode_enrollment_drop_status": batch_mode_enrollment_drop_status,
                "batch_mode_term_id": batch_mode_term_id,
                "change_threshold": change_threshold,
                "clear_sis_stickiness": clear_sis_stickiness,
                "diff_row_count_threshold": diff_row_count_threshold,
                "diffing_data_set_identifier": diffing_data_set_identifier,
                "diffing_drop_status": diffing_drop_status,
                "diffing_remaster_data_set": diffing_remaster_data_set,
                "diffing_user_remove_status": diffing_user_remove_status,
                "extension": extension,
                "import_type": import_type,
                "multi_term_batch_mode": multi_term_batch_mode,
                "override_sis_stickiness": override_sis_stickiness,
                "skip_deletes": skip_deletes,
            },
            content=content,
            content_type=content_type,
        )

    def abort_pending_sis_imports(
        self,
        account_id: Id,
    ) -> Any:
        """Ends all imports of an account that have not ended.

        `PUT /api/v1/accounts/{account_id}/sis_imports/abort_all_pending`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/abort_all_pending",
        )

    def list_running_sis_imports(
        self,
        account_id: Id,
    ) -> Any:
        """Lists the imports of an account that are worked on now.

        `GET /api/v1/accounts/{account_id}/sis_imports/importing`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/importing",
        )

    def get_sis_import(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Reads an import.

        `GET /api/v1/accounts/{account_id}/sis_imports/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/{_part(id)}",
        )

    def abort_sis_import(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Ends an import before its end.

        `PUT /api/v1/accounts/{account_id}/sis_imports/{id}/abort`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/{_part(id)}/abort",
        )

    def download_csv_attachment(
        self,
        account_id: Id,
        id: Id,
        attachment_id: Id,
    ) -> Any:
        """Reads a CSV file of an import.

        `GET /api/v1/accounts/{account_id}/sis_imports/{id}/csv_attachments/{attachment_id}`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/{_part(id)}/csv_attachments/{_part(attachment_id)}",
        )

    def list_sis_import_errors(
        self,
        account_id: Id,
        id: Id,
        *,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists what an import has to say about rows and files.

        `GET /api/v1/accounts/{account_id}/sis_imports/{id}/errors`
        """
        return self._pages(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/{_part(id)}/errors",
            query={
                "page": page,
                "per_page": per_page,
            },
            records="sis_import_errors",
        )

    def download_errors_attachment(
        self,
        account_id: Id,
        id: Id,
    ) -> Any:
        """Reads what an import has to say about rows and files, as CSV.

        `GET /api/v1/accounts/{account_id}/sis_imports/{id}/errors_attachment`
        """
        return self._call(
            "GET",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/{_part(id)}/errors_attachment",
        )

    def restore_sis_import_states(
        self,
        account_id: Id,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Gives the records whose states an import has changed those that they had before.

        `PUT /api/v1/accounts/{account_id}/sis_imports/{id}/restore_states`
        """
        return self._call(
            "PUT",
            f"/api/v1/accounts/{_part(account_id)}/sis_imports/{_part(id)}/restore_states",
            body=body,
        )

    # webhook-subscriptions

    def authorize_tool_for_account(
        self,
        account_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a tool an access token for its signed assertion.

        `POST /api/lti/accounts/{account_id}/authorize`
        """
        return self._call(
            "POST",
            f"/api/lti/accounts/{_part(account_id)}/authorize",
            body=body,
            takes_token=False,
        )

    def authorize_tool_for_course(
        self,
        course_id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a tool an access token for its signed assertion.

        `POST /api/lti/courses/{course_id}/authorize`
        """
        return self._call(
            "POST",
            f"/api/lti/courses/{_part(course_id)}/authorize",
            body=body,
            takes_token=False,
        )

    def list_tool_deliveries(
        self,
        *,
        event_type: Value = None,
        status: Value = None,
        subscription_id: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the deliveries to the tool's subscriptions, newest first.

        `GET /api/lti/deliveries`
        """
        return self._pages(
            "GET",
            "/api/lti/deliveries",
            query={
                "event_type": event_type,
                "status": status,
                "subscription_id": subscription_id,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_tool_deliveries_link(
        self,
        body: Json = None,
    ) -> Any:
        """Makes a link to the page on which a tool's developer sees its deliveries and has them sent again.

        `POST /api/lti/deliveries/live_link`
        """
        return self._call(
            "POST",
            "/api/lti/deliveries/live_link",
            body=body,
        )

    def get_tool_delivery(
        self,
        id: Id,
    ) -> Any:
        """Reads a delivery with all attempts at it: what was sent, and which status was answered.

        `GET /api/lti/deliveries/{id}`
        """
        return self._call(
            "GET",
            f"/api/lti/deliveries/{_part(id)}",
        )

    def replay_tool_delivery(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Sends a delivery again that came or was given up.

        `POST /api/lti/deliveries/{id}/replay`
        """
        return self._call(
            "POST",
            f"/api/lti/deliveries/{_part(id)}/replay",
            body=body,
        )

    def register_tool(
        self,
        body: Json = None,
    ) -> Any:
        """Registers a tool that was invited. It gets its capabilities when an administrator approves them.

        `POST /api/lti/registrations`
        """
        return self._call(
            "POST",
            "/api/lti/registrations",
            body=body,
        )

    def get_own_tool_registration(
        self,
        client_id: Id,
    ) -> Any:
        """Reads the registration of a tool, as the tool itself.

        `GET /api/lti/registrations/{client_id}`
        """
        return self._call(
            "GET",
            f"/api/lti/registrations/{_part(client_id)}",
        )

    def get_openid_configuration(
        self,
    ) -> Any:
        """Describes the platform to tools that register themselves.

        `GET /api/lti/security/openid-configuration`
        """
        return self._call(
            "GET",
            "/api/lti/security/openid-configuration",
            takes_token=False,
        )

    def list_subscriptions(
        self,
    ) -> Any:
        """Lists the tool's subscriptions, 100 in a set.

        `GET /api/lti/subscriptions`
        """
        return self._call(
            "GET",
            "/api/lti/subscriptions",
        )

    def create_subscription(
        self,
        body: Json = None,
    ) -> Any:
        """Subscribes, and answers the signing secret this one time.

        `POST /api/lti/subscriptions`
        """
        return self._call(
            "POST",
            "/api/lti/subscriptions",
            body=body,
        )

    def get_subscription(
        self,
        id: Id,
    ) -> Any:
        """Reads a subscription.

        `GET /api/lti/subscriptions/{id}`
        """
        return self._call(
            "GET",
            f"/api/lti/subscriptions/{_part(id)}",
        )

    def update_subscription(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Changes a subscription, and enables it again, or disables it with the `Status` `disabled`.

        `PUT /api/lti/subscriptions/{id}`
        """
        return self._call(
            "PUT",
            f"/api/lti/subscriptions/{_part(id)}",
            body=body,
        )

    def delete_subscription(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Ends a subscription.

        `DELETE /api/lti/subscriptions/{id}`
        """
        return self._call(
            "DELETE",
            f"/api/lti/subscriptions/{_part(id)}",
            body=body,
        )

    def rotate_subscription_secret(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Gives a subscription a new signing secret; the one before signs for another day.

        `POST /api/lti/subscriptions/{id}/rotate_secret`
        """
        return self._call(
            "POST",
            f"/api/lti/subscriptions/{_part(id)}/rotate_secret",
            body=body,
        )

    def test_subscription(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Sends a test to the subscription's receiver.

        `POST /api/lti/subscriptions/{id}/test`
        """
        return self._call(
            "POST",
            f"/api/lti/subscriptions/{_part(id)}/test",
            body=body,
        )

    def issue_tool_token(
        self,
        body: Json = None,
    ) -> Any:
        """Gives a tool that was approved an access token for an assertion that it has signed with its key.

        `POST /api/lti/token`
        """
        return self._call(
            "POST",
            "/api/lti/token",
            body=body,
            takes_token=False,
        )

    def get_tool_consumer_profile(
        self,
        guid: Id,
    ) -> Any:
        """Says what a tool that was invited may ask for, and where it registers.

        `GET /api/lti/tool_consumer_profile/{guid}`
        """
        return self._call(
            "GET",
            f"/api/lti/tool_consumer_profile/{_part(guid)}",
            takes_token=False,
        )

    def list_tool_proxies(
        self,
        *,
        account_id: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the tools of an account.

        `GET /api/lti/tool_proxies`
        """
        return self._pages(
            "GET",
            "/api/lti/tool_proxies",
            query={
                "account_id": account_id,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_tool_proxy(
        self,
        body: Json = None,
    ) -> Any:
        """Registers a tool, and answers its secret this one time.

        `POST /api/lti/tool_proxies`
        """
        return self._call(
            "POST",
            "/api/lti/tool_proxies",
            body=body,
        )

    def get_tool_proxy(
        self,
        guid: Id,
    ) -> Any:
        """Reads a tool.

        `GET /api/lti/tool_proxies/{guid}`
        """
        return self._call(
            "GET",
            f"/api/lti/tool_proxies/{_part(guid)}",
        )

    def update_tool_proxy(
        self,
        guid: Id,
        body: Json = None,
    ) -> Any:
        """Changes a tool's name or capabilities; what it may not be told of any more is not sent.

        `PUT /api/lti/tool_proxies/{guid}`
        """
        return self._call(
            "PUT",
            f"/api/lti/tool_proxies/{_part(guid)}",
            body=body,
        )

    def delete_tool_proxy(
        self,
        guid: Id,
    ) -> Any:
        """Removes a tool with all its subscriptions.

        `DELETE /api/lti/tool_proxies/{guid}`
        """
        return self._call(
            "DELETE",
            f"/api/lti/tool_proxies/{_part(guid)}",
        )

    def rotate_tool_proxy_secret(
        self,
        guid: Id,
        body: Json = None,
    ) -> Any:
        """Gives a tool a new secret, and answers it this one time; the one before signs for another day.

        `POST /api/lti/tool_proxies/{guid}/rotate_secret`
        """
        return self._call(
            "POST",
            f"/api/lti/tool_proxies/{_part(guid)}/rotate_secret",
            body=body,
        )

    def register_tool_proxy(
        self,
        body: Json = None,
    ) -> Any:
        """Registers a tool proxy. It gets its capabilities when an administrator approves them.

        `POST /api/lti/tool_proxy`
        """
        return self._call(
            "POST",
            "/api/lti/tool_proxy",
            body=body,
        )

    def list_tool_registrations(
        self,
        *,
        account_id: Value = None,
        status: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists the registrations of tools with an account.

        `GET /api/lti/tool_registrations`
        """
        return self._pages(
            "GET",
            "/api/lti/tool_registrations",
            query={
                "account_id": account_id,
                "status": status,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_tool_registration(
        self,
        body: Json = None,
    ) -> Any:
        """Invites a tool to register itself, and answers this one time the address that leads the administrator to it.

        `POST /api/lti/tool_registrations`
        """
        return self._call(
            "POST",
            "/api/lti/tool_registrations",
            body=body,
        )

    def get_tool_registration(
        self,
        id: Id,
    ) -> Any:
        """Reads the registration of a tool.

        `GET /api/lti/tool_registrations/{id}`
        """
        return self._call(
            "GET",
            f"/api/lti/tool_registrations/{_part(id)}",
        )

    def approve_tool_registration(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Approves a tool: from now on it has these capabilities.

        `POST /api/lti/tool_registrations/{id}/approve`
        """
        return self._call(
            "POST",
            f"/api/lti/tool_registrations/{_part(id)}/approve",
            body=body,
        )

    def refuse_tool_registration(
        self,
        id: Id,
    ) -> Any:
        """Refuses a tool, or takes back its invitation.

        `POST /api/lti/tool_registrations/{id}/refuse`
        """
        return self._call(
            "POST",
            f"/api/lti/tool_registrations/{_part(id)}/refuse",
        )

    def list_webhook_deliveries(
        self,
        *,
        status: Value = None,
        subscription_id: Value = None,
        page: Value = None,
        per_page: Value = None,
    ) -> Pages:
        """Lists deliveries to webhook subscriptions, newest first.

        `GET /api/v1/webhook_deliveries`
        """
        return self._pages(
            "GET",
            "/api/v1/webhook_deliveries",
            query={
                "status": status,
                "subscription_id": subscription_id,
                "page": page,
                "per_page": per_page,
            },
            records="",
        )

    def create_deliveries_link(
        self,
    ) -> Any:
        """Makes a link to the page on which deliveries are seen and sent again.

        `POST /api/v1/webhook_deliveries/live_link`
        """
        return self._call(
            "POST",
            "/api/v1/webhook_deliveries/live_link",
        )

    def replay_dead_webhook_deliveries(
        self,
        body: Json = None,
    ) -> Any:
        """Sends again whatever could not be delivered since that time, or was kept because its subscription was disabled.

        `POST /api/v1/webhook_deliveries/replay`
        """
        return self._call(
            "POST",
            "/api/v1/webhook_deliveries/replay",
            body=body,
        )

    def get_webhook_delivery(
        self,
        id: Id,
    ) -> Any:
        """Reads a delivery with all attempts at it.

        `GET /api/v1/webhook_deliveries/{id}`
        """
        return self._call(
            "GET",
            f"/api/v1/webhook_deliveries/{_part(id)}",
        )

    def replay_webhook_delivery(
        self,
        id: Id,
    ) -> Any:
        """Sends a delivery again.

        `POST /api/v1/webhook_deliveries/{id}/replay`
        """
        return self._call(
            "POST",
            f"/api/v1/webhook_deliveries/{_part(id)}/replay",
        )

    def get_deliveries_page(
        self,
        *,
        before: Value = None,
        status: Value = None,
        subscription_id: Value = None,
        ticket: Value = None,
    ) -> Any:
        """Shows subscriptions and deliveries, the newest first: a page.

        `GET /webhooks/deliveries`
        """
        return self._call(
            "GET",
            "/webhooks/deliveries",
            query={
                "before": before,
                "status": status,
                "subscription_id": subscription_id,
                "ticket": ticket,
            },
            takes_token=False,
        )

    def replay_dead_deliveries_on_page(
        self,
        body: Json = None,
    ) -> Any:
        """Sends again what could not be delivered to a subscription or was kept for it, and leads back to the page.

        `POST /webhooks/deliveries/replay`
        """
        return self._call(
            "POST",
            "/webhooks/deliveries/replay",
            body=body,
            takes_token=False,
        )

    def get_delivery_page(
        self,
        id: Id,
        *,
        ticket: Value = None,
    ) -> Any:
        """Shows a delivery with all attempts at it, what was sent and what was answered: a page.

        `GET /webhooks/deliveries/{id}`
        """
        return self._call(
            "GET",
            f"/webhooks/deliveries/{_part(id)}",
            query={
                "ticket": ticket,
            },
            takes_token=False,
        )

    def replay_delivery_on_page(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Sends a delivery again, and leads back to its page.

        `POST /webhooks/deliveries/{id}/replay`
        """
        return self._call(
            "POST",
            f"/webhooks/deliveries/{_part(id)}/replay",
            body=body,
            takes_token=False,
        )

    def get_tool_deliveries_page(
        self,
        *,
        before: Value = None,
        event_type: Value = None,
        status: Value = None,
        subscription_id: Value = None,
        ticket: Value = None,
    ) -> Any:
        """Shows the tool's subscriptions and the deliveries to them, the newest first: a page.

        `GET /webhooks/tool_deliveries`
        """
        return self._call(
            "GET",
            "/webhooks/tool_deliveries",
            query={
                "before": before,
                "event_type": event_type,
                "status": status,
                "subscription_id": subscription_id,
                "ticket": ticket,
            },
            takes_token=False,
        )

    def get_tool_delivery_page(
        self,
        id: Id,
        *,
        ticket: Value = None,
    ) -> Any:
        """Shows a delivery to the tool with all attempts at it, what was sent and which status was answered: a page.

        `GET /webhooks/tool_deliveries/{id}`
        """
        return self._call(
            "GET",
            f"/webhooks/tool_deliveries/{_part(id)}",
            query={
                "ticket": ticket,
            },
            takes_token=False,
        )

    def replay_tool_delivery_on_page(
        self,
        id: Id,
        body: Json = None,
    ) -> Any:
        """Sends a delivery to the tool again, and leads back to its page.

        `POST /webhooks/tool_deliveries/{id}/replay`
        """
        return self._call(
            "POST",
            f"/webhooks/tool_deliveries/{_part(id)}/replay",
            body=body,
            takes_token=False,
        )
