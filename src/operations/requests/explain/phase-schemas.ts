/** A number that was not measured is null. Amounts are decimal strings of micros. Times are milliseconds. */
import * as z from 'zod'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { factsOf } from '#money/price.ts'
import { countedDimensions, type UsageCount } from '#money/usage-counts.ts'

const Amount = z.string().regex(/^-?(0|[1-9][0-9]*)$/)

const amount = (description: string) => Amount.nullish().meta({ description })
const count = (description: string) => z.int().nullish().meta({ description })
const word = (description: string) => z.string().nullish().meta({ description })
const flag = (description: string) => z.boolean().nullish().meta({ description })
const at = (description: string) => z.string().nullish().meta({ description, format: 'date-time' })

/** Allows additional fields, because some requests have them. */
const phase = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  z.looseObject(shape).meta({ id, description }).nullable()

export const legs = z
  .array(
    z
      .looseObject({
        sourceId: word('Name of the source in the ledger: `wallet`, a pool, or a month of on-demand usage.'),
        kind: word('Kind of the source: `wallet`, `pool` or `on_demand`.'),
        unit: word('Unit of `amount`: `micros`, or `credits` for millionths of a credit.'),
        amount: amount('Amount held at the source, or paid from the source after settlement, in `unit`.'),
        micros: amount("Value of `amount`, in micros. The source pays this part of the request's price."),
      })
      .meta({
        id: 'ExplainedLeg',
        description: 'Amount held from one source. After settlement, the amount paid from this source.',
      }),
  )
  .nullish()

export const Auth = phase('ExplainedAuth', 'Key and end user of the request.', {
  keyId: word('ID of the key, `key_…`.'),
  keyPrefix: word('First characters of the key, safe to display. Null if the key is no longer known.'),
  keyName: word('Label of the key.'),
  endUserId: word('ID of the end user, `eu_…`.'),
  mode: word('Mode of the request: `live` or `test`.'),
})

const disputeReasons = [
  'another_model',
  'unpriced_web_search',
  'unpriced_service_tier',
  'stated_cost',
] as const

export const DisputeReason = z.enum(disputeReasons).meta({
  description:
    'Reason why a cost is disputed.\n- `another_model`: another model answered (`route.answeredBy`).\n- `unpriced_web_search`: the provider reported web searches, and the price of the account has no rate for them. The computed cost of these searches is 0.\n- `unpriced_service_tier`: the provider served the request in a service tier or region (`usage.serviceTier`) for which `serviceTiers` of the price has no factor.\n- `stated_cost`: over the last ten requests of the account and model, the costs stated by the provider differ by more than 3 % from the costs computed by the gateway.',
})

export const Policy = phase('ExplainedPolicy', 'Bundle of the end user, and its rules.', {
  bundle: word('Slug of the bundle.'),
  terminationPolicy: word(
    'Termination policy of the bundle: what happens to a stream after its hold is used up.',
  ),
  debitBasis: word('Price used to compute holds and charges: `provider_cost` or `sell_price`.'),
  maxOverdraftMicros: amount('Maximum charge above the hold, in micros. Null unless the policy is `grace`.'),
  configVersion: count('Version of the configuration that applied to the request.'),
  outcome: word('Slug of the requested outcome. Set only for rejected and failed requests.'),
  run: word('ID of the requested run. Set only for rejected and failed requests.'),
  limits: z
    .array(
      z.looseObject({
        name: word(
          'Kind of the limit: `outcome_run`, `key_cap`, `portal_total`, `bundle_limit` or `end_user_limit`.',
        ),
        scope: word(
          'Identifies the limit. The value depends on `name`:\n- `outcome_run`: the ID of the run.\n- `key_cap`: the ID of the key.\n- `portal_total`: always `portal`.\n- `bundle_limit`: the slug of the bundle.\n- `end_user_limit`: the window of the limit, such as `month`.',
        ),
        limitMicros: amount('Maximum spend in the period, in micros.'),
        usedMicros: amount('Amount charged for earlier requests in the same period, in micros.'),
        heldMicros: amount('Amount held by other requests in flight, in micros.'),
        availableMicros: amount(
          'Amount available for this request, in micros. Negative if the limit was exceeded.',
        ),
        resetsAt: at('When the limit resets. Null if the limit never resets.'),
        verdict: word('`refused` if this limit rejected the request, otherwise `pass`.'),
      }),
    )
    .nullish()
    .meta({ description: 'Limits that applied to the request, with their values at that time.' }),
})

