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
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    sort: NotRequired[Literal["created", "name"]]
    """Sort order: `created` or `name` (`display_name`). Defaults to `created`. `created` when left out.
    """
    direction: NotRequired[Literal["asc", "desc"]]
    """Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal
    values are sorted by ID.
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
    """Display name. Required on creation. Omit to keep the current value. 1 to 128 characters."""
    price_micros: NotRequired[Amount | None]
    """Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
    bundle keep their price until they are put on it again. Omit to keep the current value; set to
    None to remove it. An integer as a decimal string.
    """
    interval: NotRequired[Literal["month", "year"] | None]
    """Billing interval. Defaults to `month`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    spend_limit_micros: NotRequired[Amount | None]
    """Maximum spend of each end user per period, in micros. Null means no limit. Omit to keep the
    current value; set to None to remove it. An integer as a decimal string.
    """
    spend_limit_period: NotRequired[Literal["day", "week", "month", "total"] | None]
    """Period after which `spend_limit_micros` resets (UTC). `total` means that it never resets. Defaults
    to `month`. Omit to keep the current value; set to None to reset it to the default.
    """
    termination_policy: NotRequired[Literal["hard_token", "complete_message", "grace"] | None]
    """Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message`
    lets it finish. `grace` lets it continue by up to `max_overdraft_micros`. Defaults to
    `hard_token`. Omit to keep the current value; set to None to reset it to the default.
    """
    max_overdraft_micros: NotRequired[Amount | None]
    """Maximum amount by which a request can exceed its hold under `grace`, in micros. Defaults to `0`.
    Omit to keep the current value; set to None to reset it to the default. An integer as a decimal
    string.
    """
    debit_basis: NotRequired[Literal["provider_cost", "sell_price"] | None]
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal. Defaults to `provider_cost`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    credit_currency: NotRequired[str | None]
    """Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
    users hold credits of the bundle. Omit to keep the current value; set to None to remove it. 1 to
    32 characters.
    """
    on_client_left: NotRequired[Literal["cut", "drain"] | None]
    """Handling of a stream when an end user of the bundle disconnects before its end. Null means the
    setting of the provider account. Omit to keep the current value; set to None to remove it.
    """


class BundlesEditInput(TypedDict):
    """Of bundles.edit: change a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    display_name: NotRequired[str]
    """Display name. 1 to 128 characters."""
    price_micros: NotRequired[Amount | None]
    """Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
    bundle keep their price until they are put on it again. Omit to keep the current value; set to
    None to remove it. An integer as a decimal string.
    """
    interval: NotRequired[Literal["month", "year"] | None]
    """Billing interval. Defaults to `month`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    spend_limit_micros: NotRequired[Amount | None]
    """Maximum spend of each end user per period, in micros. Null means no limit. Omit to keep the
    current value; set to None to remove it. An integer as a decimal string.
    """
    spend_limit_period: NotRequired[Literal["day", "week", "month", "total"] | None]
    """Period after which `spend_limit_micros` resets (UTC). `total` means that it never resets. Defaults
    to `month`. Omit to keep the current value; set to None to reset it to the default.
    """
    termination_policy: NotRequired[Literal["hard_token", "complete_message", "grace"] | None]
    """Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message`
    lets it finish. `grace` lets it continue by up to `max_overdraft_micros`. Defaults to
    `hard_token`. Omit to keep the current value; set to None to reset it to the default.
    """
    max_overdraft_micros: NotRequired[Amount | None]
    """Maximum amount by which a request can exceed its hold under `grace`, in micros. Defaults to `0`.
    Omit to keep the current value; set to None to reset it to the default. An integer as a decimal
    string.
    """
    debit_basis: NotRequired[Literal["provider_cost", "sell_price"] | None]
    """Price that holds, charges, caps and limits are computed from. End users see this price in the
    portal. Defaults to `provider_cost`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    credit_currency: NotRequired[str | None]
    """Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
    users hold credits of the bundle. Omit to keep the current value; set to None to remove it. 1 to
    32 characters.
    """
    on_client_left: NotRequired[Literal["cut", "drain"] | None]
    """Handling of a stream when an end user of the bundle disconnects before its end. Null means the
    setting of the provider account. Omit to keep the current value; set to None to remove it.
    """


class BundlesRmInput(TypedDict):
    """Of bundles.rm: delete a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""


