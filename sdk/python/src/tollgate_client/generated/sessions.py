# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import params, types


class SessionsListInput(TypedDict):
    """Of sessions.list: list sessions."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    email: NotRequired[str]
    """Email address of a member. Returns only sessions of this member. Defaults to the signed-in member,
    or to the whole team for a token. At most 254 characters.
    """


class SessionsListOutput(Document):
    """What sessions.list answers."""
    data: list[types.Session]
    next_cursor: str | None


class SessionsListPage(SessionsListOutput, Page[types.Session]):
    """A page of sessions.list."""


class AsyncSessionsListPage(SessionsListOutput, AsyncPage[types.Session]):
    """A page of sessions.list."""


class SessionsCreateInputNewPasskey(TypedDict):
    name: str
    """Display name of the passkey. 1 to 64 characters."""
    credential: params.NewCredentialParam


class SessionsCreateInput(TypedDict):
    """Of sessions.create: sign in with a password."""
    email: str
    """Email address of the member. At most 254 characters."""
    password: str
    """Password of the member. 1 to 256 characters."""
    passkey: NotRequired[params.UsedCredentialParam]
    """Response of a registered passkey to the challenge of sessions.passkeyChallenge. Required if the
    member has a passkey.
    """
    new_passkey: NotRequired[SessionsCreateInputNewPasskey]
    """New passkey for the same challenge. Required if the organization requires passkeys and the member
    has no passkey.
    """


class SessionsOptionsOutputOidc(Document):
    label: str
    """Host name of the identity provider."""
    path: str
    """Path at which the sign-in begins."""


class SessionsOptionsOutput(Document):
    """What sessions.options answers."""
    is_set_up: bool
    """Whether a member has joined a team. If false, the link that the server prints at its first start
    creates the first owner.
    """
    password: bool
    """Whether members can sign in with a password."""
    oidc: SessionsOptionsOutputOidc | None
    """Identity provider for sign-ins. Null if no identity provider is configured."""


class SessionsPasskeyInput(TypedDict):
    """Of sessions.passkey: sign in with a passkey."""
    credential: params.UsedCredentialParam


class SessionsPasskeyChallengeInput(TypedDict):
    """Of sessions.passkeyChallenge: start signing in with a passkey."""
    email: NotRequired[str]
    """Email address for which sessions.create is to register a new passkey. At most 254 characters."""


class SessionsPasswordInput(TypedDict):
    """Of sessions.password: change the member's password."""
    current_password: NotRequired[str]
    """Current password. Omit if the member has no password. 1 to 256 characters."""
    new_password: str
    """Password, 12 to 256 characters. Passwords that are easy to guess are rejected, such as common
    passwords, repetitions, sequences and keyboard rows. The member's email address and the names of
    member, organization and product are rejected too. 12 to 256 characters.
    """


class SessionsSetPolicyInput(TypedDict):
    """Of sessions.setPolicy: change the sign-in policy."""
    passkey_required: bool
    """Whether members need a passkey to sign in with a password. Sign-ins with the identity provider are
    not affected.
    """


class SessionsEndInput(TypedDict):
    """Of sessions.end: end a session."""
    id: str
    """ID of the session, `ses_…`. 1 to 64 characters."""
    password: NotRequired[str]
    """Current password of the signed-in member. Omit for a token, for a member without a password, and
    for the current session. 1 to 256 characters.
    """


_SESSIONS_LIST = Route(
    id="sessions.list",
    method="GET",
    path="/v1/sessions",
    takes=SessionsListInput,
    query=("limit", "cursor", "email",),
)


_SESSIONS_CREATE = Route(
    id="sessions.create",
    method="POST",
    path="/v1/sessions",
    takes=SessionsCreateInput,
    body="json",
)


_SESSIONS_CURRENT = Route(
    id="sessions.current",
    method="GET",
    path="/v1/sessions/current",
)


_SESSIONS_END_CURRENT = Route(
    id="sessions.endCurrent",
    method="DELETE",
    path="/v1/sessions/current",
)


_SESSIONS_OPTIONS = Route(
    id="sessions.options",
    method="GET",
    path="/v1/sessions/options",
)


_SESSIONS_PASSKEY = Route(
    id="sessions.passkey",
    method="POST",
    path="/v1/sessions/passkey",
    takes=SessionsPasskeyInput,
    body="json",
)


