# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from ..inputs import Amount
from . import types


class ConfigurationAccountParam(TypedDict):
    """A provider account that must exist. Credentials are not included."""
    label: str
    """Label of the provider account."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"]
    """API format of the provider. The simulator is built in and responds without a network."""


class ConfigurationApplicationParam(TypedDict):
    """Settings of the application itself."""
    name: str
    """Display name. 1 to 128 characters."""


class EndUserLimitParam(TypedDict):
    """Maximum spend of an end user per window, over all keys and plans in one mode."""
    measure: Literal["micros"]
    """Measure of the limit. `micros` counts the charges of requests, whichever source pays."""
    window: Literal["day", "week", "month", "total"]
    """Calendar window (UTC) after which the limit resets. Weeks start on Monday. `total` never resets."""
    most: Amount
    """Maximum spend per window, in micros. 0 rejects every request. An integer as a decimal string."""


class ModelSourceParam(TypedDict):
    """A provider account and one of its models."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""


class NewCredentialParam(TypedDict):
    """Result of `navigator.credentials.create` for the challenge."""
    id: str
    """`id` of the credential that the browser returned, base64url. At most 1400 characters."""
    client_data_json: str
    """`response.clientDataJSON` of the credential, base64url. At most 8192 characters."""
    attestation_object: str
    """`response.attestationObject` of the credential, base64url. At most 32768 characters."""


class PriceParam(TypedDict):
    """Rates in micros, per million tokens or per use. A price in credits has the same rates in
    millionths of a credit. An omitted rate means no price, not 0.
    """
    input: NotRequired[Amount]
    """Rate per million tokens of input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    cache_read: NotRequired[Amount]
    """Rate per million tokens of cached input, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    cache_write: NotRequired[Amount]
    """Rate per million tokens of input written to the cache, in micros, or in millionths of a credit if
    the price is in credits. An integer as a decimal string.
    """
    cache_write_long: NotRequired[Amount]
    """Rate per million tokens of input written to the cache for long, in micros, or in millionths of a
    credit if the price is in credits. An integer as a decimal string.
    """
    audio_input: NotRequired[Amount]
    """Rate per million tokens of audio input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    image_input: NotRequired[Amount]
    """Rate per million tokens of image input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    output: NotRequired[Amount]
    """Rate per million tokens of output, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    reasoning: NotRequired[Amount]
    """Rate per million tokens of reasoning output, in micros, or in millionths of a credit if the price
    is in credits. An integer as a decimal string.
    """
    audio_output: NotRequired[Amount]
    """Rate per million tokens of audio output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    image_output: NotRequired[Amount]
    """Rate per million tokens of image output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    request: NotRequired[Amount]
    """Rate per request, in micros, or in millionths of a credit if the price is in credits. An integer
    as a decimal string.
    """
    web_search: NotRequired[Amount]
    """Rate per web search of the provider, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    tiers: NotRequired[Sequence[PriceTierParam | types.PriceTier]]
    """Rates for large inputs, in ascending order of `above_input_tokens`. At most 16 of them."""
    service_tiers: NotRequired[Mapping[str, Amount]]
    """Price multipliers by service tier, in thousandths. `1000` leaves the price unchanged."""


