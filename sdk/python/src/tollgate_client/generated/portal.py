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
    """Of portal.application: show a portal's application."""
    key_code: str
    """The `<code>` in `ak_<code>_…`. 1 to 16 characters."""


class PortalApplicationOutput(Document):
    """What portal.application answers."""
    name: str
    """Name of the application."""
    portal: str
    """Address of the application's portal."""
    local_portal: str | None
    """The same address by IP and port, for clients that do not resolve `*.localhost`."""
    brand: types.PortalBrand
    """Appearance of the portal."""


class PortalLinkInput(TypedDict):
    """Of portal.link: create a portal link."""
    end_user_id: str
    """External ID of the end user. 1 to 256 characters."""
    return_path: NotRequired[str]
    """Path in the portal to open after the sign-in. It starts with one `/`. Defaults to `/`. At most 512
    characters. `/` when left out.
    """
    access: NotRequired[Literal["read", "write"]]
    """Access of the session. With `read`, every change returns 403 `portal_read_only`. Defaults to
    `read` for a signed-in team member and to `write` for a token.
    """


class PortalLinkOutput(Document):
    """What portal.link answers."""
    id: str
    """ID of the link, `pl_…`."""
    access: Literal["read", "write"] | str
    """Access of the session."""
    url: str
    """Address to open in the end user's browser."""
    local_url: str | None
    """The same address by IP and port, for clients that do not resolve `*.localhost`."""
    expires_at: str
    """When the link expires. ISO 8601."""


class PortalRedeemInput(TypedDict):
    """Of portal.redeem: redeem a portal link."""
    token: str
    """Token of the link: the part after `#handoff=`, `ph_…`. 1 to 128 characters."""


class PortalRedeemOutput(Document):
    """What portal.redeem answers."""
    end_user_id: str
    """External ID of the end user, chosen by the application. 1 to 256 characters."""
    application: str
    """Slug of the application."""
    livemode: bool
    """Whether the session shows live data. Otherwise it shows test data."""
    return_path: str
    """Path in the portal to open."""
    expires_at: str
    """When the session expires at the latest. ISO 8601."""
    csrf_token: str | None
    """Token that pages send as `x-csrf-token`. Returned only on the portal's host."""
    session_token: str | None
    """Secret of the session, `ps_…`. It is returned once, and only on the control plane."""


class PortalConfigureInput(TypedDict):
    """Of portal.configure: change the portal settings."""
    end_users_may_mint_keys: NotRequired[bool]
    """Whether end users can create keys in the portal, and rotate and revoke keys that the application
    created for them. Defaults to false.
    """
    key_cap_micros: NotRequired[Amount | None]
    """Maximum cap of one key that an end user creates, in micros per `key_cap_period`. Null means no
    maximum. It limits one key, not the end user. Use `key_caps_total_micros` or users.limit to limit
    the end user. An integer as a decimal string.
    """
    key_cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """Calendar period (UTC) after which the cap and the total reset. With `total`, they never reset."""
    key_caps_total_micros: NotRequired[Amount | None]
    """Maximum that all keys that one end user created in the portal can spend together, in micros per
    `key_cap_period`. Keys that were revoked since are included. The sum of the caps cannot exceed
    this maximum. Null means no total. An integer as a decimal string.
    """


