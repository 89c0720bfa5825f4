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
    """Of deviceAuth.show: show a pending sign-in."""
    user_code: str
    """Code that the device shows. Case, hyphens and spaces are ignored. 1 to 32 characters."""


class DeviceAuthStartInput(TypedDict):
    """Of deviceAuth.start: start a command-line sign-in."""
    client_name: NotRequired[str]
    """Name of the device. It is shown to the member and becomes the label of the token. 1 to 64
    characters.
    """
    role: NotRequired[Literal["viewer", "developer", "admin", "owner"]]
    """Requested role of the token. Defaults to `admin`. The token never has a higher role than the
    approving member.
    """


class DeviceAuthStartOutput(Document):
    """What deviceAuth.start answers."""
    device_code: str
    """Secret of the device. It is returned once and cannot be retrieved again."""
    user_code: str
    """Code to show to the member."""
    verification_uri: str
    """URL of the page where the member enters the code."""
    verification_uri_complete: str
    """URL of the same page with the code filled in. The member must still compare the code."""
    expires_in: int
    """Lifetime of both codes, in seconds."""
    interval: int
    """Minimum time between polls, in seconds."""


class DeviceAuthApproveInput(TypedDict):
    """Of deviceAuth.approve: approve a command-line sign-in."""
    user_code: str
    """Code that the device shows. Case, hyphens and spaces are ignored. 1 to 32 characters."""
    approve: bool
    """Whether to approve the sign-in. False denies it."""


class DeviceAuthApproveOutput(Document):
    """What deviceAuth.approve answers."""
    client_name: str | None
    """Name that the device reports, which is not verified. Null if the device reports no name."""
    address: str
    """Network address of the device."""
    user_agent: str
    """User agent that the device reported, which is not verified."""
    asked_role: Literal["viewer", "developer", "admin", "owner"] | str | None
    """Role that the device requested. Null if it requested no role."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the token after approval. It is never higher than the role of the approving member."""
    created_at: str
    """When the device started the sign-in. ISO 8601."""
    expires_at: str
    """When the codes expire. ISO 8601."""
    decision: Literal["approved", "denied"] | str
    """Decision on the sign-in."""


class DeviceAuthPollInput(TypedDict):
    """Of deviceAuth.poll: poll a command-line sign-in."""
    device_code: str
    """`device_code` from `deviceAuth.start`. 1 to 128 characters."""


class DeviceAuthPollOutputOrganization(Document):
    id: str
    """ID of the organization, `org_…`."""
    name: str
    """Name of the organization."""