class PriceTierParam(TypedDict):
    """Rates that replace the standard rates if the input is large."""
    above_input_tokens: int
    """Lower bound of the tier, in input tokens. The rates apply if the request's whole input is larger
    than this.
    """
    input: NotRequired[Amount]
    """Rate per million tokens of input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    cache_read: NotRequired[Amount]
    """Rate per million tokens of cached input, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    cache_write: NotRequired[Amount]
    """Rate per million tokens of input written to the cache, in micros, or in millionths of a credit if
    the price is in credits. An integer as a decimal string.
    """
    cache_write_long: NotRequired[Amount]
    """Rate per million tokens of input written to the cache for long, in micros, or in millionths of a
    credit if the price is in credits. An integer as a decimal string.
    """
    audio_input: NotRequired[Amount]
    """Rate per million tokens of audio input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    image_input: NotRequired[Amount]
    """Rate per million tokens of image input, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    output: NotRequired[Amount]
    """Rate per million tokens of output, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """
    reasoning: NotRequired[Amount]
    """Rate per million tokens of reasoning output, in micros, or in millionths of a credit if the price
    is in credits. An integer as a decimal string.
    """
    audio_output: NotRequired[Amount]
    """Rate per million tokens of audio output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    image_output: NotRequired[Amount]
    """Rate per million tokens of image output, in micros, or in millionths of a credit if the price is
    in credits. An integer as a decimal string.
    """
    request: NotRequired[Amount]
    """Rate per request, in micros, or in millionths of a credit if the price is in credits. An integer
    as a decimal string.
    """
    web_search: NotRequired[Amount]
    """Rate per web search of the provider, in micros, or in millionths of a credit if the price is in
    credits. An integer as a decimal string.
    """


class RouterAttemptRulesParam(TypedDict):
    """Rules for attempts."""
    within_ms: NotRequired[int]
    """Maximum time from the first attempt to the start of the last attempt, in milliseconds. Defaults to
    120000. From 0 to 3600000.
    """
    attempts_max: NotRequired[int]
    """Maximum attempts per request, including the first. Defaults to 5. From 1 to 50."""
    retries_per_target: NotRequired[int]
    """Maximum retries at the same target after a quick 429 or 5xx response. A missed deadline is not
    retried at the same target. Defaults to 1. From 0 to 10.
    """
    also_moves_on: NotRequired[Sequence[int]]
    """Additional HTTP statuses after which the next target is tried. At most 50 of them."""
    never_moves_on: NotRequired[Sequence[int]]
    """HTTP statuses after which no other target is tried, even if the default is to try one. At most 50
    of them.
    """
    on_context_length: NotRequired[Literal["next", "fail"]]
    """Behavior if the request is too long for a target. `next`: the next target that may accept a longer
    request is tried. `fail`: the request fails. Defaults to `next`.
    """
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of each attempt, in place of the gateway's own."""


class RouterConditionParam(TypedDict):
    """Conditions for using a target. A request must meet all of them."""
    bundles: NotRequired[Sequence[str]]
    """Slugs of bundles. The end user must be on one of them. 1 to 100 of them."""
    features: NotRequired[Sequence[Literal["tools", "images", "audio", "documents", "json", "reasoning", "stream"]]]
    """Features, all of which the request must need. 1 to 7 of them."""
    input_tokens_min: NotRequired[int]
    """Minimum input tokens, as estimated by the gateway. From 0 to 100000000."""
    input_tokens_max: NotRequired[int]
    """Maximum input tokens, as estimated by the gateway. From 0 to 100000000."""
    mode: NotRequired[Literal["live", "test"]]
    """Mode of the key."""


class RouterTargetAliasParam(TypedDict):
    """A model name of the application."""
    alias: str
    """A model name of the application."""
    weight: NotRequired[int]
    """Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
    1000000.
    """
    max_in_flight: NotRequired[int]
    """Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000."""
    when: NotRequired[RouterConditionParam | types.RouterCondition]
    """Conditions that a request must meet to use the target. Omit for no condition."""
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of an attempt at this target, in place of the router's."""


class RouterTargetRouterParam(TypedDict):
    """Another router of the application."""
    router: str
    """Another router of the application."""
    weight: NotRequired[int]
    """Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
    1000000.
    """
    max_in_flight: NotRequired[int]
    """Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000."""
    when: NotRequired[RouterConditionParam | types.RouterCondition]
    """Conditions that a request must meet to use the target. Omit for no condition."""
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of an attempt at this target, in place of the router's."""


