# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Amount, Time
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class KeysListInput(TypedDict):
    """Of keys.list: list keys."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    sort: NotRequired[Literal["created", "name", "spent", "last_used"]]
    """Sort order. `spent` sorts by `spent_micros`, each key in its own `cap_period`. `last_used` sorts
    by `last_used_at`, with None first in ascending order. Defaults to `created`. `created` when left
    out.
    """
    direction: NotRequired[Literal["asc", "desc"]]
    """Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal
    values are sorted by ID.
    """
    end_user_id: NotRequired[str]
    """External ID of an end user. Returns only keys of that end user. 1 to 256 characters."""
    search: NotRequired[str]
    """Text to search for. Matches part of the name (ignoring case), the beginning of the secret, the
    whole ID, or the last four characters. 1 to 128 characters.
    """
    state: NotRequired[Literal["active", "revoked", "expired"]]
    """Returns only keys in this state. A revoked key never counts as expired."""


class KeysListOutput(Document):
    """What keys.list answers."""
    data: list[types.ApiKeySummary]
    next_cursor: str | None


class KeysListPage(KeysListOutput, Page[types.ApiKeySummary]):
    """A page of keys.list."""


class AsyncKeysListPage(KeysListOutput, AsyncPage[types.ApiKeySummary]):
    """A page of keys.list."""


class KeysMintInput(TypedDict):
    """Of keys.mint: create a key."""
    end_user_id: str
    """External ID of the end user that the key belongs to. 1 to 256 characters."""
    email: NotRequired[str]
    """Email address of the end user. Stored only if the end user has no address yet. At most 254
    characters.
    """
    bundle: NotRequired[str]
    """Slug of the bundle for the end user."""
    name: NotRequired[str]
    """Display name of the key. Defaults to `end_user_id`. 1 to 128 characters."""
    livemode: NotRequired[bool]
    """Whether to create a live key. Test keys never reach a provider. Defaults to the mode of the
    request.
    """
    cap_micros: NotRequired[Amount | None]
    """Maximum spend per `cap_period`, in micros. Null or omitted means no cap. An integer as a decimal
    string.
    """
    cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. `month` when
    left out.
    """
    expires_at: NotRequired[Time | None]
    """When the key expires. Must be in the future. Null or omitted means never. ISO 8601."""


class KeysShowInput(TypedDict):
    """Of keys.show: show a key."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
    characters.
    """


class KeysRevokeInput(TypedDict):
    """Of keys.revoke: revoke a key."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
    characters.
    """


class KeysCapInput(TypedDict):
    """Of keys.cap: change a key's cap."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
    characters.
    """
    cap_micros: Amount | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """Calendar period (UTC) after which the cap resets. Omit to keep the current value."""


class KeysRotateInput(TypedDict):
    """Of keys.rotate: rotate a key."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
    characters.
    """
    grace_seconds: int
    """Grace period during which both keys work, in seconds (max 86,400). 0 revokes the old key
    immediately. The grace period does not extend the old key's expiry. From 0 to 86400.
    """


_KEYS_LIST = Route(
    id="keys.list",
    method="GET",
    path="/v1/keys",
    takes=KeysListInput,
    query=("limit", "cursor", "sort", "direction", "endUserId", "search", "state",),
)


_KEYS_MINT = Route(
    id="keys.mint",
    method="POST",
    path="/v1/keys",
    takes=KeysMintInput,
    body="json",
    is_keyed=True,
)


_KEYS_SHOW = Route(
    id="keys.show",
    method="GET",
    path="/v1/keys/{id}",
    takes=KeysShowInput,
)


_KEYS_REVOKE = Route(
    id="keys.revoke",
    method="DELETE",
    path="/v1/keys/{id}",
    takes=KeysRevokeInput,
)


_KEYS_CAP = Route(
    id="keys.cap",
    method="POST",
    path="/v1/keys/{id}/cap",
    takes=KeysCapInput,
    body="json",
    is_keyed=True,
)


_KEYS_ROTATE = Route(
    id="keys.rotate",
    method="POST",
    path="/v1/keys/{id}/rotate",
    takes=KeysRotateInput,
    body="json",
    is_keyed=True,
)


