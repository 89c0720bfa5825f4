/**
 * The response of requests.explain, phase by phase. A phase that was not reached is null, as is a number that was not
 * measured. Amounts are decimal strings of micros; times are milliseconds.
 */
import * as z from 'zod'
import { emitterKindNames } from '#domain/emitter-kinds.ts'
import { SignedMicros, Timestamp } from '#operations/schemas.ts'
import { LedgerEntryView } from '#operations/users/ledger.ts'
import { PriceLines } from './price-lines.ts'
import { RequestView } from './request-view.ts'

const Amount = z.string().regex(/^-?(0|[1-9][0-9]*)$/)

const amount = (description: string) => Amount.nullish().meta({ description })
const count = (description: string) => z.int().nullish().meta({ description })
const word = (description: string) => z.string().nullish().meta({ description })
const flag = (description: string) => z.boolean().nullish().meta({ description })
const at = (description: string) => z.string().nullish().meta({ description, format: 'date-time' })

/** A phase is a loose object, because some requests have additional fields. */
const phase = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  z.looseObject(shape).meta({ id, description }).nullable()

const legs = z
  .array(
    z
      .looseObject({
        sourceId: word('The source, as the ledger names it: `wallet`, a pool, a month of on-demand.'),
        kind: word('`wallet`, `pool` or `on_demand`.'),
        unit: word('What `amount` counts: `micros`, or `credits` in millionths.'),
        amount: amount('What it backed or paid, in its own unit.'),
        micros: amount('What that stands for in the price of the call, in micros.'),
      })
      .meta({ id: 'ExplainedLeg', description: 'What one source backed, or paid.' }),
  )
  .nullish()

const Auth = phase('ExplainedAuth', 'Who called.', {
  keyId: word('Id of the key, `key_…`.'),
  keyPrefix: word('Beginning of the key, safe to show; null: the key is not known any more.'),
  keyName: word('Label of the key.'),
  endUserId: word("The service's id of the person, `eu_…`."),
  mode: word('`live` or `test`.'),
})

const Policy = phase('ExplainedPolicy', 'The bundle and its rules.', {
  bundle: word('Slug of the bundle.'),
  terminationPolicy: word('What a stream does that has spent its hold.'),
  debitBasis: word('The price that holds and charges are computed from: `provider_cost` or `sell_price`.'),
  maxOverdraftMicros: amount(
    'The most that the bundle lets a call be charged above its hold, in micros. Null unless the policy is `grace`.',
  ),
  configVersion: count('Version of the configuration that it was decided on.'),
  limits: z
    .array(
      z.looseObject({
        name: word('`outcome_run`, `key_cap`, `portal_total`, `bundle_limit` or `end_user_limit`.'),
        scope: word(
          'What the limit applies to: ID of the run or key, `portal`, slug of the bundle, or window of the end user limit.',
        ),
        limitMicros: amount('The ceiling, in micros.'),
        usedMicros: amount('Charged in its period before this call, in micros.'),
        heldMicros: amount('Held by other calls in flight, in micros.'),
        availableMicros: amount('What it left for this call, in micros; negative: it was exceeded.'),
        resetsAt: at('When its period ends; null: never.'),
        verdict: word('`pass`, or `refused`: this one refused the call.'),
      }),
    )
    .nullish()
    .meta({ description: 'Each ceiling of the call, as it stood when the call was decided.' }),
})

/** How the worst-case cost of a request is computed. */
const worstCase = {
  inputTokensMax: count('Maximum input tokens.'),
  inputMicros: word(
    'Maximum cost of the input and of fees, before the multiplier. An exact decimal, in micros.',
  ),
  outputTokensMax: count('Maximum output tokens, over all choices.'),
  outputRate: amount('Micros per million output tokens, at the most expensive rate that can apply.'),
  multiplier: amount('Multiplier of the service tier, in thousandths.'),
  micros: amount('The result, rounded up once, in micros.'),
  formula: word('The same as a sentence of arithmetic.'),
}

