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
    """`next_cursor` of the page before. At most 1200 characters."""
    sort: NotRequired[Literal["created", "name", "spent", "last_used"]]
    """Sort order: `created`, `name`, `spent` (`spent_micros`, each key in its own `cap_period`), or
    `last_used` (`last_used_at`; None comes first in ascending order). Defaults to `created`.
    `created` when left out.
    """
    direction: NotRequired[Literal["asc", "desc"]]
    """Sort direction. Defaults to `asc` for `name` and to `desc` otherwise. Rows with equal values are
    in the order of their IDs.
    """
    end_user_id: NotRequired[str]
    """External ID. Returns only keys of that end user. 1 to 256 characters."""
    search: NotRequired[str]
    """Returns only keys whose name contains this text in upper or lower case, whose secret begins with
    it, or whose ID or last four characters it is. 1 to 128 characters.
    """
    state: NotRequired[Literal["active", "revoked", "expired"]]
    """Returns only keys in that state. A revoked key never counts as expired."""


class KeysListOutput(Document):
    """What keys.list answers."""
    data: list[types.ApiKeySummary]
    next_cursor: str | None


class KeysListPage(KeysListOutput, Page[types.ApiKeySummary]):
    """A page of keys.list."""


class AsyncKeysListPage(KeysListOutput, AsyncPage[types.ApiKeySummary]):
    """A page of keys.list."""


class KeysMintInput(TypedDict):
    """Of keys.mint: mint a key."""
    end_user_id: str
    """The customer's own id of the person that the key spends as. 1 to 256 characters."""
    email: NotRequired[str]
    """Recorded on the person if none is held. At most 254 characters."""
    bundle: NotRequired[str]
    """Slug of the bundle that the person is to be on."""
    name: NotRequired[str]
    """Label of the key; `end_user_id` when left out. 1 to 128 characters."""
    livemode: NotRequired[bool]
    """False: a test key. When left out, the mode of the request: live, unless `x-svc-mode` says test."""
    cap_micros: NotRequired[Amount | None]
    """What the key may spend per `cap_period`. An integer as a decimal string."""
    cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """When the cap starts anew (UTC); `total`: never. `month` when left out."""
    expires_at: NotRequired[Time | None]
    """When the key expires; in the future. ISO 8601."""


class KeysShowInput(TypedDict):
    """Of keys.show: show a key."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to
    256 characters.
    """


class KeysRevokeInput(TypedDict):
    """Of keys.revoke: revoke a key."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to
    256 characters.
    """


class KeysCapInput(TypedDict):
    """Of keys.cap: set a key's spend ceiling."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to
    256 characters.
    """
    cap_micros: Amount | None
    """Maximum spend per `cap_period`, in micros, for the key and the keys it replaced together. Null
    means no cap. An integer as a decimal string.
    """
    cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """When the cap starts anew (UTC); left out: as it is."""


