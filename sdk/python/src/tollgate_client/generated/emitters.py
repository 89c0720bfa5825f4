# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Time
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions, StreamOptions
from ..stream import AsyncStream, Stream
from . import types


class EmittersListInput(TypedDict):
    """Of emitters.list: list emitters."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""


class EmittersListOutput(Document):
    """What emitters.list answers."""
    data: list[types.Emitter]
    next_cursor: str | None


class EmittersListPage(EmittersListOutput, Page[types.Emitter]):
    """A page of emitters.list."""


class AsyncEmittersListPage(EmittersListOutput, AsyncPage[types.Emitter]):
    """A page of emitters.list."""


class EmittersAddInput(TypedDict):
    """Of emitters.add: add a usage emitter."""
    kind: Literal["webhook"] | Literal["vendor_a"] | Literal["vendor_b"] | Literal["stripe"] | Literal["openmeter"]
    """`webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter
    events of Stripe; `openmeter`: OpenMeter.
    """
    url: NotRequired[str]
    """Where events are posted to, for `webhook`, and for an `openmeter` of your own: https, port 443 or
    8443, on a public host. At most 2000 characters.
    """
    name: NotRequired[str]
    """Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters."""
    enabled: NotRequired[bool]
    """False: nothing is delivered until it is enabled. `True` when left out."""
    events: NotRequired[Sequence[str]]
    """Events to deliver. `usage.recorded` is the only event. 1 to 16 of them."""
    customer_id: NotRequired[Literal["end_user_id", "organization_id", "external_id"]]
    """Under which id usage is filed; left out: `external_id` for `stripe`, which knows its own customers
    only, and `end_user_id` for the others.
    """
    amount: NotRequired[Literal["all", "on_demand"]]
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand; the value of a Stripe meter event is then that amount. `all` when left out.
    """
    livemode: NotRequired[bool]
    """False: it is told of test calls. When left out, the mode of the request: live, unless `x-svc-mode`
    says test.
    """
    api_token: NotRequired[str]
    """API token of `vendor_a` and `openmeter`. Stored sealed, and sent to its vendor only. 8 to 4096
    characters.
    """
    event_type: NotRequired[str]
    """Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters."""
    api_key: NotRequired[str]
    """API key of `vendor_b` and `stripe`. Stored sealed, and sent to its vendor only. 8 to 4096
    characters.
    """
    event_name: NotRequired[str]
    """Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters."""


class EmittersListenInput(TypedDict):
    """Of emitters.listen: listen to usage events."""
    amount: NotRequired[Literal["all", "on_demand"]]
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand; the value of a Stripe meter event is then that amount. `all` when left out.
    """


class EmittersShowInput(TypedDict):
    """Of emitters.show: show an emitter."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""


class EmittersUpdateInput(TypedDict):
    """Of emitters.update: change an emitter."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""
    enabled: NotRequired[bool]
    """Whether usage is delivered to it."""
    name: NotRequired[str]
    """Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters."""
    events: NotRequired[Sequence[str]]
    """Events to deliver. `usage.recorded` is the only event. 1 to 16 of them."""
    customer_id: NotRequired[Literal["end_user_id", "organization_id", "external_id"]]
    """Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
    `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person.
    Without a person, or an external id, the organization’s.
    """
    amount: NotRequired[Literal["all", "on_demand"]]
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand; the value of a Stripe meter event is then that amount.
    """
    api_token: NotRequired[str]
    """New API token, of `vendor_a` and `openmeter`; the old one is forgotten. 8 to 4096 characters."""
    api_key: NotRequired[str]
    """New API key, of `vendor_b` and `stripe`; the old one is forgotten. 8 to 4096 characters."""
    event_type: NotRequired[str]
    """Event type, of `vendor_a` and `openmeter`. 1 to 200 characters."""
    event_name: NotRequired[str]
    """Event name, of `vendor_b` and `stripe`. 1 to 200 characters."""


class EmittersRmInput(TypedDict):
    """Of emitters.rm: remove an emitter."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""


class EmittersDeliveriesInput(TypedDict):
    """Of emitters.deliveries: list the last deliveries of an emitter."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""
    delivered: NotRequired[bool]
    """Only those that were accepted, or were not."""


class EmittersDeliveriesOutput(Document):
    """What emitters.deliveries answers."""
    data: list[types.EmitterDelivery]
    next_cursor: str | None


class EmittersDeliveriesPage(EmittersDeliveriesOutput, Page[types.EmitterDelivery]):
    """A page of emitters.deliveries."""


