"""Two endpoints of the application, served by FastAPI: `cargo xtask bench --compare` measures them beside it.

Called with the file that describes the endpoints, a port of the loopback and the number of workers. Ends when its
input ends.
"""

import json
import os
import signal
import sqlite3
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable

import jwt
import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response

DESCRIPTION_FILE, PORT, WORKERS = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

description = json.loads(DESCRIPTION_FILE.read_text())
database = sqlite3.connect(f"file:{description['database']}?mode=ro", uri=True, check_same_thread=False)
database.row_factory = sqlite3.Row
app = FastAPI(openapi_url=None)


def verified_claims(request: Request) -> dict[str, Any]:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme != "Bearer":
        raise HTTPException(401)
    try:
        return jwt.decode(token, description["key"], algorithms=["HS256"])
    except jwt.InvalidTokenError as error:
        raise HTTPException(401) from error


def value(source: dict[str, Any], claims: dict[str, Any], path: dict[str, str]) -> int | str | None:
    match source["from"]:
        case "token":
            return int(claims["jti"])
        case "user":
            return claims["sub"]
        case "path":
            return int(path[source["name"]])
        case "null":
            return None
        case _:
            return source["value"]


def holds(row: sqlite3.Row) -> bool:
    ends = row["expires_at"]
    now = datetime.now(timezone.utc)
    return row["revoked_at"] is None and (ends is None or datetime.fromisoformat(ends) > now)


def handler(sql: str, parameters: list[dict[str, Any]]) -> Callable[..., Any]:
    # The statement takes less time than to hand it to another thread would.
    async def answer(request: Request) -> Response:
        claims = verified_claims(request)
        values = [value(source, claims, request.path_params) for source in parameters]
        row = database.execute(sql, values).fetchone()
        if row is None or not holds(row):
            raise HTTPException(401)
        if row["needed"] is None or row["prefetched"] is None:
            raise HTTPException(404)
        return Response(row["prefetched"], media_type="application/json")

    return answer


for endpoint in description["endpoints"]:
    app.add_api_route(endpoint["path"], handler(endpoint["sql"], endpoint["parameters"]))


def end_with_input() -> None:
    sys.stdin.buffer.read()
    # The workers, too: they are of the same group.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=end_with_input, daemon=True).start()
    uvicorn.run("server:app", host="127.0.0.1", port=PORT, workers=WORKERS, log_level="warning", access_log=False)