class KeysRotateInput(TypedDict):
    """Of keys.rotate: rotate a key."""
    id: str
    """ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to
    256 characters.
    """
    grace_seconds: int
    """Grace period during which both keys work, in seconds (max 86,400). 0 ends the old key immediately.
    A key that expires earlier ends when it expires. From 0 to 86400.
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
    """The `ak_` keys with which end users call the gateway."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> KeysWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return KeysWithRawResponse(Keys(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[KeysListInput]) -> KeysListPage:
        """List keys.

        Returns the keys of the application in the mode of the request, revoked ones included, newest
        first unless `sort` is set.

        GET /v1/keys. Its inputs are those of KeysListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_KEYS_LIST, given, options, KeysListPage)

    def mint(self, *, options: CallOptions | None = None, **given: Unpack[KeysMintInput]) -> types.MintedKey:
        """Mint a key.

        Makes an `ak_` key that spends as one person. Its secret is in this answer and nowhere else: only
        its hash is kept. A person who is not there yet is made on the default bundle; `bundle` puts the
        end user on that bundle in the mode of the key, as users.subscribe does. The first live key of an
        end user who was created in test mode puts them on the default bundle.

        POST /v1/keys. Its inputs are those of KeysMintInput.

        Raises ApiError: not_found, bundle_required, already_exists.
        """
        return self._sender.call(_KEYS_MINT, given, options, types.MintedKey)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[KeysShowInput]) -> types.ApiKeySummary:
        """Show a key.

        One key, without its secret.

        GET /v1/keys/{id}. Its inputs are those of KeysShowInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return self._sender.call(_KEYS_SHOW, given, options, types.ApiKeySummary)

    def revoke(self, *, options: CallOptions | None = None, **given: Unpack[KeysRevokeInput]) -> types.RevokedKey:
        """Revoke a key.

        Revokes the key: the next request with it returns 401 `key_revoked`. Requests in flight continue
        and are charged. If the key replaced another one whose grace period has not ended, that key is
        revoked too (`also_revoked`). Revoked keys stay listed. Revoking a key again changes nothing.

        DELETE /v1/keys/{id}. Its inputs are those of KeysRevokeInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return self._sender.call(_KEYS_REVOKE, given, options, types.RevokedKey)

    def cap(self, *, options: CallOptions | None = None, **given: Unpack[KeysCapInput]) -> types.ApiKeySummary:
        """Set a key's spend ceiling.

        Takes effect with the next request. What the key and the keys it replaced have spent in the
        current period counts: a cap below it stops the key until the period ends.

        POST /v1/keys/{id}/cap. Its inputs are those of KeysCapInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return self._sender.call(_KEYS_CAP, given, options, types.ApiKeySummary)

    def rotate(self, *, options: CallOptions | None = None, **given: Unpack[KeysRotateInput]) -> types.RotatedKey:
        """Rotate a key.

        Creates a key that replaces this one, for the same end user, with its name, cap and expiry. Both
        keys work until the grace period ends; requests of the old key that are then in flight continue.
        The cap goes on: what the old key has spent and holds in the current period counts for both keys
        together. The secret is returned once and cannot be retrieved again, so a repeat with the same
        Idempotency-Key is rejected. A key that was replaced, revoked or has expired cannot be rotated.

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
    """The `ak_` keys with which end users call the gateway."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncKeysWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncKeysWithRawResponse(AsyncKeys(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[KeysListInput]) -> AsyncPageCall[types.ApiKeySummary, AsyncKeysListPage]:
        """List keys.

        Returns the keys of the application in the mode of the request, revoked ones included, newest
        first unless `sort` is set.

        GET /v1/keys. Its inputs are those of KeysListInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_KEYS_LIST, given, options, AsyncKeysListPage)

    async def mint(self, *, options: CallOptions | None = None, **given: Unpack[KeysMintInput]) -> types.MintedKey:
        """Mint a key.

        Makes an `ak_` key that spends as one person. Its secret is in this answer and nowhere else: only
        its hash is kept. A person who is not there yet is made on the default bundle; `bundle` puts the
        end user on that bundle in the mode of the key, as users.subscribe does. The first live key of an
        end user who was created in test mode puts them on the default bundle.

        POST /v1/keys. Its inputs are those of KeysMintInput.

        Raises ApiError: not_found, bundle_required, already_exists.
        """
        return await self._sender.call(_KEYS_MINT, given, options, types.MintedKey)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[KeysShowInput]) -> types.ApiKeySummary:
        """Show a key.

        One key, without its secret.

        GET /v1/keys/{id}. Its inputs are those of KeysShowInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return await self._sender.call(_KEYS_SHOW, given, options, types.ApiKeySummary)

    async def revoke(self, *, options: CallOptions | None = None, **given: Unpack[KeysRevokeInput]) -> types.RevokedKey:
        """Revoke a key.

        Revokes the key: the next request with it returns 401 `key_revoked`. Requests in flight continue
        and are charged. If the key replaced another one whose grace period has not ended, that key is
        revoked too (`also_revoked`). Revoked keys stay listed. Revoking a key again changes nothing.

        DELETE /v1/keys/{id}. Its inputs are those of KeysRevokeInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return await self._sender.call(_KEYS_REVOKE, given, options, types.RevokedKey)

    async def cap(self, *, options: CallOptions | None = None, **given: Unpack[KeysCapInput]) -> types.ApiKeySummary:
        """Set a key's spend ceiling.

        Takes effect with the next request. What the key and the keys it replaced have spent in the
        current period counts: a cap below it stops the key until the period ends.

        POST /v1/keys/{id}/cap. Its inputs are those of KeysCapInput.

        Raises ApiError: not_found, ambiguous_key.
        """
        return await self._sender.call(_KEYS_CAP, given, options, types.ApiKeySummary)

    async def rotate(self, *, options: CallOptions | None = None, **given: Unpack[KeysRotateInput]) -> types.RotatedKey:
        """Rotate a key.

        Creates a key that replaces this one, for the same end user, with its name, cap and expiry. Both
        keys work until the grace period ends; requests of the old key that are then in flight continue.
        The cap goes on: what the old key has spent and holds in the current period counts for both keys
        together. The secret is returned once and cannot be retrieved again, so a repeat with the same
        Idempotency-Key is rejected. A key that was replaced, revoked or has expired cannot be rotated.

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
