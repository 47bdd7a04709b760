"""An integration: the scores of a laboratory's own system go into the gradebook of a course.

It may run again and again: what is there already is not written once more. Late work loses a tenth.
"""

from collections.abc import Callable, Mapping

from lectern import InvalidToken, Lectern

LATE_FACTOR = 0.9


class GradeSync:
    def __init__(self, lectern: Lectern, new_token: Callable[[], str]) -> None:
        self._lectern = lectern
        self._new_token = new_token

    def run(self, course: int, assignment: int, scores: Mapping[int, float]) -> list[int]:
        """Writes the scores by user, and answers whose have changed."""
        try:
            return self._write(course, assignment, scores)
        except InvalidToken:
            # The token has ended, maybe in the middle: the next run leaves out what is there.
            self._lectern = self._lectern.with_token(self._new_token())
            return self._write(course, assignment, scores)

    def _write(self, course: int, assignment: int, scores: Mapping[int, float]) -> list[int]:
        written = []
        for submission in self._lectern.list_submissions(course, assignment, per_page=50):
            user = submission.get("user_id")  # Hidden while work is graded anonymously.
            if user not in scores:
                continue
            score = scores[user] * (LATE_FACTOR if submission["late"] else 1)
            if submission["score"] != score:
                body = {"submission": {"posted_grade": score}}
                self._lectern.grade_submission(course, assignment, user, body)
                written.append(user)
        return written