const Quote = phase('ExplainedQuote', 'The prices, and the most that the call could use.', {
  quoteId: word('Version of the prices and of the policy: the same id, the same prices.'),
  cost: z.unknown().meta({ description: 'Price of the provider account.' }),
  sell: z.unknown().meta({ description: 'Price of the bundle.' }),
  credits: z.unknown().meta({ description: 'Price in credits; null: no credit pool can pay.' }),
  bound: z.unknown().meta({ description: 'The most units it may use; while in flight.' }),
  textTokensMax: count('The most tokens that its text can be.'),
  textTokensBy: word('How those were counted: `bytes` or `tokenizer`.'),
  audioTokensMax: count('The most tokens of sound.'),
  imageTokensMax: count('The most tokens of images.'),
  inputTokensEstimated: count('The likely input, charged when the provider reports none.'),
  outputTokensAsked: count('The maximum that the client stated, for each answer; null: none.'),
  choices: count('How many answers were asked for.'),
  serviceTier: word('The service tier that was asked for; null: the usual one.'),
  worstCase: z
    .looseObject({
      ...worstCase,
      target: word(
        'The target at whose price a routed call was held, `label/model`: the most expensive one that the hold covers. Null if there was only one target.',
      ),
    })
    .nullish()
    .meta({ description: 'How the hold was computed.' }),
})

const Reserve = phase('ExplainedReserve', 'The hold and its sources.', {
  holdId: word('Id of the hold, `hold_…`.'),
  worstMicros: amount('What is held, or was at the end, in micros.'),
  firstWorstMicros: amount('What was held at first, in micros.'),
  extendedMicros: amount('What a stream held more as it grew, in micros.'),
  worstCredits: amount('The same in millionths of a credit.'),
  outputTokensPerChoice: count('How long each answer may be, in tokens.'),
  inputTokensEstimated: count('The likely input, charged when the provider reports none; while in flight.'),
  isClamped: flag('Whether that is less than was asked for, for lack of balance.'),
  waitedMs: count('How long it waited for money that other calls held, in milliseconds; null: not at all.'),
  walletPostedMicros: amount('The wallet at that moment, in micros.'),
  walletHeldBeforeMicros: amount('Held of the wallet before this call, in micros.'),
  walletHeldMicros: amount('Held of the wallet with this call, in micros.'),
  legs: legs.meta({ description: 'What each source backs of the first hold, in the order they are spent.' }),
})

const Route = phase('ExplainedRoute', 'The account and model that were chosen.', {
  provider: word('Kind of the provider.'),
  account: word('Label of the account; null: it is gone.'),
  accountId: word('Id of the account, `pa_…`.'),
  model: word("The provider's model id."),
  answeredBy: word(
    'The model that answered, as the provider states it. Omitted if it is the requested model, a snapshot of it, or not stated.',
  ),
  upstreamWire: word("The wire that the provider was asked in, where it is not the client's."),
  lost: z.array(z.string()).optional().meta({ description: 'Fields that the provider was not sent.' }),
  router: word('The router that was asked for; null: the name is a model, or there was nothing to decide.'),
  policy: word('How it puts its targets in order; null: as the router.'),
  candidates: z
    .array(
      z.looseObject({
        path: z.array(z.string()).nullish().meta({
          description:
            'The names through which it is reached, the one asked for first; null: there is only it.',
        }),
        provider: word('Kind of the provider.'),
        account: word('Label of the account; null: it is gone.'),
        accountId: word('Id of the account.'),
        model: word("The provider's model id."),
        price: z
          .looseObject({
            input: amount('Micros per million input tokens. Null if the price has no such rate.'),
            output: amount('Micros per million output tokens. Null if the price has no such rate.'),
          })
          .nullish()
          .meta({
            description: 'Base rates that charges at this target are computed from. Null if unpriced.',
          }),
        worstCase: z.looseObject(worstCase).nullish().meta({
          description:
            'The most that this request could cost at this target. Null if the target has no price.',
        }),
        skipped: word('Why it was passed over; null: it was taken when its turn came.'),
        skipCode: word(
          'The same as a code: `disabled`, `unpriced`, `test_only`, `unsupported`, `context_too_small`, `condition`, `max_in_flight`, `circuit_open`, `too_dear` or `repeated`; or why the call ended before its turn: `not_moved_on`, `within_ms` or `attempts_max`.',
        ),
      }),
    )
    .nullish()
    .meta({ description: 'All that could have answered, in the order they are tried.' }),
})

