# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class DeviceAuthShowInput(TypedDict):
    """Of deviceAuth.show: show who asks to be signed in."""
    user_code: str
    """The code that the device shows; case, hyphens and spaces do not matter. 1 to 32 characters."""


class DeviceAuthStartInput(TypedDict):
    """Of deviceAuth.start: start a command-line sign-in."""
    client_name: NotRequired[str]
    """What the device calls itself: shown to the person, and the label of the token. 1 to 64 characters.
    """
    role: NotRequired[Literal["viewer", "developer", "admin", "owner"]]
    """What the token is to do; when left out, `admin`. It never does more than the person who approves
    may.
    """


class DeviceAuthStartOutput(Document):
    """What deviceAuth.start answers."""
    device_code: str
    """Secret of the device, shown once."""
    user_code: str
    """The code for the person."""
    verification_uri: str
    """Where the person enters the code."""
    verification_uri_complete: str
    """The same with the code in it, which the person still has to compare."""
    expires_in: int
    """How long both codes live, in seconds."""
    interval: int
    """Least time between polls, in seconds."""


class DeviceAuthApproveInput(TypedDict):
    """Of deviceAuth.approve: approve a command-line sign-in."""
    user_code: str
    """The code that the device shows; case, hyphens and spaces do not matter. 1 to 32 characters."""
    approve: bool
    """False: the device is refused."""


class DeviceAuthApproveOutput(Document):
    """What deviceAuth.approve answers."""
    client_name: str | None
    """What the device calls itself; None: it does not say. Anybody can say anything here."""
    address: str
    """Network address from which the device asked."""
    user_agent: str
    """What its program called itself."""
    asked_role: Literal["viewer", "developer", "admin", "owner"] | str | None
    """The role that the device asked for; None: it does not say."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What its token may do once approved: never more than the member who approves."""
    created_at: str
    """When the device asked. ISO 8601."""
    expires_at: str
    """When its codes expire. ISO 8601."""
    decision: Literal["approved", "denied"] | str
    """What was decided."""


class DeviceAuthPollInput(TypedDict):
    """Of deviceAuth.poll: poll a command-line sign-in."""
    device_code: str
    """`device_code` of deviceAuth.start. 1 to 128 characters."""


class DeviceAuthPollOutputOrganization(Document):
    id: str
    """Id of the organization, `org_…`."""
    name: str
    """Its name."""


class DeviceAuthPollOutput(Document):
    """What deviceAuth.poll answers."""
    id: str
    """Id of the token, `apk_…`."""
    label: str
    """Name for people."""
    prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """The role whose operations it may call."""
    application_id: str | None
    """Id of the one application that it may use, `app_…`; None: every one."""
    member_id: str | None
    """Id of the member who signed in on the device that holds it, `mem_…`; None: a token of the
    organization.
    """
    created_by: types.TokenCreator | None
    """Who created the token. Null if the server’s operator created it, or if it was created before
    creators were recorded.
    """
    created_at: str
    """When the token was created. ISO 8601."""
    expires_at: str | None
    """When the token expires. Null if it never expires. ISO 8601."""
    last_used_at: str | None
    """When it was last used, to ten minutes; None: never. ISO 8601."""
    revoked_at: str | None
    """When the token was revoked. Null if it was not revoked. ISO 8601."""
    token: str
    """The secret, shown once."""
    organization: DeviceAuthPollOutputOrganization
    """The organization that the token is bound to."""


_DEVICE_AUTH_SHOW = Route(
    id="deviceAuth.show",
    method="GET",
    path="/v1/device-auth",
    takes=DeviceAuthShowInput,
    query=("userCode",),
)


_DEVICE_AUTH_START = Route(
    id="deviceAuth.start",
    method="POST",
    path="/v1/device-auth",
    takes=DeviceAuthStartInput,
    body="json",
)


_DEVICE_AUTH_APPROVE = Route(
    id="deviceAuth.approve",
    method="POST",
    path="/v1/device-auth/approve",
    takes=DeviceAuthApproveInput,
    body="json",
    is_keyed=True,
)


_DEVICE_AUTH_POLL = Route(
    id="deviceAuth.poll",
    method="POST",
    path="/v1/device-auth/token",
    takes=DeviceAuthPollInput,
    body="json",
)


