/**
 * Batches on their way between threads. The operations and answers of every call are flat lists:
 * structured clone writes the name of each property of each object again, and flat lists cost half of
 * what objects cost and two thirds of JSON (measured: 2.7 us of CPU a call there and back in batches of
 * 32, against 5.1 and 7.5; an empty message is 1.4 of it). A quote crosses once, as its text; from then
 * on its id stands for it. What is rare crosses as it is.
 */
import assert from 'node:assert/strict'
import type { RequestRecord, ReserveRequest, SettleRequest, SettleResult } from '#domain/ledger.ts'
import type { Mode } from '#domain/application-config.ts'
import { canReportOfNumber, numberOfCanReport } from '#money/can-report.ts'
import type { Quote } from '#money/hold.ts'
import { ZERO_USAGE } from '#money/usage.ts'
import type { Usage } from '#money/usage.ts'
import { quoteFromText, quoteToText } from '#store/rows/json-columns.ts'
import type { BatchAnswer, Done, Operation, Outcome } from '#store/ledger/commands.ts'

const quotesMax = 20_000

type FlatReserve = readonly [
  kind: 'reserve',
  callId: string,
  applicationId: string,
  configVersion: number,
  keyId: string,
  endUserId: string,
  bundleId: string,
  mode: Mode,
  nowMs: number,
  canClamp: boolean,
  inputEstimate: number,
  quoteId: string,
  /** The first time only. */
  quoteText: string | null,
  alias: string,
  textTokens: number,
  audioTokens: number,
  imageTokens: number,
  outputTokens: number,
  choices: number,
  webSearches: number,
  serviceTier: string | null,
  /** As in the stored bound. */
  canReport: number,
  accountId: string,
  provider: string,
  model: string,
  outcome: ReserveRequest['outcome'],
]

type FlatSettle = readonly [
  kind: 'settle',
  nowMs: number,
  tokenSource: SettleRequest['tokenSource'],
  input: number,
  cacheRead: number,
  cacheWrite: number,
  output: number,
  reasoning: number,
  serviceTier: string | null,
  /** The whole usage, where it has counts that nearly always are 0, or what few providers say. */
  rare: Usage | null,
  record: FlatRecord,
]

type FlatRecord = readonly [
  callId: string,
  applicationId: string,
  mode: Mode,
  endUserId: string | null,
  keyId: string | null,
  alias: string | null,
  wire: string,
  streamed: boolean,
  status: RequestRecord['status'],
  httpStatus: number,
  errorCode: string | null,
  atMs: number,
  latencyMs: number,
  firstByteMs: number | null,
  trace: string,
]

type FlatOperation = FlatReserve | FlatSettle | readonly [kind: 'plain', operation: Operation]

export interface BatchMessage {
  /** True: what quotes the other side remembers, it may forget. */
  readonly forgetQuotes: boolean
  readonly operations: readonly FlatOperation[]
}

/** The sending side. Remembers which quotes the other one has. */
export class BatchSender {
  readonly #sent = new Set<string>()

