# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Amount
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import params, types


class BundlesListInput(TypedDict):
    """Of bundles.list: list bundles."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""
    sort: NotRequired[Literal["created", "name"]]
    """Sort order: `created` or `name` (`display_name`). Defaults to `created`. `created` when left out.
    """
    direction: NotRequired[Literal["asc", "desc"]]
    """Sort direction. Defaults to `asc` for `name` and to `desc` otherwise. Rows with equal values are
    in the order of their IDs.
    """


class BundlesListOutput(Document):
    """What bundles.list answers."""
    data: list[types.Bundle]
    next_cursor: str | None


class BundlesListPage(BundlesListOutput, Page[types.Bundle]):
    """A page of bundles.list."""


class AsyncBundlesListPage(BundlesListOutput, AsyncPage[types.Bundle]):
    """A page of bundles.list."""


class BundlesShowInput(TypedDict):
    """Of bundles.show: show a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""


class BundlesCreateInput(TypedDict):
    """Of bundles.create: create a bundle."""
    slug: str
    """Slug of the bundle."""
    display_name: NotRequired[str]
    """Name for people. Required on creation; omit to keep the current value. 1 to 128 characters."""
    price_micros: NotRequired[Amount | None]
    """Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep
    the price that they came for until they are put on it again. Omit to keep the current value; set
    to None to remove it. An integer as a decimal string.
    """
    interval: NotRequired[Literal["month", "year"] | None]
    """Billing interval. Defaults to `month`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    spend_limit_micros: NotRequired[Amount | None]
    """Limit of each end user per period; None: no limit. Omit to keep the current value; set to None to
    remove it. An integer as a decimal string.
    """
    spend_limit_period: NotRequired[Literal["day", "week", "month", "total"] | None]
    """When `spend_limit_micros` starts anew (UTC); `total`: never. Defaults to `month`. Omit to keep the
    current value; set to None to reset it to the default.
    """
    termination_policy: NotRequired[Literal["hard_token", "complete_message", "grace"] | None]
    """What happens when a stream has spent what was held for it: `hard_token` stops it,
    `complete_message` never cuts, `grace` lets it run on by `max_overdraft_micros`. Defaults to
    `hard_token`. Omit to keep the current value; set to None to reset it to the default.
    """
    max_overdraft_micros: NotRequired[Amount | None]
    """How far a call may run past its hold under `grace`. Defaults to `0`. Omit to keep the current
    value; set to None to reset it to the default. An integer as a decimal string.
    """
    debit_basis: NotRequired[Literal["provider_cost", "sell_price"] | None]
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal. Defaults to `provider_cost`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    credit_currency: NotRequired[str | None]
    """Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
    credits. Omit to keep the current value; set to None to remove it. 1 to 32 characters.
    """
    on_client_left: NotRequired[Literal["cut", "drain"] | None]
    """What happens to a stream when an end user of the bundle leaves before its end. Null means the
    setting of the provider account. Omit to keep the current value; set to None to remove it.
    """


class BundlesEditInput(TypedDict):
    """Of bundles.edit: change a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    display_name: NotRequired[str]
    """Name for people. 1 to 128 characters."""
    price_micros: NotRequired[Amount | None]
    """Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep
    the price that they came for until they are put on it again. Omit to keep the current value; set
    to None to remove it. An integer as a decimal string.
    """
    interval: NotRequired[Literal["month", "year"] | None]
    """Billing interval. Defaults to `month`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    spend_limit_micros: NotRequired[Amount | None]
    """Limit of each end user per period; None: no limit. Omit to keep the current value; set to None to
    remove it. An integer as a decimal string.
    """
    spend_limit_period: NotRequired[Literal["day", "week", "month", "total"] | None]
    """When `spend_limit_micros` starts anew (UTC); `total`: never. Defaults to `month`. Omit to keep the
    current value; set to None to reset it to the default.
    """
    termination_policy: NotRequired[Literal["hard_token", "complete_message", "grace"] | None]
    """What happens when a stream has spent what was held for it: `hard_token` stops it,
    `complete_message` never cuts, `grace` lets it run on by `max_overdraft_micros`. Defaults to
    `hard_token`. Omit to keep the current value; set to None to reset it to the default.
    """
    max_overdraft_micros: NotRequired[Amount | None]
    """How far a call may run past its hold under `grace`. Defaults to `0`. Omit to keep the current
    value; set to None to reset it to the default. An integer as a decimal string.
    """
    debit_basis: NotRequired[Literal["provider_cost", "sell_price"] | None]
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal. Defaults to `provider_cost`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    credit_currency: NotRequired[str | None]
    """Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
    credits. Omit to keep the current value; set to None to remove it. 1 to 32 characters.
    """
    on_client_left: NotRequired[Literal["cut", "drain"] | None]
    """What happens to a stream when an end user of the bundle leaves before its end. Null means the
    setting of the provider account. Omit to keep the current value; set to None to remove it.
    """


class BundlesRmInput(TypedDict):
    """Of bundles.rm: remove a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""


