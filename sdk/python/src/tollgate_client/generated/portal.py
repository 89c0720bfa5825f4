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
from ..settings import CallOptions, ConditionalOptions
from . import types


class PortalApplicationInput(TypedDict):
    """Of portal.application: show whose portal it is."""
    key_code: str
    """The `<code>` in `ak_<code>_…`. 1 to 16 characters."""


class PortalApplicationOutput(Document):
    """What portal.application answers."""
    name: str
    """Name of the application."""
    portal: str
    """Address of its portal."""
    local_portal: str | None
    """The same by address and port, for clients that do not resolve `*.localhost`."""
    brand: types.PortalBrand
    """How the portal looks."""


class PortalLinkInput(TypedDict):
    """Of portal.link: hand an end user to their portal."""
    end_user_id: str
    """The customer's own id of the person. 1 to 256 characters."""
    return_path: NotRequired[str]
    """Where on the portal to go then: a path that begins with one `/`; `/` when left out. At most 512
    characters.
    """
    access: NotRequired[Literal["read", "write"]]
    """What the session may do. `read`: every change returns 403 `portal_read_only`. Defaults to `read`
    for a member of the team who has signed in, and to `write` for a token.
    """


class PortalLinkOutput(Document):
    """What portal.link answers."""
    id: str
    """Id of the handoff, `pl_…`."""
    access: Literal["read", "write"] | str
    """What the session may do."""
    url: str
    """Where to send the browser of the person."""
    local_url: str | None
    """The same by address and port, for clients that do not resolve `*.localhost`."""
    expires_at: str
    """When the link is worth nothing any more. ISO 8601."""


class PortalRedeemInput(TypedDict):
    """Of portal.redeem: spend a handoff token."""
    token: str
    """What follows `#handoff=` in the link, `ph_…`. 1 to 128 characters."""


class PortalRedeemOutput(Document):
    """What portal.redeem answers."""
    end_user_id: str
    """The customer's own id of the person. 1 to 256 characters."""
    application: str
    """Slug of the application."""
    livemode: bool
    """Whether live data are shown; false: test data."""
    return_path: str
    """Where on the portal to go now."""
    expires_at: str
    """When the session ends at the latest. ISO 8601."""
    csrf_token: str | None
    """What pages send as `x-csrf-token`; at the portal's host only."""
    session_token: str | None
    """The secret of the session, `ps_…`, shown once; at the control plane only."""


class PortalConfigureInput(TypedDict):
    """Of portal.configure: change what end users may do in the portal."""
    end_users_may_mint_keys: NotRequired[bool]
    """Whether end users create keys in the portal, and rotate and revoke keys that the application
    created for them. False until it is set.
    """
    key_cap_micros: NotRequired[Amount | None]
    """Maximum cap of one key that an end user creates, in micros per `key_cap_period`. Null means any
    cap, or none. It limits a key, not the end user: see `key_caps_total_micros` and users.limit. An
    integer as a decimal string.
    """
    key_cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """Calendar window (UTC) after which the cap and the total reset; `total` never resets."""
    key_caps_total_micros: NotRequired[Amount | None]
    """Maximum that all keys that one end user created in the portal can spend together, in micros per
    `key_cap_period`, including keys that were revoked since. Their caps add up to this at most. Null
    means no total. An integer as a decimal string.
    """