class Keys:
    """`ak_` keys that authenticate end users at the gateway."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> KeysWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return KeysWithRawResponse(Keys(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[KeysListInput]) -> KeysListPage:
        """List keys.

        Returns the application's keys in the mode of the request, newest first unless `sort` is set.
        Revoked keys are included.

        GET /v1/keys. Its inputs are those of KeysListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_KEYS_LIST, given, options, KeysListPage)

    def mint(self, *, options: CallOptions | None = None, **given: Unpack[KeysMintInput]) -> types.MintedKey:
        """Create a key.

        Creates an `ak_` key for an end user. The secret is returned once and cannot be retrieved again.

        - An end user who does not exist yet is created on the default bundle.
        - `bundle` moves the end user to that bundle in the mode of the key, as users.subscribe does.
        - The first live key of an end user who was created in test mode puts them on the default bundle.

        POST /v1/keys. Its inputs are those of KeysMintInput.

        Raises ApiError: not_found, bundle_required, already_exists.
        """
        return self._sender.call(_KEYS_MINT, given, options, types.MintedKey)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[KeysShowInput]) -> types.ApiKeySummary:
        """Show a key.

        Returns a key without its secret.

        GET /v1/keys/{id}. Its inputs are those of KeysShowInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return self._sender.call(_KEYS_SHOW, given, options, types.ApiKeySummary)

    def revoke(self, *, options: CallOptions | None = None, **given: Unpack[KeysRevokeInput]) -> types.RevokedKey:
        """Revoke a key.

        Revokes the key. Starting with the next request, the key returns 401 `key_revoked`.

        - Requests in flight continue and are charged.
        - If the key replaced another key whose grace period has not ended, that key is revoked too
        (`also_revoked`).
        - Revoked keys stay in the list. Revoking a key again changes nothing.

        DELETE /v1/keys/{id}. Its inputs are those of KeysRevokeInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return self._sender.call(_KEYS_REVOKE, given, options, types.RevokedKey)

    def cap(self, *, options: CallOptions | None = None, **given: Unpack[KeysCapInput]) -> types.ApiKeySummary:
        """Change a key's cap.

        Sets the spend cap of a key, starting with the next request. Spending of the key and the keys it
        replaced counts for the whole current period. A cap below that spending blocks the key until the
        period ends.

        POST /v1/keys/{id}/cap. Its inputs are those of KeysCapInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return self._sender.call(_KEYS_CAP, given, options, types.ApiKeySummary)

    def rotate(self, *, options: CallOptions | None = None, **given: Unpack[KeysRotateInput]) -> types.RotatedKey:
        """Rotate a key.

        Creates a key that replaces this one, for the same end user, with the same name, cap and expiry.
        The secret is returned once and cannot be retrieved again.

        - Both keys work until the grace period ends. Requests of the old key that are in flight then
        continue.
        - Both keys share the cap. Spending and holds of the old key in the current period count toward
        it.
        - A repeat with the same Idempotency-Key is rejected.
        - A replaced, revoked or expired key cannot be rotated.

        POST /v1/keys/{id}/rotate (an extension). Its inputs are those of KeysRotateInput.

        Raises ApiError: not_found, ambiguous_key, key_ended.
        """
        return self._sender.call(_KEYS_ROTATE, given, options, types.RotatedKey)


class KeysWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Keys) -> None:
        self.list = raw(methods.list)
        self.mint = raw(methods.mint)
        self.show = raw(methods.show)
        self.revoke = raw(methods.revoke)
        self.cap = raw(methods.cap)
        self.rotate = raw(methods.rotate)


class AsyncKeys:
    """`ak_` keys that authenticate end users at the gateway."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncKeysWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncKeysWithRawResponse(AsyncKeys(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[KeysListInput]) -> AsyncPageCall[types.ApiKeySummary, AsyncKeysListPage]:
        """List keys.

        Returns the application's keys in the mode of the request, newest first unless `sort` is set.
        Revoked keys are included.

        GET /v1/keys. Its inputs are those of KeysListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_KEYS_LIST, given, options, AsyncKeysListPage)

    async def mint(self, *, options: CallOptions | None = None, **given: Unpack[KeysMintInput]) -> types.MintedKey:
        """Create a key.

        Creates an `ak_` key for an end user. The secret is returned once and cannot be retrieved again.

        - An end user who does not exist yet is created on the default bundle.
        - `bundle` moves the end user to that bundle in the mode of the key, as users.subscribe does.
        - The first live key of an end user who was created in test mode puts them on the default bundle.

        POST /v1/keys. Its inputs are those of KeysMintInput.

        Raises ApiError: not_found, bundle_required, already_exists.
        """
        return await self._sender.call(_KEYS_MINT, given, options, types.MintedKey)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[KeysShowInput]) -> types.ApiKeySummary:
        """Show a key.

        Returns a key without its secret.

        GET /v1/keys/{id}. Its inputs are those of KeysShowInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return await self._sender.call(_KEYS_SHOW, given, options, types.ApiKeySummary)

    async def revoke(self, *, options: CallOptions | None = None, **given: Unpack[KeysRevokeInput]) -> types.RevokedKey:
        """Revoke a key.

        Revokes the key. Starting with the next request, the key returns 401 `key_revoked`.

        - Requests in flight continue and are charged.
        - If the key replaced another key whose grace period has not ended, that key is revoked too
        (`also_revoked`).
        - Revoked keys stay in the list. Revoking a key again changes nothing.

        DELETE /v1/keys/{id}. Its inputs are those of KeysRevokeInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return await self._sender.call(_KEYS_REVOKE, given, options, types.RevokedKey)

    async def cap(self, *, options: CallOptions | None = None, **given: Unpack[KeysCapInput]) -> types.ApiKeySummary:
        """Change a key's cap.

        Sets the spend cap of a key, starting with the next request. Spending of the key and the keys it
        replaced counts for the whole current period. A cap below that spending blocks the key until the
        period ends.

        POST /v1/keys/{id}/cap. Its inputs are those of KeysCapInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return await self._sender.call(_KEYS_CAP, given, options, types.ApiKeySummary)

    async def rotate(self, *, options: CallOptions | None = None, **given: Unpack[KeysRotateInput]) -> types.RotatedKey:
        """Rotate a key.

        Creates a key that replaces this one, for the same end user, with the same name, cap and expiry.
        The secret is returned once and cannot be retrieved again.

        - Both keys work until the grace period ends. Requests of the old key that are in flight then
        continue.
        - Both keys share the cap. Spending and holds of the old key in the current period count toward
        it.
        - A repeat with the same Idempotency-Key is rejected.
        - A replaced, revoked or expired key cannot be rotated.

        POST /v1/keys/{id}/rotate (an extension). Its inputs are those of KeysRotateInput.

        Raises ApiError: not_found, ambiguous_key, key_ended.
        """
        return await self._sender.call(_KEYS_ROTATE, given, options, types.RotatedKey)


class AsyncKeysWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncKeys) -> None:
        self.list = async_raw(methods.list)
        self.mint = async_raw(methods.mint)
        self.show = async_raw(methods.show)
        self.revoke = async_raw(methods.revoke)
        self.cap = async_raw(methods.cap)
        self.rotate = async_raw(methods.rotate)
