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
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


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
    """Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
    `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
    """
    url: NotRequired[str]
    """URL that events are posted to, for `webhook` and for a self-hosted `openmeter`. It must use https,
    port 443 or 8443, and a public host. At most 2000 characters.
    """
    name: NotRequired[str]
    """Label of the emitter. Defaults to the URL of a webhook, and to the kind of other emitters. 1 to
    128 characters.
    """
    enabled: NotRequired[bool]
    """Whether usage is delivered. If false, nothing is delivered until the emitter is enabled. Defaults
    to `True`. `True` when left out.
    """
    events: NotRequired[Sequence[str]]
    """Events to deliver. `usage.recorded` is the only event. 1 to 16 of them."""
    customer_id: NotRequired[Literal["end_user_id", "organization_id", "external_id"]]
    """ID under which usage is filed. Defaults to `external_id` for `stripe`, which knows only its own
    customers, and to `end_user_id` for other kinds.
    """
    amount: NotRequired[Literal["all", "on_demand"]]
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand. The value of a Stripe meter event is then that amount. `all` when left out.
    """
    livemode: NotRequired[bool]
    """Whether the emitter receives live requests. False means test requests. Defaults to the mode of
    this request.
    """
    api_token: NotRequired[str]
    """API token, for `vendor_a` and `openmeter`. It is stored encrypted and sent only to the vendor. 8
    to 4096 characters.
    """
    event_type: NotRequired[str]
    """Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters."""
    api_key: NotRequired[str]
    """API key, for `vendor_b` and `stripe`. It is stored encrypted and sent only to the vendor. 8 to
    4096 characters.
    """
    event_name: NotRequired[str]
    """Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters."""


class EmittersListenInput(TypedDict):
    """Of emitters.listen: listen to usage events."""
    amount: NotRequired[Literal["all", "on_demand"]]
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand. The value of a Stripe meter event is then that amount. `all` when left out.
    """


class EmittersShowInput(TypedDict):
    """Of emitters.show: show an emitter."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""


class EmittersUpdateInput(TypedDict):
    """Of emitters.update: change an emitter."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""
    enabled: NotRequired[bool]
    """Whether usage is delivered."""
    name: NotRequired[str]
    """Label of the emitter. 1 to 128 characters."""
    events: NotRequired[Sequence[str]]
    """Events to deliver. `usage.recorded` is the only event. 1 to 16 of them."""
    customer_id: NotRequired[Literal["end_user_id", "organization_id", "external_id"]]
    """ID under which usage is filed. Usage without an end user or external ID is filed under the ID of
    the organization.

    - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
    - `organization_id`: the ID of the organization, for all usage.
    - `external_id`: the external ID of the end user.
    """
    amount: NotRequired[Literal["all", "on_demand"]]
    """Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage
    billed on demand. The value of a Stripe meter event is then that amount.
    """
    api_token: NotRequired[str]
    """New API token, for `vendor_a` and `openmeter`. The old token is deleted. 8 to 4096 characters."""
    api_key: NotRequired[str]
    """New API key, for `vendor_b` and `stripe`. The old key is deleted. 8 to 4096 characters."""
    event_type: NotRequired[str]
    """Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters."""
    event_name: NotRequired[str]
    """Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters."""


class EmittersRmInput(TypedDict):
    """Of emitters.rm: delete an emitter."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""


class EmittersDeliveriesInput(TypedDict):
    """Of emitters.deliveries: list deliveries."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    delivered: NotRequired[bool]
    """Whether to return only accepted batches (`True`) or only batches that were not accepted (`False`).
    Omit for both.
    """


class EmittersDeliveriesOutput(Document):
    """What emitters.deliveries answers."""
    data: list[types.EmitterDelivery]
    next_cursor: str | None


class EmittersDeliveriesPage(EmittersDeliveriesOutput, Page[types.EmitterDelivery]):
    """A page of emitters.deliveries."""


class AsyncEmittersDeliveriesPage(EmittersDeliveriesOutput, AsyncPage[types.EmitterDelivery]):
    """A page of emitters.deliveries."""


class EmittersDeliveryInput(TypedDict):
    """Of emitters.delivery: show a delivery."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""
    batch_id: str
    """ID of the batch, `usgb_…`. 1 to 64 characters."""


class EmittersReplayInput(TypedDict):
    """Of emitters.replay: replay recorded usage."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""
    from_: Time
    """Requests that arrived at or after this time are sent. ISO 8601."""
    to: Time
    """Requests that arrived before this time are sent. It must not be in the future. ISO 8601."""