class PortalKeysInput(TypedDict):
    """Of portal.keys: list the keys of the signed-in end user."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""


class PortalKeysOutput(Document):
    """What portal.keys answers."""
    data: list[types.PortalKey]
    next_cursor: str | None


class PortalKeysPage(PortalKeysOutput, Page[types.PortalKey]):
    """A page of portal.keys."""


class AsyncPortalKeysPage(PortalKeysOutput, AsyncPage[types.PortalKey]):
    """A page of portal.keys."""


class PortalMintKeyInput(TypedDict):
    """Of portal.mintKey: mint a key of the signed-in end user."""
    name: NotRequired[str]
    """Label of the key; `portal` when left out. 1 to 128 characters."""
    cap_micros: NotRequired[Amount | None]
    """Maximum spend per `cap_period`, in micros. Omit for the most that is allowed. An integer as a
    decimal string.
    """
    cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """Calendar window (UTC) after which the cap resets. Defaults to the period that the application has
    set, or `month`.
    """
    expires_at: NotRequired[Time | None]
    """When the key expires; in the future. ISO 8601."""


class PortalRevokeKeyInput(TypedDict):
    """Of portal.revokeKey: revoke a key of the signed-in end user."""
    id: str
    """Id of the key, `key_…`. 1 to 64 characters."""


class PortalRotateKeyInput(TypedDict):
    """Of portal.rotateKey: rotate a key of the signed-in end user."""
    id: str
    """Id of the key, `key_…`. 1 to 64 characters."""
    grace_seconds: int
    """Grace period during which both keys work, in seconds (max 86,400). 0 ends the old key immediately.
    A key that expires earlier ends when it expires. From 0 to 86400.
    """


class PortalLedgerInput(TypedDict):
    """Of portal.ledger: list the balance entries of the signed-in end user."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""
    source: NotRequired[Literal["wallet", "all"]]
    """`all`: pools and on-demand too. `wallet` when left out."""


class PortalLedgerOutput(Document):
    """What portal.ledger answers."""
    data: list[types.LedgerEntry]
    next_cursor: str | None


class PortalLedgerPage(PortalLedgerOutput, Page[types.LedgerEntry]):
    """A page of portal.ledger."""


class AsyncPortalLedgerPage(PortalLedgerOutput, AsyncPage[types.LedgerEntry]):
    """A page of portal.ledger."""


class PortalModelsOutputModels(Document):
    requested_model: str
    """What a call asks for as its model."""
    price: types.Price | None
    """What calls are charged, before credits; None: it depends on which model behind the name answers."""


class PortalModelsOutput(Document):
    """What portal.models answers."""
    gateway: str
    """Address that calls go to."""
    local_gateway: str | None
    """The same by address and port, for clients that do not resolve `*.localhost`."""
    models: list[PortalModelsOutputModels]
    """In name order; empty: without a plan nothing is open."""


class PortalOnDemandInput(TypedDict):
    """Of portal.onDemand: set the signed-in end user's overage."""
    enabled: bool
    """Whether more may be used than is paid for."""
    limit_micros: NotRequired[Amount | None]
    """The monthly ceiling (UTC), in micros; None: none, where the application has set no bound; left
    out: as it is. An integer as a decimal string.
    """