class AsyncEmittersDeliveriesPage(EmittersDeliveriesOutput, AsyncPage[types.EmitterDelivery]):
    """A page of emitters.deliveries."""


class EmittersDeliveryInput(TypedDict):
    """Of emitters.delivery: get a delivery."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""
    batch_id: str
    """ID of the batch, `usgb_…`. 1 to 64 characters."""


class EmittersReplayInput(TypedDict):
    """Of emitters.replay: send recorded usage again."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""
    from_: Time
    """Calls that arrived from then on. ISO 8601."""
    to: Time
    """Calls that arrived before then; not in the future. ISO 8601."""


class EmittersRotateSecretInput(TypedDict):
    """Of emitters.rotateSecret: rotate a signing secret."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""
    grace_seconds: int
    """Grace period during which both secrets sign, in seconds (max 86,400). 0 replaces the previous
    secret immediately. From 0 to 86400.
    """


class EmittersTestInput(TypedDict):
    """Of emitters.test: deliver a sample."""
    id: str
    """Id of the emitter, `emt_…`. 1 to 64 characters."""


_EMITTERS_LIST = Route(
    id="emitters.list",
    method="GET",
    path="/v1/emitters",
    takes=EmittersListInput,
    query=("limit", "cursor",),
)


_EMITTERS_ADD = Route(
    id="emitters.add",
    method="POST",
    path="/v1/emitters",
    takes=EmittersAddInput,
    body="json",
    is_keyed=True,
)


_EMITTERS_LISTEN = Route(
    id="emitters.listen",
    method="GET",
    path="/v1/emitters/listen",
    takes=EmittersListenInput,
    query=("amount",),
    accept="text/event-stream",
    event="batch",
)


_EMITTERS_SAMPLE = Route(
    id="emitters.sample",
    method="POST",
    path="/v1/emitters/sample",
    is_keyed=True,
)


_EMITTERS_SHOW = Route(
    id="emitters.show",
    method="GET",
    path="/v1/emitters/{id}",
    takes=EmittersShowInput,
)


_EMITTERS_UPDATE = Route(
    id="emitters.update",
    method="PATCH",
    path="/v1/emitters/{id}",
    takes=EmittersUpdateInput,
    body="json",
    is_keyed=True,
)


_EMITTERS_RM = Route(
    id="emitters.rm",
    method="DELETE",
    path="/v1/emitters/{id}",
    takes=EmittersRmInput,
)


_EMITTERS_DELIVERIES = Route(
    id="emitters.deliveries",
    method="GET",
    path="/v1/emitters/{id}/deliveries",
    takes=EmittersDeliveriesInput,
    query=("limit", "cursor", "delivered",),
)


_EMITTERS_DELIVERY = Route(
    id="emitters.delivery",
    method="GET",
    path="/v1/emitters/{id}/deliveries/{batchId}",
    takes=EmittersDeliveryInput,
)


_EMITTERS_REPLAY = Route(
    id="emitters.replay",
    method="POST",
    path="/v1/emitters/{id}/replay",
    takes=EmittersReplayInput,
    body="json",
    is_keyed=True,
)


_EMITTERS_ROTATE_SECRET = Route(
    id="emitters.rotateSecret",
    method="POST",
    path="/v1/emitters/{id}/rotate-secret",
    takes=EmittersRotateSecretInput,
    body="json",
    is_keyed=True,
)


_EMITTERS_TEST = Route(
    id="emitters.test",
    method="POST",
    path="/v1/emitters/{id}/test",
    takes=EmittersTestInput,
    is_keyed=True,
)


class Emitters:
    """Where settled usage is delivered."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> EmittersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return EmittersWithRawResponse(Emitters(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[EmittersListInput]) -> EmittersListPage:
        """List emitters.

        The application's emitters of the mode, newest first. Secrets are never shown.

        GET /v1/emitters. Its inputs are those of EmittersListInput.
        """
        return self._sender.page(_EMITTERS_LIST, given, options, EmittersListPage)

    def add(self, *, options: CallOptions | None = None, **given: Unpack[EmittersAddInput]) -> types.AddedEmitter:
        """Add a usage emitter.

        Every call of the application and mode that settles from now on is delivered to it, after its
        money is recorded: an unreachable destination neither delays a call nor changes what it costs.
        The host of a URL is resolved and checked on every delivery, and not now; emitters.test delivers
        a sample.

        POST /v1/emitters. Its inputs are those of EmittersAddInput.

        Raises ApiError: unknown_event.
        """
        return self._sender.call(_EMITTERS_ADD, given, options, types.AddedEmitter)

    def listen(self, *, options: StreamOptions | None = None, **given: Unpack[EmittersListenInput]) -> Stream[types.ForwardedBatch]:
        """Listen to usage events.

        Server-sent events with the batches that a webhook emitter of this application and mode would
        receive, signed, so that a client can post them to a receiver on a private network. `tollgate
        emitters listen --forward-to` does so. The first event, `listening`, has the signing secret,
        which stays the same. Each event `batch` has a batch of requests that settled within the last
        second. Nothing is stored or redelivered: requests that settle while no one listens are skipped.
        A comment is sent every 15 s without a batch. An event `dropped` ends the stream when the client
        reads too slowly, and `ended` when the credential is no longer valid or the server stops.

        GET /v1/emitters/listen (an extension). Its inputs are those of EmittersListenInput.

        Raises ApiError: too_many_readers.
        """
        return self._sender.events(_EMITTERS_LISTEN, given, options, types.ForwardedBatch)

    def sample(self, *, options: CallOptions | None = None) -> types.ForwardedBatch:
        """Make a signed sample batch.

        Returns a batch with one sample of `usage.recorded`, signed with the secret of emitters.listen.
        Nothing is delivered: the client posts it to a receiver. `tollgate emitters trigger --forward-to`
        does so. Each request returns new IDs.

        POST /v1/emitters/sample (an extension).
        """
        return self._sender.call(_EMITTERS_SAMPLE, {}, options, types.ForwardedBatch)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersShowInput]) -> types.Emitter:
        """Show an emitter.

        One emitter, of either mode, and how its deliveries go. Its secret is never shown.

        GET /v1/emitters/{id}. Its inputs are those of EmittersShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_SHOW, given, options, types.Emitter)

    def update(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersUpdateInput]) -> types.Emitter:
        """Change an emitter.

        Changes what is named and leaves the rest, from the next batch on. A disabled emitter keeps its
        configuration and forgets what waits for it; enabled again, it is told of what settles from then
        on, and emitters.replay sends what it missed. emitters.rotateSecret replaces the signing secret
        of a webhook. Its URL cannot be changed: add another emitter.

        PATCH /v1/emitters/{id}. Its inputs are those of EmittersUpdateInput.

        Raises ApiError: not_found, unknown_event.
        """
        return self._sender.call(_EMITTERS_UPDATE, given, options, types.Emitter)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRmInput]) -> types.Emitter:
        """Remove an emitter.

        Stops delivery and forgets the credential, its deliveries and what waits for it, and answers what
        it was. A batch under way may still arrive. Usage stays recorded.

        DELETE /v1/emitters/{id}. Its inputs are those of EmittersRmInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_RM, given, options, types.Emitter)

    def deliveries(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveriesInput]) -> EmittersDeliveriesPage:
        """List the last deliveries of an emitter.

        The last 200 batches, newest first, and what came of each. A batch is in the list within a second
        after its last attempt. emitters.delivery returns the bodies of a failed one.

        GET /v1/emitters/{id}/deliveries (an extension). Its inputs are those of EmittersDeliveriesInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_EMITTERS_DELIVERIES, given, options, EmittersDeliveriesPage)

    def delivery(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveryInput]) -> types.EmitterDeliveryDetail:
        """Get a delivery.

        Returns one of the last 200 deliveries of an emitter. A failed delivery includes the posted body
        and the response.

        GET /v1/emitters/{id}/deliveries/{batchId} (an extension). Its inputs are those of
        EmittersDeliveryInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_DELIVERY, given, options, types.EmitterDeliveryDetail)

    def replay(self, *, options: CallOptions | None = None, **given: Unpack[EmittersReplayInput]) -> types.Emitter:
        """Send recorded usage again.

        Sends every settled call of a span of time once more, under the same idempotency keys, beside
        what settles now; whether it was delivered before does not matter. It goes on after a restart of
        the server, and stops at the first batch that is not accepted: asking for the same span again
        goes on there. emitters.show tells how far it is. Disabling the emitter ends it.

        POST /v1/emitters/{id}/replay (an extension). Its inputs are those of EmittersReplayInput.

        Raises ApiError: not_found, replay_running.
        """
        return self._sender.call(_EMITTERS_REPLAY, given, options, types.Emitter)

    def rotate_secret(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRotateSecretInput]) -> types.RotatedSecret:
        """Rotate a signing secret.

        Creates a new signing secret for a webhook, starting with the next batch. Until the grace period
        ends, every delivery is signed with the new and with the previous secret, and a receiver accepts
        either signature. The secret is returned once and cannot be retrieved again, so a repeat with the
        same Idempotency-Key is rejected. Rotating again during a grace period ends it for the oldest
        secret.

        POST /v1/emitters/{id}/rotate-secret (an extension). Its inputs are those of
        EmittersRotateSecretInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_ROTATE_SECRET, given, options, types.RotatedSecret)

    def test(self, *, options: CallOptions | None = None, **given: Unpack[EmittersTestInput]) -> types.EmitterTest:
        """Deliver a sample.

        Delivers one sample of `usage.recorded` with a usage record id of its own, filed under the
        organization, as every batch is delivered: in up to three attempts of up to 10 s each. A disabled
        emitter can be tested too. A billing vendor takes the sample for usage of a customer with the
        organization’s id.

        POST /v1/emitters/{id}/test. Its inputs are those of EmittersTestInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_TEST, given, options, types.EmitterTest)


class EmittersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Emitters) -> None:
        self.list = raw(methods.list)
        self.add = raw(methods.add)
        self.sample = raw(methods.sample)
        self.show = raw(methods.show)
        self.update = raw(methods.update)
        self.rm = raw(methods.rm)
        self.deliveries = raw(methods.deliveries)
        self.delivery = raw(methods.delivery)
        self.replay = raw(methods.replay)
        self.rotate_secret = raw(methods.rotate_secret)
        self.test = raw(methods.test)


class AsyncEmitters:
    """Where settled usage is delivered."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncEmittersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncEmittersWithRawResponse(AsyncEmitters(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[EmittersListInput]) -> AsyncPageCall[types.Emitter, AsyncEmittersListPage]:
        """List emitters.

        The application's emitters of the mode, newest first. Secrets are never shown.

        GET /v1/emitters. Its inputs are those of EmittersListInput.
        """
        return self._sender.page(_EMITTERS_LIST, given, options, AsyncEmittersListPage)

    async def add(self, *, options: CallOptions | None = None, **given: Unpack[EmittersAddInput]) -> types.AddedEmitter:
        """Add a usage emitter.

        Every call of the application and mode that settles from now on is delivered to it, after its
        money is recorded: an unreachable destination neither delays a call nor changes what it costs.
        The host of a URL is resolved and checked on every delivery, and not now; emitters.test delivers
        a sample.

        POST /v1/emitters. Its inputs are those of EmittersAddInput.

        Raises ApiError: unknown_event.
        """
        return await self._sender.call(_EMITTERS_ADD, given, options, types.AddedEmitter)

    def listen(self, *, options: StreamOptions | None = None, **given: Unpack[EmittersListenInput]) -> AsyncStream[types.ForwardedBatch]:
        """Listen to usage events.

        Server-sent events with the batches that a webhook emitter of this application and mode would
        receive, signed, so that a client can post them to a receiver on a private network. `tollgate
        emitters listen --forward-to` does so. The first event, `listening`, has the signing secret,
        which stays the same. Each event `batch` has a batch of requests that settled within the last
        second. Nothing is stored or redelivered: requests that settle while no one listens are skipped.
        A comment is sent every 15 s without a batch. An event `dropped` ends the stream when the client
        reads too slowly, and `ended` when the credential is no longer valid or the server stops.

        GET /v1/emitters/listen (an extension). Its inputs are those of EmittersListenInput.

        Raises ApiError: too_many_readers.
        """
        return self._sender.events(_EMITTERS_LISTEN, given, options, types.ForwardedBatch)

    async def sample(self, *, options: CallOptions | None = None) -> types.ForwardedBatch:
        """Make a signed sample batch.

        Returns a batch with one sample of `usage.recorded`, signed with the secret of emitters.listen.
        Nothing is delivered: the client posts it to a receiver. `tollgate emitters trigger --forward-to`
        does so. Each request returns new IDs.

        POST /v1/emitters/sample (an extension).
        """
        return await self._sender.call(_EMITTERS_SAMPLE, {}, options, types.ForwardedBatch)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersShowInput]) -> types.Emitter:
        """Show an emitter.

        One emitter, of either mode, and how its deliveries go. Its secret is never shown.

        GET /v1/emitters/{id}. Its inputs are those of EmittersShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_SHOW, given, options, types.Emitter)

    async def update(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersUpdateInput]) -> types.Emitter:
        """Change an emitter.

        Changes what is named and leaves the rest, from the next batch on. A disabled emitter keeps its
        configuration and forgets what waits for it; enabled again, it is told of what settles from then
        on, and emitters.replay sends what it missed. emitters.rotateSecret replaces the signing secret
        of a webhook. Its URL cannot be changed: add another emitter.

        PATCH /v1/emitters/{id}. Its inputs are those of EmittersUpdateInput.

        Raises ApiError: not_found, unknown_event.
        """
        return await self._sender.call(_EMITTERS_UPDATE, given, options, types.Emitter)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRmInput]) -> types.Emitter:
        """Remove an emitter.

        Stops delivery and forgets the credential, its deliveries and what waits for it, and answers what
        it was. A batch under way may still arrive. Usage stays recorded.

        DELETE /v1/emitters/{id}. Its inputs are those of EmittersRmInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_RM, given, options, types.Emitter)

    def deliveries(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveriesInput]) -> AsyncPageCall[types.EmitterDelivery, AsyncEmittersDeliveriesPage]:
        """List the last deliveries of an emitter.

        The last 200 batches, newest first, and what came of each. A batch is in the list within a second
        after its last attempt. emitters.delivery returns the bodies of a failed one.

        GET /v1/emitters/{id}/deliveries (an extension). Its inputs are those of EmittersDeliveriesInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_EMITTERS_DELIVERIES, given, options, AsyncEmittersDeliveriesPage)

    async def delivery(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveryInput]) -> types.EmitterDeliveryDetail:
        """Get a delivery.

        Returns one of the last 200 deliveries of an emitter. A failed delivery includes the posted body
        and the response.

        GET /v1/emitters/{id}/deliveries/{batchId} (an extension). Its inputs are those of
        EmittersDeliveryInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_DELIVERY, given, options, types.EmitterDeliveryDetail)

    async def replay(self, *, options: CallOptions | None = None, **given: Unpack[EmittersReplayInput]) -> types.Emitter:
        """Send recorded usage again.

        Sends every settled call of a span of time once more, under the same idempotency keys, beside
        what settles now; whether it was delivered before does not matter. It goes on after a restart of
        the server, and stops at the first batch that is not accepted: asking for the same span again
        goes on there. emitters.show tells how far it is. Disabling the emitter ends it.

        POST /v1/emitters/{id}/replay (an extension). Its inputs are those of EmittersReplayInput.

        Raises ApiError: not_found, replay_running.
        """
        return await self._sender.call(_EMITTERS_REPLAY, given, options, types.Emitter)

    async def rotate_secret(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRotateSecretInput]) -> types.RotatedSecret:
        """Rotate a signing secret.

        Creates a new signing secret for a webhook, starting with the next batch. Until the grace period
        ends, every delivery is signed with the new and with the previous secret, and a receiver accepts
        either signature. The secret is returned once and cannot be retrieved again, so a repeat with the
        same Idempotency-Key is rejected. Rotating again during a grace period ends it for the oldest
        secret.

        POST /v1/emitters/{id}/rotate-secret (an extension). Its inputs are those of
        EmittersRotateSecretInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_ROTATE_SECRET, given, options, types.RotatedSecret)

    async def test(self, *, options: CallOptions | None = None, **given: Unpack[EmittersTestInput]) -> types.EmitterTest:
        """Deliver a sample.

        Delivers one sample of `usage.recorded` with a usage record id of its own, filed under the
        organization, as every batch is delivered: in up to three attempts of up to 10 s each. A disabled
        emitter can be tested too. A billing vendor takes the sample for usage of a customer with the
        organization’s id.

        POST /v1/emitters/{id}/test. Its inputs are those of EmittersTestInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_TEST, given, options, types.EmitterTest)


class AsyncEmittersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncEmitters) -> None:
        self.list = async_raw(methods.list)
        self.add = async_raw(methods.add)
        self.sample = async_raw(methods.sample)
        self.show = async_raw(methods.show)
        self.update = async_raw(methods.update)
        self.rm = async_raw(methods.rm)
        self.deliveries = async_raw(methods.deliveries)
        self.delivery = async_raw(methods.delivery)
        self.replay = async_raw(methods.replay)
        self.rotate_secret = async_raw(methods.rotate_secret)
        self.test = async_raw(methods.test)
