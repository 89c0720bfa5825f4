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
    """`next_cursor` of the page before. At most 1200 characters."""
    email: NotRequired[str]
    """Sessions of this member only. When left out: one’s own, and for a token those of the team. At most
    254 characters.
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
    """Name for people. 1 to 64 characters."""
    credential: params.NewCredentialParam


class SessionsCreateInput(TypedDict):
    """Of sessions.create: sign in with a password."""
    email: str
    """E-mail address of the member. At most 254 characters."""
    password: str
    """The password. 1 to 256 characters."""
    passkey: NotRequired[params.UsedCredentialParam]
    """Answer of a registered passkey to the challenge of sessions.passkeyChallenge. Required if the
    member has a passkey.
    """
    new_passkey: NotRequired[SessionsCreateInputNewPasskey]
    """A new passkey for the same challenge. Required if the organization requires passkeys and the
    member has none.
    """


class SessionsOptionsOutputOidc(Document):
    label: str
    """Host name of the provider."""
    path: str
    """Where the sign-in begins."""


class SessionsOptionsOutput(Document):
    """What sessions.options answers."""
    is_set_up: bool
    """Whether anybody has joined a team; false: the link that the first start prints makes the first
    owner.
    """
    password: bool
    """Whether a password signs people in."""
    oidc: SessionsOptionsOutputOidc | None
    """The identity provider that signs people in; None: none."""


class SessionsPasskeyInput(TypedDict):
    """Of sessions.passkey: sign in with a passkey."""
    credential: params.UsedCredentialParam


class SessionsPasskeyChallengeInput(TypedDict):
    """Of sessions.passkeyChallenge: start signing in with a passkey."""
    email: NotRequired[str]
    """Email address for which sessions.create is to register a new passkey. At most 254 characters."""


class SessionsPasswordInput(TypedDict):
    """Of sessions.password: change one’s password."""
    current_password: NotRequired[str]
    """The present password; left out where there is none. 1 to 256 characters."""
    new_password: str
    """The password, 12 to 256 characters. Passwords that guessers try first are rejected: common
    passwords, repetitions, sequences, rows of keys, your e-mail address, and the names of the person,
    the organization or the product. 12 to 256 characters.
    """


class SessionsSetPolicyInput(TypedDict):
    """Of sessions.setPolicy: change the sign-in policy."""
    passkey_required: bool
    """Whether members need a passkey to sign in with a password."""


class SessionsEndInput(TypedDict):
    """Of sessions.end: end a session."""
    id: str
    """Id of the session, `ses_…`. 1 to 64 characters."""
    password: NotRequired[str]
    """The current password of the signed-in member. Omit it for a token, for a member without a
    password, and for the current session. 1 to 256 characters.
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
    """People who sign in."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> SessionsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return SessionsWithRawResponse(Sessions(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[SessionsListInput]) -> SessionsListPage:
        """List sessions.

        Sessions that have not ended, newest first: those of the member who asks, or for an admin, or a
        token with that role, those of another member or of the whole team.

        GET /v1/sessions (an extension). Its inputs are those of SessionsListInput.

        Raises ApiError: not_found, role_required.
        """
        return self._sender.page(_SESSIONS_LIST, given, options, SessionsListPage)

    def create(self, *, options: CallOptions | None = None, **given: Unpack[SessionsCreateInput]) -> types.SignedIn:
        """Sign in with a password.

        Starts a session, whose secret is in a cookie that no script can read. Wrong address and wrong
        password are one answer. After five wrong passwords in a row each further try on the address
        waits first, up to 8 seconds, and a right one is taken all the same; one network address has 10
        tries a minute. A browser in which the member has signed in before sends a second cookie, by
        which its tries are counted and queued apart from those of strangers. Ends the session that the
        browser had before.

        POST /v1/sessions (an extension). Its inputs are those of SessionsCreateInput.

        Raises ApiError: sign_in_failed, passkey_required, passkey_rejected.
        """
        return self._sender.call(_SESSIONS_CREATE, given, options, types.SignedIn)

    def current(self, *, options: CallOptions | None = None) -> types.SignedIn:
        """Show the session in use.

        Who is signed in. A page that was loaded anew finds here what it must send as `x-csrf-token`, in
        the body and in the header of that name.

        GET /v1/sessions/current (an extension).
        """
        return self._sender.call(_SESSIONS_CURRENT, {}, options, types.SignedIn)

    def end_current(self, *, options: CallOptions | None = None) -> types.Session:
        """Sign out.

        Ends the session of this request on the server, and takes its cookie away.

        DELETE /v1/sessions/current (an extension).
        """
        return self._sender.call(_SESSIONS_END_CURRENT, {}, options, types.Session)

    def options(self, *, options: CallOptions | None = None) -> SessionsOptionsOutput:
        """Show how people sign in.

        What a page for signing in offers, before anybody has signed in. The way by an identity provider
        begins at `path`, to which a browser goes with `?returnPath=`, a path of this host.

        GET /v1/sessions/options (an extension).
        """
        return self._sender.call(_SESSIONS_OPTIONS, {}, options, SessionsOptionsOutput)

    def passkey(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyInput]) -> types.SignedIn:
        """Sign in with a passkey.

        Starts a session with the answer of an authenticator to the challenge of
        sessions.passkeyChallenge. No password is needed, so the authenticator must have verified the
        person by a PIN, a fingerprint or the like.

        POST /v1/sessions/passkey (an extension). Its inputs are those of SessionsPasskeyInput.

        Raises ApiError: passkey_rejected.
        """
        return self._sender.call(_SESSIONS_PASSKEY, given, options, types.SignedIn)

    def passkey_challenge(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyChallengeInput]) -> types.PasskeyChallenge:
        """Start signing in with a passkey.

        Creates a challenge for a sign-in. A browser passes it to an authenticator, and sessions.passkey
        or sessions.create takes the answer. The response is the same whether or not the address belongs
        to a member.

        POST /v1/sessions/passkey/challenge (an extension). Its inputs are those of
        SessionsPasskeyChallengeInput.
        """
        return self._sender.call(_SESSIONS_PASSKEY_CHALLENGE, given, options, types.PasskeyChallenge)

    def password(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasswordInput]) -> types.Member:
        """Change one’s password.

        Ends every other session of the member. Tokens of devices go on; tokens.revoke ends those. A
        member who has only signed in by the identity provider sets a first password so.

        POST /v1/sessions/password (an extension). Its inputs are those of SessionsPasswordInput.

        Raises ApiError: wrong_password.
        """
        return self._sender.call(_SESSIONS_PASSWORD, given, options, types.Member)

    def policy(self, *, options: ConditionalOptions | None = None) -> types.SignInPolicy:
        """Show the sign-in policy.

        Returns what the organization requires of members who sign in.

        GET /v1/sessions/policy (an extension).
        """
        return self._sender.call(_SESSIONS_POLICY, {}, options, types.SignInPolicy)

    def set_policy(self, *, options: ConditionalOptions | None = None, **given: Unpack[SessionsSetPolicyInput]) -> types.SignInPolicy:
        """Change the sign-in policy.

        Changes what the organization requires of members who sign in, starting with the next sign-in.
        Open sessions continue. A member without a passkey registers one during the next sign-in with a
        password.

        PATCH /v1/sessions/policy (an extension). Its inputs are those of SessionsSetPolicyInput.
        """
        return self._sender.call(_SESSIONS_SET_POLICY, given, options, types.SignInPolicy)

    def end(self, *, options: CallOptions | None = None, **given: Unpack[SessionsEndInput]) -> types.Session:
        """End a session.

        Ends a session: its next request returns 401 `session_ended`. A member can end their own
        sessions, and an admin can end those of the whole team. A member with a password must send the
        password again to end any session but the current one, so that someone who finds a browser signed
        in cannot lock out the member's other browsers. A token needs no password.

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
    """People who sign in."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncSessionsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncSessionsWithRawResponse(AsyncSessions(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[SessionsListInput]) -> AsyncPageCall[types.Session, AsyncSessionsListPage]:
        """List sessions.

        Sessions that have not ended, newest first: those of the member who asks, or for an admin, or a
        token with that role, those of another member or of the whole team.

        GET /v1/sessions (an extension). Its inputs are those of SessionsListInput.

        Raises ApiError: not_found, role_required.
        """
        return self._sender.page(_SESSIONS_LIST, given, options, AsyncSessionsListPage)

    async def create(self, *, options: CallOptions | None = None, **given: Unpack[SessionsCreateInput]) -> types.SignedIn:
        """Sign in with a password.

        Starts a session, whose secret is in a cookie that no script can read. Wrong address and wrong
        password are one answer. After five wrong passwords in a row each further try on the address
        waits first, up to 8 seconds, and a right one is taken all the same; one network address has 10
        tries a minute. A browser in which the member has signed in before sends a second cookie, by
        which its tries are counted and queued apart from those of strangers. Ends the session that the
        browser had before.

        POST /v1/sessions (an extension). Its inputs are those of SessionsCreateInput.

        Raises ApiError: sign_in_failed, passkey_required, passkey_rejected.
        """
        return await self._sender.call(_SESSIONS_CREATE, given, options, types.SignedIn)

    async def current(self, *, options: CallOptions | None = None) -> types.SignedIn:
        """Show the session in use.

        Who is signed in. A page that was loaded anew finds here what it must send as `x-csrf-token`, in
        the body and in the header of that name.

        GET /v1/sessions/current (an extension).
        """
        return await self._sender.call(_SESSIONS_CURRENT, {}, options, types.SignedIn)

    async def end_current(self, *, options: CallOptions | None = None) -> types.Session:
        """Sign out.

        Ends the session of this request on the server, and takes its cookie away.

        DELETE /v1/sessions/current (an extension).
        """
        return await self._sender.call(_SESSIONS_END_CURRENT, {}, options, types.Session)

    async def options(self, *, options: CallOptions | None = None) -> SessionsOptionsOutput:
        """Show how people sign in.

        What a page for signing in offers, before anybody has signed in. The way by an identity provider
        begins at `path`, to which a browser goes with `?returnPath=`, a path of this host.

        GET /v1/sessions/options (an extension).
        """
        return await self._sender.call(_SESSIONS_OPTIONS, {}, options, SessionsOptionsOutput)

    async def passkey(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyInput]) -> types.SignedIn:
        """Sign in with a passkey.

        Starts a session with the answer of an authenticator to the challenge of
        sessions.passkeyChallenge. No password is needed, so the authenticator must have verified the
        person by a PIN, a fingerprint or the like.

        POST /v1/sessions/passkey (an extension). Its inputs are those of SessionsPasskeyInput.

        Raises ApiError: passkey_rejected.
        """
        return await self._sender.call(_SESSIONS_PASSKEY, given, options, types.SignedIn)

    async def passkey_challenge(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasskeyChallengeInput]) -> types.PasskeyChallenge:
        """Start signing in with a passkey.

        Creates a challenge for a sign-in. A browser passes it to an authenticator, and sessions.passkey
        or sessions.create takes the answer. The response is the same whether or not the address belongs
        to a member.

        POST /v1/sessions/passkey/challenge (an extension). Its inputs are those of
        SessionsPasskeyChallengeInput.
        """
        return await self._sender.call(_SESSIONS_PASSKEY_CHALLENGE, given, options, types.PasskeyChallenge)

    async def password(self, *, options: CallOptions | None = None, **given: Unpack[SessionsPasswordInput]) -> types.Member:
        """Change one’s password.

        Ends every other session of the member. Tokens of devices go on; tokens.revoke ends those. A
        member who has only signed in by the identity provider sets a first password so.

        POST /v1/sessions/password (an extension). Its inputs are those of SessionsPasswordInput.

        Raises ApiError: wrong_password.
        """
        return await self._sender.call(_SESSIONS_PASSWORD, given, options, types.Member)

    async def policy(self, *, options: ConditionalOptions | None = None) -> types.SignInPolicy:
        """Show the sign-in policy.

        Returns what the organization requires of members who sign in.

        GET /v1/sessions/policy (an extension).
        """
        return await self._sender.call(_SESSIONS_POLICY, {}, options, types.SignInPolicy)

    async def set_policy(self, *, options: ConditionalOptions | None = None, **given: Unpack[SessionsSetPolicyInput]) -> types.SignInPolicy:
        """Change the sign-in policy.

        Changes what the organization requires of members who sign in, starting with the next sign-in.
        Open sessions continue. A member without a passkey registers one during the next sign-in with a
        password.

        PATCH /v1/sessions/policy (an extension). Its inputs are those of SessionsSetPolicyInput.
        """
        return await self._sender.call(_SESSIONS_SET_POLICY, given, options, types.SignInPolicy)

    async def end(self, *, options: CallOptions | None = None, **given: Unpack[SessionsEndInput]) -> types.Session:
        """End a session.

        Ends a session: its next request returns 401 `session_ended`. A member can end their own
        sessions, and an admin can end those of the whole team. A member with a password must send the
        password again to end any session but the current one, so that someone who finds a browser signed
        in cannot lock out the member's other browsers. A token needs no password.

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