const Attempt = z
  .looseObject({
    n: count('Its number, from 1.'),
    provider: word('Kind of the provider.'),
    account: word('Id of the account.'),
    target: word('Label of the account and model, `label/model`.'),
    status: count('HTTP status of its answer; null: none came.'),
    failure: word(
      'Stage at which the attempt broke off: `connect`, `first_byte`, `first_token`, `idle`, `total` or `reset`. Null if it did not.',
    ),
    atMs: count('When it began, in milliseconds of the call.'),
    connectMs: count('Until a connection took it, in milliseconds; null: none did, or none is needed.'),
    firstByteMs: count('Until the head of the answer, in milliseconds; null: none came.'),
    durationMs: count('How long it took, in milliseconds.'),
    code: word('Code of the error; null: it answered.'),
    costMicros: amount('What the account is charged for it, in micros; null: nothing is known of it.'),
    notRepeated: word(
      'Why the same target was not asked again: `retry_budget`. Null if no limit prevented it.',
    ),
    deadlines: z
      .looseObject({
        connectMs: count('To a connection.'),
        firstByteMs: count('To the head of the answer.'),
        firstTokenMs: count('From the request to the first text of a streamed answer.'),
        idleMs: count('Between two pieces of it.'),
        totalMs: count('For the whole attempt.'),
      })
      .nullish()
      .meta({
        description:
          "Its deadlines where they differ from the gateway's own, in milliseconds; null: they do not.",
      }),
  })
  .meta({ id: 'ExplainedAttempt', description: 'One try at a provider.' })

const Stream = phase('ExplainedStream', 'The course of the answer. Times are milliseconds of the call.', {
  end: word('`answered`, `cut` (spend), `left` (the client) or `failed`.'),
  firstByteMs: count('The first byte to the client; null: none.'),
  firstTokenMs: count('The first piece of text of a stream; null: whole answer, or none.'),
  lastTokenMs: count('The last piece of a stream.'),
  longestGapMs: count('The longest time between two pieces of a stream, in milliseconds.'),
  tokensPerSecond: z.number().nullish().meta({
    description: 'Tokens out per second between first and last; null: too short to tell, or not streamed.',
  }),
  bytes: count('Bytes of a stream that were written to the client.'),
  clientLeftAtMs: count('When the client left before the end; null: it stayed.'),
  droppedFrames: count(
    'Frames of the provider that were not JSON, carried no words and were omitted. Null if there were none.',
  ),
})

const Refusal = phase('ExplainedRefusal', 'Why it was refused or failed, with the numbers.', {
  code: word('Code of the error.'),
  message: word('The sentence that the caller got, or would have.'),
  fix: word('What mends it; null: nothing that is known.'),
  fixOperation: word('Id of the operation that does it; null: none does.'),
  limitSource: word('The limit that refused it.'),
  limit: amount('The limit or the balance that was too small, in micros. For a pool, what was granted.'),
  used: amount('What was spent of it, in micros.'),
  held: amount('What calls in flight held of it, in micros.'),
  requested: amount('The least that this call would have held, in micros.'),
  available: amount('What was left, in micros: of a limit, or of all sources together.'),
  resetsAt: at('When the limit begins anew; null: never.'),
  poolName: word('Display name of the pool of the plan that renews first.'),
  poolUnit: word('Unit of the amounts of that pool: `micros`, or the name of its credits.'),
  poolGranted: amount('What that pool was granted, in micros or millionths of a credit.'),
  poolLeft: amount('What that pool had left, in micros or millionths of a credit.'),
  poolRenewsAt: at('When that pool is granted again. Null if it is not.'),
  onDemand: word('`off` if on-demand billing could have covered the request and was off.'),
  portalUrl: word("The page to go to: the brand's `topUpUrl` or `payUrl`, else the portal."),
  topUpUrl: word('The page where the application sells credit.'),
  payUrl: word('The page where the past-due invoice is paid.'),
  invoiceId: word('ID of the past-due invoice that keeps on-demand usage from paying, `inv_…`.'),
  invoiceAmountMicros: amount('Amount of that invoice, in micros.'),
  invoiceDueAt: at('When that invoice was due.'),
  waitedMs: count('How long it waited before it was refused, in milliseconds; null: not at all.'),
})