class PortalKeysInput(TypedDict):
    """Of portal.keys: list the end user's keys."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class PortalKeysOutput(Document):
    """What portal.keys answers."""
    data: list[types.PortalKey]
    next_cursor: str | None


class PortalKeysPage(PortalKeysOutput, Page[types.PortalKey]):
    """A page of portal.keys."""


class AsyncPortalKeysPage(PortalKeysOutput, AsyncPage[types.PortalKey]):
    """A page of portal.keys."""


class PortalMintKeyInput(TypedDict):
    """Of portal.mintKey: create a portal key."""
    name: NotRequired[str]
    """Display name of the key. Defaults to `portal`. 1 to 128 characters. `portal` when left out."""
    cap_micros: NotRequired[Amount | None]
    """Maximum spend per `cap_period`, in micros. Defaults to the maximum that is allowed. Null means no
    cap. An integer as a decimal string.
    """
    cap_period: NotRequired[Literal["day", "week", "month", "total"]]
    """Calendar period (UTC) after which the cap resets. Defaults to the period that the application has
    set, or `month`.
    """
    expires_at: NotRequired[Time | None]
    """When the key expires. Must be in the future. Null or omitted means never. ISO 8601."""


class PortalRevokeKeyInput(TypedDict):
    """Of portal.revokeKey: revoke a portal key."""
    id: str
    """ID of the key, `key_…`. 1 to 64 characters."""


class PortalRotateKeyInput(TypedDict):
    """Of portal.rotateKey: rotate a portal key."""
    id: str
    """ID of the key, `key_…`. 1 to 64 characters."""
    grace_seconds: int
    """Grace period during which both keys work, in seconds (max 86,400). 0 revokes the old key
    immediately. The grace period does not extend the old key's expiry. From 0 to 86400.
    """


class PortalLedgerInput(TypedDict):
    """Of portal.ledger: list the end user's ledger."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    source: NotRequired[Literal["wallet", "all"]]
    """`wallet` returns wallet entries only. `all` also returns entries of pools and on-demand usage.
    Defaults to `wallet`. `wallet` when left out.
    """


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
    """Model name to send in requests."""
    price: types.Price | None
    """Price of requests, before credits are applied. Null if the price depends on the model that the
    router chooses.
    """


class PortalModelsOutput(Document):
    """What portal.models answers."""
    gateway: str
    """Address of the gateway."""
    local_gateway: str | None
    """The same address by IP and port, for clients that do not resolve `*.localhost`."""
    models: list[PortalModelsOutputModels]
    """Model names, sorted by name. Empty if the end user has no plan."""


class PortalOnDemandInput(TypedDict):
    """Of portal.onDemand: set on-demand billing."""
    enabled: bool
    """Whether on-demand billing is enabled."""
    limit_micros: NotRequired[Amount | None]
    """Monthly on-demand ceiling (UTC), in micros. Omit to keep the current value. Null means no ceiling,
    and is rejected if the application has set a maximum. An integer as a decimal string.
    """


class PortalRequestsInput(TypedDict):
    """Of portal.requests: list the end user's requests."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    key_id: NotRequired[str]
    """ID of a key, `key_…`. Returns only requests made with this key. 1 to 64 characters."""
    model: NotRequired[str]
    """Requested model name. Returns only requests for this name. 1 to 128 characters."""
    status: NotRequired[Literal["settled", "released", "refused", "recovered", "in_flight"]]
    """Returns only requests with this status."""
    from_: NotRequired[Time]
    """Returns only requests at or after this day (UTC) or time. ISO 8601."""
    to: NotRequired[Time]
    """Returns only requests before this day (UTC) or time. ISO 8601."""


class PortalRequestsOutput(Document):
    """What portal.requests answers."""
    data: list[types.PortalRequest]
    next_cursor: str | None


class PortalRequestsPage(PortalRequestsOutput, Page[types.PortalRequest]):
    """A page of portal.requests."""


class AsyncPortalRequestsPage(PortalRequestsOutput, AsyncPage[types.PortalRequest]):
    """A page of portal.requests."""


class PortalRequestInput(TypedDict):
    """Of portal.request: show a request's receipt."""
    id: str
    """ID of the request, `req_…`. 1 to 64 characters."""


class PortalSignOutOutput(Document):
    """What portal.signOut answers."""
    ended_at: str
    """When the session ended. ISO 8601."""


class PortalUsageInput(TypedDict):
    """Of portal.usage: show the end user's usage."""
    from_: NotRequired[Time]
    """First day, or a time within it. Defaults to 30 days before the end. ISO 8601."""
    to: NotRequired[Time]
    """End of the range (exclusive). Defaults to the end of today. ISO 8601."""


