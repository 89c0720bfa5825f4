"""Runs the cases with the Python SDK.

`python python.py <address of the server> sync|async` prints the failures.
"""

from __future__ import annotations

import asyncio
import base64
import json
import platform
import re
import signal
import sys
import threading
import time
import traceback
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import tollgate_client

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))["cases"]


class Player:
    """Everything that a case sets up for its call: the server, the clock and the cancellation."""

    def __init__(self, one: dict[str, Any], server_url: str) -> None:
        self.one = one
        self.told = one["call"]
        name = urllib.parse.quote(one["name"], safe="")
        self.base_url = _post(f"{server_url}/_begin?case={name}")["baseUrl"]
        self.cancel = self.told.get("cancel")
        self.reads_as = self.told.get("as", "data")
        self.waits_ms: list[float] = []

    def now(self) -> float:
        return time.time() * 1000 + sum(self.waits_ms)

    def client_options(self) -> dict[str, Any]:
        options = _snaked({"token": "sk_behaviour", **self.told.get("client", {})})
        return {**options, "base_url": self.base_url + options.pop("path", "")}

    def method_of(self, client: Any) -> Any:
        noun, _, verb = self.told["operation"].partition(".")
        if verb == "":
            raw, name = client, _snake(noun)
        else:
            raw, name = getattr(client, _snake(noun)), _snake(verb)
        if self.reads_as not in ("response", "raw"):
            return getattr(raw, name)
        own = getattr(raw, name)
        return (
            own.with_raw_response
            if hasattr(own, "with_raw_response")
            else getattr(raw.with_raw_response, name)
        )

    def inputs(self) -> dict[str, Any]:
        given = _snaked(self.told.get("input", {}))
        if "file" in given:
            given["file"] = base64.b64decode(given["file"]["base64"])
        return given

    def options(self) -> dict[str, Any]:
        return _snaked(self.told.get("options", {}))

    def seen(self, least: int = 0) -> list[dict[str, Any]]:
        return _get(f"{self.base_url}/_seen?least={least}")

    def check(self, outcome: dict[str, Any], cancelled: type[BaseException]) -> None:
        requests = self.seen()
        expected = dict(self.one["expect"])
        error, count = expected.pop("error", None), expected.pop("requestCount", None)
        wanted, waits = expected.pop("requests", None), expected.pop("waitsMs", None)
        same, different = expected.pop("same", []), expected.pop("different", [])
        if error is not None:
            _check_error(outcome.get("error"), dict(error), cancelled)
        elif "error" in outcome:
            raise outcome["error"]
        for name, value in expected.items():
            if name == "response":
                _check_response(outcome["response"], dict(value))
            else:
                _equal(outcome[name], value, name)
        if waits is not None:
            _equal(self.waits_ms, waits, "the waits")
        if count is not None:
            _check_count(len(requests), count)
        if wanted is not None:
            _equal(len(requests), len(wanted), "the number of requests")
            for request, one in zip(requests, wanted, strict=True):
                _check_request(request, one)
        for name in same:
            _equal(len({request["headers"].get(name) for request in requests}), 1, name)
        for name in different:
            _equal(len({request["headers"].get(name) for request in requests}), len(requests), name)