_SESSIONS_PASSKEY_CHALLENGE = Route(
    id="sessions.passkeyChallenge",
    method="POST",
    path="/v1/sessions/passkey/challenge",
    takes=SessionsPasskeyChallengeInput,
    body="json",
)


_SESSIONS_PASSWORD = Route(
    id="sessions.password",
    method="POST",
    path="/v1/sessions/password",
    takes=SessionsPasswordInput,
    body="json",
    is_keyed=True,
)


_SESSIONS_POLICY = Route(
    id="sessions.policy",
    method="GET",
    path="/v1/sessions/policy",
)


_SESSIONS_SET_POLICY = Route(
    id="sessions.setPolicy",
    method="PATCH",
    path="/v1/sessions/policy",
    takes=SessionsSetPolicyInput,
    body="json",
    is_keyed=True,
)


_SESSIONS_END = Route(
    id="sessions.end",
    method="POST",
    path="/v1/sessions/{id}/end",
    takes=SessionsEndInput,
    body="json",
    is_keyed=True,
)


class Sessions:
    """Sign-ins of team members."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> SessionsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return SessionsWithRawResponse(Sessions(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[SessionsListInput]) -> SessionsListPage:
        """List sessions.

        Returns sessions that have not ended, newest first. By default, members get their own sessions,
        and tokens get the sessions of the whole team. Reading sessions other than the member's own
        requires the admin role.

        GET /v1/sessions (an extension). Its inputs are those of SessionsListInput.

        Raises ApiError: not_found, role_required.
        """
        return self._sender.page(_SESSIONS_LIST, given, options, SessionsListPage)

    def create(self, *, options: CallOptions | None = None, **given: Unpack[SessionsCreateInput]) -> types.SignedIn:
        """Sign in with a password.

        Starts a session and ends the previous session of the browser. The secret is set as a cookie that
        scripts cannot read. A wrong address and a wrong password return the same error. Attempts are
        limited:
        - After five wrong passwords in a row, each attempt for the address is delayed by up to 8
        seconds. The right password is still accepted.
        - A network address has 10 attempts per minute.
        - A browser in which the member has signed in before sends a second cookie, so its attempts are
        counted and queued separately.

        POST /v1/sessions (an extension). Its inputs are those of SessionsCreateInput.

        Raises ApiError: sign_in_failed, passkey_required, passkey_rejected.
        """
        return self._sender.call(_SESSIONS_CREATE, given, options, types.SignedIn)

    def current(self, *, options: CallOptions | None = None) -> types.SignedIn:
        """Show the current session.

        Returns the session and the signed-in member. The value that a page must send as `x-csrf-token`
        is in the body and in the header of that name, for pages that were reloaded.

        GET /v1/sessions/current (an extension).
        """
        return self._sender.call(_SESSIONS_CURRENT, {}, options, types.SignedIn)

    def end_current(self, *, options: CallOptions | None = None) -> types.Session:
        """Sign out.

        Ends the session of this request and deletes its cookie.

        DELETE /v1/sessions/current (an extension).
        """
        return self._sender.call(_SESSIONS_END_CURRENT, {}, options, types.Session)

    def options(self, *, options: CallOptions | None = None) -> SessionsOptionsOutput:
        """Show sign-in options.

        Returns the options of a sign-in page. Authentication is not required. To sign in with an
        identity provider, open `path` in the browser with `?returnPath=`, a path on this host.

        GET /v1/sessions/options (an extension).
        """
        return self._sender.call(_SESSIONS_OPTIONS, {}, options, SessionsOptionsOutput)

    def passkey(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyInput]) -> types.SignedIn:
        """Sign in with a passkey.

        Starts a session with an authenticator's response to the challenge of sessions.passkeyChallenge.
        No password is required, so the authenticator must have verified the member, for example by PIN
        or fingerprint.

        POST /v1/sessions/passkey (an extension). Its inputs are those of SessionsPasskeyInput.

        Raises ApiError: passkey_rejected.
        """
        return self._sender.call(_SESSIONS_PASSKEY, given, options, types.SignedIn)

    def passkey_challenge(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyChallengeInput]) -> types.PasskeyChallenge:
        """Start signing in with a passkey.

        Creates a challenge for a sign-in. The browser passes it to an authenticator and sends the result
        to sessions.passkey or sessions.create. The response is the same whether or not the address
        belongs to a member.

        POST /v1/sessions/passkey/challenge (an extension). Its inputs are those of
        SessionsPasskeyChallengeInput.
        """
        return self._sender.call(_SESSIONS_PASSKEY_CHALLENGE, given, options, types.PasskeyChallenge)

    def password(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasswordInput]) -> types.Member:
        """Change the member's password.

        Changes the password of the signed-in member and ends the member's other sessions. Tokens of
        devices remain valid until tokens.revoke revokes them. A member who signs in only with the
        identity provider sets a first password with this operation.

        POST /v1/sessions/password (an extension). Its inputs are those of SessionsPasswordInput.

        Raises ApiError: wrong_password.
        """
        return self._sender.call(_SESSIONS_PASSWORD, given, options, types.Member)

    def policy(self, *, options: ConditionalOptions | None = None) -> types.SignInPolicy:
        """Show the sign-in policy.

        Returns the sign-in requirements of the organization.

        GET /v1/sessions/policy (an extension).
        """
        return self._sender.call(_SESSIONS_POLICY, {}, options, types.SignInPolicy)

    def set_policy(self, *, options: ConditionalOptions | None = None, **given: Unpack[SessionsSetPolicyInput]) -> types.SignInPolicy:
        """Change the sign-in policy.

        Changes the sign-in requirements of the organization, starting with the next sign-in. Open
        sessions continue. If passkeys are required, a member without a passkey registers one at the next
        sign-in with a password.

        PATCH /v1/sessions/policy (an extension). Its inputs are those of SessionsSetPolicyInput.
        """
        return self._sender.call(_SESSIONS_SET_POLICY, given, options, types.SignInPolicy)

    def end(self, *, options: CallOptions | None = None, **given: Unpack[SessionsEndInput]) -> types.Session:
        """End a session.

        Ends a session: its next request returns 401 `session_ended`. Ending the session of another
        member requires the admin role.

        - To end any session but the current one, a member with a password must send the password. This
        keeps an intruder in one browser from ending the member's other sessions.
        - A token needs no password.

        POST /v1/sessions/{id}/end (an extension). Its inputs are those of SessionsEndInput.

        Raises ApiError: not_found, wrong_password.
        """
        return self._sender.call(_SESSIONS_END, given, options, types.Session)


class SessionsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Sessions) -> None:
        self.list = raw(methods.list)
        self.create = raw(methods.create)
        self.current = raw(methods.current)
        self.end_current = raw(methods.end_current)
        self.options = raw(methods.options)
        self.passkey = raw(methods.passkey)
        self.passkey_challenge = raw(methods.passkey_challenge)
        self.password = raw(methods.password)
        self.policy = raw(methods.policy)
        self.set_policy = raw(methods.set_policy)
        self.end = raw(methods.end)


class AsyncSessions:
    """Sign-ins of team members."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncSessionsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncSessionsWithRawResponse(AsyncSessions(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[SessionsListInput]) -> AsyncPageCall[types.Session, AsyncSessionsListPage]:
        """List sessions.

        Returns sessions that have not ended, newest first. By default, members get their own sessions,
        and tokens get the sessions of the whole team. Reading sessions other than the member's own
        requires the admin role.

        GET /v1/sessions (an extension). Its inputs are those of SessionsListInput.

        Raises ApiError: not_found, role_required.
        """
        return self._sender.page(_SESSIONS_LIST, given, options, AsyncSessionsListPage)

    async def create(self, *, options: CallOptions | None = None, **given: Unpack[SessionsCreateInput]) -> types.SignedIn:
        """Sign in with a password.

        Starts a session and ends the previous session of the browser. The secret is set as a cookie that
        scripts cannot read. A wrong address and a wrong password return the same error. Attempts are
        limited:
        - After five wrong passwords in a row, each attempt for the address is delayed by up to 8
        seconds. The right password is still accepted.
        - A network address has 10 attempts per minute.
        - A browser in which the member has signed in before sends a second cookie, so its attempts are
        counted and queued separately.

        POST /v1/sessions (an extension). Its inputs are those of SessionsCreateInput.

        Raises ApiError: sign_in_failed, passkey_required, passkey_rejected.
        """
        return await self._sender.call(_SESSIONS_CREATE, given, options, types.SignedIn)

    async def current(self, *, options: CallOptions | None = None) -> types.SignedIn:
        """Show the current session.

        Returns the session and the signed-in member. The value that a page must send as `x-csrf-token`
        is in the body and in the header of that name, for pages that were reloaded.

        GET /v1/sessions/current (an extension).
        """
        return await self._sender.call(_SESSIONS_CURRENT, {}, options, types.SignedIn)

    async def end_current(self, *, options: CallOptions | None = None) -> types.Session:
        """Sign out.

        Ends the session of this request and deletes its cookie.

        DELETE /v1/sessions/current (an extension).
        """
        return await self._sender.call(_SESSIONS_END_CURRENT, {}, options, types.Session)

    async def options(self, *, options: CallOptions | None = None) -> SessionsOptionsOutput:
        """Show sign-in options.

        Returns the options of a sign-in page. Authentication is not required. To sign in with an
        identity provider, open `path` in the browser with `?returnPath=`, a path on this host.

        GET /v1/sessions/options (an extension).
        """
        return await self._sender.call(_SESSIONS_OPTIONS, {}, options, SessionsOptionsOutput)

    async def passkey(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyInput]) -> types.SignedIn:
        """Sign in with a passkey.

        Starts a session with an authenticator's response to the challenge of sessions.passkeyChallenge.
        No password is required, so the authenticator must have verified the member, for example by PIN
        or fingerprint.

        POST /v1/sessions/passkey (an extension). Its inputs are those of SessionsPasskeyInput.

        Raises ApiError: passkey_rejected.
        """
        return await self._sender.call(_SESSIONS_PASSKEY, given, options, types.SignedIn)

    async def passkey_challenge(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyChallengeInput]) -> types.PasskeyChallenge:
        """Start signing in with a passkey.

        Creates a challenge for a sign-in. The browser passes it to an authenticator and sends the result
        to sessions.passkey or sessions.create. The response is the same whether or not the address
        belongs to a member.

        POST /v1/sessions/passkey/challenge (an extension). Its inputs are those of
        SessionsPasskeyChallengeInput.
        """
        return await self._sender.call(_SESSIONS_PASSKEY_CHALLENGE, given, options, types.PasskeyChallenge)

    async def password(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasswordInput]) -> types.Member:
        """Change the member's password.

        Changes the password of the signed-in member and ends the member's other sessions. Tokens of
        devices remain valid until tokens.revoke revokes them. A member who signs in only with the
        identity provider sets a first password with this operation.

        POST /v1/sessions/password (an extension). Its inputs are those of SessionsPasswordInput.

        Raises ApiError: wrong_password.
        """
        return await self._sender.call(_SESSIONS_PASSWORD, given, options, types.Member)

    async def policy(self, *, options: ConditionalOptions | None = None) -> types.SignInPolicy:
        """Show the sign-in policy.

        Returns the sign-in requirements of the organization.

        GET /v1/sessions/policy (an extension).
        """
        return await self._sender.call(_SESSIONS_POLICY, {}, options, types.SignInPolicy)

    async def set_policy(self, *, options: ConditionalOptions | None = None, **given: Unpack[SessionsSetPolicyInput]) -> types.SignInPolicy:
        """Change the sign-in policy.

        Changes the sign-in requirements of the organization, starting with the next sign-in. Open
        sessions continue. If passkeys are required, a member without a passkey registers one at the next
        sign-in with a password.

        PATCH /v1/sessions/policy (an extension). Its inputs are those of SessionsSetPolicyInput.
        """
        return await self._sender.call(_SESSIONS_SET_POLICY, given, options, types.SignInPolicy)

    async def end(self, *, options: CallOptions | None = None, **given: Unpack[SessionsEndInput]) -> types.Session:
        """End a session.

        Ends a session: its next request returns 401 `session_ended`. Ending the session of another
        member requires the admin role.

        - To end any session but the current one, a member with a password must send the password. This
        keeps an intruder in one browser from ending the member's other sessions.
        - A token needs no password.

        POST /v1/sessions/{id}/end (an extension). Its inputs are those of SessionsEndInput.

        Raises ApiError: not_found, wrong_password.
        """
        return await self._sender.call(_SESSIONS_END, given, options, types.Session)


class AsyncSessionsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncSessions) -> None:
        self.list = async_raw(methods.list)
        self.create = async_raw(methods.create)
        self.current = async_raw(methods.current)
        self.end_current = async_raw(methods.end_current)
        self.options = async_raw(methods.options)
        self.passkey = async_raw(methods.passkey)
        self.passkey_challenge = async_raw(methods.passkey_challenge)
        self.password = async_raw(methods.password)
        self.policy = async_raw(methods.policy)
        self.set_policy = async_raw(methods.set_policy)
        self.end = async_raw(methods.end)