class BundlesAllowInput(TypedDict):
    """Of bundles.allow: allow models in a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    models: Sequence[str]
    """Names, prefixes with a trailing `*`, or `*`. 1 to 200 of them."""


class BundlesDefaultInput(TypedDict):
    """Of bundles.default: give a bundle to new end users."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""


class BundlesDenyInput(TypedDict):
    """Of bundles.deny: deny models in a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    models: Sequence[str]
    """Names, prefixes with a trailing `*`, or `*`. 1 to 200 of them."""


class BundlesIncludeInputRollover(TypedDict):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """How many times the same units are carried over, at most 12. From 1 to 12."""


class BundlesIncludeInput(TypedDict):
    """Of bundles.include: set what a subscription grants."""
    bundle_slug: str
    """Slug of the bundle. 1 to 64 characters."""
    slug: str
    """Slug of the include and of its pools."""
    display_name: NotRequired[str]
    """Name for people. Required on creation; omit to keep the current value. 1 to 128 characters."""
    unit: NotRequired[Literal["credits", "micros"]]
    """What `amount` counts. Required on creation; omit to keep the current value."""
    amount: NotRequired[Amount]
    """Granted each time: micros, or millionths of a credit. Required on creation; omit to keep the
    current value. An integer as a decimal string.
    """
    price: NotRequired[Amount | None]
    """Its separate price, in micros; None: none. Omit to keep the current value; set to None to remove
    it. An integer as a decimal string.
    """
    then_on_demand: NotRequired[bool | None]
    """Whether wallet and on-demand may pay once it is spent. Defaults to `True`. Omit to keep the
    current value; set to None to reset it to the default.
    """
    recurring: NotRequired[bool | None]
    """True: granted every period; false: once, at sign-up. Defaults to `True`. Omit to keep the current
    value; set to None to reset it to the default.
    """
    spillover_to: NotRequired[str | None]
    """What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers
    the call and comes next (fewest models, soonest end, free before paid, oldest); None: none, and
    then `then_on_demand` says whether wallet and on-demand do. Defaults to `*`; omit to keep the
    current value.
    """
    models: NotRequired[Sequence[str] | None]
    """Models it may pay for; None: all that the bundle allows. Omit to keep the current value; set to
    None to remove it. 1 to 200 of them.
    """
    rollover: NotRequired[BundlesIncludeInputRollover | None]
    """What is carried over of a recurring include at the end of a month. Null: nothing, the rest
    expires. Omit to keep the current value; set to None to remove it.
    """


class BundlesPriceInput(TypedDict):
    """Of bundles.price: price one model in a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    model: str
    """The name that is asked for, of a model or a router, exactly."""
    price: NotRequired[params.PriceParam | types.Price | None]
    """Sell price; None: sold at cost."""
    credits: NotRequired[params.PriceParam | types.Price | None]
    """Credit price, in millionths of a credit; None: credits cannot pay for it."""
    debit_basis: NotRequired[Literal["provider_cost", "sell_price"]]
    """Price that end users of the bundle are charged, for all its models: `sell_price`, or
    `provider_cost`. Omit to keep the current value.
    """