class DeviceAuth:
    """Sign-ins of command lines (RFC 8628)."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> DeviceAuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return DeviceAuthWithRawResponse(DeviceAuth(self._sender.raw()))

    def show(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthShowInput]) -> types.DeviceSignIn:
        """Show who asks to be signed in.

        What a person sees before they approve: which device asks, from where, and what its token may do.
        One network address has 5 tries a minute, here and in deviceAuth.approve together.

        GET /v1/device-auth (an extension). Its inputs are those of DeviceAuthShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_DEVICE_AUTH_SHOW, given, options, types.DeviceSignIn)

    def start(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthStartInput]) -> DeviceAuthStartOutput:
        """Start a command-line sign-in.

        The device authorization request of RFC 8628. Show `user_code` and `verification_uri` to the
        person, and poll with `device_code` every `interval` seconds. One network address starts 10
        sign-ins a minute. At most 1000 sign-ins wait concurrently. 400 of these are reserved for
        networks from which a team member has signed in or a token has been used; other networks get 429
        `rate_limited` when the rest is taken.

        POST /v1/device-auth. Its inputs are those of DeviceAuthStartInput.
        """
        return self._sender.call(_DEVICE_AUTH_START, given, options, DeviceAuthStartOutput)

    def approve(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthApproveInput]) -> DeviceAuthApproveOutput:
        """Approve a command-line sign-in.

        The decision of a person who has signed in, once: look with deviceAuth.show first, and approve
        only a device that is before you. The device gets a token of the organization with the role
        shown, which is listed by tokens.list and ends with tokens.revoke, or when the member is removed.

        POST /v1/device-auth/approve. Its inputs are those of DeviceAuthApproveInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_DEVICE_AUTH_APPROVE, given, options, DeviceAuthApproveOutput)

    def poll(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthPollInput]) -> DeviceAuthPollOutput:
        """Poll a command-line sign-in.

        The device access token request of RFC 8628. Once the person has approved, it answers an `sk_`
        token, to one request: only its hash is kept. Until then it is refused with
        `authorization_pending`, and for a poll that comes too soon with `slow_down`, which makes the
        interval 5 seconds longer for good.

        POST /v1/device-auth/token. Its inputs are those of DeviceAuthPollInput.

        Raises ApiError: authorization_pending, slow_down, expired_token, access_denied.
        """
        return self._sender.call(_DEVICE_AUTH_POLL, given, options, DeviceAuthPollOutput)


class DeviceAuthWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: DeviceAuth) -> None:
        self.show = raw(methods.show)
        self.start = raw(methods.start)
        self.approve = raw(methods.approve)
        self.poll = raw(methods.poll)


class AsyncDeviceAuth:
    """Sign-ins of command lines (RFC 8628)."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncDeviceAuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncDeviceAuthWithRawResponse(AsyncDeviceAuth(self._sender.raw()))

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthShowInput]) -> types.DeviceSignIn:
        """Show who asks to be signed in.

        What a person sees before they approve: which device asks, from where, and what its token may do.
        One network address has 5 tries a minute, here and in deviceAuth.approve together.

        GET /v1/device-auth (an extension). Its inputs are those of DeviceAuthShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_DEVICE_AUTH_SHOW, given, options, types.DeviceSignIn)

    async def start(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthStartInput]) -> DeviceAuthStartOutput:
        """Start a command-line sign-in.

        The device authorization request of RFC 8628. Show `user_code` and `verification_uri` to the
        person, and poll with `device_code` every `interval` seconds. One network address starts 10
        sign-ins a minute. At most 1000 sign-ins wait concurrently. 400 of these are reserved for
        networks from which a team member has signed in or a token has been used; other networks get 429
        `rate_limited` when the rest is taken.

        POST /v1/device-auth. Its inputs are those of DeviceAuthStartInput.
        """
        return await self._sender.call(_DEVICE_AUTH_START, given, options, DeviceAuthStartOutput)

    async def approve(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthApproveInput]) -> DeviceAuthApproveOutput:
        """Approve a command-line sign-in.

        The decision of a person who has signed in, once: look with deviceAuth.show first, and approve
        only a device that is before you. The device gets a token of the organization with the role
        shown, which is listed by tokens.list and ends with tokens.revoke, or when the member is removed.

        POST /v1/device-auth/approve. Its inputs are those of DeviceAuthApproveInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_DEVICE_AUTH_APPROVE, given, options, DeviceAuthApproveOutput)

    async def poll(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthPollInput]) -> DeviceAuthPollOutput:
        """Poll a command-line sign-in.

        The device access token request of RFC 8628. Once the person has approved, it answers an `sk_`
        token, to one request: only its hash is kept. Until then it is refused with
        `authorization_pending`, and for a poll that comes too soon with `slow_down`, which makes the
        interval 5 seconds longer for good.

        POST /v1/device-auth/token. Its inputs are those of DeviceAuthPollInput.

        Raises ApiError: authorization_pending, slow_down, expired_token, access_denied.
        """
        return await self._sender.call(_DEVICE_AUTH_POLL, given, options, DeviceAuthPollOutput)


class AsyncDeviceAuthWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncDeviceAuth) -> None:
        self.show = async_raw(methods.show)
        self.start = async_raw(methods.start)
        self.approve = async_raw(methods.approve)
        self.poll = async_raw(methods.poll)