const worstCase = {
  inputTokensMax: count('Maximum input tokens.'),
  inputMicros: word(
    'Maximum cost of input and fees, in micros, before `multiplier` is applied. The value is an exact decimal.',
  ),
  outputTokensMax: count('Maximum output tokens, over all choices.'),
  outputRate: amount('Most expensive rate that can apply to output, in micros per million tokens.'),
  multiplier: amount('Multiplier of the service tier, in thousandths.'),
  feesMicros: word(
    'Maximum fees of tools and of storage, in micros, to which `multiplier` does not apply. The value is an exact decimal. Omitted if `inputMicros` includes these fees.',
  ),
  micros: amount('Worst-case cost, in micros. Only this sum is rounded up.'),
  formula: word('Calculation of the worst-case cost, as text.'),
}

export const Quote = phase('ExplainedQuote', 'Prices and maximum usage of the request.', {
  quoteId: word(
    'ID of the quote, which contains the prices and the policy of the request. Requests with the same ID have the same prices.',
  ),
  cost: z.unknown().meta({ description: 'Price of the provider account.' }),
  sell: z.unknown().meta({ description: 'Sell price of the bundle.' }),
  credits: z.unknown().meta({ description: 'Price in credits. Null if no credit pool can pay.' }),
  bound: z
    .unknown()
    .meta({ description: 'Maximum usage of the request. Null unless the request is in flight.' }),
  textTokensMax: count('Maximum text input tokens.'),
  textTokensBy: word('Method that counted `textTokensMax`: `bytes` or `tokenizer`.'),
  audioTokensMax: count('Maximum audio input tokens.'),
  imageTokensMax: count('Maximum image input tokens.'),
  inputTokensEstimated: count(
    'Estimated input tokens. The estimate is charged if the provider reports no usage.',
  ),
  outputTokensAsked: count(
    'Maximum output tokens per choice, as set by the client. Null if the client set no maximum.',
  ),
  choices: count('Number of requested choices.'),
  serviceTier: word('Requested service tier. Null for the default tier.'),
  tools: z
    .looseObject({
      kinds: z.array(z.string()).nullish().meta({ description: 'Kinds of the tools, such as `webSearch`.' }),
      uses: count(
        'Number of uses that the first hold covers. A stream extends the hold when further uses begin.',
      ),
      usesMax: count('Maximum number of uses, as sent to the provider.'),
      tokensPerUse: count('Number of input tokens that the hold covers for one use.'),
      searchesPerUse: count('Number of web searches that are billed for one use: 0 or 1.'),
      feePerUse: amount('Price of one use, in micros, in addition to the price of its tokens.'),
    })
    .nullish()
    .meta({
      description:
        'Part of the hold that covers tools run by the provider. Omitted if the request has no tool that the provider runs at a cost.',
    }),
  uses: z.record(z.string(), z.int()).nullish().meta({
    description:
      'Units that the hold covers in addition to tokens, such as `searchUnits`. Omitted if the request uses only tokens.',
  }),
  worstCase: z
    .looseObject({
      ...worstCase,
      target: word(
        'Target whose price determined the hold of a routed request, `label/model`. This target is the most expensive target that the hold covers. Null if the request had only one target.',
      ),
    })
    .nullish()
    .meta({ description: 'Calculation of the hold.' }),
})

export const Reserve = phase('ExplainedReserve', 'The hold and its sources.', {
  holdId: word('ID of the hold, `hold_…`.'),
  worstMicros: amount('Amount that the request holds now, or held when the request ended, in micros.'),
  firstWorstMicros: amount('Amount of the first hold, in micros.'),
  extendedMicros: amount('Amount by which a stream extended the hold, in micros.'),
  worstCredits: amount('Amount held from credit pools, in millionths of a credit.'),
  outputTokensPerChoice: count('Maximum output tokens per choice that the hold covers.'),
  inputTokensEstimated: count(
    'Estimated input tokens. The estimate is charged if the provider reports no usage. Omitted unless the request is in flight.',
  ),
  isClamped: flag('Whether the output was limited to less than requested because the balance was too low.'),
  waitedMs: count(
    'Time that the request waited for money held by other requests, in milliseconds. Null if the request did not wait.',
  ),
  walletPostedMicros: amount('Wallet balance when the hold was placed, in micros.'),
  walletHeldBeforeMicros: amount('Amount of the wallet that was held before this request, in micros.'),
  walletHeldMicros: amount('Amount of the wallet that was held after this request was admitted, in micros.'),
  legs: legs.meta({
    description:
      'Amount that the first hold takes from each source, in the order in which sources are spent.',
  }),
})