_BUNDLES_LIST = Route(
    id="bundles.list",
    method="GET",
    path="/v1/bundles",
    takes=BundlesListInput,
    query=("limit", "cursor", "sort", "direction",),
)


_BUNDLES_SHOW = Route(
    id="bundles.show",
    method="GET",
    path="/v1/bundles/{slug}",
    takes=BundlesShowInput,
)


_BUNDLES_CREATE = Route(
    id="bundles.create",
    method="PUT",
    path="/v1/bundles/{slug}",
    takes=BundlesCreateInput,
    body="json",
    is_keyed=True,
)


_BUNDLES_EDIT = Route(
    id="bundles.edit",
    method="PATCH",
    path="/v1/bundles/{slug}",
    takes=BundlesEditInput,
    body="json",
    is_keyed=True,
)


_BUNDLES_RM = Route(
    id="bundles.rm",
    method="DELETE",
    path="/v1/bundles/{slug}",
    takes=BundlesRmInput,
)


_BUNDLES_ALLOW = Route(
    id="bundles.allow",
    method="POST",
    path="/v1/bundles/{slug}/allow",
    takes=BundlesAllowInput,
    body="json",
    is_keyed=True,
)


_BUNDLES_DEFAULT = Route(
    id="bundles.default",
    method="POST",
    path="/v1/bundles/{slug}/default",
    takes=BundlesDefaultInput,
    is_keyed=True,
)


_BUNDLES_DENY = Route(
    id="bundles.deny",
    method="POST",
    path="/v1/bundles/{slug}/deny",
    takes=BundlesDenyInput,
    body="json",
    is_keyed=True,
)


_BUNDLES_INCLUDE = Route(
    id="bundles.include",
    method="POST",
    path="/v1/bundles/{bundleSlug}/include",
    takes=BundlesIncludeInput,
    body="json",
    is_keyed=True,
)


_BUNDLES_PRICE = Route(
    id="bundles.price",
    method="POST",
    path="/v1/bundles/{slug}/price",
    takes=BundlesPriceInput,
    body="json",
    is_keyed=True,
)


