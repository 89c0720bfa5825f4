"""Verifies and parses the deliveries of usage events that your endpoint receives."""

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
    """Usage of one request."""

    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    reasoning_tokens: int
    token_count_source: str
    """Source of the counts, such as `provider_reported`."""


class UsageRecorded(Document):
    """A settled request."""

    idempotency_key: str
    """ID of the usage record. A delivery may arrive twice, so count each key once."""
    usage_record_id: str
    organization_id: str
    end_user_id: str | None
    """ID of the end user, `eu_…`. None if the request had no end user."""
    api_key_id: str | None
    request_id: str | None
    """ID of the request, `req_…`."""
    provider: str
    """The provider that served the request."""
    model: str
    """The provider's model that served the request, not the requested model name."""
    streamed: bool
    tokens: UsageTokens
    provider_cost_micros: str
    """Cost charged to the provider account, in integer micros as a decimal string."""
    billed_amount_micros: str
    """Sell price in the plan, in integer micros as a decimal string."""


class WebhookBatch(Document):
    """A delivery of usage events."""

    id: str
    """ID of the batch, `usgb_…`. Every delivery attempt has the same ID."""
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
    """Verifies the signature of a delivery in constant time, and parses the delivery.

    `raw_body` is the body as it was received. Do not parse and serialize it again, because that changes its bytes.
    `header` is the header `svc-signature`. At least one signature in the header must match. While a secret is rotated,
    the header contains two signatures. `secret` is the signing secret of the emitter, `whsec_…`, which was shown once
    when the secret was created or rotated. `tolerance_seconds` is the maximum difference between the time in the
    signature and the clock of this machine. `now_ms` is the current time, in milliseconds since 1970, and defaults to
    the clock of this machine.

    Raises WebhookError if the delivery must not be trusted, ValueError if the secret or an option is not valid.
    """
    _check_secret(secret)
    if not (math.isfinite(tolerance_seconds) and tolerance_seconds >= 0):
        raise ValueError(f"tolerance_seconds must be a number of seconds from 0, but is {tolerance_seconds}")
    if now_ms is not None and not math.isfinite(now_ms):
        raise ValueError(f"now_ms must be milliseconds since 1970, but is {now_ms}")
    if not header:
        raise WebhookError("missing_signature", "The header svc-signature is missing.")
    at, signatures = _parts_of(header)
    now = time.time() if now_ms is None else now_ms / 1000
    off_seconds = abs(math.floor(now) - int(at))
    if off_seconds > tolerance_seconds:
        said = (
            f"The time of the signature differs from this clock by {off_seconds} s, "
            f"and at most {tolerance_seconds:g} s are allowed."
        )
        raise WebhookError("signature_expired", said)
    body = raw_body.encode(errors="replace") if isinstance(raw_body, str) else bytes(raw_body)
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).digest()
    # Compare all signatures, so that the duration does not reveal which one matched.
    if not any([hmac.compare_digest(digest, one) for one in signatures]):  # noqa: C419
        raise WebhookError("wrong_signature", "The signature does not match this body and this secret.")
    try:
        # Without `decode`, json.loads would also accept UTF-16 and UTF-32.
        batch: object = json.loads(body.decode("utf-8-sig"), parse_constant=_reject_constant)
    except (ValueError, RecursionError) as cause:
        raise WebhookError(
            "invalid_body", "The signature is valid, but the body is not valid JSON."
        ) from cause
    if not isinstance(batch, dict):
        raise WebhookError("invalid_body", "The signature is valid, but the body is not a JSON object.")
    return WebhookBatch(cast("dict[str, Any]", batch))


def _reject_constant(name: str) -> None:
    """By default, json.loads accepts NaN, Infinity and -Infinity, which JSON does not have."""
    raise ValueError(f"{name} is not valid JSON")


def _check_secret(secret: object) -> None:
    """Rejects empty and malformed secrets. Without this check, a missing setting would be an empty secret, with which
    anyone can sign.

    The secret must be base64 of at least 16 bytes, with the standard or the URL-safe alphabet.
    """
    found = re.fullmatch("whsec_([A-Za-z0-9_+/-]{22,})={0,2}", secret) if isinstance(secret, str) else None
    if found is None or len(found[1]) % 4 == 1:
        raise ValueError("The secret must be the signing secret of an emitter: whsec_ followed by base64")


def _parts_of(header: str) -> tuple[str, list[bytes]]:
    """Parses `t=<unix seconds>,v1=<hex>`. Other parts are ignored. While a secret is rotated, the header contains
    several parts `v1`.
    """
    parts = [part.strip().partition("=") for part in header.split(",")]
    at = next((value for name, _, value in parts if name == "t"), "")
    signatures = [
        bytes.fromhex(value)
        for name, _, value in parts
        if name == "v1" and re.fullmatch("[0-9a-fA-F]{64}", value)
    ]
    if not re.fullmatch("[0-9]{1,15}", at) or not signatures:
        raise WebhookError(
            "malformed_signature", "The header svc-signature must have the form t=<seconds>,v1=<hex>."
        )
    return at, signatures