export const Route = phase('ExplainedRoute', 'Chosen provider account and model, and the other targets.', {
  provider: word('Provider kind.'),
  account: word('Label of the provider account. Null if the account was deleted.'),
  accountId: word('ID of the provider account, `pa_…`.'),
  model: word("The provider's model ID."),
  answeredBy: word(
    'Model that answered, as the provider states it. Omitted if the provider states the requested model, a snapshot of this model, or no model.',
  ),
  upstreamWire: word(
    'Wire format of the request to the provider, if this format differs from the wire format of the client.',
  ),
  lost: z
    .array(z.string())
    .optional()
    .meta({ description: 'Request fields that were not sent to the provider.' }),
  router: word(
    'Requested router. Null if the requested name is a model, or if no routing decision was needed.',
  ),
  policy: word('Policy that orders the targets of the router. Null if `router` is null.'),
  candidates: z
    .array(
      z.looseObject({
        path: z.array(z.string()).nullish().meta({
          description:
            'Names through which the target is reached, starting with the requested name. Null if the requested name is the only one.',
        }),
        provider: word('Provider kind.'),
        account: word('Label of the provider account. Null if the account was deleted.'),
        accountId: word('ID of the provider account, `pa_…`.'),
        model: word("The provider's model ID."),
        price: z
          .looseObject({
            input: amount(
              'Rate per million input tokens, in micros. Null if the price has no rate for these tokens.',
            ),
            output: amount(
              'Rate per million output tokens, in micros. Null if the price has no rate for these tokens.',
            ),
          })
          .nullish()
          .meta({
            description:
              'Input and output rates from which charges at this target are computed. Tiers for large inputs are not included. Null if the target has no price.',
          }),
        worstCase: z.looseObject(worstCase).nullish().meta({
          description: 'Worst-case cost of the request at this target. Null if the target has no price.',
        }),
        skipped: word('Reason why the target was skipped. Null if the target was not skipped.'),
        skipCode: word(
          'Code of the reason: `disabled`, `unpriced`, `test_only`, `unsupported`, `context_too_small`, `condition`, `max_in_flight`, `circuit_open`, `too_dear` or `repeated`. If the request ended before this target was tried: `not_moved_on` (the error allows no other target), `within_ms` or `attempts_max` (a limit of the router was reached). `sent_once`: the request continues a stored conversation, and such a request is sent to only one target.',
        ),
      }),
    )
    .nullish()
    .meta({ description: 'All possible targets, in the order in which they are tried.' }),
})

export const Attempt = z
  .looseObject({
    n: count('Number of the attempt, starting with 1.'),
    provider: word('Provider kind.'),
    account: word('ID of the provider account, `pa_…`.'),
    target: word('Label of the account and model, `label/model`.'),
    status: count('HTTP status of the response. Null if no response was received.'),
    failure: word(
      'Missed deadline that ended the attempt (`connect`, `first_byte`, `first_token`, `idle` or `total`), or `reset` if the connection was lost. Null in all other cases.',
    ),
    atMs: count('Start of the attempt, in milliseconds since the start of the request.'),
    connectMs: count(
      'Time until the connection was established, in milliseconds. Null if no connection was established or needed.',
    ),
    firstByteMs: count(
      'Time until the response headers were received, in milliseconds. Null if no response was received.',
    ),
    durationMs: count('Duration of the attempt, in milliseconds.'),
    code: word('Error code. Null if the attempt succeeded.'),
    costMicros: amount('Provider cost of the attempt, in micros. Null if unknown.'),
    notRepeated: word(
      '`retry_budget` if this target was not retried because the limit on retries was reached. Null in all other cases.',
    ),
    deadlines: z
      .looseObject({
        connectMs: count('Maximum time until the connection is established, in milliseconds.'),
        firstByteMs: count('Maximum time until the response headers are received, in milliseconds.'),
        firstTokenMs: count(
          'Maximum time from the request to the first text of a streamed response, in milliseconds.',
        ),
        idleMs: count('Maximum time between two chunks of the response, in milliseconds.'),
        totalMs: count('Maximum time for the whole attempt, in milliseconds.'),
      })
      .nullish()
      .meta({
        description:
          "Deadlines that differ from the gateway's default deadlines. Null if no deadline differs.",
      }),
  })
  .meta({ id: 'ExplainedAttempt', description: 'An attempt at a provider.' })