class DeviceAuthPollOutput(Document):
    """What deviceAuth.poll answers."""
    id: str
    """ID of the token, `apk_…`."""
    label: str
    """Display name of the token."""
    prefix: str
    """First characters of the secret, safe to display."""
    last_four: str
    """Last characters of the secret, safe to display."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the token."""
    application_id: str | None
    """ID of the only application that the token can use, `app_…`. Null means every application."""
    member_id: str | None
    """ID of the member who signed in on the device that stores the token, `mem_…`. Null for a token of
    the organization.
    """
    created_by: types.TokenCreator | None
    """Creator of the token. Null if the operator of the server created it, or if it was created before
    creators were recorded.
    """
    created_at: str
    """When the token was created. ISO 8601."""
    expires_at: str | None
    """When the token expires. Null if it never expires. ISO 8601."""
    last_used_at: str | None
    """When the token was last used, accurate to ten minutes. Null if it was never used. ISO 8601."""
    revoked_at: str | None
    """When the token was revoked. Null if it was not revoked. ISO 8601."""
    token: str
    """Secret of the token. It is returned once and cannot be retrieved again."""
    organization: DeviceAuthPollOutputOrganization
    """Organization of the token."""


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
    """Sign-ins from the command line (RFC 8628)."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> DeviceAuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return DeviceAuthWithRawResponse(DeviceAuth(self._sender.raw()))

    def show(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthShowInput]) -> types.DeviceSignIn:
        """Show a pending sign-in.

        Returns the device that requests a sign-in, its network address, and the role that its token
        would have. Each network address has 5 attempts per minute, shared with `deviceAuth.approve`.

        GET /v1/device-auth (an extension). Its inputs are those of DeviceAuthShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_DEVICE_AUTH_SHOW, given, options, types.DeviceSignIn)

    def start(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthStartInput]) -> DeviceAuthStartOutput:
        """Start a command-line sign-in.

        Sends the device authorization request of RFC 8628. Show `user_code` and `verification_uri` to
        the member, and poll `deviceAuth.poll` with `device_code` every `interval` seconds.

        - Each network address can start 10 sign-ins per minute.
        - At most 1000 sign-ins can be pending. 400 of these are reserved for networks from which a team
        member has signed in or a token has been used. Other networks get 429 `rate_limited` when the
        rest is taken.

        POST /v1/device-auth. Its inputs are those of DeviceAuthStartInput.
        """
        return self._sender.call(_DEVICE_AUTH_START, given, options, DeviceAuthStartOutput)

    def approve(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthApproveInput]) -> DeviceAuthApproveOutput:
        """Approve a command-line sign-in.

        Approves or denies a command-line sign-in. Each sign-in can be decided once. Check the device
        with `deviceAuth.show` first, and approve only a device at hand.

        The device gets a token of the organization with the role shown. The token is listed by
        `tokens.list` and is valid until it is revoked with `tokens.revoke` or the member is removed.

        POST /v1/device-auth/approve. Its inputs are those of DeviceAuthApproveInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_DEVICE_AUTH_APPROVE, given, options, DeviceAuthApproveOutput)

    def poll(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthPollInput]) -> DeviceAuthPollOutput:
        """Poll a command-line sign-in.

        Sends the device access token request of RFC 8628. Exactly one poll after the approval returns
        the `sk_` token, because only its hash is stored.

        - Until the sign-in is decided, polls return `authorization_pending`.
        - A poll that comes too soon returns `slow_down` and lengthens the interval by 5 seconds
        permanently.

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
    """Sign-ins from the command line (RFC 8628)."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncDeviceAuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncDeviceAuthWithRawResponse(AsyncDeviceAuth(self._sender.raw()))

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthShowInput]) -> types.DeviceSignIn:
        """Show a pending sign-in.

        Returns the device that requests a sign-in, its network address, and the role that its token
        would have. Each network address has 5 attempts per minute, shared with `deviceAuth.approve`.

        GET /v1/device-auth (an extension). Its inputs are those of DeviceAuthShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_DEVICE_AUTH_SHOW, given, options, types.DeviceSignIn)

    async def start(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthStartInput]) -> DeviceAuthStartOutput:
        """Start a command-line sign-in.

        Sends the device authorization request of RFC 8628. Show `user_code` and `verification_uri` to
        the member, and poll `deviceAuth.poll` with `device_code` every `interval` seconds.

        - Each network address can start 10 sign-ins per minute.
        - At most 1000 sign-ins can be pending. 400 of these are reserved for networks from which a team
        member has signed in or a token has been used. Other networks get 429 `rate_limited` when the
        rest is taken.

        POST /v1/device-auth. Its inputs are those of DeviceAuthStartInput.
        """
        return await self._sender.call(_DEVICE_AUTH_START, given, options, DeviceAuthStartOutput)

    async def approve(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthApproveInput]) -> DeviceAuthApproveOutput:
        """Approve a command-line sign-in.

        Approves or denies a command-line sign-in. Each sign-in can be decided once. Check the device
        with `deviceAuth.show` first, and approve only a device at hand.

        The device gets a token of the organization with the role shown. The token is listed by
        `tokens.list` and is valid until it is revoked with `tokens.revoke` or the member is removed.

        POST /v1/device-auth/approve. Its inputs are those of DeviceAuthApproveInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_DEVICE_AUTH_APPROVE, given, options, DeviceAuthApproveOutput)

    async def poll(self, *, options: CallOptions | None = None, **given: Unpack[DeviceAuthPollInput]) -> DeviceAuthPollOutput:
        """Poll a command-line sign-in.

        Sends the device access token request of RFC 8628. Exactly one poll after the approval returns
        the `sk_` token, because only its hash is stored.

        - Until the sign-in is decided, polls return `authorization_pending`.
        - A poll that comes too soon returns `slow_down` and lengthens the interval by 5 seconds
        permanently.

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