const Usage = phase('ExplainedUsage', 'What was used, and who counted it. Counts are tokens.', {
  tokenSource: word(
    '`provider_reported`; `estimated` if the gateway counted, or if the reported counts overlap, contradict one another or are incomplete; `recovered` after a crash; or `counted so far`.',
  ),
  input: count('Uncached text in.'),
  cacheRead: count('Read from the cache.'),
  cacheWrite: count('Written to the cache.'),
  cacheWriteLong: count('Written to the cache for long.'),
  audioInput: count('Sound in.'),
  imageInput: count('Images in.'),
  output: count('All that came out.'),
  reasoning: count('Of that, reasoning.'),
  audioOutput: count('Of that, sound.'),
  imageOutput: count('Of that, images.'),
  webSearches: count('Web searches, each one.'),
  serviceTier: word('The service tier that the provider reports; null: none.'),
  isMediaWithin: flag(
    'Audio and images are counted within the other input as well, and are charged as if split the dearest way.',
  ),
  isAmbiguous: flag(
    'Whether the reported counts contradict one another. The most expensive reading is charged, and `tokenSource` is `estimated`.',
  ),
  outputBeyond: count(
    "Output tokens in addition to `output` that the provider sent after its maximum, by the gateway's count. The provider account is charged for them, the end user is not. Null if there are none.",
  ),
  statedCostNanos: z.number().nullish().meta({
    description:
      'What the provider says that it cost, in thousandths of a micro, to be compared with `settle.costMicros`.',
  }),
  inWireTerms: z.record(z.string(), z.number()).nullish().meta({
    description:
      "The same counts as the provider's wire counts and names them, made from ours: the provider's own object is not kept. Null: the wire is not known.",
  }),
})

const Settle = phase('ExplainedSettle', 'The charge, and the money given back.', {
  chargeMicros: amount("What left the person's sources, in micros."),
  releasedMicros: amount('What was held and not charged, in micros.'),
  aboveHoldMicros: amount(
    'Charged above the hold, in micros, because the termination policy allows it: up to `policy.maxOverdraftMicros` under `grace`, without a limit under `complete_message`.',
  ),
  usageRecordId: word('ID of the usage record, `ur_…`, which events and exports carry.'),
  billedMicros: amount('What the bundle sells it for, in micros.'),
  costMicros: amount('What the provider account is charged, in micros.'),
  failedAttemptsMicros: amount(
    'The part of `costMicros` that attempts cost which did not answer, in micros.',
  ),
  assumedMicros: amount(
    'The part of `costMicros` computed at assumed rates, in micros. The price lines show which rates were assumed.',
  ),
  revenueMicros: amount(
    'Revenue of the request, in micros: wallet money that was paid for, and on-demand. Omitted for requests recorded before payments were split.',
  ),
  marginMicros: amount('`revenueMicros` less `costMicros`; negative for a loss. Omitted where revenue is.'),
  overHoldMicros: amount('Used beyond the hold, in micros: neither charged nor billed.'),
  isEstimated: flag('The provider told no usage; the gateway counted.'),
  isRecovered: flag('The process died, and another one settled it.'),
  isOverHold: flag('More was used than was held.'),
  isDisputed: flag(
    'Whether the provider account may be charged another price: another model answered (`route.answeredBy`), or the costs that the provider states for the account and model differ from ours by more than 3 % over the last ten calls. Null if the provider stated neither.',
  ),
  isLate: flag('It was settled more than a minute after its end.'),
  legs: legs.meta({ description: 'What each source paid, in the order they are spent.' }),
  ledgerEntryIds: z.array(z.string()).nullish().meta({ description: 'Its ledger entries, `led_…`.' }),
  outcome: word('Slug of the outcome; null: none.'),
  outcomeRun: word('Id of the run; null: none.'),
  settledAt: at('When it was settled.'),
})

const Timeline = z
  .array(
    z.object({
      phase: z.enum(['decide', 'attempt', 'stream', 'settle']).meta({
        description:
          '`decide`: from the request to the hold; `attempt`: a provider works; `stream`: text comes; `settle`: to the end.',
      }),
      atMs: z.int().min(0).meta({ description: 'When it began, in milliseconds of the call.' }),
      durationMs: z.int().min(0).meta({ description: 'How long it took, in milliseconds.' }),
    }),
  )
  .meta({ id: 'ExplainedTimeline', description: 'The phases with a measured time, in order.' })

const EventDelivery = z
  .object({
    emitterId: z.string().meta({ description: 'Id of the emitter, `emt_…`.' }),
    kind: z.enum(emitterKindNames).meta({ description: 'Its kind.' }),
    name: z.string().meta({ description: 'Its label.' }),
    state: z.enum(['waiting', 'delivered', 'not_delivered', 'attempted']).meta({
      description:
        '`waiting`: it was not attempted yet; `delivered` and `not_delivered`: what its newest delivery came to; `attempted`: it was, so long ago that the delivery is not kept.',
    }),
    deliveryId: z.string().nullable().meta({
      description: 'Id of that delivery, `usgb_…`; null here and below: none is kept.',
    }),
    cause: z.enum(['settled', 'replay', 'test']).nullable().meta({
      description: 'Whether it was sent when the call had settled, or again.',
    }),
    sentAt: Timestamp.nullable().meta({ description: 'When its first attempt began.' }),
    attempts: z.int().min(1).nullable().meta({ description: 'Attempts, 1 to 3.' }),
    status: z.int().nullable().meta({ description: 'HTTP status of the last attempt; null: no answer.' }),
    reason: z.string().nullable().meta({ description: 'Why it was not accepted; null: it was.' }),
  })
  .meta({ id: 'ExplainedEvent', description: 'The event of the call at one emitter.' })