class Bundles:
    """What a plan allows, sells, limits and grants."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> BundlesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return BundlesWithRawResponse(Bundles(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[BundlesListInput]) -> BundlesListPage:
        """List bundles.

        Returns the bundles of the application, newest first unless `sort` is set.

        GET /v1/bundles. Its inputs are those of BundlesListInput.
        """
        return self._sender.page(_BUNDLES_LIST, given, options, BundlesListPage)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesShowInput]) -> types.Bundle:
        """Show a bundle.

        One bundle with what it allows, sells and includes.

        GET /v1/bundles/{slug}. Its inputs are those of BundlesShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_BUNDLES_SHOW, given, options, types.Bundle)

    def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesCreateInput]) -> types.Bundle:
        """Create a bundle.

        Makes the bundle, or replaces the fields below of an existing one; fields left out get their
        defaults. What it allows, sells and includes has operations of its own and stays. The first
        bundle of an application becomes the one that new end users get. It reaches no model until
        `bundles.allow`.

        PUT /v1/bundles/{slug}. Its inputs are those of BundlesCreateInput.

        Raises ApiError: in_use.
        """
        return self._sender.call(_BUNDLES_CREATE, given, options, types.Bundle)

    def edit(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesEditInput]) -> types.Bundle:
        """Change a bundle.

        Fields that are left out stay as they are; None takes a price or a limit away. It holds from the
        next call on, and never changes what pools were granted before.

        PATCH /v1/bundles/{slug}. Its inputs are those of BundlesEditInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_BUNDLES_EDIT, given, options, types.Bundle)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesRmInput]) -> types.Bundle:
        """Remove a bundle.

        Forgets the bundle with its prices and includes, and answers what it was. Refused while people
        are on it, saying how many, and for the default bundle unless it is the only one. What its pools
        have granted and paid stays on the ledger under its slug. A bundle that is made again under the
        slug begins anew, except that it is the same plan to whoever was on it: a sign-up include is not
        granted twice.

        DELETE /v1/bundles/{slug}. Its inputs are those of BundlesRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_BUNDLES_RM, given, options, types.Bundle)

    def allow(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesAllowInput]) -> types.Bundle:
        """Allow models in a bundle.

        Adds the patterns to `allow` and takes the very same ones off `deny`. Deny beats allow: a name
        that another pattern of `deny` means stays out of reach. A pattern that means no name of the
        application is refused, but for a bare `*`.

        POST /v1/bundles/{slug}/allow. Its inputs are those of BundlesAllowInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return self._sender.call(_BUNDLES_ALLOW, given, options, types.Bundle)

    def default(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDefaultInput]) -> types.Bundle:
        """Give a bundle to new end users.

        End users made from now on get this bundle where none is named. Existing end users stay on
        theirs.

        POST /v1/bundles/{slug}/default. Its inputs are those of BundlesDefaultInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_BUNDLES_DEFAULT, given, options, types.Bundle)

    def deny(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDenyInput]) -> types.Bundle:
        """Deny models in a bundle.

        Adds the patterns to `deny` and takes the very same ones off `allow`. Deny beats allow, whatever
        `allow` says of the same names. It holds from the next call on.

        POST /v1/bundles/{slug}/deny. Its inputs are those of BundlesDenyInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return self._sender.call(_BUNDLES_DENY, given, options, types.Bundle)

    def include(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesIncludeInput]) -> types.BundleInclude:
        """Set what a subscription grants.

        Adds the include, or replaces the include of that slug. End users who are on the bundle get a
        recurring include with their next period; a one-time include is granted only to end users who
        come to the bundle later. Pools of the current period do not change. All credits of a bundle are
        in its one currency, which is called `credits` until it is named.

        POST /v1/bundles/{bundleSlug}/include. Its inputs are those of BundlesIncludeInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return self._sender.call(_BUNDLES_INCLUDE, given, options, types.BundleInclude)

    def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesPriceInput]) -> types.Bundle:
        """Price one model in a bundle.

        Sets the sell price of one model in the bundle, and its price in credits. An omitted price is
        kept; None removes it; a given price replaces the stored one whole. A price needs at least
        `input` and `output`; set a free rate to 0 explicitly. If the provider account lacks a rate, the
        model is still served in this bundle: the known rates are kept, and the cost of other units is
        assumed (`assumed_micros`). If the bundle has a sell price and no request has set `debit_basis`,
        the response has a warning: end users are then charged what the provider charges.

        POST /v1/bundles/{slug}/price. Its inputs are those of BundlesPriceInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_BUNDLES_PRICE, given, options, types.Bundle)


class BundlesWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Bundles) -> None:
        self.list = raw(methods.list)
        self.show = raw(methods.show)
        self.create = raw(methods.create)
        self.edit = raw(methods.edit)
        self.rm = raw(methods.rm)
        self.allow = raw(methods.allow)
        self.default = raw(methods.default)
        self.deny = raw(methods.deny)
        self.include = raw(methods.include)
        self.price = raw(methods.price)


class AsyncBundles:
    """What a plan allows, sells, limits and grants."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncBundlesWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncBundlesWithRawResponse(AsyncBundles(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[BundlesListInput]) -> AsyncPageCall[types.Bundle, AsyncBundlesListPage]:
        """List bundles.

        Returns the bundles of the application, newest first unless `sort` is set.

        GET /v1/bundles. Its inputs are those of BundlesListInput.
        """
        return self._sender.page(_BUNDLES_LIST, given, options, AsyncBundlesListPage)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesShowInput]) -> types.Bundle:
        """Show a bundle.

        One bundle with what it allows, sells and includes.

        GET /v1/bundles/{slug}. Its inputs are those of BundlesShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BUNDLES_SHOW, given, options, types.Bundle)

    async def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesCreateInput]) -> types.Bundle:
        """Create a bundle.

        Makes the bundle, or replaces the fields below of an existing one; fields left out get their
        defaults. What it allows, sells and includes has operations of its own and stays. The first
        bundle of an application becomes the one that new end users get. It reaches no model until
        `bundles.allow`.

        PUT /v1/bundles/{slug}. Its inputs are those of BundlesCreateInput.

        Raises ApiError: in_use.
        """
        return await self._sender.call(_BUNDLES_CREATE, given, options, types.Bundle)

    async def edit(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesEditInput]) -> types.Bundle:
        """Change a bundle.

        Fields that are left out stay as they are; None takes a price or a limit away. It holds from the
        next call on, and never changes what pools were granted before.

        PATCH /v1/bundles/{slug}. Its inputs are those of BundlesEditInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_BUNDLES_EDIT, given, options, types.Bundle)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesRmInput]) -> types.Bundle:
        """Remove a bundle.

        Forgets the bundle with its prices and includes, and answers what it was. Refused while people
        are on it, saying how many, and for the default bundle unless it is the only one. What its pools
        have granted and paid stays on the ledger under its slug. A bundle that is made again under the
        slug begins anew, except that it is the same plan to whoever was on it: a sign-up include is not
        granted twice.

        DELETE /v1/bundles/{slug}. Its inputs are those of BundlesRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_BUNDLES_RM, given, options, types.Bundle)

    async def allow(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesAllowInput]) -> types.Bundle:
        """Allow models in a bundle.

        Adds the patterns to `allow` and takes the very same ones off `deny`. Deny beats allow: a name
        that another pattern of `deny` means stays out of reach. A pattern that means no name of the
        application is refused, but for a bare `*`.

        POST /v1/bundles/{slug}/allow. Its inputs are those of BundlesAllowInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return await self._sender.call(_BUNDLES_ALLOW, given, options, types.Bundle)

    async def default(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDefaultInput]) -> types.Bundle:
        """Give a bundle to new end users.

        End users made from now on get this bundle where none is named. Existing end users stay on
        theirs.

        POST /v1/bundles/{slug}/default. Its inputs are those of BundlesDefaultInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BUNDLES_DEFAULT, given, options, types.Bundle)

    async def deny(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDenyInput]) -> types.Bundle:
        """Deny models in a bundle.

        Adds the patterns to `deny` and takes the very same ones off `allow`. Deny beats allow, whatever
        `allow` says of the same names. It holds from the next call on.

        POST /v1/bundles/{slug}/deny. Its inputs are those of BundlesDenyInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return await self._sender.call(_BUNDLES_DENY, given, options, types.Bundle)

    async def include(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesIncludeInput]) -> types.BundleInclude:
        """Set what a subscription grants.

        Adds the include, or replaces the include of that slug. End users who are on the bundle get a
        recurring include with their next period; a one-time include is granted only to end users who
        come to the bundle later. Pools of the current period do not change. All credits of a bundle are
        in its one currency, which is called `credits` until it is named.

        POST /v1/bundles/{bundleSlug}/include. Its inputs are those of BundlesIncludeInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return await self._sender.call(_BUNDLES_INCLUDE, given, options, types.BundleInclude)

    async def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesPriceInput]) -> types.Bundle:
        """Price one model in a bundle.

        Sets the sell price of one model in the bundle, and its price in credits. An omitted price is
        kept; None removes it; a given price replaces the stored one whole. A price needs at least
        `input` and `output`; set a free rate to 0 explicitly. If the provider account lacks a rate, the
        model is still served in this bundle: the known rates are kept, and the cost of other units is
        assumed (`assumed_micros`). If the bundle has a sell price and no request has set `debit_basis`,
        the response has a warning: end users are then charged what the provider charges.

        POST /v1/bundles/{slug}/price. Its inputs are those of BundlesPriceInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BUNDLES_PRICE, given, options, types.Bundle)


class AsyncBundlesWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncBundles) -> None:
        self.list = async_raw(methods.list)
        self.show = async_raw(methods.show)
        self.create = async_raw(methods.create)
        self.edit = async_raw(methods.edit)
        self.rm = async_raw(methods.rm)
        self.allow = async_raw(methods.allow)
        self.default = async_raw(methods.default)
        self.deny = async_raw(methods.deny)
        self.include = async_raw(methods.include)
        self.price = async_raw(methods.price)