class PortalRequestsInput(TypedDict):
    """Of portal.requests: list recent requests of the signed-in end user."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""
    key_id: NotRequired[str]
    """Id of a key of theirs: only calls with it. 1 to 64 characters."""
    model: NotRequired[str]
    """Only calls that asked for that name. 1 to 128 characters."""
    status: NotRequired[Literal["settled", "released", "refused", "recovered", "in_flight"]]
    """Only calls of that status."""
    from_: NotRequired[Time]
    """Only calls from that day (UTC) or time on. ISO 8601."""
    to: NotRequired[Time]
    """Only calls before that day (UTC) or time. ISO 8601."""


class PortalRequestsOutput(Document):
    """What portal.requests answers."""
    data: list[types.PortalRequest]
    next_cursor: str | None


class PortalRequestsPage(PortalRequestsOutput, Page[types.PortalRequest]):
    """A page of portal.requests."""


class AsyncPortalRequestsPage(PortalRequestsOutput, AsyncPage[types.PortalRequest]):
    """A page of portal.requests."""


class PortalRequestInput(TypedDict):
    """Of portal.request: show the receipt of a request of the signed-in end user."""
    id: str
    """Id of the call, `req_…`. 1 to 64 characters."""


class PortalSignOutOutput(Document):
    """What portal.signOut answers."""
    ended_at: str
    """When the session ended. ISO 8601."""


class PortalUsageInput(TypedDict):
    """Of portal.usage: show the usage of the signed-in end user."""
    from_: NotRequired[Time]
    """The first day, or a time in it. ISO 8601."""
    to: NotRequired[Time]
    """The end, not included; left out: today is the last day. ISO 8601."""


class PortalUsageOutputDays(Document):
    date: str
    """The day (UTC). A day, like 2026-11-20 (UTC)."""
    requested_model: str
    """The requested model name."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Amount charged for them, in micros, less refunds made in the range: what pools, wallet and
    on-demand paid. An integer as a decimal string.
    """


class PortalUsageOutput(Document):
    """What portal.usage answers."""
    from_: str
    """The first day. A day, like 2026-11-20 (UTC)."""
    to: str
    """The day after the last. A day, like 2026-11-20 (UTC)."""
    rows: list[types.ChargedUsageOfModel]
    """By name, in name order."""
    days: list[PortalUsageOutputDays]
    """By day and name, the newest day first; days without use are left out."""
    totals: types.ChargedUsage
    """All rows together."""


_PORTAL_APPLICATION = Route(
    id="portal.application",
    method="GET",
    path="/v1/portal-applications/{keyCode}",
    takes=PortalApplicationInput,
)


_PORTAL_LINK = Route(
    id="portal.link",
    method="POST",
    path="/v1/portal-sessions",
    takes=PortalLinkInput,
    body="json",
    is_keyed=True,
)


_PORTAL_REDEEM = Route(
    id="portal.redeem",
    method="POST",
    path="/v1/portal-sessions/redeem",
    takes=PortalRedeemInput,
    body="json",
)


_PORTAL_SETTINGS = Route(
    id="portal.settings",
    method="GET",
    path="/v1/portal-settings",
)


_PORTAL_CONFIGURE = Route(
    id="portal.configure",
    method="PATCH",
    path="/v1/portal-settings",
    takes=PortalConfigureInput,
    body="json",
    is_keyed=True,
)


_PORTAL_ACCOUNT = Route(
    id="portal.account",
    method="GET",
    path="/v1/portal/account",
)


_PORTAL_KEYS = Route(
    id="portal.keys",
    method="GET",
    path="/v1/portal/keys",
    takes=PortalKeysInput,
    query=("limit", "cursor",),
)


_PORTAL_MINT_KEY = Route(
    id="portal.mintKey",
    method="POST",
    path="/v1/portal/keys",
    takes=PortalMintKeyInput,
    body="json",
    is_keyed=True,
)


_PORTAL_REVOKE_KEY = Route(
    id="portal.revokeKey",
    method="DELETE",
    path="/v1/portal/keys/{id}",
    takes=PortalRevokeKeyInput,
)


_PORTAL_ROTATE_KEY = Route(
    id="portal.rotateKey",
    method="POST",
    path="/v1/portal/keys/{id}/rotate",
    takes=PortalRotateKeyInput,
    body="json",
    is_keyed=True,
)


_PORTAL_LEDGER = Route(
    id="portal.ledger",
    method="GET",
    path="/v1/portal/ledger",
    takes=PortalLedgerInput,
    query=("limit", "cursor", "source",),
)


_PORTAL_MODELS = Route(
    id="portal.models",
    method="GET",
    path="/v1/portal/models",
)


_PORTAL_ON_DEMAND = Route(
    id="portal.onDemand",
    method="POST",
    path="/v1/portal/on-demand",
    takes=PortalOnDemandInput,
    body="json",
    is_keyed=True,
)


_PORTAL_REQUESTS = Route(
    id="portal.requests",
    method="GET",
    path="/v1/portal/requests",
    takes=PortalRequestsInput,
    query=("limit", "cursor", "keyId", "model", "status", "from", "to",),
)


_PORTAL_REQUEST = Route(
    id="portal.request",
    method="GET",
    path="/v1/portal/requests/{id}",
    takes=PortalRequestInput,
)


_PORTAL_SIGN_OUT = Route(
    id="portal.signOut",
    method="POST",
    path="/v1/portal/sign-out",
    is_keyed=True,
)


_PORTAL_SUBSCRIPTION = Route(
    id="portal.subscription",
    method="GET",
    path="/v1/portal/subscription",
)


_PORTAL_USAGE = Route(
    id="portal.usage",
    method="GET",
    path="/v1/portal/usage",
    takes=PortalUsageInput,
    query=("from", "to",),
)


class EndUserPortal:
    """What an end user may see and do, with a session of their own."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> EndUserPortalWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return EndUserPortalWithRawResponse(EndUserPortal(self._sender.raw()))

    def application(self, *, options: CallOptions | None = None, **given: Unpack[PortalApplicationInput]) -> PortalApplicationOutput:
        """Show whose portal it is.

        Name, brand and portal of the application whose keys have that code, for pages that nobody is
        signed in to yet. The host of a portal tells its own application's alone.

        GET /v1/portal-applications/{keyCode}. Its inputs are those of PortalApplicationInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_APPLICATION, given, options, PortalApplicationOutput)

    def redeem(self, *, options: CallOptions | None = None, **given: Unpack[PortalRedeemInput]) -> PortalRedeemOutput:
        """Spend a handoff token.

        Signs in the person whom the token of portal.link is for. At the host of the application's portal
        the session is a cookie that no script can read, and its pages send `csrf_token` with each
        change. At the control plane, for a portal of the customer's own, the session is the secret
        `session_token`, for `Authorization: Bearer`. A session lasts 24 hours, and ends after an hour
        without use. A token that is unknown, redeemed, expired or of another application's portal: one
        refusal.

        POST /v1/portal-sessions/redeem. Its inputs are those of PortalRedeemInput.

        Raises ApiError: invalid_handoff.
        """
        return self._sender.call(_PORTAL_REDEEM, given, options, PortalRedeemOutput)

    def account(self, *, options: CallOptions | None = None) -> types.PortalAccount:
        """Show the account of the signed-in end user.

        Who is signed in, what they have and what bounds it, in the mode of the session. It is shown
        whatever may be spent: without any money, and to a person whose spending is stopped.

        GET /v1/portal/account.
        """
        return self._sender.call(_PORTAL_ACCOUNT, {}, options, types.PortalAccount)

    def keys(self, *, options: CallOptions | None = None, **given: Unpack[PortalKeysInput]) -> PortalKeysPage:
        """List the keys of the signed-in end user.

        Their keys in the mode of the session, newest first, revoked ones included. Never a secret.

        GET /v1/portal/keys. Its inputs are those of PortalKeysInput.
        """
        return self._sender.page(_PORTAL_KEYS, given, options, PortalKeysPage)

    def mint_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalMintKeyInput]) -> types.MintedKey:
        """Mint a key of the signed-in end user.

        Creates an `ak_` key that spends as the signed-in end user, in the mode of the session. The
        secret is returned once and cannot be retrieved again. If the application limits such keys
        (portal.configure), the cap of the key must fit: it is at most `key_cap_micros`, and the caps of
        all keys created in the portal add up to `key_caps_total_micros` at most. What ended keys spent
        in the current period counts. An end user can have 25 such keys at a time.

        POST /v1/portal/keys (an extension). Its inputs are those of PortalMintKeyInput.

        Raises ApiError: portal_keys_refused, too_many_keys.
        """
        return self._sender.call(_PORTAL_MINT_KEY, given, options, types.MintedKey)

    def revoke_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRevokeKeyInput]) -> types.RevokedPortalKey:
        """Revoke a key of the signed-in end user.

        The key is refused from the next call on and stays listed. If it replaced a key whose grace
        period has not ended, that key is revoked too (`also_revoked`). A key that they minted in the
        portal they may always revoke; one that the application minted for them, only where people mint
        keys themselves (portal.configure). Revoking it again changes nothing.

        DELETE /v1/portal/keys/{id} (an extension). Its inputs are those of PortalRevokeKeyInput.

        Raises ApiError: not_found, portal_keys_refused.
        """
        return self._sender.call(_PORTAL_REVOKE_KEY, given, options, types.RevokedPortalKey)

    def rotate_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRotateKeyInput]) -> types.RotatedKey:
        """Rotate a key of the signed-in end user.

        Creates a key that replaces this one, with its name, cap and expiry. Both keys work until the
        grace period ends. The cap goes on: what the old key has spent and holds in the current period
        counts for both. The secret is returned once and cannot be retrieved again. Requires that end
        users may create keys (portal.configure). A key that was replaced, revoked or has expired cannot
        be rotated.

        POST /v1/portal/keys/{id}/rotate (an extension). Its inputs are those of PortalRotateKeyInput.

        Raises ApiError: not_found, portal_keys_refused, too_many_keys, key_ended.
        """
        return self._sender.call(_PORTAL_ROTATE_KEY, given, options, types.RotatedKey)

    def ledger(self, *, options: CallOptions | None = None, **given: Unpack[PortalLedgerInput]) -> PortalLedgerPage:
        """List the balance entries of the signed-in end user.

        What moved their wallet in the mode of the session, newest first, with the reasons that the
        application gave. Entries are never changed or removed, and their sum is the balance.

        GET /v1/portal/ledger. Its inputs are those of PortalLedgerInput.
        """
        return self._sender.page(_PORTAL_LEDGER, given, options, PortalLedgerPage)

    def models(self, *, options: CallOptions | None = None) -> PortalModelsOutput:
        """List the names that the signed-in end user may call.

        Where their calls go, the model names that their plan opens, and what they are charged for each.
        Never who answers.

        GET /v1/portal/models (an extension).
        """
        return self._sender.call(_PORTAL_MODELS, {}, options, PortalModelsOutput)

    def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[PortalOnDemandInput]) -> types.Subscription:
        """Set the signed-in end user's overage.

        Turns overage on or off in the mode of the session, from the next call on, with a monthly
        ceiling. It pays only once pools and wallet are spent. A ceiling that the application has set
        with subscription.onDemand can be lowered and not passed.

        POST /v1/portal/on-demand. Its inputs are those of PortalOnDemandInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_ON_DEMAND, given, options, types.Subscription)

    def requests(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestsInput]) -> PortalRequestsPage:
        """List recent requests of the signed-in end user.

        Their calls in the mode of the session, newest first: settled, refused and those in flight. Never
        their content.

        GET /v1/portal/requests (an extension). Its inputs are those of PortalRequestsInput.
        """
        return self._sender.page(_PORTAL_REQUESTS, given, options, PortalRequestsPage)

    def request(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestInput]) -> types.EndUserRequest:
        """Show the receipt of a request of the signed-in end user.

        What one call of theirs used, at which prices, and what it was charged to; refused calls and
        those in flight too. Amounts are micros, times milliseconds. Never content.

        GET /v1/portal/requests/{id} (an extension). Its inputs are those of PortalRequestInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_REQUEST, given, options, types.EndUserRequest)

    def sign_out(self, *, options: CallOptions | None = None) -> PortalSignOutOutput:
        """Sign out of the portal.

        Ends this session, at once and here at the server. Other sessions of the person go on.

        POST /v1/portal/sign-out (an extension).
        """
        return self._sender.call(_PORTAL_SIGN_OUT, {}, options, PortalSignOutOutput)

    def subscription(self, *, options: CallOptions | None = None) -> types.Subscription:
        """Show the signed-in end user's subscription.

        Their plan, what it granted and what is left of it, in the mode of the session.

        GET /v1/portal/subscription.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_SUBSCRIPTION, {}, options, types.Subscription)

    def usage(self, *, options: CallOptions | None = None, **given: Unpack[PortalUsageInput]) -> PortalUsageOutput:
        """Show the usage of the signed-in end user.

        Returns usage in the mode of the session, by model name, and by day and model name. Days are UTC,
        366 at most. Defaults to the last 30 days, including today. The amount is what the end user was
        charged; costs and margins are not included.

        GET /v1/portal/usage. Its inputs are those of PortalUsageInput.
        """
        return self._sender.call(_PORTAL_USAGE, given, options, PortalUsageOutput)


class EndUserPortalWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: EndUserPortal) -> None:
        self.application = raw(methods.application)
        self.redeem = raw(methods.redeem)
        self.account = raw(methods.account)
        self.keys = raw(methods.keys)
        self.mint_key = raw(methods.mint_key)
        self.revoke_key = raw(methods.revoke_key)
        self.rotate_key = raw(methods.rotate_key)
        self.ledger = raw(methods.ledger)
        self.models = raw(methods.models)
        self.on_demand = raw(methods.on_demand)
        self.requests = raw(methods.requests)
        self.request = raw(methods.request)
        self.sign_out = raw(methods.sign_out)
        self.subscription = raw(methods.subscription)
        self.usage = raw(methods.usage)


class Portal(EndUserPortal):
    """What end users see of themselves, and how they come there."""

    def __init__(self, sender: Sender) -> None:
        super().__init__(sender)
        self._sender = sender

    @property
    def with_raw_response(self) -> PortalWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return PortalWithRawResponse(Portal(self._sender.raw()))

    def link(self, *, options: CallOptions | None = None, **given: Unpack[PortalLinkInput]) -> PortalLinkOutput:
        """Hand an end user to their portal.

        Makes a link that signs one person in at the portal of the application, in the mode of the
        request: once, within 60 seconds. Send the browser of the person there at once. The token of the
        link stands in its fragment (after `#`), which no browser sends: it is in no log and no Referer.

        POST /v1/portal-sessions. Its inputs are those of PortalLinkInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_LINK, given, options, PortalLinkOutput)

    def settings(self, *, options: ConditionalOptions | None = None) -> types.PortalSettings:
        """Show what end users may do in the portal.

        Returns the rules of the application for keys that end users create in the portal. The look of
        the portal is in brand.show.

        GET /v1/portal-settings (an extension).
        """
        return self._sender.call(_PORTAL_SETTINGS, {}, options, types.PortalSettings)

    def configure(self, *, options: ConditionalOptions | None = None, **given: Unpack[PortalConfigureInput]) -> types.PortalSettings:
        """Change what end users may do in the portal.

        Omitted fields are kept. End users create keys only after you have decided what those keys may
        spend together: turning `end_users_may_mint_keys` on requires `key_caps_total_micros`, an amount
        or None for no total, unless a total is set. The total takes effect with the next request.
        Existing keys keep their caps; keys.cap changes those.

        PATCH /v1/portal-settings (an extension). Its inputs are those of PortalConfigureInput.
        """
        return self._sender.call(_PORTAL_CONFIGURE, given, options, types.PortalSettings)


class PortalWithRawResponse(EndUserPortalWithRawResponse):
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Portal) -> None:
        super().__init__(methods)
        self.link = raw(methods.link)
        self.settings = raw(methods.settings)
        self.configure = raw(methods.configure)


class AsyncEndUserPortal:
    """What an end user may see and do, with a session of their own."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncEndUserPortalWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncEndUserPortalWithRawResponse(AsyncEndUserPortal(self._sender.raw()))

    async def application(self, *, options: CallOptions | None = None, **given: Unpack[PortalApplicationInput]) -> PortalApplicationOutput:
        """Show whose portal it is.

        Name, brand and portal of the application whose keys have that code, for pages that nobody is
        signed in to yet. The host of a portal tells its own application's alone.

        GET /v1/portal-applications/{keyCode}. Its inputs are those of PortalApplicationInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_APPLICATION, given, options, PortalApplicationOutput)

    async def redeem(self, *, options: CallOptions | None = None, **given: Unpack[PortalRedeemInput]) -> PortalRedeemOutput:
        """Spend a handoff token.

        Signs in the person whom the token of portal.link is for. At the host of the application's portal
        the session is a cookie that no script can read, and its pages send `csrf_token` with each
        change. At the control plane, for a portal of the customer's own, the session is the secret
        `session_token`, for `Authorization: Bearer`. A session lasts 24 hours, and ends after an hour
        without use. A token that is unknown, redeemed, expired or of another application's portal: one
        refusal.

        POST /v1/portal-sessions/redeem. Its inputs are those of PortalRedeemInput.

        Raises ApiError: invalid_handoff.
        """
        return await self._sender.call(_PORTAL_REDEEM, given, options, PortalRedeemOutput)

    async def account(self, *, options: CallOptions | None = None) -> types.PortalAccount:
        """Show the account of the signed-in end user.

        Who is signed in, what they have and what bounds it, in the mode of the session. It is shown
        whatever may be spent: without any money, and to a person whose spending is stopped.

        GET /v1/portal/account.
        """
        return await self._sender.call(_PORTAL_ACCOUNT, {}, options, types.PortalAccount)

    def keys(self, *, options: CallOptions | None = None, **given: Unpack[PortalKeysInput]) -> AsyncPageCall[types.PortalKey, AsyncPortalKeysPage]:
        """List the keys of the signed-in end user.

        Their keys in the mode of the session, newest first, revoked ones included. Never a secret.

        GET /v1/portal/keys. Its inputs are those of PortalKeysInput.
        """
        return self._sender.page(_PORTAL_KEYS, given, options, AsyncPortalKeysPage)

    async def mint_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalMintKeyInput]) -> types.MintedKey:
        """Mint a key of the signed-in end user.

        Creates an `ak_` key that spends as the signed-in end user, in the mode of the session. The
        secret is returned once and cannot be retrieved again. If the application limits such keys
        (portal.configure), the cap of the key must fit: it is at most `key_cap_micros`, and the caps of
        all keys created in the portal add up to `key_caps_total_micros` at most. What ended keys spent
        in the current period counts. An end user can have 25 such keys at a time.

        POST /v1/portal/keys (an extension). Its inputs are those of PortalMintKeyInput.

        Raises ApiError: portal_keys_refused, too_many_keys.
        """
        return await self._sender.call(_PORTAL_MINT_KEY, given, options, types.MintedKey)

    async def revoke_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRevokeKeyInput]) -> types.RevokedPortalKey:
        """Revoke a key of the signed-in end user.

        The key is refused from the next call on and stays listed. If it replaced a key whose grace
        period has not ended, that key is revoked too (`also_revoked`). A key that they minted in the
        portal they may always revoke; one that the application minted for them, only where people mint
        keys themselves (portal.configure). Revoking it again changes nothing.

        DELETE /v1/portal/keys/{id} (an extension). Its inputs are those of PortalRevokeKeyInput.

        Raises ApiError: not_found, portal_keys_refused.
        """
        return await self._sender.call(_PORTAL_REVOKE_KEY, given, options, types.RevokedPortalKey)

    async def rotate_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRotateKeyInput]) -> types.RotatedKey:
        """Rotate a key of the signed-in end user.

        Creates a key that replaces this one, with its name, cap and expiry. Both keys work until the
        grace period ends. The cap goes on: what the old key has spent and holds in the current period
        counts for both. The secret is returned once and cannot be retrieved again. Requires that end
        users may create keys (portal.configure). A key that was replaced, revoked or has expired cannot
        be rotated.

        POST /v1/portal/keys/{id}/rotate (an extension). Its inputs are those of PortalRotateKeyInput.

        Raises ApiError: not_found, portal_keys_refused, too_many_keys, key_ended.
        """
        return await self._sender.call(_PORTAL_ROTATE_KEY, given, options, types.RotatedKey)

    def ledger(self, *, options: CallOptions | None = None, **given: Unpack[PortalLedgerInput]) -> AsyncPageCall[types.LedgerEntry, AsyncPortalLedgerPage]:
        """List the balance entries of the signed-in end user.

        What moved their wallet in the mode of the session, newest first, with the reasons that the
        application gave. Entries are never changed or removed, and their sum is the balance.

        GET /v1/portal/ledger. Its inputs are those of PortalLedgerInput.
        """
        return self._sender.page(_PORTAL_LEDGER, given, options, AsyncPortalLedgerPage)

    async def models(self, *, options: CallOptions | None = None) -> PortalModelsOutput:
        """List the names that the signed-in end user may call.

        Where their calls go, the model names that their plan opens, and what they are charged for each.
        Never who answers.

        GET /v1/portal/models (an extension).
        """
        return await self._sender.call(_PORTAL_MODELS, {}, options, PortalModelsOutput)

    async def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[PortalOnDemandInput]) -> types.Subscription:
        """Set the signed-in end user's overage.

        Turns overage on or off in the mode of the session, from the next call on, with a monthly
        ceiling. It pays only once pools and wallet are spent. A ceiling that the application has set
        with subscription.onDemand can be lowered and not passed.

        POST /v1/portal/on-demand. Its inputs are those of PortalOnDemandInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_ON_DEMAND, given, options, types.Subscription)

    def requests(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestsInput]) -> AsyncPageCall[types.PortalRequest, AsyncPortalRequestsPage]:
        """List recent requests of the signed-in end user.

        Their calls in the mode of the session, newest first: settled, refused and those in flight. Never
        their content.

        GET /v1/portal/requests (an extension). Its inputs are those of PortalRequestsInput.
        """
        return self._sender.page(_PORTAL_REQUESTS, given, options, AsyncPortalRequestsPage)

    async def request(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestInput]) -> types.EndUserRequest:
        """Show the receipt of a request of the signed-in end user.

        What one call of theirs used, at which prices, and what it was charged to; refused calls and
        those in flight too. Amounts are micros, times milliseconds. Never content.

        GET /v1/portal/requests/{id} (an extension). Its inputs are those of PortalRequestInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_REQUEST, given, options, types.EndUserRequest)

    async def sign_out(self, *, options: CallOptions | None = None) -> PortalSignOutOutput:
        """Sign out of the portal.

        Ends this session, at once and here at the server. Other sessions of the person go on.

        POST /v1/portal/sign-out (an extension).
        """
        return await self._sender.call(_PORTAL_SIGN_OUT, {}, options, PortalSignOutOutput)

    async def subscription(self, *, options: CallOptions | None = None) -> types.Subscription:
        """Show the signed-in end user's subscription.

        Their plan, what it granted and what is left of it, in the mode of the session.

        GET /v1/portal/subscription.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_SUBSCRIPTION, {}, options, types.Subscription)

    async def usage(self, *, options: CallOptions | None = None, **given: Unpack[PortalUsageInput]) -> PortalUsageOutput:
        """Show the usage of the signed-in end user.

        Returns usage in the mode of the session, by model name, and by day and model name. Days are UTC,
        366 at most. Defaults to the last 30 days, including today. The amount is what the end user was
        charged; costs and margins are not included.

        GET /v1/portal/usage. Its inputs are those of PortalUsageInput.
        """
        return await self._sender.call(_PORTAL_USAGE, given, options, PortalUsageOutput)


class AsyncEndUserPortalWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncEndUserPortal) -> None:
        self.application = async_raw(methods.application)
        self.redeem = async_raw(methods.redeem)
        self.account = async_raw(methods.account)
        self.keys = async_raw(methods.keys)
        self.mint_key = async_raw(methods.mint_key)
        self.revoke_key = async_raw(methods.revoke_key)
        self.rotate_key = async_raw(methods.rotate_key)
        self.ledger = async_raw(methods.ledger)
        self.models = async_raw(methods.models)
        self.on_demand = async_raw(methods.on_demand)
        self.requests = async_raw(methods.requests)
        self.request = async_raw(methods.request)
        self.sign_out = async_raw(methods.sign_out)
        self.subscription = async_raw(methods.subscription)
        self.usage = async_raw(methods.usage)


class AsyncPortal(AsyncEndUserPortal):
    """What end users see of themselves, and how they come there."""

    def __init__(self, sender: AsyncSender) -> None:
        super().__init__(sender)
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncPortalWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncPortalWithRawResponse(AsyncPortal(self._sender.raw()))

    async def link(self, *, options: CallOptions | None = None, **given: Unpack[PortalLinkInput]) -> PortalLinkOutput:
        """Hand an end user to their portal.

        Makes a link that signs one person in at the portal of the application, in the mode of the
        request: once, within 60 seconds. Send the browser of the person there at once. The token of the
        link stands in its fragment (after `#`), which no browser sends: it is in no log and no Referer.

        POST /v1/portal-sessions. Its inputs are those of PortalLinkInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_LINK, given, options, PortalLinkOutput)

    async def settings(self, *, options: ConditionalOptions | None = None) -> types.PortalSettings:
        """Show what end users may do in the portal.

        Returns the rules of the application for keys that end users create in the portal. The look of
        the portal is in brand.show.

        GET /v1/portal-settings (an extension).
        """
        return await self._sender.call(_PORTAL_SETTINGS, {}, options, types.PortalSettings)

    async def configure(self, *, options: ConditionalOptions | None = None, **given: Unpack[PortalConfigureInput]) -> types.PortalSettings:
        """Change what end users may do in the portal.

        Omitted fields are kept. End users create keys only after you have decided what those keys may
        spend together: turning `end_users_may_mint_keys` on requires `key_caps_total_micros`, an amount
        or None for no total, unless a total is set. The total takes effect with the next request.
        Existing keys keep their caps; keys.cap changes those.

        PATCH /v1/portal-settings (an extension). Its inputs are those of PortalConfigureInput.
        """
        return await self._sender.call(_PORTAL_CONFIGURE, given, options, types.PortalSettings)


class AsyncPortalWithRawResponse(AsyncEndUserPortalWithRawResponse):
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncPortal) -> None:
        super().__init__(methods)
        self.link = async_raw(methods.link)
        self.settings = async_raw(methods.settings)
        self.configure = async_raw(methods.configure)
