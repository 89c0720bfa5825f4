# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from ..inputs import Amount
from . import types


class ConfigurationAccountParam(TypedDict):
    """A provider account that must be there. Never its credential."""
    label: str
    """Label of the account."""
    kind: Literal["openai", "anthropic", "google", "openai_compatible", "simulator"]
    """Its protocol. The simulator is built in and answers without a network."""


class ConfigurationApplicationParam(TypedDict):
    """What the application says of itself."""
    name: str
    """Name for people. 1 to 128 characters."""


class EndUserLimitParam(TypedDict):
    """The most that an end user can spend per window, over all keys and plans in one mode."""
    measure: Literal["micros"]
    """What the limit counts. `micros` counts what requests are charged, whichever source pays."""
    window: Literal["day", "week", "month", "total"]
    """Calendar window (UTC) after which the limit resets. Weeks start on Monday; `total` never resets."""
    most: Amount
    """Maximum spend per window, in micros. 0 rejects every request. An integer as a decimal string."""


class ModelSourceParam(TypedDict):
    """An account and one of its models."""
    provider: str
    """Label of the provider account."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""


class NewCredentialParam(TypedDict):
    """What `navigator.credentials.create` returned for the challenge."""
    id: str
    """`id` of the credential that the browser returned, base64url. At most 1400 characters."""
    client_data_json: str
    """`response.clientDataJSON` of the credential, base64url. At most 8192 characters."""
    attestation_object: str
    """`response.attestationObject` of the credential, base64url. At most 32768 characters."""


class PriceParam(TypedDict):
    """Rates per million tokens, or per use, in micros. A price in credits has the same rates in
    millionths of a credit. An absent rate is no price.
    """
    input: NotRequired[Amount]
    """Rate per million tokens of input, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    cache_read: NotRequired[Amount]
    """Rate per million tokens of cached input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    cache_write: NotRequired[Amount]
    """Rate per million tokens of input written to the cache, in micros. In a price in credits: in
    millionths of a credit. An integer as a decimal string.
    """
    cache_write_long: NotRequired[Amount]
    """Rate per million tokens of input written to the cache for long, in micros. In a price in credits:
    in millionths of a credit. An integer as a decimal string.
    """
    audio_input: NotRequired[Amount]
    """Rate per million tokens of audio input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_input: NotRequired[Amount]
    """Rate per million tokens of image input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    output: NotRequired[Amount]
    """Rate per million tokens of output, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    reasoning: NotRequired[Amount]
    """Rate per million tokens of reasoning output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    audio_output: NotRequired[Amount]
    """Rate per million tokens of audio output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_output: NotRequired[Amount]
    """Rate per million tokens of image output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    request: NotRequired[Amount]
    """Rate per request, in micros. In a price in credits: in millionths of a credit. An integer as a
    decimal string.
    """
    web_search: NotRequired[Amount]
    """Rate per web search of the provider, in micros. In a price in credits: in millionths of a credit.
    An integer as a decimal string.
    """
    tiers: NotRequired[Sequence[PriceTierParam | types.PriceTier]]
    """Rates of large inputs, ascending. At most 16 of them."""
    service_tiers: NotRequired[Mapping[str, Amount]]
    """Multipliers in thousandths, by service tier."""


class PriceTierParam(TypedDict):
    """Rates in place of the plain ones for a large input."""
    above_input_tokens: int
    """The rates hold when the whole input is larger than this."""
    input: NotRequired[Amount]
    """Rate per million tokens of input, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    cache_read: NotRequired[Amount]
    """Rate per million tokens of cached input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    cache_write: NotRequired[Amount]
    """Rate per million tokens of input written to the cache, in micros. In a price in credits: in
    millionths of a credit. An integer as a decimal string.
    """
    cache_write_long: NotRequired[Amount]
    """Rate per million tokens of input written to the cache for long, in micros. In a price in credits:
    in millionths of a credit. An integer as a decimal string.
    """
    audio_input: NotRequired[Amount]
    """Rate per million tokens of audio input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_input: NotRequired[Amount]
    """Rate per million tokens of image input, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    output: NotRequired[Amount]
    """Rate per million tokens of output, in micros. In a price in credits: in millionths of a credit. An
    integer as a decimal string.
    """
    reasoning: NotRequired[Amount]
    """Rate per million tokens of reasoning output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    audio_output: NotRequired[Amount]
    """Rate per million tokens of audio output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    image_output: NotRequired[Amount]
    """Rate per million tokens of image output, in micros. In a price in credits: in millionths of a
    credit. An integer as a decimal string.
    """
    request: NotRequired[Amount]
    """Rate per request, in micros. In a price in credits: in millionths of a credit. An integer as a
    decimal string.
    """
    web_search: NotRequired[Amount]
    """Rate per web search of the provider, in micros. In a price in credits: in millionths of a credit.
    An integer as a decimal string.
    """


class RouterAttemptRulesParam(TypedDict):
    """How targets are tried."""
    within_ms: NotRequired[int]
    """No attempt begins later than so many milliseconds after the first one. 120000 when left out. From
    0 to 3600000.
    """
    attempts_max: NotRequired[int]
    """Calls to providers for one call, the first included. 5 when left out. From 1 to 50."""
    retries_per_target: NotRequired[int]
    """How often one target is asked again after a quick 429 or 5xx before the next one is; never after a
    deadline. Defaults to 1. From 0 to 10.
    """
    also_moves_on: NotRequired[Sequence[int]]
    """HTTP statuses at which the next target is tried, besides the usual ones. At most 50 of them."""
    never_moves_on: NotRequired[Sequence[int]]
    """HTTP statuses at which no other target is tried, although one usually is. At most 50 of them."""
    on_context_length: NotRequired[Literal["next", "fail"]]
    """What happens if the request is too long for a target. `next`: the next target that may have more
    room is tried; `fail`: the call fails. Defaults to `next`.
    """
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of each attempt, in place of the gateway's own."""