  encode(operations: readonly Operation[]): BatchMessage {
    const forgetQuotes = this.#sent.size > quotesMax
    if (forgetQuotes) this.#sent.clear()
    return { forgetQuotes, operations: operations.map((operation) => this.#flat(operation)) }
  }

  #flat(operation: Operation): FlatOperation {
    if (operation.kind === 'reserve')
      return flatReserve(operation.request, this.#textOf(operation.request.quote))
    if (operation.kind === 'settle') return flatSettle(operation.request)
    return ['plain', plainOf(operation)]
  }

  #textOf(quote: Quote): string | null {
    if (this.#sent.has(quote.id)) return null
    this.#sent.add(quote.id)
    return quoteToText(quote)
  }
}

/** The receiving side. Keeps one object for each quote. */
export class BatchReceiver {
  readonly #quotes = new Map<string, Quote>()

  decode({ forgetQuotes, operations }: BatchMessage): Operation[] {
    if (forgetQuotes) this.#quotes.clear()
    return operations.map((flat) => this.#operation(flat))
  }

  #operation(flat: FlatOperation): Operation {
    switch (flat[0]) {
      case 'reserve':
        return { kind: 'reserve', request: reserveOf(flat, this.#quoteOf(flat[11], flat[12])) }
      case 'settle':
        return { kind: 'settle', request: settleOf(flat) }
      default:
        return flat[1]
    }
  }

  #quoteOf(id: string, text: string | null): Quote {
    const known = this.#quotes.get(id)
    if (known !== undefined) return known
    assert(text !== null, 'a quote comes with its text the first time')
    const quote = quoteFromText(id, text)
    this.#quotes.set(id, quote)
    return quote
  }
}

function flatReserve(request: ReserveRequest, quoteText: string | null): FlatReserve {
  const { bound, target } = request
  return [
    'reserve',
    request.callId,
    request.applicationId,
    request.configVersion,
    request.keyId,
    request.endUserId,
    request.bundleId,
    request.mode,
    request.nowMs,
    request.canClamp,
    request.inputEstimate,
    request.quote.id,
    quoteText,
    bound.alias,
    bound.textTokens,
    bound.audioTokens,
    bound.imageTokens,
    bound.outputTokens,
    bound.choices,
    bound.webSearches,
    bound.serviceTier,
    numberOfCanReport(bound.canReport),
    target.accountId,
    target.provider,
    target.model,
    request.outcome,
  ]
}

function reserveOf(flat: FlatReserve, quote: Quote): ReserveRequest {
  return {
    callId: flat[1],
    applicationId: flat[2],
    configVersion: flat[3],
    keyId: flat[4],
    endUserId: flat[5],
    bundleId: flat[6],
    mode: flat[7],
    nowMs: flat[8],
    canClamp: flat[9],
    inputEstimate: flat[10],
    quote,
    bound: {
      alias: flat[13],
      textTokens: flat[14],
      audioTokens: flat[15],
      imageTokens: flat[16],
      outputTokens: flat[17],
      choices: flat[18],
      webSearches: flat[19],
      serviceTier: flat[20],
      canReport: canReportOfNumber(flat[21]),
    },
    target: { accountId: flat[22], provider: flat[23], model: flat[24] },
    outcome: flat[25],
  }
}

function flatSettle({ nowMs, usage, tokenSource, record }: SettleRequest): FlatSettle {
  return [
    'settle',
    nowMs,
    tokenSource,
    usage.input,
    usage.cacheRead,
    usage.cacheWrite,
    usage.output,
    usage.reasoning,
    usage.serviceTier,
    isRare(usage) ? usage : null,
    flatRecord(record),
  ]
}

function settleOf(flat: FlatSettle): SettleRequest {
  const [, nowMs, tokenSource, input, cacheRead, cacheWrite, output, reasoning, serviceTier, rare, record] =
    flat
  const usage = rare ?? { ...ZERO_USAGE, input, cacheRead, cacheWrite, output, reasoning, serviceTier }
  return { callId: record[0], nowMs, usage, tokenSource, record: recordOf(record) }
}

function isRare(usage: Usage): boolean {
  const { cacheWriteLong, audioInput, imageInput, audioOutput, imageOutput, webSearches } = usage
  const counts = cacheWriteLong + audioInput + imageInput + audioOutput + imageOutput + webSearches
  return counts !== 0 || usage.isMediaWithin === true || usage.statedCostNanos !== undefined
}

function flatRecord(record: RequestRecord): FlatRecord {
  return [
    record.callId,
    record.applicationId,
    record.mode,
    record.endUserId,
    record.keyId,
    record.alias,
    record.wire,
    record.streamed,
    record.status,
    record.httpStatus,
    record.errorCode,
    record.atMs,
    record.latencyMs,
    record.firstByteMs,
    record.trace,
  ]
}

function recordOf(flat: FlatRecord): RequestRecord {
  return {
    callId: flat[0],
    applicationId: flat[1],
    mode: flat[2],
    endUserId: flat[3],
    keyId: flat[4],
    alias: flat[5],
    wire: flat[6],
    streamed: flat[7],
    status: flat[8],
    httpStatus: flat[9],
    errorCode: flat[10],
    atMs: flat[11],
    latencyMs: flat[12],
    firstByteMs: flat[13],
    trace: flat[14],
  }
}

/** Without whoever waits for it: functions do not cross. */
function plainOf(operation: Operation): Operation {
  switch (operation.kind) {
    case 'reserve':
    case 'settle':
    case 'extend':
    case 'checkpoint':
    case 'release':
    case 'complete':
    case 'record': {
      const { kind, request } = operation
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and request are of one operation
      return { kind, request } as Operation
    }
    case 'begin_grant': {
      const { kind, terms, endUserIds, isLarge } = operation
      return { kind, terms, endUserIds, isLarge }
    }
    case 'continue_grant': {
      const { kind, terms, endUserIds, isLast } = operation
      return { kind, terms, endUserIds, isLast }
    }
    case 'recover': {
      const { kind, callId, nowMs } = operation
      return { kind, callId, nowMs }
    }
    default:
      return operation satisfies never
  }
}

type FlatOutcome =
  | readonly [
      kind: 'settled',
      costMicros: bigint,
      billedMicros: bigint,
      chargeMicros: bigint,
      overHoldMicros: bigint,
      walletPostedMicros: bigint,
    ]
  | readonly [kind: 'plain', outcome: Outcome]

export type AnswerMessage =
  | Exclude<BatchAnswer, { kind: 'outcomes' }>
  | { readonly kind: 'flat'; readonly outcomes: readonly FlatOutcome[] }

export function encodeAnswer(answer: BatchAnswer): AnswerMessage {
  return answer.kind === 'outcomes' ? { kind: 'flat', outcomes: answer.outcomes.map(flatOutcome) } : answer
}

export function decodeAnswer(message: AnswerMessage): BatchAnswer {
  return message.kind === 'flat' ? { kind: 'outcomes', outcomes: message.outcomes.map(outcomeOf) } : message
}

function flatOutcome(outcome: Outcome): FlatOutcome {
  if (outcome.kind !== 'done' || outcome.value === null) return ['plain', outcome]
  const { value } = outcome
  if (isSettled(value)) {
    const { costMicros, billedMicros, chargeMicros, overHoldMicros, walletPostedMicros } = value
    return ['settled', costMicros, billedMicros, chargeMicros, overHoldMicros, walletPostedMicros]
  }
  return ['plain', outcome]
}

function isSettled(value: NonNullable<Done>): value is SettleResult {
  return 'overHoldMicros' in value
}

function outcomeOf(flat: FlatOutcome): Outcome {
  switch (flat[0]) {
    case 'settled':
      return {
        kind: 'done',
        value: {
          costMicros: flat[1],
          billedMicros: flat[2],
          chargeMicros: flat[3],
          overHoldMicros: flat[4],
          walletPostedMicros: flat[5],
        },
      }
    default:
      return flat[1]
  }
}