class RouterTargetSourceParam(TypedDict):
    """A model of a provider account."""
    provider: str
    """Label of a provider account. Requires `model`."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    weight: NotRequired[int]
    """Share of requests under `weighted`, relative to the sum of all weights. Defaults to 1. From 1 to
    1000000.
    """
    max_in_flight: NotRequired[int]
    """Maximum concurrent requests per server process. Omit for no limit. From 1 to 1000000."""
    when: NotRequired[RouterConditionParam | types.RouterCondition]
    """Conditions that a request must meet to use the target. Omit for no condition."""
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of an attempt at this target, in place of the router's."""


class RouterTimeoutsParam(TypedDict):
    """Deadlines of one attempt."""
    connect_ms: NotRequired[int]
    """Maximum time until the connection is established, in milliseconds. From 1 to 60000."""
    first_byte_ms: NotRequired[int]
    """Maximum time until the response headers are received, in milliseconds. If other targets are left,
    defaults to a third of `within_ms`, at most 120,000. From 1 to 600000.
    """
    first_token_ms: NotRequired[int]
    """Maximum time from the request to the first text of a streamed response, in milliseconds. If other
    targets are left, defaults to 10,000 plus 1,000 for each 10,000 input tokens. Otherwise, and for a
    model that reasons, defaults to no limit. From 1 to 600000.
    """
    idle_ms: NotRequired[int]
    """Maximum time between two chunks of the response, in milliseconds. From 1 to 600000."""
    total_ms: NotRequired[int]
    """Maximum time for the whole attempt, in milliseconds. From 1 to 3600000."""


class UsedCredentialParam(TypedDict):
    """Result of `navigator.credentials.get` for the challenge."""
    id: str
    """`id` of the credential that the browser returned, base64url. At most 1400 characters."""
    client_data_json: str
    """`response.clientDataJSON` of the credential, base64url. At most 8192 characters."""
    authenticator_data: str
    """`response.authenticatorData` of the credential, base64url. At most 8192 characters."""
    signature: str
    """`response.signature` of the credential, base64url. At most 4096 characters."""


class WantedBundleParamPrices(TypedDict):
    model: str
    """Exact name of the model or router."""
    price: NotRequired[PriceParam | types.Price | None]
    """Sell price. Null means that the model is sold at cost."""
    credits: NotRequired[PriceParam | types.Price | None]
    """Price in millionths of a credit. Null means that credits cannot pay for the model."""


class WantedBundleParamIncludesRollover(TypedDict):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """Maximum number of times that the same units are carried over, up to 12. From 1 to 12."""


class WantedBundleParamIncludes(TypedDict):
    slug: str
    """Slug of the include and of its pools."""
    display_name: str
    """Display name. 1 to 128 characters."""
    unit: Literal["credits", "micros"]
    """Unit of `amount`."""
    amount: Amount
    """Amount of each grant, in micros or millionths of a credit. An integer as a decimal string."""
    price: NotRequired[Amount | None]
    """Separate price of the include, in micros. Null means that the include is free. An integer as a
    decimal string.
    """
    then_on_demand: NotRequired[bool]
    """Whether the wallet and on-demand billing cover usage after this pool is exhausted. `True` when
    left out.
    """
    recurring: NotRequired[bool]
    """Whether the amount is granted every period. False means once, at sign-up. `True` when left out."""
    spillover_to: NotRequired[str | None]
    """Source that pays the rest of a request when the pool is exhausted.

    - A slug means that include of the bundle.
    - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
    paid, oldest.
    - Null means no other pool. `then_on_demand` then decides whether the wallet and on-demand billing
    pay. `*` when left out.
    """
    models: NotRequired[Sequence[str] | None]
    """Models that the pool can pay for. Null means every model in the bundle. An empty list means no
    model. At most 200 of them. `None` when left out.
    """
    rollover: NotRequired[WantedBundleParamIncludesRollover | None]
    """Part of a recurring include that is carried over at the end of a month. Null means that the
    unspent amount expires. `None` when left out.
    """