class RouterConditionParam(TypedDict):
    """What a call must be, all of it."""
    bundles: NotRequired[Sequence[str]]
    """Slugs: the caller's bundle is one of them. 1 to 100 of them."""
    features: NotRequired[Sequence[Literal["tools", "images", "audio", "documents", "json", "reasoning", "stream"]]]
    """What the request needs: all of these. 1 to 7 of them."""
    input_tokens_min: NotRequired[int]
    """Tokens of input, as the gateway estimates them, at least. From 0 to 100000000."""
    input_tokens_max: NotRequired[int]
    """Tokens of input, as the gateway estimates them, at most. From 0 to 100000000."""
    mode: NotRequired[Literal["live", "test"]]
    """Mode of the caller's key."""


class RouterTargetAliasParam(TypedDict):
    """A model name of the application."""
    alias: str
    """A model name of the application."""
    weight: NotRequired[int]
    """Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000."""
    max_in_flight: NotRequired[int]
    """The most calls in flight through it, in one server process; left out: any number. From 1 to
    1000000.
    """
    when: NotRequired[RouterConditionParam | types.RouterCondition]
    """What a call must be for it to be taken, all of it; left out: any call."""
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of an attempt here, in place of the router's."""


class RouterTargetRouterParam(TypedDict):
    """Another router of the application."""
    router: str
    """Another router of the application."""
    weight: NotRequired[int]
    """Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000."""
    max_in_flight: NotRequired[int]
    """The most calls in flight through it, in one server process; left out: any number. From 1 to
    1000000.
    """
    when: NotRequired[RouterConditionParam | types.RouterCondition]
    """What a call must be for it to be taken, all of it; left out: any call."""
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of an attempt here, in place of the router's."""


class RouterTargetSourceParam(TypedDict):
    """A model of a provider account."""
    provider: str
    """Label of a provider account; with `model`."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    weight: NotRequired[int]
    """Under `weighted` its share: its weight of the sum of all. 1 when left out. From 1 to 1000000."""
    max_in_flight: NotRequired[int]
    """The most calls in flight through it, in one server process; left out: any number. From 1 to
    1000000.
    """
    when: NotRequired[RouterConditionParam | types.RouterCondition]
    """What a call must be for it to be taken, all of it; left out: any call."""
    timeouts: NotRequired[RouterTimeoutsParam | types.RouterTimeouts]
    """Deadlines of an attempt here, in place of the router's."""


class RouterTimeoutsParam(TypedDict):
    """Deadlines of one attempt."""
    connect_ms: NotRequired[int]
    """To a connection, in milliseconds. From 1 to 60000."""
    first_byte_ms: NotRequired[int]
    """From the request to the head of its answer. Defaults to a third of `within_ms`, at most 120,000,
    while another target is left, in milliseconds. From 1 to 600000.
    """
    first_token_ms: NotRequired[int]
    """From the request to the first text of a streamed answer. Defaults to 10,000 and 1,000 more for
    each 10,000 tokens of input while another target is left, and to no limit otherwise or for a model
    that reasons, in milliseconds. From 1 to 600000.
    """
    idle_ms: NotRequired[int]
    """Between two pieces of an answer, in milliseconds. From 1 to 600000."""
    total_ms: NotRequired[int]
    """For the whole attempt, in milliseconds. From 1 to 3600000."""


class UsedCredentialParam(TypedDict):
    """What `navigator.credentials.get` returned for the challenge."""
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
    """The model name, exactly."""
    price: NotRequired[PriceParam | types.Price | None]
    """Sell price; None: sold at cost."""
    credits: NotRequired[PriceParam | types.Price | None]
    """Credit price, in millionths of a credit; None: credits cannot pay for it."""


class WantedBundleParamIncludesRollover(TypedDict):
    percent: int
    """Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100."""
    periods_max: int
    """How many times the same units are carried over, at most 12. From 1 to 12."""