export const Stream = phase(
  'ExplainedStream',
  'Progress of the response. Times are in milliseconds since the start of the request.',
  {
    end: word(
      'How the response ended: `answered`, `cut` (the hold was used up), `left` (the client disconnected) or `failed`.',
    ),
    firstByteMs: count(
      'Time at which the first byte was sent to the client, in milliseconds. Null if no byte was sent.',
    ),
    firstTokenMs: count(
      'Time at which the first text of a stream was sent, in milliseconds. Null for a non-streaming response, or if no text was sent.',
    ),
    lastTokenMs: count('Time at which the last chunk of a stream was sent, in milliseconds.'),
    longestGapMs: count('Longest time between two chunks of a stream, in milliseconds.'),
    tokensPerSecond: z.number().nullish().meta({
      description:
        'Output tokens per second between the first and the last chunk. Null if the stream was too short, or if the response was not streamed.',
    }),
    bytes: count('Number of bytes of a stream that were written to the client.'),
    clientLeftAtMs: count(
      'Time at which the client disconnected before the response ended, in milliseconds. Null if the client did not disconnect.',
    ),
    droppedFrames: count(
      'Number of provider frames that were omitted because they were not JSON and contained no text. Null if no frame was omitted.',
    ),
  },
)

export const Refusal = phase(
  'ExplainedRefusal',
  'Reason for the rejection or failure, with the amounts of the limit or balance that was too low.',
  {
    code: word('Error code.'),
    message: word('Error message that the caller received or would have received.'),
    fix: word('Suggested fix. Null if no fix is known.'),
    fixOperation: word('ID of the operation that applies the fix. Null if no operation applies the fix.'),
    limitSource: word('Limit that rejected the request.'),
    limit: amount('Limit or balance that was too low, in micros. For a pool, the granted amount.'),
    used: amount('Amount of the limit that was already spent, in micros.'),
    held: amount(
      'Amount of the limit that was held by other requests at the time of the rejection, in micros.',
    ),
    requested: amount('Minimum hold of this request, in micros.'),
    available: amount(
      'Remaining amount of the limit, in micros. For a pool, the remaining amount of all sources together.',
    ),
    resetsAt: at('When the limit resets. Null if the limit never resets.'),
    measure: word(
      'Measure of a rate limit, such as `requests` or `tokens`. If this field is set, `limit`, `used`, `held`, `requested` and `available` are in the unit of the measure. Omitted for limits on money.',
    ),
    window: word(
      'Window of the rate limit, such as `minute`. Null if the limit counts requests in flight, because such a limit has no window.',
    ),
    tag: word('Slug of the tag that the limit is set on. Omitted for other limits.'),
    team: word('Slug of the team that the limit is set on. Omitted for other limits.'),
    models: word(
      'Patterns of the model names that the rate limit counts. Omitted if the limit counts all models.',
    ),
    waitSeconds: count('Time until the rate limit allows the request, in seconds.'),
    poolName: word('Display name of the plan pool that renews first.'),
    poolUnit: word(
      'Unit of `poolGranted`, `poolLeft` and `poolRequested`: `micros`, or the name of the credits.',
    ),
    poolGranted: amount(
      'Granted amount of the plan pool that renews first, in the unit `poolUnit`. Credits are returned in millionths.',
    ),
    poolLeft: amount(
      'Remaining amount of the plan pool that renews first, in the unit `poolUnit`. Credits are returned in millionths.',
    ),
    poolRequested: amount(
      'Minimum that this request needs from the plan pool that renews first, in millionths of a credit. Omitted for a pool in micros.',
    ),
    poolRenewsAt: at('When the plan pool renews. Null if the pool does not renew.'),
    onDemand: word('`off` if on-demand billing could have covered the request but was off.'),
    portalUrl: word("Page for the end user: the brand's `topUpUrl` or `payUrl`, or else the portal."),
    topUpUrl: word('Page where the application sells credit.'),
    payUrl: word('Page where the past-due invoice is paid.'),
    invoiceId: word('ID of the past-due invoice that blocks on-demand billing, `inv_…`.'),
    invoiceAmountMicros: amount('Amount of the past-due invoice, in micros.'),
    invoiceDueAt: at('When the past-due invoice was due.'),
    waitedMs: count(
      'Time that the request waited before it was rejected, in milliseconds. Null if the request did not wait.',
    ),
  },
)

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the counts of the table
const usageFields = Object.fromEntries(
  countedDimensions.map(({ count: name, dimension }) => [name, count(factsOf(dimension).usage)]),
) as Readonly<Record<UsageCount, ReturnType<typeof count>>>