class PortalUsageOutputDays(Document):
    date: str
    """Day (UTC). A day, like 2026-11-20 (UTC)."""
    requested_model: str
    """The requested model name."""
    calls: int
    """Number of settled requests."""
    input_tokens: int
    """Input tokens."""
    output_tokens: int
    """Output tokens."""
    billed_micros: str
    """Amount charged to pools, wallet and on-demand billing, in micros, minus refunds made in the range.
    An integer as a decimal string.
    """


class PortalUsageOutput(Document):
    """What portal.usage answers."""
    from_: str
    """First day of the range. A day, like 2026-11-20 (UTC)."""
    to: str
    """Day after the last day of the range. A day, like 2026-11-20 (UTC)."""
    rows: list[types.ChargedUsageOfModel]
    """Usage by model name, sorted by name."""
    days: list[PortalUsageOutputDays]
    """Usage by day and model name, newest day first. Days without usage are omitted."""
    totals: types.ChargedUsage
    """Totals of all rows."""


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
        """Show a portal's application.

        Returns the name, brand and portal address of the application with this key code. Sign-in pages
        use it before a session exists. On a portal's host, only the portal's own application is
        returned.

        GET /v1/portal-applications/{keyCode}. Its inputs are those of PortalApplicationInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_APPLICATION, given, options, PortalApplicationOutput)

    def redeem(self, *, options: CallOptions | None = None, **given: Unpack[PortalRedeemInput]) -> PortalRedeemOutput:
        """Redeem a portal link.

        Signs in the end user of a portal link (portal.link). A session lasts 24 hours and expires after
        one hour without use.

        - On the portal's host, the session is an HTTP-only cookie. Its pages send `csrf_token` with each
        change.
        - On the control plane, for a portal of the customer's own, the session is the secret
        `session_token`. Send it as `Authorization: Bearer`.
        - Unknown, used and expired tokens, and tokens for another portal, all return the same error.

        POST /v1/portal-sessions/redeem. Its inputs are those of PortalRedeemInput.

        Raises ApiError: invalid_handoff.
        """
        return self._sender.call(_PORTAL_REDEEM, given, options, PortalRedeemOutput)

    def account(self, *, options: CallOptions | None = None) -> types.PortalAccount:
        """Show the end user's account.

        Returns the signed-in end user with their balance and limits, in the session's mode. The account
        is returned even if the end user has no money or is frozen.

        GET /v1/portal/account.
        """
        return self._sender.call(_PORTAL_ACCOUNT, {}, options, types.PortalAccount)

    def keys(self, *, options: CallOptions | None = None, **given: Unpack[PortalKeysInput]) -> PortalKeysPage:
        """List the end user's keys.

        Returns the end user's keys in the mode of the session, newest first, including revoked keys.
        Secrets are never returned.

        GET /v1/portal/keys. Its inputs are those of PortalKeysInput.
        """
        return self._sender.page(_PORTAL_KEYS, given, options, PortalKeysPage)

    def mint_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalMintKeyInput]) -> types.MintedKey:
        """Create a portal key.

        Creates an `ak_` key for the signed-in end user, in the mode of the session. The secret is
        returned once and cannot be retrieved again.

        - If the application limits portal keys (portal.configure), the key's cap cannot exceed
        `key_cap_micros`. The caps of all portal keys together cannot exceed `key_caps_total_micros`.
        - Spending of revoked and expired keys in the current period counts toward the total.
        - An end user can have 25 portal keys at a time.

        POST /v1/portal/keys (an extension). Its inputs are those of PortalMintKeyInput.

        Raises ApiError: portal_keys_refused, too_many_keys.
        """
        return self._sender.call(_PORTAL_MINT_KEY, given, options, types.MintedKey)

    def revoke_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRevokeKeyInput]) -> types.RevokedPortalKey:
        """Revoke a portal key.

        Revokes the key, starting with the next request. The key stays in the list. Revoking a key again
        changes nothing.

        - If the key replaced another key whose grace period has not ended, that key is revoked too
        (`also_revoked`).
        - End users can always revoke keys that they created in the portal.
        - Revoking a key that the application created requires that end users may create keys
        (portal.configure).

        DELETE /v1/portal/keys/{id} (an extension). Its inputs are those of PortalRevokeKeyInput.

        Raises ApiError: not_found, portal_keys_refused.
        """
        return self._sender.call(_PORTAL_REVOKE_KEY, given, options, types.RevokedPortalKey)

    def rotate_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRotateKeyInput]) -> types.RotatedKey:
        """Rotate a portal key.

        Creates a key that replaces this one, with the same name, cap and expiry. The secret is returned
        once and cannot be retrieved again.

        - Both keys work until the grace period ends.
        - Both keys share the cap. Spending and holds of the old key in the current period count toward
        it.
        - End users must be allowed to create keys (portal.configure).
        - A replaced, revoked or expired key cannot be rotated.

        POST /v1/portal/keys/{id}/rotate (an extension). Its inputs are those of PortalRotateKeyInput.

        Raises ApiError: not_found, portal_keys_refused, too_many_keys, key_ended.
        """
        return self._sender.call(_PORTAL_ROTATE_KEY, given, options, types.RotatedKey)

    def ledger(self, *, options: CallOptions | None = None, **given: Unpack[PortalLedgerInput]) -> PortalLedgerPage:
        """List the end user's ledger.

        Returns the entries of the end user's wallet in the mode of the session, newest first, with the
        reasons that the application gave. Entries are never changed or removed. Their sum is the
        balance.

        GET /v1/portal/ledger. Its inputs are those of PortalLedgerInput.
        """
        return self._sender.page(_PORTAL_LEDGER, given, options, PortalLedgerPage)

    def models(self, *, options: CallOptions | None = None) -> PortalModelsOutput:
        """List the end user's model names.

        Returns the gateway's address and the model names that the end user's plan allows, with the price
        charged for each. Providers are never returned.

        GET /v1/portal/models (an extension).
        """
        return self._sender.call(_PORTAL_MODELS, {}, options, PortalModelsOutput)

    def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[PortalOnDemandInput]) -> types.Subscription:
        """Set on-demand billing.

        Enables or disables on-demand billing in the mode of the session, starting with the next request,
        with a monthly ceiling. On-demand billing pays only after pools and wallet are exhausted. The
        ceiling cannot exceed the maximum that the application has set with subscription.onDemand.

        POST /v1/portal/on-demand. Its inputs are those of PortalOnDemandInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_ON_DEMAND, given, options, types.Subscription)

    def requests(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestsInput]) -> PortalRequestsPage:
        """List the end user's requests.

        Returns the signed-in end user's requests in the session's mode, newest first. Rejected requests
        and requests in flight are included. The content of requests and responses is never returned.

        GET /v1/portal/requests (an extension). Its inputs are those of PortalRequestsInput.
        """
        return self._sender.page(_PORTAL_REQUESTS, given, options, PortalRequestsPage)

    def request(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestInput]) -> types.EndUserRequest:
        """Show a request's receipt.

        Returns the usage, prices and charges of a request of the signed-in end user. Rejected requests
        and requests in flight are included. Amounts are in micros, times in milliseconds. Content is
        never returned.

        GET /v1/portal/requests/{id} (an extension). Its inputs are those of PortalRequestInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_REQUEST, given, options, types.EndUserRequest)

    def sign_out(self, *, options: CallOptions | None = None) -> PortalSignOutOutput:
        """Sign out of the portal.

        Ends the current session immediately, on the server. Other sessions of the end user continue.

        POST /v1/portal/sign-out (an extension).
        """
        return self._sender.call(_PORTAL_SIGN_OUT, {}, options, PortalSignOutOutput)

    def subscription(self, *, options: CallOptions | None = None) -> types.Subscription:
        """Show the end user's subscription.

        Returns the end user's plan, with granted and remaining credit, in the mode of the session.

        GET /v1/portal/subscription.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_SUBSCRIPTION, {}, options, types.Subscription)

    def usage(self, *, options: CallOptions | None = None, **given: Unpack[PortalUsageInput]) -> PortalUsageOutput:
        """Show the end user's usage.

        Returns the end user's usage in the mode of the session, by model name, and by day and model
        name. A range has at most 366 days (UTC). Defaults to the last 30 days, including today. Amounts
        are charges. Costs and margins are not included.

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
    """The end users' own view of their account, and their access to it."""

    def __init__(self, sender: Sender) -> None:
        super().__init__(sender)
        self._sender = sender

    @property
    def with_raw_response(self) -> PortalWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return PortalWithRawResponse(Portal(self._sender.raw()))

    def link(self, *, options: CallOptions | None = None, **given: Unpack[PortalLinkInput]) -> PortalLinkOutput:
        """Create a portal link.

        Creates a link that signs an end user in to the application's portal, in the mode of the request.
        The link works once, within 60 seconds, so redirect the end user's browser immediately. The token
        is in the fragment (after `#`), which browsers never send, so no log and no Referer contains it.

        POST /v1/portal-sessions. Its inputs are those of PortalLinkInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PORTAL_LINK, given, options, PortalLinkOutput)

    def settings(self, *, options: ConditionalOptions | None = None) -> types.PortalSettings:
        """Show the portal settings.

        Returns the application's rules for keys that end users create in the portal. The appearance of
        the portal is in brand.show.

        GET /v1/portal-settings (an extension).
        """
        return self._sender.call(_PORTAL_SETTINGS, {}, options, types.PortalSettings)

    def configure(self, *, options: ConditionalOptions | None = None, **given: Unpack[PortalConfigureInput]) -> types.PortalSettings:
        """Change the portal settings.

        Changes the rules for keys that end users create in the portal. Omitted fields keep their values.

        - To turn on `end_users_may_mint_keys`, also send `key_caps_total_micros` unless a total is set.
        Null means no total.
        - The total takes effect with the next request.
        - Existing keys keep their caps. Change them with keys.cap.

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
        """Show a portal's application.

        Returns the name, brand and portal address of the application with this key code. Sign-in pages
        use it before a session exists. On a portal's host, only the portal's own application is
        returned.

        GET /v1/portal-applications/{keyCode}. Its inputs are those of PortalApplicationInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_APPLICATION, given, options, PortalApplicationOutput)

    async def redeem(self, *, options: CallOptions | None = None, **given: Unpack[PortalRedeemInput]) -> PortalRedeemOutput:
        """Redeem a portal link.

        Signs in the end user of a portal link (portal.link). A session lasts 24 hours and expires after
        one hour without use.

        - On the portal's host, the session is an HTTP-only cookie. Its pages send `csrf_token` with each
        change.
        - On the control plane, for a portal of the customer's own, the session is the secret
        `session_token`. Send it as `Authorization: Bearer`.
        - Unknown, used and expired tokens, and tokens for another portal, all return the same error.

        POST /v1/portal-sessions/redeem. Its inputs are those of PortalRedeemInput.

        Raises ApiError: invalid_handoff.
        """
        return await self._sender.call(_PORTAL_REDEEM, given, options, PortalRedeemOutput)

    async def account(self, *, options: CallOptions | None = None) -> types.PortalAccount:
        """Show the end user's account.

        Returns the signed-in end user with their balance and limits, in the session's mode. The account
        is returned even if the end user has no money or is frozen.

        GET /v1/portal/account.
        """
        return await self._sender.call(_PORTAL_ACCOUNT, {}, options, types.PortalAccount)

    def keys(self, *, options: CallOptions | None = None, **given: Unpack[PortalKeysInput]) -> AsyncPageCall[types.PortalKey, AsyncPortalKeysPage]:
        """List the end user's keys.

        Returns the end user's keys in the mode of the session, newest first, including revoked keys.
        Secrets are never returned.

        GET /v1/portal/keys. Its inputs are those of PortalKeysInput.
        """
        return self._sender.page(_PORTAL_KEYS, given, options, AsyncPortalKeysPage)

    async def mint_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalMintKeyInput]) -> types.MintedKey:
        """Create a portal key.

        Creates an `ak_` key for the signed-in end user, in the mode of the session. The secret is
        returned once and cannot be retrieved again.

        - If the application limits portal keys (portal.configure), the key's cap cannot exceed
        `key_cap_micros`. The caps of all portal keys together cannot exceed `key_caps_total_micros`.
        - Spending of revoked and expired keys in the current period counts toward the total.
        - An end user can have 25 portal keys at a time.

        POST /v1/portal/keys (an extension). Its inputs are those of PortalMintKeyInput.

        Raises ApiError: portal_keys_refused, too_many_keys.
        """
        return await self._sender.call(_PORTAL_MINT_KEY, given, options, types.MintedKey)

    async def revoke_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRevokeKeyInput]) -> types.RevokedPortalKey:
        """Revoke a portal key.

        Revokes the key, starting with the next request. The key stays in the list. Revoking a key again
        changes nothing.

        - If the key replaced another key whose grace period has not ended, that key is revoked too
        (`also_revoked`).
        - End users can always revoke keys that they created in the portal.
        - Revoking a key that the application created requires that end users may create keys
        (portal.configure).

        DELETE /v1/portal/keys/{id} (an extension). Its inputs are those of PortalRevokeKeyInput.

        Raises ApiError: not_found, portal_keys_refused.
        """
        return await self._sender.call(_PORTAL_REVOKE_KEY, given, options, types.RevokedPortalKey)

    async def rotate_key(self, *, options: CallOptions | None = None, **given: Unpack[PortalRotateKeyInput]) -> types.RotatedKey:
        """Rotate a portal key.

        Creates a key that replaces this one, with the same name, cap and expiry. The secret is returned
        once and cannot be retrieved again.

        - Both keys work until the grace period ends.
        - Both keys share the cap. Spending and holds of the old key in the current period count toward
        it.
        - End users must be allowed to create keys (portal.configure).
        - A replaced, revoked or expired key cannot be rotated.

        POST /v1/portal/keys/{id}/rotate (an extension). Its inputs are those of PortalRotateKeyInput.

        Raises ApiError: not_found, portal_keys_refused, too_many_keys, key_ended.
        """
        return await self._sender.call(_PORTAL_ROTATE_KEY, given, options, types.RotatedKey)

    def ledger(self, *, options: CallOptions | None = None, **given: Unpack[PortalLedgerInput]) -> AsyncPageCall[types.LedgerEntry, AsyncPortalLedgerPage]:
        """List the end user's ledger.

        Returns the entries of the end user's wallet in the mode of the session, newest first, with the
        reasons that the application gave. Entries are never changed or removed. Their sum is the
        balance.

        GET /v1/portal/ledger. Its inputs are those of PortalLedgerInput.
        """
        return self._sender.page(_PORTAL_LEDGER, given, options, AsyncPortalLedgerPage)

    async def models(self, *, options: CallOptions | None = None) -> PortalModelsOutput:
        """List the end user's model names.

        Returns the gateway's address and the model names that the end user's plan allows, with the price
        charged for each. Providers are never returned.

        GET /v1/portal/models (an extension).
        """
        return await self._sender.call(_PORTAL_MODELS, {}, options, PortalModelsOutput)

    async def on_demand(self, *, options: CallOptions | None = None, **given: Unpack[PortalOnDemandInput]) -> types.Subscription:
        """Set on-demand billing.

        Enables or disables on-demand billing in the mode of the session, starting with the next request,
        with a monthly ceiling. On-demand billing pays only after pools and wallet are exhausted. The
        ceiling cannot exceed the maximum that the application has set with subscription.onDemand.

        POST /v1/portal/on-demand. Its inputs are those of PortalOnDemandInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_ON_DEMAND, given, options, types.Subscription)

    def requests(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestsInput]) -> AsyncPageCall[types.PortalRequest, AsyncPortalRequestsPage]:
        """List the end user's requests.

        Returns the signed-in end user's requests in the session's mode, newest first. Rejected requests
        and requests in flight are included. The content of requests and responses is never returned.

        GET /v1/portal/requests (an extension). Its inputs are those of PortalRequestsInput.
        """
        return self._sender.page(_PORTAL_REQUESTS, given, options, AsyncPortalRequestsPage)

    async def request(self, *, options: CallOptions | None = None, **given: Unpack[PortalRequestInput]) -> types.EndUserRequest:
        """Show a request's receipt.

        Returns the usage, prices and charges of a request of the signed-in end user. Rejected requests
        and requests in flight are included. Amounts are in micros, times in milliseconds. Content is
        never returned.

        GET /v1/portal/requests/{id} (an extension). Its inputs are those of PortalRequestInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_REQUEST, given, options, types.EndUserRequest)

    async def sign_out(self, *, options: CallOptions | None = None) -> PortalSignOutOutput:
        """Sign out of the portal.

        Ends the current session immediately, on the server. Other sessions of the end user continue.

        POST /v1/portal/sign-out (an extension).
        """
        return await self._sender.call(_PORTAL_SIGN_OUT, {}, options, PortalSignOutOutput)

    async def subscription(self, *, options: CallOptions | None = None) -> types.Subscription:
        """Show the end user's subscription.

        Returns the end user's plan, with granted and remaining credit, in the mode of the session.

        GET /v1/portal/subscription.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_SUBSCRIPTION, {}, options, types.Subscription)

    async def usage(self, *, options: CallOptions | None = None, **given: Unpack[PortalUsageInput]) -> PortalUsageOutput:
        """Show the end user's usage.

        Returns the end user's usage in the mode of the session, by model name, and by day and model
        name. A range has at most 366 days (UTC). Defaults to the last 30 days, including today. Amounts
        are charges. Costs and margins are not included.

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
    """The end users' own view of their account, and their access to it."""

    def __init__(self, sender: AsyncSender) -> None:
        super().__init__(sender)
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncPortalWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncPortalWithRawResponse(AsyncPortal(self._sender.raw()))

    async def link(self, *, options: CallOptions | None = None, **given: Unpack[PortalLinkInput]) -> PortalLinkOutput:
        """Create a portal link.

        Creates a link that signs an end user in to the application's portal, in the mode of the request.
        The link works once, within 60 seconds, so redirect the end user's browser immediately. The token
        is in the fragment (after `#`), which browsers never send, so no log and no Referer contains it.

        POST /v1/portal-sessions. Its inputs are those of PortalLinkInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PORTAL_LINK, given, options, PortalLinkOutput)

    async def settings(self, *, options: ConditionalOptions | None = None) -> types.PortalSettings:
        """Show the portal settings.

        Returns the application's rules for keys that end users create in the portal. The appearance of
        the portal is in brand.show.

        GET /v1/portal-settings (an extension).
        """
        return await self._sender.call(_PORTAL_SETTINGS, {}, options, types.PortalSettings)

    async def configure(self, *, options: ConditionalOptions | None = None, **given: Unpack[PortalConfigureInput]) -> types.PortalSettings:
        """Change the portal settings.

        Changes the rules for keys that end users create in the portal. Omitted fields keep their values.

        - To turn on `end_users_may_mint_keys`, also send `key_caps_total_micros` unless a total is set.
        Null means no total.
        - The total takes effect with the next request.
        - Existing keys keep their caps. Change them with keys.cap.

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