class BundlesAllowInput(TypedDict):
    """Of bundles.allow: allow models in a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    models: Sequence[str]
    """Patterns: model or router names, prefixes with a trailing `*`, or `*`. 1 to 200 of them."""


class BundlesDefaultInput(TypedDict):
    """Of bundles.default: make a bundle the default."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""


class BundlesDenyInput(TypedDict):
    """Of bundles.deny: deny models in a bundle."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    models: Sequence[str]
    """Patterns: model or router names, prefixes with a trailing `*`, or `*`. 1 to 200 of them."""


class BundlesIncludeInputRollover(TypedDict):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """Maximum number of times that the same units are carried over, up to 12. From 1 to 12."""


class BundlesIncludeInput(TypedDict):
    """Of bundles.include: set an include."""
    bundle_slug: str
    """Slug of the bundle. 1 to 64 characters."""
    slug: str
    """Slug of the include and of its pools."""
    display_name: NotRequired[str]
    """Display name. Required on creation. Omit to keep the current value. 1 to 128 characters."""
    unit: NotRequired[Literal["credits", "micros"]]
    """Unit of `amount`. Required on creation. Omit to keep the current value."""
    amount: NotRequired[Amount]
    """Amount of each grant, in micros or millionths of a credit. Required on creation. Omit to keep the
    current value. An integer as a decimal string.
    """
    price: NotRequired[Amount | None]
    """Separate price of the include, in micros. Null means that the include is free. Omit to keep the
    current value; set to None to remove it. An integer as a decimal string.
    """
    then_on_demand: NotRequired[bool | None]
    """Whether the wallet and on-demand billing cover usage after this pool is exhausted. Defaults to
    `True`. Omit to keep the current value; set to None to reset it to the default.
    """
    recurring: NotRequired[bool | None]
    """Whether the amount is granted every period. False means once, at sign-up. Defaults to `True`. Omit
    to keep the current value; set to None to reset it to the default.
    """
    spillover_to: NotRequired[str | None]
    """Source that pays the rest of a request when the pool is exhausted.

    - A slug means that include of the bundle.
    - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
    paid, oldest.
    - Null means no other pool. `then_on_demand` then decides whether the wallet and on-demand billing
    pay. Defaults to `*`. Omit to keep the current value.
    """
    models: NotRequired[Sequence[str] | None]
    """Models that the pool can pay for. Null means every model in the bundle. Omit to keep the current
    value; set to None to remove it. 1 to 200 of them.
    """
    rollover: NotRequired[BundlesIncludeInputRollover | None]
    """Part of a recurring include that is carried over at the end of a month. Null means that the
    unspent amount expires. Omit to keep the current value; set to None to remove it.
    """


class BundlesPriceInput(TypedDict):
    """Of bundles.price: set the price of a model."""
    slug: str
    """Slug of the bundle. 1 to 64 characters."""
    model: str
    """Exact name of the model or router."""
    price: NotRequired[params.PriceParam | types.Price | None]
    """Sell price. Null means that the model is sold at cost."""
    credits: NotRequired[params.PriceParam | types.Price | None]
    """Price in millionths of a credit. Null means that credits cannot pay for the model."""
    debit_basis: NotRequired[Literal["provider_cost", "sell_price"]]
    """Price that end users are charged for all models of the bundle: `sell_price` or `provider_cost`.
    Omit to keep the current value.
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
    """Plans: which models they allow, at which prices, with which limits and credit."""

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

        Returns one bundle with its patterns, prices and includes.

        GET /v1/bundles/{slug}. Its inputs are those of BundlesShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_BUNDLES_SHOW, given, options, types.Bundle)

    def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesCreateInput]) -> types.Bundle:
        """Create a bundle.

        Creates the bundle with this slug, or changes the given fields of the existing bundle.

        - Models, prices and includes have operations of their own and are not changed.
        - The first bundle of an application becomes the default for new end users.
        - A new bundle gives access to no model until `bundles.allow` adds one.

        PUT /v1/bundles/{slug}. Its inputs are those of BundlesCreateInput.

        Raises ApiError: in_use.
        """
        return self._sender.call(_BUNDLES_CREATE, given, options, types.Bundle)

    def edit(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesEditInput]) -> types.Bundle:
        """Change a bundle.

        Changes the given fields, starting with the next request. Omitted fields keep their values, and
        None removes a price or a limit. Pools that were already granted do not change.

        PATCH /v1/bundles/{slug}. Its inputs are those of BundlesEditInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_BUNDLES_EDIT, given, options, types.Bundle)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesRmInput]) -> types.Bundle:
        """Delete a bundle.

        Deletes the bundle with its prices and includes, and returns the deleted bundle.

        - If end users are on the bundle, the request returns 409 `in_use` with their number. The default
        bundle can be deleted only if it is the only bundle.
        - Grants and payments of its pools remain on the ledger under its slug.
        - If a bundle is created again under the slug, it starts empty. It counts as the same plan for
        earlier end users, so a sign-up include is not granted twice.

        DELETE /v1/bundles/{slug}. Its inputs are those of BundlesRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_BUNDLES_RM, given, options, types.Bundle)

    def allow(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesAllowInput]) -> types.Bundle:
        """Allow models in a bundle.

        Adds the patterns to `allow` and removes the same patterns from `deny`. `deny` overrides `allow`,
        so a name that another `deny` pattern matches remains denied. A pattern that matches no name of
        the application is rejected, except `*`.

        POST /v1/bundles/{slug}/allow. Its inputs are those of BundlesAllowInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return self._sender.call(_BUNDLES_ALLOW, given, options, types.Bundle)

    def default(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDefaultInput]) -> types.Bundle:
        """Make a bundle the default.

        Makes the bundle the default. New end users get the default bundle unless the request sets
        another one. Existing end users keep their bundle.

        POST /v1/bundles/{slug}/default. Its inputs are those of BundlesDefaultInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_BUNDLES_DEFAULT, given, options, types.Bundle)

    def deny(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDenyInput]) -> types.Bundle:
        """Deny models in a bundle.

        Adds the patterns to `deny` and removes the same patterns from `allow`. `deny` overrides `allow`.
        Takes effect with the next request.

        POST /v1/bundles/{slug}/deny. Its inputs are those of BundlesDenyInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return self._sender.call(_BUNDLES_DENY, given, options, types.Bundle)

    def include(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesIncludeInput]) -> types.BundleInclude:
        """Set an include.

        Adds the include to the bundle, or changes the given fields of the include with this slug.

        - End users on the bundle get a recurring include with their next period. A one-time include is
        granted only to end users who join the bundle later.
        - Pools of the current period do not change.
        - All credits of a bundle are in one currency, which is named `credits` until `credit_currency`
        is set.

        POST /v1/bundles/{bundleSlug}/include. Its inputs are those of BundlesIncludeInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return self._sender.call(_BUNDLES_INCLUDE, given, options, types.BundleInclude)

    def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesPriceInput]) -> types.Bundle:
        """Set the price of a model.

        Sets the sell price and the credit price of one model in the bundle.

        - An omitted price is kept, None removes the price, and a given price replaces the stored price
        whole.
        - A price needs at least `input` and `output`. Set a free rate to 0 explicitly.
        - If the provider account lacks a rate, the bundle still serves the model. The known rates are
        kept, and the cost of other units is assumed (`assumed_micros`).
        - If the bundle has a sell price but no request has set `debit_basis`, the response has a
        warning: end users are charged what the provider charges.

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
    """Plans: which models they allow, at which prices, with which limits and credit."""

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

        Returns one bundle with its patterns, prices and includes.

        GET /v1/bundles/{slug}. Its inputs are those of BundlesShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BUNDLES_SHOW, given, options, types.Bundle)

    async def create(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesCreateInput]) -> types.Bundle:
        """Create a bundle.

        Creates the bundle with this slug, or changes the given fields of the existing bundle.

        - Models, prices and includes have operations of their own and are not changed.
        - The first bundle of an application becomes the default for new end users.
        - A new bundle gives access to no model until `bundles.allow` adds one.

        PUT /v1/bundles/{slug}. Its inputs are those of BundlesCreateInput.

        Raises ApiError: in_use.
        """
        return await self._sender.call(_BUNDLES_CREATE, given, options, types.Bundle)

    async def edit(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesEditInput]) -> types.Bundle:
        """Change a bundle.

        Changes the given fields, starting with the next request. Omitted fields keep their values, and
        None removes a price or a limit. Pools that were already granted do not change.

        PATCH /v1/bundles/{slug}. Its inputs are those of BundlesEditInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_BUNDLES_EDIT, given, options, types.Bundle)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesRmInput]) -> types.Bundle:
        """Delete a bundle.

        Deletes the bundle with its prices and includes, and returns the deleted bundle.

        - If end users are on the bundle, the request returns 409 `in_use` with their number. The default
        bundle can be deleted only if it is the only bundle.
        - Grants and payments of its pools remain on the ledger under its slug.
        - If a bundle is created again under the slug, it starts empty. It counts as the same plan for
        earlier end users, so a sign-up include is not granted twice.

        DELETE /v1/bundles/{slug}. Its inputs are those of BundlesRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_BUNDLES_RM, given, options, types.Bundle)

    async def allow(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesAllowInput]) -> types.Bundle:
        """Allow models in a bundle.

        Adds the patterns to `allow` and removes the same patterns from `deny`. `deny` overrides `allow`,
        so a name that another `deny` pattern matches remains denied. A pattern that matches no name of
        the application is rejected, except `*`.

        POST /v1/bundles/{slug}/allow. Its inputs are those of BundlesAllowInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return await self._sender.call(_BUNDLES_ALLOW, given, options, types.Bundle)

    async def default(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDefaultInput]) -> types.Bundle:
        """Make a bundle the default.

        Makes the bundle the default. New end users get the default bundle unless the request sets
        another one. Existing end users keep their bundle.

        POST /v1/bundles/{slug}/default. Its inputs are those of BundlesDefaultInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BUNDLES_DEFAULT, given, options, types.Bundle)

    async def deny(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesDenyInput]) -> types.Bundle:
        """Deny models in a bundle.

        Adds the patterns to `deny` and removes the same patterns from `allow`. `deny` overrides `allow`.
        Takes effect with the next request.

        POST /v1/bundles/{slug}/deny. Its inputs are those of BundlesDenyInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return await self._sender.call(_BUNDLES_DENY, given, options, types.Bundle)

    async def include(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesIncludeInput]) -> types.BundleInclude:
        """Set an include.

        Adds the include to the bundle, or changes the given fields of the include with this slug.

        - End users on the bundle get a recurring include with their next period. A one-time include is
        granted only to end users who join the bundle later.
        - Pools of the current period do not change.
        - All credits of a bundle are in one currency, which is named `credits` until `credit_currency`
        is set.

        POST /v1/bundles/{bundleSlug}/include. Its inputs are those of BundlesIncludeInput.

        Raises ApiError: not_found, unknown_model_pattern.
        """
        return await self._sender.call(_BUNDLES_INCLUDE, given, options, types.BundleInclude)

    async def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[BundlesPriceInput]) -> types.Bundle:
        """Set the price of a model.

        Sets the sell price and the credit price of one model in the bundle.

        - An omitted price is kept, None removes the price, and a given price replaces the stored price
        whole.
        - A price needs at least `input` and `output`. Set a free rate to 0 explicitly.
        - If the provider account lacks a rate, the bundle still serves the model. The known rates are
        kept, and the cost of other units is assumed (`assumed_micros`).
        - If the bundle has a sell price but no request has set `debit_basis`, the response has a
        warning: end users are charged what the provider charges.

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