export const Usage = phase('ExplainedUsage', 'Usage of the request, with the source of the counts.', {
  tokenSource: word(
    'Source of the counts:\n- `provider_reported`: the provider reported the counts.\n- `estimated`: the gateway counted the tokens, or the reported counts overlap, contradict one another or are incomplete.\n- `recovered`: the counts are from the last checkpoint before a crash.\n- `counted so far`: the request is in flight.',
  ),
  ...usageFields,
  serviceTier: word('Service tier that the provider reports. Null if the provider reports no service tier.'),
  isMediaWithin: flag(
    'Whether the text counts (`input`, `cacheRead`, `cacheWrite` and `cacheWriteLong`) also include audio and image tokens. If true, the exact split between text, audio and images is unknown, and the most expensive possible split is charged.',
  ),
  cacheOverlap: count(
    'Input tokens that the provider charges both as cache reads and as cache writes. Both counts include these tokens. Null if the counts do not overlap.',
  ),
  isAmbiguous: flag(
    'Whether the reported counts contradict one another. If true, the most expensive interpretation of the counts is charged, and `tokenSource` is `estimated`.',
  ),
  outputBeyond: count(
    'Output tokens that the provider sent beyond the maximum of the request, as counted by the gateway. `output` does not include these tokens. These tokens are part of the provider cost, but the end user is not charged for them. Null if the output did not exceed the maximum of the request.',
  ),
  statedCostNanos: z.number().nullish().meta({
    description:
      'Cost that the provider states, in thousandths of a micro. `settle.costMicros` is the cost that the gateway computed.',
  }),
  inWireTerms: z.record(z.string(), z.number()).nullish().meta({
    description:
      "Usage counts with the field names of the provider's wire format. The counts are computed from the other fields of `usage`, because the provider's own usage object is not stored. Null if the wire format is unknown.",
  }),
})

export const Settle = phase('ExplainedSettle', 'Charge of the request, and the released part of the hold.', {
  chargeMicros: amount(figures.chargeMicros.description),
  releasedMicros: amount('Amount that was held and not charged, in micros.'),
  aboveHoldMicros: amount(
    'Amount charged above the hold, in micros. The termination policy `grace` allows up to `policy.maxOverdraftMicros`; `complete_message` sets no limit.',
  ),
  usageRecordId: word('ID of the usage record, `ur_…`. Events and exports contain the same ID.'),
  billedMicros: amount(figures.billedMicros.description),
  costMicros: amount(figures.costMicros.description),
  failedAttemptsMicros: amount('Cost of the failed attempts, in micros. Included in `costMicros`.'),
  assumedMicros: amount(
    'Part of `costMicros` that was computed at assumed rates, in micros. The price lines show the assumed rates.',
  ),
  revenueMicros: amount(
    'Revenue of the request, in micros: paid wallet money and on-demand usage. Omitted for requests recorded by an older gateway version, which did not store which source paid.',
  ),
  marginMicros: amount(
    '`revenueMicros` minus `costMicros`, in micros. Negative for a loss. Omitted if `revenueMicros` is omitted.',
  ),
  overHoldMicros: amount(figures.overHoldMicros.description),
  isEstimated: flag('Whether `usage.tokenSource` is `estimated`.'),
  isRecovered: flag('Whether another process settled the request after a crash.'),
  isOverHold: flag('Whether the amount of the usage exceeded the hold.'),
  isDisputed: flag(
    'Whether the provider may charge the account an amount other than `costMicros`. Null if the provider states no cost and no reason for another amount is known. `disputedBecause` has the reasons.',
  ),
  disputedBecause: z.array(DisputeReason).nullish().meta({
    description: 'Reasons why the cost is disputed. Empty if the cost is not disputed.',
  }),
  isLate: flag('Whether the request was settled more than a minute after its end.'),
  legs: legs.meta({ description: 'Amount that each source paid, in the order in which sources are spent.' }),
  ledgerEntryIds: z
    .array(z.string())
    .nullish()
    .meta({ description: 'IDs of the ledger entries of the request, `led_…`.' }),
  outcome: word('Slug of the outcome. Null if the request counted toward no outcome.'),
  outcomeRun: word('ID of the run. Null if the request belonged to no run.'),
  settledAt: at('When the request was settled.'),
})
