"""Deliveries of usage to an endpoint of yours: whether one was signed with your secret, and what it says."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from typing import Any, Literal, cast

from .document import Document
from .errors import WebhookError


class UsageTokens(Document):
    """What a call used."""

    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    reasoning_tokens: int
    token_count_source: str
    """Who counted: `provider_reported`, or another."""


class UsageRecorded(Document):
    """A call that was settled."""

    idempotency_key: str
    """The id of the usage record: a delivery may come twice, an event counts once."""
    usage_record_id: str
    organization_id: str
    end_user_id: str | None
    """Id of the person, `eu_…`; None: the call had none."""
    api_key_id: str | None
    request_id: str | None
    """Id of the call, `req_…`."""
    provider: str
    """Who served the call."""
    model: str
    """The model that answered, and not the name that was asked for."""
    streamed: bool
    tokens: UsageTokens
    provider_cost_micros: str
    """What the provider account is charged: integer micros as a decimal string."""
    billed_amount_micros: str
    """What the plan sells it for: integer micros as a decimal string."""


class WebhookBatch(Document):
    """One delivery."""

    id: str
    """Id of the batch, `usgb_…`: the same on every attempt to deliver it."""
    type: Literal["usage.recorded"] | str
    events: list[UsageRecorded]


def verify_webhook(
    raw_body: str | bytes,
    header: str | None,
    secret: str,
    *,
    tolerance_seconds: float = 300,
    now_ms: float | None = None,
) -> WebhookBatch:
    """Checks the signature of a delivery, in constant time, and reads it.

    `raw_body` is the body as it came: parsing and printing it again changes its bytes.
    `header` is `svc-signature`. One of its signatures must be right; there are two while a secret is rotated.
    `secret` is that of the emitter, `whsec_…`, shown once when it was added or rotated.
    `tolerance_seconds` is how old, or how far ahead of this clock, a signature may be.
    `now_ms` is the time of this machine, in milliseconds since 1970; now when left out.

    Raises WebhookError when the delivery must not be trusted, ValueError when the secret or an option is wrong.
    """
    _check_secret(secret)
    if not (math.isfinite(tolerance_seconds) and tolerance_seconds >= 0):
        raise ValueError(f"tolerance_seconds is {tolerance_seconds}; it must be a number of seconds from 0")
    if now_ms is not None and not math.isfinite(now_ms):
        raise ValueError(f"now_ms is {now_ms}; it must be milliseconds since 1970")
    if not header:
        raise WebhookError("missing_signature", "The request has no header svc-signature.")
    at, signatures = _parts_of(header)
    now = time.time() if now_ms is None else now_ms / 1000
    off_seconds = abs(math.floor(now) - int(at))
    if off_seconds > tolerance_seconds:
        said = (
            f"The signature is {off_seconds} s away from this clock, and {tolerance_seconds:g} s are allowed."
        )
        raise WebhookError("signature_expired", said)
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).digest()
    # All of them, so that the time says nothing of which one it was.
    if not any([hmac.compare_digest(digest, one) for one in signatures]):  # noqa: C419
        raise WebhookError("wrong_signature", "The signature was not made of this body with this secret.")
    try:
        batch: object = json.loads(body)
    except (ValueError, RecursionError) as cause:
        raise WebhookError("invalid_body", "The body is signed, and not valid JSON.") from cause
    if not isinstance(batch, dict):
        raise WebhookError("invalid_body", "The body is signed, and no JSON object.")
    return WebhookBatch(cast("dict[str, Any]", batch))


def _check_secret(secret: object) -> None:
    """With an empty secret anyone can sign, so a setting that is missing must not pass for one.

    Base64 of at least 16 bytes, in either alphabet.
    """
    found = re.fullmatch("whsec_([A-Za-z0-9_+/-]{22,})={0,2}", secret) if isinstance(secret, str) else None
    if found is None or len(found[1]) % 4 == 1:
        raise ValueError("The secret is not the signing secret of an emitter: whsec_ and base64")


def _parts_of(header: str) -> tuple[str, list[bytes]]:
    """Of `t=<unix seconds>,v1=<hex>`; there may be other parts, and several `v1` while a secret changes."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    at = next((value for name, _, value in parts if name == "t"), "")
    signatures = [
        bytes.fromhex(value)
        for name, _, value in parts
        if name == "v1" and re.fullmatch("[0-9a-fA-F]{64}", value)
    ]
    if not re.fullmatch("[0-9]{1,15}", at) or not signatures:
        raise WebhookError("malformed_signature", "The header svc-signature is not t=<seconds>,v1=<hex>.")
    return at, signatures
