"""Tests parts of the client. If a test fails, it prints its seed. How calls behave is tested with sdk/behaviours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import socket
import threading
import time
import unittest
from datetime import date, datetime, timedelta, timezone
from typing import Any

import httpx2

import tollgate_client
from tollgate_client import types
from tollgate_client.document import read
from tollgate_client.errors import api_error
from tollgate_client.generated.keys import KeysMintInput
from tollgate_client.generated.models import ModelsAddInput
from tollgate_client.generated.usage import UsageExportOutput
from tollgate_client.inputs import sent
from tollgate_client.stream import EventSplitter, LineSplitter, Splitter


class Seeded(unittest.TestCase):
    def setUp(self) -> None:
        seed = random.randrange(2**32)
        self.random = random.Random(seed)
        self.seed = f"seed {seed}"

    def text(self, alphabet: str, most: int) -> str:
        return "".join(self.random.choices(alphabet, k=self.random.randint(0, most)))


class Money(Seeded):
    def test_amounts_go_to_dollars_and_back(self) -> None:
        for _ in range(2_000):
            micros = self.random.randint(
                -(10 ** self.random.randint(0, 30)), 10 ** self.random.randint(0, 30)
            )
            text = tollgate_client.format_micros(micros)
            self.assertEqual(tollgate_client.dollars(text.replace("$", "")), str(micros), self.seed)
            self.assertEqual(tollgate_client.format_micros(str(micros)), text, self.seed)

    def test_what_looks_like_digits_is_none(self) -> None:
        for text in ["١", "1\n", "1.٢", "+1", "1_0", "½"]:
            self.assertRaises(ValueError, tollgate_client.dollars, text)
            self.assertRaises(ValueError, tollgate_client.format_micros, text)


class Webhooks(Seeded):
    def test_a_delivery_of_which_one_byte_is_another_is_refused(self) -> None:
        for _ in range(300):
            secret = f"whsec_{base64.b64encode(self.random.randbytes(32)).decode()}"
            body = json.dumps({"id": self.text("aü🦊", 9), "type": "usage.recorded", "events": []}).encode()
            signature = hmac.new(secret.encode(), b"1795000000." + body, hashlib.sha256).hexdigest()
            header = f"t=1795000000,v1={signature}"
            verified = tollgate_client.verify_webhook(body, header, secret, now_ms=1795000000000)
            self.assertEqual(verified.to_dict(), json.loads(body), self.seed)
            at = self.random.randrange(len(body))
            changed = body[:at] + bytes([body[at] ^ (1 << self.random.randrange(7))]) + body[at + 1 :]
            with self.assertRaises(tollgate_client.WebhookError, msg=self.seed) as refused:
                tollgate_client.verify_webhook(changed, header, secret, now_ms=1795000000000)
            self.assertEqual(refused.exception.reason, "wrong_signature")


class Splitters(Seeded):
    def test_however_a_text_is_cut_its_lines_are_the_same(self) -> None:
        for _ in range(500):
            lines = [self.text("ab \x85\u2028ü🦊\x0b", 8) for _ in range(self.random.randint(0, 6))]
            found = self.split(LineSplitter(), self.random.choice(["\n", "\r\n"]).join(lines))
            self.assertEqual(found, [line for line in lines if line.strip() != ""], self.seed)

    def test_however_a_text_is_cut_its_events_are_the_same(self) -> None:
        for _ in range(500):
            end = self.random.choice(["\n", "\r\n", "\r"])
            events = [
                [self.text("ab:\x85\u2028ü🦊\x0b", 8) for _ in range(self.random.randint(1, 3))]
                for _ in range(self.random.randint(0, 5))
            ]
            text = "".join(end.join([*(f"data: {line}" for line in event), "", ""]) for event in events)
            self.assertEqual(
                self.split(EventSplitter(), text), ["\n".join(event) for event in events], self.seed
            )

    def split(self, splitter: Splitter, text: str) -> list[str]:
        cuts = sorted(self.random.randint(0, len(text)) for _ in range(self.random.randint(0, 8)))
        parts = [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        pieces = [piece for part in parts for piece in splitter.feed(part)] + splitter.end()
        return [piece.text for piece in pieces]


class Documents(unittest.TestCase):
    def test_fields_are_attributes_and_the_document_stays(self) -> None:
        document: dict[str, Any] = {
            "rows": [{"requestedModel": "acme/smart", "billedMicros": "9007199254740993"}],
            "totals": {"calls": 1},
            "tomorrow": {"deepField": 1},
        }
        from tollgate_client.generated.usage import UsageOutput

        used = UsageOutput(document)
        self.assertEqual(used.rows[0].requested_model, "acme/smart")
        self.assertEqual(used.rows[0].billed_micros, "9007199254740993")
        self.assertEqual(used.totals.calls, 1)
        self.assertIs(used.to_dict(), document)
        with self.assertRaisesRegex(AttributeError, "omitted inputTokens"):
            _ = used.totals.input_tokens
        with self.assertRaisesRegex(AttributeError, "no field tomorrow"):
            getattr(used, "tomorrow")  # noqa: B009

    def test_what_is_not_as_declared_stays_as_it_came(self) -> None:
        self.assertEqual(read("odd", list[types.Price]), "odd")
        self.assertEqual(read([1, None], list[types.Price]), [1, None])
        self.assertIsNone(read(None, types.Price | None))

    def test_one_of_several_shapes_is_the_one_whose_fields_are_there(self) -> None:
        focus = read({"BilledCost": "0.1", "x_UsageRecordId": "ur_1"}, UsageExportOutput)
        self.assertIsInstance(focus, types.FocusRow)
        self.assertEqual((focus.billed_cost, focus.x_usage_record_id), ("0.1", "ur_1"))
        self.assertIsInstance(read({"id": "ur_1", "chargeMicros": "1"}, UsageExportOutput), types.UsageRow)


class Inputs(unittest.TestCase):
    def test_names_amounts_and_times_are_those_of_the_server(self) -> None:
        at = datetime(2026, 11, 20, 13, tzinfo=timezone(timedelta(hours=1)))
        given = {
            "end_user_id": "u",
            "cap_micros": 10**30,
            "expires_at": at,
            "livemode": False,
            "new_field": 1,
        }
        self.assertEqual(
            sent(given, KeysMintInput),
            {
                "endUserId": "u",
                "capMicros": "1" + "0" * 30,
                "expiresAt": "2026-11-20T12:00:00Z",
                "livemode": False,
                "newField": 1,
            },
        )
        self.assertEqual(sent(date(2026, 11, 20), None), "2026-11-20")

    def test_what_stands_deeper_is_named_as_well_and_what_was_answered_is_sent_as_it_came(self) -> None:
        given = {"name": "acme/smart", "sources": ({"provider": "main", "model": "m"},)}
        self.assertEqual(sent(given, ModelsAddInput)["sources"], [{"provider": "main", "model": "m"}])
        price = types.Price({"input": "1", "laterField": "2"})
        self.assertEqual(sent(price, None), {"input": "1", "laterField": "2"})

    def test_a_time_without_a_zone_and_a_text_for_a_list_are_refused(self) -> None:
        client = tollgate_client.Tollgate(token=None)
        with self.assertRaisesRegex(tollgate_client.TollgateError, "with a time zone"):
            client.usage(from_=datetime(2026, 11, 20))
        with self.assertRaisesRegex(tollgate_client.TollgateError, "must be a list"):
            client.grants.issue(end_users="user-42", amount_units="1", reason="hi")


class Settings(unittest.TestCase):
    def test_options_that_cannot_be_are_refused_and_tokens_are_in_no_error(self) -> None:
        for options in [
            {"token": "sk_secret\n"},
            {"token": "ak_secret"},
            {"base_url": "ftp://x"},
            {"base_url": "http://user:secret@x"},
            {"base_url": "http://x?y"},
            {"base_url": "http://x:port"},
            {"mode": "tset"},
            {"max_retries": -1},
            {"timeout_ms": float("nan")},
        ]:
            given: Any = options
            with self.assertRaises(tollgate_client.TollgateError, msg=str(options)) as refused:
                tollgate_client.Tollgate(**given)
            self.assertNotIn("secret", str(refused.exception))

    def test_the_text_of_an_error_contains_its_code_and_the_request_id(self) -> None:
        body = '{"error": {"code": "not_found", "message": "There is no key key_1."}}'
        known = api_error(status=404, headers=httpx2.Headers(), request_id="req_1", body=body)
        self.assertEqual(str(known), "There is no key key_1. (404 not_found, request req_1)")
        self.assertEqual(known.message, "There is no key key_1.")
        foreign = api_error(status=502, headers=httpx2.Headers(), request_id=None, body="<html>")
        self.assertEqual(str(foreign), f"{foreign.message} (502)")

    def test_an_error_of_the_connection_is_the_builtin_one_too(self) -> None:
        with tollgate_client.Tollgate(token=None, base_url="http://127.0.0.1:9", max_retries=0) as client:
            self.assertRaises(OSError, client.keys.list)


class Times(unittest.TestCase):
    def test_a_server_that_drips_is_left_when_the_time_is_over(self) -> None:
        """The server sends pieces without end. Each piece arrives within the time limit of a single read."""
        listening = socket.create_server(("127.0.0.1", 0))
        ended = threading.Event()

        def drip() -> None:
            connection, _ = listening.accept()
            connection.recv(65536)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n"
            )
            try:
                while True:
                    connection.sendall(b" ")
                    time.sleep(0.01)
            except OSError:
                ended.set()

        threading.Thread(target=drip, daemon=True).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with tollgate_client.Tollgate(token=None, base_url=address, max_retries=0, timeout_ms=100) as client:
            self.assertRaises(tollgate_client.TimeoutError, client.keys.list)
            self.assertTrue(ended.wait(60), "the connection was kept")
        listening.close()


if __name__ == "__main__":
    unittest.main()
