"""Reads calls as JSON from standard input, one per line. Makes each call and prints its result on one line.

A call is `{"flavour": "sync" | "async", "operation", "input", "client"}`. A printed line is `{"data"}`, `{"rows"}` with
`request_id`, or `{"error"}` with its classes, its code and its request ID. The inputs of a call have the API's names.
"""

from __future__ import annotations

import asyncio
import base64
import json
import keyword
import re
import ssl
import sys
from typing import Any

import httpx2
import tollgate_client

# The program reads the machine's certificates once, because reading them takes longer than a whole call.
CERTIFICATES = ssl.create_default_context()


def call_sync(told: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    with (
        httpx2.Client(verify=CERTIFICATES) as http,
        tollgate_client.Tollgate(**told["client"], http_client=http) as client,
    ):
        noun, name = holder(client, told["operation"])
        if told["kind"] in ("events", "lines"):
            with getattr(noun, name)(**given) as stream:
                rows = [] if told["kind"] == "events" else [row.to_dict() for row in stream]
                return {"rows": rows, "requestId": stream.request_id}
        raw = raw_method_of(noun, name)(**given)
        answer = {"data": raw.parse().to_dict(), "requestId": raw.request_id}
        if told["kind"] == "page":
            rows = [row.to_dict() for row in getattr(noun, name)(**{**given, "limit": 1})]
            return {**answer, "rows": rows}
        return answer


async def call_async(told: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    async with (
        httpx2.AsyncClient(verify=CERTIFICATES) as http,
        tollgate_client.AsyncTollgate(**told["client"], http_client=http) as client,
    ):
        noun, name = holder(client, told["operation"])
        if told["kind"] in ("events", "lines"):
            async with getattr(noun, name)(**given) as stream:
                rows = [] if told["kind"] == "events" else [row.to_dict() async for row in stream]
                return {"rows": rows, "requestId": stream.request_id}
        raw = await raw_method_of(noun, name)(**given)
        answer = {"data": raw.parse().to_dict(), "requestId": raw.request_id}
        if told["kind"] == "page":
            rows = [row.to_dict() async for row in getattr(noun, name)(**{**given, "limit": 1})]
            return {**answer, "rows": rows}
        return answer


def holder(client: Any, operation: str) -> tuple[Any, str]:
    noun, _, verb = operation.partition(".")
    return (getattr(client, snake(noun)), snake(verb)) if verb else (client, snake(noun))


def raw_method_of(noun: Any, name: str) -> Any:
    """Returns the method whose result is the raw response.

    If a noun is also an operation, `raw_method_of` returns the noun itself.
    """
    own = getattr(noun, name)
    return (
        own.with_raw_response if hasattr(own, "with_raw_response") else getattr(noun.with_raw_response, name)
    )


def inputs(given: dict[str, Any]) -> dict[str, Any]:
    named = {snake(name): value for name, value in given.items()}
    if "file" in named:
        named["file"] = base64.b64decode(named["file"])
    return named


def snake(name: str) -> str:
    words = re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()
    return f"{words}_" if keyword.iskeyword(words) else words


def failure(error: Exception) -> dict[str, Any]:
    said = {"classes": [kind.__name__ for kind in type(error).__mro__], "message": str(error)}
    if isinstance(error, tollgate_client.ApiError):
        said |= {"code": error.code, "requestId": error.request_id}
    return {"error": said}


def main() -> None:
    for line in sys.stdin:
        told = json.loads(line)
        try:
            given = inputs(told["input"])
            is_sync = told["flavour"] == "sync"
            answer = call_sync(told, given) if is_sync else asyncio.run(call_async(told, given))
        except Exception as error:
            answer = failure(error)
        print(json.dumps(answer), flush=True)


main()