class WantedBundleParam(TypedDict):
    """A bundle with its patterns, prices and includes."""
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
    allow: NotRequired[Sequence[str] | None]
    """Models that end users of the bundle can use. Defaults to `[]`. Omit to keep the current value; set
    to None to reset it to the default.
    """
    deny: NotRequired[Sequence[str] | None]
    """Exceptions to `allow`. Defaults to `[]`. Omit to keep the current value; set to None to reset it
    to the default.
    """
    prices: NotRequired[Sequence[WantedBundleParamPrices] | None]
    """Sell prices and credit prices, by model. Defaults to `[]`. Omit to keep the current value; set to
    None to reset it to the default.
    """
    includes: NotRequired[Sequence[WantedBundleParamIncludes] | None]
    """Includes of the bundle, in the order in which they are granted. Defaults to `[]`. Omit to keep the
    current value; set to None to reset it to the default.
    """
    default: NotRequired[bool | None]
    """Whether new end users get this bundle. At most one bundle can be the default. Defaults to `False`.
    Omit to keep the current value; set to None to reset it to the default.
    """


class WantedModelParamCeilings(TypedDict):
    output_tokens: NotRequired[int]
    """Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend
    it. Providers whose API requires a maximum receive this value. From 1 to 10000000.
    """


class WantedModelParam(TypedDict):
    """A model name with its sources."""
    name: str
    """Name of the model, as end users request it."""
    sources: NotRequired[Sequence[ModelSourceParam | types.ModelSource]]
    """Provider accounts and their models, in the order in which they are tried. Required on creation.
    Omit to keep the current value. 1 to 16 of them.
    """
    ceilings: NotRequired[WantedModelParamCeilings | None]
    """Limits for requests that do not set their own. Defaults to `{}`. Omit to keep the current value;
    set to None to reset it to the default.
    """
    enabled: NotRequired[bool | None]
    """Whether the model is enabled. `models.disable` disables it. Defaults to `True`. Omit to keep the
    current value; set to None to reset it to the default.
    """


class WantedOutcomeParam(TypedDict):
    """An outcome that accepts runs."""
    slug: str
    """Slug of the outcome. Requests send it as `svc.outcome`."""
    display_name: NotRequired[str]
    """Display name. Required on creation. Omit to keep the current value. 1 to 128 characters."""
    ceiling_micros: NotRequired[Amount]
    """Maximum spend of one run, in micros. Required on creation. Omit to keep the current value. An
    integer as a decimal string.
    """


class WantedRouterParam(TypedDict):
    """A router: a name that routes requests to several targets."""
    name: str
    """Name of the router, as end users request it."""
    policy: NotRequired[Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"]]
    """Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight.
    `cheapest`: by expected cost of the request. `fastest`: by time to the first token. `leastBusy`:
    by requests in flight. `sticky`: the same target for each end user or session. Required on
    creation. Omit to keep the current value.
    """
    sticky_by: NotRequired[Literal["end_user", "session"] | None]
    """Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
    target. Defaults to `end_user`. Omit to keep the current value; set to None to reset it to the
    default.
    """
    targets: NotRequired[Sequence[RouterTargetParam | types.RouterTarget]]
    """Targets of the router. Required on creation. Omit to keep the current value. 1 to 64 of them."""
    attempts: NotRequired[RouterAttemptRulesParam | types.RouterAttemptRules | None]
    """Rules for attempts. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the current
    value; set to None to reset it to the default.
    """


class WeeklyHoursParam(TypedDict):
    """Opening hours on some days of the week, in UTC."""
    days: Sequence[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]
    """Days on which the gateway opens. 1 to 7 of them."""
    from_: str
    """Opening time, in hours and minutes (UTC)."""
    until: str
    """Closing time (UTC). If it is not later than `from`, the gateway closes on the following day.
    `24:00` is the end of the day.
    """


RouterTargetParam: TypeAlias = RouterTargetAliasParam | types.RouterTargetAlias | RouterTargetRouterParam | types.RouterTargetRouter | RouterTargetSourceParam | types.RouterTargetSource
"""A target of a router: an `alias`, a `router`, or a `provider` with a `model`."""