class EmittersRotateSecretInput(TypedDict):
    """Of emitters.rotateSecret: rotate a signing secret."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""
    grace_seconds: int
    """Grace period during which both secrets sign, in seconds (max 86,400). 0 replaces the previous
    secret immediately. From 0 to 86400.
    """


class EmittersTestInput(TypedDict):
    """Of emitters.test: deliver a sample event."""
    id: str
    """ID of the emitter, `emt_…`. 1 to 64 characters."""


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
    """Destinations for settled usage."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> EmittersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return EmittersWithRawResponse(Emitters(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[EmittersListInput]) -> EmittersListPage:
        """List emitters.

        Returns the emitters of the application in the mode of the request, newest first. Secrets are
        never returned.

        GET /v1/emitters. Its inputs are those of EmittersListInput.
        """
        return self._sender.page(_EMITTERS_LIST, given, options, EmittersListPage)

    def add(self, *, options: CallOptions | None = None, **given: Unpack[EmittersAddInput]) -> types.AddedEmitter:
        """Add a usage emitter.

        Adds a destination for usage events. Each request of the application and mode that settles from
        now on is delivered to the destination.

        - Delivery happens after the money is recorded. An unreachable destination neither delays
        requests nor changes their cost.
        - The host of a URL is resolved and checked at each delivery, not by this request.
        `emitters.test` delivers a sample.

        POST /v1/emitters. Its inputs are those of EmittersAddInput.

        Raises ApiError: unknown_event.
        """
        return self._sender.call(_EMITTERS_ADD, given, options, types.AddedEmitter)

    def listen(self, *, options: StreamOptions | None = None, **given: Unpack[EmittersListenInput]) -> Stream[types.ForwardedBatch]:
        """Listen to usage events.

        Streams the signed batches that a webhook emitter of this application and mode would receive, as
        server-sent events. A client can post them to a receiver on a private network. `tollgate emitters
        listen --forward-to` does so.

        - `listening` is the first event and has the signing secret, which never changes.
        - `batch` has the requests that settled within the last second. Batches are not stored or sent
        again, so requests that settle while no client listens are skipped.
        - `dropped` ends the stream when the client reads too slowly.
        - `ended` ends the stream when the credential is no longer valid or the server stops.

        A comment is sent after every 15 seconds without a batch.

        GET /v1/emitters/listen (an extension). Its inputs are those of EmittersListenInput.

        Raises ApiError: too_many_readers.
        """
        return self._sender.events(_EMITTERS_LISTEN, given, options, types.ForwardedBatch)

    def sample(self, *, options: CallOptions | None = None) -> types.ForwardedBatch:
        """Create a signed sample batch.

        Returns a batch with one sample of `usage.recorded`, signed with the secret of `emitters.listen`.
        The client posts the batch to a receiver, as `tollgate emitters trigger --forward-to` does. Each
        request returns new IDs.

        POST /v1/emitters/sample (an extension).
        """
        return self._sender.call(_EMITTERS_SAMPLE, {}, options, types.ForwardedBatch)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersShowInput]) -> types.Emitter:
        """Show an emitter.

        Returns one emitter of either mode, with the state of its deliveries. The secret is never
        returned.

        GET /v1/emitters/{id}. Its inputs are those of EmittersShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_SHOW, given, options, types.Emitter)

    def update(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersUpdateInput]) -> types.Emitter:
        """Change an emitter.

        Changes the given fields, starting with the next batch. Omitted fields keep their values.

        - Disabling an emitter keeps its configuration and discards its waiting events. After it is
        enabled again, it receives the requests that settle from then on. `emitters.replay` sends the
        missed ones.
        - `emitters.rotateSecret` replaces the signing secret of a webhook. The URL cannot be changed.
        Add another emitter instead.

        PATCH /v1/emitters/{id}. Its inputs are those of EmittersUpdateInput.

        Raises ApiError: not_found, unknown_event.
        """
        return self._sender.call(_EMITTERS_UPDATE, given, options, types.Emitter)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRmInput]) -> types.Emitter:
        """Delete an emitter.

        Deletes the emitter with its credential, its deliveries and its waiting events, and returns the
        deleted emitter. A batch in transit may still arrive. Usage remains on record.

        DELETE /v1/emitters/{id}. Its inputs are those of EmittersRmInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_RM, given, options, types.Emitter)

    def deliveries(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveriesInput]) -> EmittersDeliveriesPage:
        """List deliveries.

        Returns the last 200 batches of an emitter with their results, newest first. A batch is listed
        within one second after its last attempt. `emitters.delivery` returns the bodies of a failed
        batch.

        GET /v1/emitters/{id}/deliveries (an extension). Its inputs are those of EmittersDeliveriesInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_EMITTERS_DELIVERIES, given, options, EmittersDeliveriesPage)

    def delivery(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveryInput]) -> types.EmitterDeliveryDetail:
        """Show a delivery.

        Returns one of the last 200 deliveries of an emitter. A failed delivery includes the posted body
        and the response.

        GET /v1/emitters/{id}/deliveries/{batchId} (an extension). Its inputs are those of
        EmittersDeliveryInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_DELIVERY, given, options, types.EmitterDeliveryDetail)

    def replay(self, *, options: CallOptions | None = None, **given: Unpack[EmittersReplayInput]) -> types.Emitter:
        """Replay recorded usage.

        Sends all settled requests of a time span again, with the same idempotency keys, including those
        that were delivered before. New usage continues to be delivered meanwhile.

        - The replay continues after a restart of the server. `emitters.show` returns its progress.
        - The replay stops at the first batch that is not accepted. Replaying the same span again
        continues with that batch.
        - Disabling the emitter ends the replay.

        POST /v1/emitters/{id}/replay (an extension). Its inputs are those of EmittersReplayInput.

        Raises ApiError: not_found, replay_running.
        """
        return self._sender.call(_EMITTERS_REPLAY, given, options, types.Emitter)

    def rotate_secret(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRotateSecretInput]) -> types.RotatedSecret:
        """Rotate a signing secret.

        Creates a new signing secret for a webhook, starting with the next batch. The secret is returned
        once and cannot be retrieved again, so a repeat with the same Idempotency-Key is rejected.

        - Until the grace period ends, every delivery is signed with the new and the previous secret. A
        receiver can accept either signature.
        - Rotating again during a grace period ends it for the oldest secret.

        POST /v1/emitters/{id}/rotate-secret (an extension). Its inputs are those of
        EmittersRotateSecretInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_EMITTERS_ROTATE_SECRET, given, options, types.RotatedSecret)

    def test(self, *, options: CallOptions | None = None, **given: Unpack[EmittersTestInput]) -> types.EmitterTest:
        """Deliver a sample event.

        Delivers one sample of `usage.recorded` with a new usage record ID, filed under the organization.
        It has up to three attempts of up to 10 s each, and works for disabled emitters too. A billing
        vendor records the sample as usage of a customer with the ID of the organization.

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
    """Destinations for settled usage."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncEmittersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncEmittersWithRawResponse(AsyncEmitters(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[EmittersListInput]) -> AsyncPageCall[types.Emitter, AsyncEmittersListPage]:
        """List emitters.

        Returns the emitters of the application in the mode of the request, newest first. Secrets are
        never returned.

        GET /v1/emitters. Its inputs are those of EmittersListInput.
        """
        return self._sender.page(_EMITTERS_LIST, given, options, AsyncEmittersListPage)

    async def add(self, *, options: CallOptions | None = None, **given: Unpack[EmittersAddInput]) -> types.AddedEmitter:
        """Add a usage emitter.

        Adds a destination for usage events. Each request of the application and mode that settles from
        now on is delivered to the destination.

        - Delivery happens after the money is recorded. An unreachable destination neither delays
        requests nor changes their cost.
        - The host of a URL is resolved and checked at each delivery, not by this request.
        `emitters.test` delivers a sample.

        POST /v1/emitters. Its inputs are those of EmittersAddInput.

        Raises ApiError: unknown_event.
        """
        return await self._sender.call(_EMITTERS_ADD, given, options, types.AddedEmitter)

    def listen(self, *, options: StreamOptions | None = None, **given: Unpack[EmittersListenInput]) -> AsyncStream[types.ForwardedBatch]:
        """Listen to usage events.

        Streams the signed batches that a webhook emitter of this application and mode would receive, as
        server-sent events. A client can post them to a receiver on a private network. `tollgate emitters
        listen --forward-to` does so.

        - `listening` is the first event and has the signing secret, which never changes.
        - `batch` has the requests that settled within the last second. Batches are not stored or sent
        again, so requests that settle while no client listens are skipped.
        - `dropped` ends the stream when the client reads too slowly.
        - `ended` ends the stream when the credential is no longer valid or the server stops.

        A comment is sent after every 15 seconds without a batch.

        GET /v1/emitters/listen (an extension). Its inputs are those of EmittersListenInput.

        Raises ApiError: too_many_readers.
        """
        return self._sender.events(_EMITTERS_LISTEN, given, options, types.ForwardedBatch)

    async def sample(self, *, options: CallOptions | None = None) -> types.ForwardedBatch:
        """Create a signed sample batch.

        Returns a batch with one sample of `usage.recorded`, signed with the secret of `emitters.listen`.
        The client posts the batch to a receiver, as `tollgate emitters trigger --forward-to` does. Each
        request returns new IDs.

        POST /v1/emitters/sample (an extension).
        """
        return await self._sender.call(_EMITTERS_SAMPLE, {}, options, types.ForwardedBatch)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersShowInput]) -> types.Emitter:
        """Show an emitter.

        Returns one emitter of either mode, with the state of its deliveries. The secret is never
        returned.

        GET /v1/emitters/{id}. Its inputs are those of EmittersShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_SHOW, given, options, types.Emitter)

    async def update(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersUpdateInput]) -> types.Emitter:
        """Change an emitter.

        Changes the given fields, starting with the next batch. Omitted fields keep their values.

        - Disabling an emitter keeps its configuration and discards its waiting events. After it is
        enabled again, it receives the requests that settle from then on. `emitters.replay` sends the
        missed ones.
        - `emitters.rotateSecret` replaces the signing secret of a webhook. The URL cannot be changed.
        Add another emitter instead.

        PATCH /v1/emitters/{id}. Its inputs are those of EmittersUpdateInput.

        Raises ApiError: not_found, unknown_event.
        """
        return await self._sender.call(_EMITTERS_UPDATE, given, options, types.Emitter)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRmInput]) -> types.Emitter:
        """Delete an emitter.

        Deletes the emitter with its credential, its deliveries and its waiting events, and returns the
        deleted emitter. A batch in transit may still arrive. Usage remains on record.

        DELETE /v1/emitters/{id}. Its inputs are those of EmittersRmInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_RM, given, options, types.Emitter)

    def deliveries(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveriesInput]) -> AsyncPageCall[types.EmitterDelivery, AsyncEmittersDeliveriesPage]:
        """List deliveries.

        Returns the last 200 batches of an emitter with their results, newest first. A batch is listed
        within one second after its last attempt. `emitters.delivery` returns the bodies of a failed
        batch.

        GET /v1/emitters/{id}/deliveries (an extension). Its inputs are those of EmittersDeliveriesInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_EMITTERS_DELIVERIES, given, options, AsyncEmittersDeliveriesPage)

    async def delivery(self, *, options: CallOptions | None = None, **given: Unpack[EmittersDeliveryInput]) -> types.EmitterDeliveryDetail:
        """Show a delivery.

        Returns one of the last 200 deliveries of an emitter. A failed delivery includes the posted body
        and the response.

        GET /v1/emitters/{id}/deliveries/{batchId} (an extension). Its inputs are those of
        EmittersDeliveryInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_DELIVERY, given, options, types.EmitterDeliveryDetail)

    async def replay(self, *, options: CallOptions | None = None, **given: Unpack[EmittersReplayInput]) -> types.Emitter:
        """Replay recorded usage.

        Sends all settled requests of a time span again, with the same idempotency keys, including those
        that were delivered before. New usage continues to be delivered meanwhile.

        - The replay continues after a restart of the server. `emitters.show` returns its progress.
        - The replay stops at the first batch that is not accepted. Replaying the same span again
        continues with that batch.
        - Disabling the emitter ends the replay.

        POST /v1/emitters/{id}/replay (an extension). Its inputs are those of EmittersReplayInput.

        Raises ApiError: not_found, replay_running.
        """
        return await self._sender.call(_EMITTERS_REPLAY, given, options, types.Emitter)

    async def rotate_secret(self, *, options: ConditionalOptions | None = None, **given: Unpack[EmittersRotateSecretInput]) -> types.RotatedSecret:
        """Rotate a signing secret.

        Creates a new signing secret for a webhook, starting with the next batch. The secret is returned
        once and cannot be retrieved again, so a repeat with the same Idempotency-Key is rejected.

        - Until the grace period ends, every delivery is signed with the new and the previous secret. A
        receiver can accept either signature.
        - Rotating again during a grace period ends it for the oldest secret.

        POST /v1/emitters/{id}/rotate-secret (an extension). Its inputs are those of
        EmittersRotateSecretInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_EMITTERS_ROTATE_SECRET, given, options, types.RotatedSecret)

    async def test(self, *, options: CallOptions | None = None, **given: Unpack[EmittersTestInput]) -> types.EmitterTest:
        """Deliver a sample event.

        Delivers one sample of `usage.recorded` with a new usage record ID, filed under the organization.
        It has up to three attempts of up to 10 s each, and works for disabled emitters too. A billing
        vendor records the sample as usage of a customer with the ID of the organization.

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