class WantedBundleParamIncludes(TypedDict):
    slug: str
    """Slug of the include and of its pools."""
    display_name: str
    """Name for people. 1 to 128 characters."""
    unit: Literal["credits", "micros"]
    """What `amount` counts."""
    amount: Amount
    """Granted each time: micros, or millionths of a credit. An integer as a decimal string."""
    price: NotRequired[Amount | None]
    """Its separate price, in micros; None: none. An integer as a decimal string."""
    then_on_demand: NotRequired[bool]
    """Whether wallet and on-demand may pay once it is spent. `True` when left out."""
    recurring: NotRequired[bool]
    """True: granted every period; false: once, at sign-up. `True` when left out."""
    spillover_to: NotRequired[str | None]
    """What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers
    the call and comes next (fewest models, soonest end, free before paid, oldest); None: none, and
    then `then_on_demand` says whether wallet and on-demand do. `*` when left out.
    """
    models: NotRequired[Sequence[str] | None]
    """Models it may pay for; None: all that the bundle allows; empty: none. At most 200 of them. `None`
    when left out.
    """
    rollover: NotRequired[WantedBundleParamIncludesRollover | None]
    """What is carried over of a recurring include at the end of a month. Null: nothing, the rest
    expires. `None` when left out.
    """


class WantedBundleParam(TypedDict):
    """A bundle with all that it allows, sells and includes."""
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
    allow: NotRequired[Sequence[str] | None]
    """Models that its end users may call. Defaults to `[]`. Omit to keep the current value; set to None
    to reset it to the default.
    """
    deny: NotRequired[Sequence[str] | None]
    """Exceptions from `allow`. Defaults to `[]`. Omit to keep the current value; set to None to reset it
    to the default.
    """
    prices: NotRequired[Sequence[WantedBundleParamPrices] | None]
    """Sell prices and credit prices, by model. Defaults to `[]`. Omit to keep the current value; set to
    None to reset it to the default.
    """
    includes: NotRequired[Sequence[WantedBundleParamIncludes] | None]
    """Its grants, in the order they are made. Defaults to `[]`. Omit to keep the current value; set to
    None to reset it to the default.
    """
    default: NotRequired[bool | None]
    """Whether new end users get it; of one bundle at most. Defaults to `False`. Omit to keep the current
    value; set to None to reset it to the default.
    """


class WantedModelParamCeilings(TypedDict):
    output_tokens: NotRequired[int]
    """Output tokens that are held for an answer when the request names no maximum: all of a whole one,
    and a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
    """


class WantedModelParam(TypedDict):
    """A model name."""
    name: str
    """The name for end users."""
    sources: NotRequired[Sequence[ModelSourceParam | types.ModelSource]]
    """Accounts and models, in the order they are tried. Required on creation; omit to keep the current
    value. 1 to 16 of them.
    """
    ceilings: NotRequired[WantedModelParamCeilings | None]
    """Bounds for requests that name none. Defaults to `{}`. Omit to keep the current value; set to None
    to reset it to the default.
    """
    enabled: NotRequired[bool | None]
    """False: `models.disable` stopped it. Defaults to `True`. Omit to keep the current value; set to
    None to reset it to the default.
    """


class WantedOutcomeParam(TypedDict):
    """An outcome."""
    slug: str
    """What calls name in `svc.outcome`."""
    display_name: NotRequired[str]
    """Name for people. Required on creation; omit to keep the current value. 1 to 128 characters."""
    ceiling_micros: NotRequired[Amount]
    """Spend ceiling of one run, in micros. Required on creation; omit to keep the current value. An
    integer as a decimal string.
    """


class WantedRouterParam(TypedDict):
    """A name with several ways to answer."""
    name: str
    """The name for end users."""
    policy: NotRequired[Literal["priority", "weighted", "cheapest", "fastest", "leastBusy", "sticky"]]
    """How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight;
    `cheapest`: what this very call is expected to cost; `fastest`: the time to the first token;
    `leastBusy`: calls in flight; `sticky`: the same person or session stays at one. Required on
    creation; omit to keep the current value.
    """
    sticky_by: NotRequired[Literal["end_user", "session"] | None]
    """What `sticky` keeps on one target: the requests of an end user, or requests with the same
    `svc.session`. Defaults to `end_user`. Omit to keep the current value; set to None to reset it to
    the default.
    """
    targets: NotRequired[Sequence[RouterTargetParam | types.RouterTarget]]
    """The ways to answer. Required on creation; omit to keep the current value. 1 to 64 of them."""
    attempts: NotRequired[RouterAttemptRulesParam | types.RouterAttemptRules | None]
    """How targets are tried. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the
    current value; set to None to reset it to the default.
    """


class WeeklyHoursParam(TypedDict):
    """The same opening hours on some days of the week, in UTC."""
    days: Sequence[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]
    """Days on which it opens. 1 to 7 of them."""
    from_: str
    """When it opens: hours and minutes, UTC."""
    until: str
    """When it closes, UTC. Not later than `from`: on the day after. `24:00` ends the day."""


RouterTargetParam: TypeAlias = RouterTargetAliasParam | types.RouterTargetAlias | RouterTargetRouterParam | types.RouterTargetRouter | RouterTargetSourceParam | types.RouterTargetSource
"""One way to answer: an `alias`, a `router`, or a `provider` with a `model`."""