const Summary = z.string().meta({ description: 'What happened, in words, with the numbers.' })

/** The full view, for the customer's team. */
export const CorrectionView = z
  .object({
    id: z.string().meta({ description: 'ID of the correction, `cor_…`.' }),
    kind: z.enum(['refund', 'late_usage']).meta({
      description:
        '`refund`: the charge or a part of it was given back. `late_usage`: the true usage of a recovered request became known.',
    }),
    chargeMicros: SignedMicros.meta({
      description: 'Change of the charge, in micros. Negative for a refund.',
    }),
    billedMicros: SignedMicros.meta({ description: 'Change of the sell price, in micros.' }),
    costMicros: SignedMicros.meta({ description: 'Change of the provider cost, in micros. 0 for a refund.' }),
    legs: legs.meta({ description: 'What each source paid more; negative if it got money back.' }),
    ledgerEntryIds: z.array(z.string()).meta({ description: 'IDs of its ledger entries, `led_…`.' }),
    reason: z.string().meta({ description: 'Reason given with it, as the ledger shows it.' }),
    actor: z
      .string()
      .nullable()
      .meta({ description: 'Who requested it. Null if the server corrected the request by itself.' }),
    createdAt: Timestamp.meta({ description: 'When it was made.' }),
  })
  .meta({ id: 'RequestCorrection', description: 'A later change of what a request was charged.' })

export const Explanation = RequestView.extend({
  usageRecordId: z.string().nullable().meta({
    description:
      'ID of the usage record, `ur_…`, as events and exports name the request. Null if nothing was settled.',
  }),
  corrections: z.array(CorrectionView).meta({
    description: 'Refunds of the request and its true usage, oldest first. Empty if there are none.',
  }),
  summary: Summary,
  timeline: Timeline,
  auth: Auth,
  policy: Policy,
  quote: Quote,
  reserve: Reserve,
  route: Route,
  attempts: z.array(Attempt).meta({ description: 'Attempts at providers, in order.' }),
  stream: Stream,
  refusal: Refusal,
  usage: Usage,
  priceLines: z.array(PriceLines).meta({
    description: 'Units times rates, by each price that applies; their sum is exact.',
  }),
  settle: Settle,
  ledger: z.array(LedgerEntryView).meta({ description: 'Its ledger entries, oldest first.' }),
  emitters: z.array(EventDelivery).meta({
    description: 'What became of its event, for each emitter that is told of it, oldest emitter first.',
  }),
})

/** The end user's view, without providers, their costs, or the margin. */
export const EndUserExplanation = RequestView.omit({
  provider: true,
  providerModel: true,
  costMicros: true,
  assumedMicros: true,
  billedMicros: true,
  overHoldMicros: true,
  paidFromPlanMicros: true,
  paidFromGiftMicros: true,
  paidFromWalletMicros: true,
  onDemandMicros: true,
  overdraftMicros: true,
  unattributedMicros: true,
})
  .extend({
    summary: Summary,
    policy: Policy,
    reserve: Reserve,
    stream: Stream,
    refusal: Refusal,
    usage: Usage,
    priceLines: z
      .array(PriceLines.extend({ price: z.enum(['charge', 'credits']) }))
      .meta({ description: 'Units times rates, by the price that was charged; the sum is exact.' }),
    settle: Settle,
    ledger: z.array(LedgerEntryView).meta({ description: 'Its ledger entries, oldest first.' }),
    corrections: z
      .array(
        CorrectionView.omit({ actor: true, billedMicros: true, costMicros: true }).meta({
          id: 'EndUserRequestCorrection',
          description: 'A later change of what a request was charged, as the end user sees it.',
        }),
      )
      .meta({ description: 'Refunds of the request and its true usage, oldest first.' }),
  })
  .meta({ id: 'EndUserRequest', description: 'A call as the person sees it who made it.' })