def play_sync(one: dict[str, Any], server_url: str) -> None:
    player = Player(one, server_url)
    cancel = player.cancel

    def now() -> float:
        # Cancel at this point, because every call reads the clock before it sends a request.
        if cancel == "before":
            signal.raise_signal(signal.SIGINT)
        return player.now()

    def sleep(ms: float) -> None:
        if cancel == "waiting":
            signal.raise_signal(signal.SIGINT)
        player.waits_ms.append(ms)

    def interrupt() -> None:
        player.seen(1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    clock = tollgate_client.Clock(now=now, random=lambda: 0.5, sleep=sleep)
    outcome: dict[str, Any] = {}
    with tollgate_client.Tollgate(**player.client_options(), clock=clock) as client:
        method = player.method_of(client)
        if cancel == "running":
            threading.Thread(target=interrupt).start()
        for _ in range(player.told.get("times", 1)):
            try:
                answer = method(**player.inputs(), options=player.options())
                outcome = read_sync(answer, player.reads_as)
            except (Exception, KeyboardInterrupt) as error:
                outcome = {"error": error}
    player.check(outcome, KeyboardInterrupt)


def read_sync(answer: Any, reads_as: str) -> dict[str, Any]:
    if reads_as == "rows":
        return {"rows": _plain(list(answer))}
    if reads_as == "pages":
        return {"pages": _plain(list(answer.pages()))}
    if reads_as == "documents":
        documents = _plain(list(answer))
        return {"documents": documents, "lastEventId": answer.last_event_id}
    return read_answer(answer, reads_as)


def read_answer(answer: Any, reads_as: str) -> dict[str, Any]:
    if reads_as == "raw":
        return {"text": answer.text}
    if reads_as == "response":
        return {"data": _plain(answer.parse()), "response": answer}
    return {"data": _plain(answer)}


async def play_async(one: dict[str, Any], server_url: str) -> None:
    player = await asyncio.to_thread(Player, one, server_url)
    cancel = player.cancel

    async def sleep(ms: float) -> None:
        if cancel == "waiting":
            task.cancel()
            await asyncio.sleep(0)
        player.waits_ms.append(ms)

    async def call() -> dict[str, Any]:
        return await read_async(
            player.method_of(client)(**player.inputs(), options=player.options()), player.reads_as
        )

    clock = tollgate_client.AsyncClock(now=player.now, random=lambda: 0.5, sleep=sleep)
    outcome: dict[str, Any] = {}
    async with tollgate_client.AsyncTollgate(**player.client_options(), clock=clock) as client:
        for _ in range(player.told.get("times", 1)):
            task = asyncio.create_task(call())
            if cancel == "before":
                task.cancel()
            if cancel == "running":
                await asyncio.to_thread(player.seen, 1)
                task.cancel()
            try:
                outcome = await task
            except (Exception, asyncio.CancelledError) as error:
                outcome = {"error": error}
    await asyncio.to_thread(player.check, outcome, asyncio.CancelledError)


async def read_async(answer: Any, reads_as: str) -> dict[str, Any]:
    if reads_as == "rows":
        return {"rows": _plain([row async for row in answer])}
    if reads_as == "pages":
        return {"pages": _plain([page async for page in answer.pages()])}
    if reads_as == "documents":
        documents = _plain([document async for document in answer])
        return {"documents": documents, "lastEventId": answer.last_event_id}
    return read_answer(await answer, reads_as)


def play_function(one: dict[str, Any]) -> None:
    given, expected = one["arguments"], one["expect"]
    function = getattr(tollgate_client, _snake(one["function"]))
    try:
        if isinstance(given, dict):
            named = _snaked(given)
            if "tolerance_seconds" in named:
                named["tolerance_seconds"] = float(named["tolerance_seconds"])
            encoded = named.pop("body_base64", None)
            body = named.pop("body", "") if encoded is None else base64.b64decode(encoded)
            result = function(body, **named)
        else:
            result = function(*given)
    except Exception as error:
        if "throws" not in expected:
            raise
        facts = dict(expected["throws"])
        kind = getattr(tollgate_client, facts.pop("class")) if "class" in facts else ValueError
        assert isinstance(error, kind), repr(error)
        assert facts.pop("message", "") in str(error), str(error)
        for name, value in facts.items():
            _equal(getattr(error, _snake(name)), value, name)
        return
    assert "throws" not in expected, f"it gave {result!r}"
    _equal(_plain(result), expected["result"], "the result")


def _check_error(error: Any, expected: dict[str, Any], cancelled: type[BaseException]) -> None:
    assert error is not None, "nothing was raised"
    name = expected.pop("class")
    kind = cancelled if name == "CancelledError" else getattr(tollgate_client, name)
    text = "".join(traceback.format_exception(error))
    assert isinstance(error, kind), f"{name} was expected, and not {text}"
    message, without = expected.pop("message", ""), expected.pop("without", None)
    assert message in str(error), str(error)
    for fact, value in expected.items():
        _equal(_plain(getattr(error, _snake(fact))), value, fact)
    assert without is None or without not in f"{text} {error!r} {vars(error)}", f"{without} is in the error"


def _check_response(response: Any, expected: dict[str, Any]) -> None:
    for name, value in expected.pop("headers", {}).items():
        _equal(response.headers.get(name), value, name)
    for name, value in expected.items():
        _equal(getattr(response, _snake(name)), value, name)


def _check_count(actual: int, expected: int | dict[str, int]) -> None:
    bounds = {"least": expected, "most": expected} if isinstance(expected, int) else expected
    if not bounds.get("least", 0) <= actual <= bounds.get("most", actual):
        raise AssertionError(f"the number of requests is {actual}")


def _check_request(request: dict[str, Any], expected: dict[str, Any]) -> None:
    for name in ("method", "target", "body"):
        if name in expected:
            _equal(request[name], expected[name], name)
    if "query" in expected:
        query = urllib.parse.urlsplit(request["target"]).query
        _equal(dict(urllib.parse.parse_qsl(query, keep_blank_values=True)), expected["query"], "the query")
    if "json" in expected:
        _equal(json.loads(base64.b64decode(request["body"])), expected["json"], "the body")
    for name, value in expected.get("headers", {}).items():
        sent = request["headers"].get(name)
        # An expected text between slashes is a regular expression.
        if isinstance(value, str) and re.fullmatch("/.*/", value):
            assert re.search(value[1:-1], sent or ""), f"{name}: {sent!r}"
        else:
            _equal(sent, value, name)


def _equal(actual: Any, expected: Any, name: str) -> None:
    assert actual == expected, f"{name}: {actual!r}, and not {expected!r}"


def _plain(value: Any) -> Any:
    if isinstance(value, tollgate_client.Document):
        return value.to_dict()
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _snake(name: str) -> str:
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _snaked(fields: dict[str, Any]) -> dict[str, Any]:
    return {_snake(name): value for name, value in fields.items()}


def _get(url: str) -> Any:
    with urllib.request.urlopen(url) as response:
        return json.load(response)


def _post(url: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, method="POST")) as response:
        return json.load(response)


def main(server_url: str, flavour: str) -> None:
    failures: list[str] = []
    for one in CASES:
        try:
            if "function" in one:
                play_function(one)
            elif flavour == "sync":
                play_sync(one, server_url)
            else:
                asyncio.run(play_async(one, server_url))
        except Exception as error:
            failures.append(f"{one['name']}: {type(error).__name__}: {error}")
    print(json.dumps({"python": platform.python_version(), "played": len(CASES), "failures": failures}))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
