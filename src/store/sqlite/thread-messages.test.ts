import { expect, test } from 'vitest'
import type { RequestRecord, ReserveRequest, SettleRequest } from '#domain/ledger.ts'
import type { Quote } from '#money/hold.ts'
import { ZERO_USAGE } from '#money/usage.ts'
import { BatchReceiver, BatchSender, decodeAnswer, encodeAnswer } from './thread-messages.ts'
import type { BatchAnswer, Operation } from '#store/ledger/commands.ts'

const cost = { input: 1n, output: 2n }
const quote: Quote = {
  id: 'quote_1',
  cost,
  sell: cost,
  basis: 'provider_cost',
  credits: null,
  policy: 'hard_token',
  maxOverdraftMicros: 0n,
}
const reserve: ReserveRequest = {
  callId: 'call',
  applicationId: 'app',
  configVersion: 3,
  keyId: 'key',
  endUserId: 'eu',
  bundleId: 'bun',
  mode: 'live',
  nowMs: 17,
  quote,
  bound: {
    alias: 'acme/fast',
    textTokens: 1,
    audioTokens: 2,
    imageTokens: 3,
    outputTokens: 4,
    choices: 5,
    webSearches: 6,
    serviceTier: 'flex',
    canReport: { cacheWrite: true, cacheWriteLong: false, audioOutput: true, imageOutput: false },
  },
  canClamp: true,
  outcome: { slug: 'report', runId: 'run', ceilingMicros: 7n },
  target: { accountId: 'pa', provider: 'simulator', model: 'sim' },
  inputEstimate: 8,
}
const record: RequestRecord = {
  callId: 'call',
  applicationId: 'app',
  mode: 'test',
  endUserId: 'eu',
  keyId: 'key',
  alias: 'acme/fast',
  wire: 'chat',
  streamed: true,
  status: 'settled',
  httpStatus: 200,
  errorCode: null,
  atMs: 9,
  latencyMs: 10,
  firstByteMs: 11,
  trace: '{}',
}
const settle: SettleRequest = {
  callId: 'call',
  nowMs: 12,
  usage: {
    ...ZERO_USAGE,
    input: 1,
    cacheRead: 2,
    output: 3,
    webSearches: 4,
    imageOutput: 1,
    serviceTier: 'flex',
  },
  tokenSource: 'estimated',
  record,
}
const operations: readonly Operation[] = [
  { kind: 'reserve', request: reserve },
  { kind: 'settle', request: settle },
  { kind: 'settle', request: { ...settle, usage: { ...ZERO_USAGE, input: 5 } } },
  { kind: 'settle', request: { ...settle, usage: { ...ZERO_USAGE, isMediaWithin: true } } },
  { kind: 'settle', request: { ...settle, usage: { ...ZERO_USAGE, statedCostNanos: 0 } } },
  { kind: 'extend', request: { callId: 'call', nowMs: 1, moreOutputTokens: 2 } },
  { kind: 'checkpoint', request: { callId: 'call', usage: ZERO_USAGE } },
  { kind: 'release', request: { callId: 'call', nowMs: 1, record } },
  { kind: 'record', request: record },
  { kind: 'recover', callId: 'call', nowMs: 1 },
]

test('operations cross as they are, whoever waits for them', () => {
  const waiting = operations.map((operation) => ({ ...operation, resolve: () => {}, reject: () => {} }))
  const received = new BatchReceiver().decode(structuredClone(new BatchSender().encode(waiting)))
  expect(received).toEqual(operations)
})

test('a quote crosses once, and stays one object', () => {
  const sender = new BatchSender()
  const receiver = new BatchReceiver()
  const send = (): Operation | undefined =>
    receiver.decode(structuredClone(sender.encode([{ kind: 'reserve', request: reserve }])))[0]
  const [first, second] = [send(), send()]
  expect(second).toEqual(first)
  const quoteOf = (operation: Operation | undefined): Quote | null =>
    operation?.kind === 'reserve' ? operation.request.quote : null
  expect(quoteOf(second)).toBe(quoteOf(first))
  expect(sender.encode([{ kind: 'reserve', request: reserve }]).operations[0]?.[12]).toBeNull()
})

test('a receiver without the text of a quote says so', () => {
  const sender = new BatchSender()
  sender.encode([{ kind: 'reserve', request: reserve }])
  const message = sender.encode([{ kind: 'reserve', request: reserve }])
  expect(() => new BatchReceiver().decode(message)).toThrow('a quote comes with its text')
})

test('answers cross as they are', () => {
  const leg = { sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: 5n, micros: 5n } as const
  const reserved = {
    kind: 'reserved',
    worstMicros: 5n,
    worstCredits: 0n,
    outputTokensPerChoice: 6,
    isClamped: false,
    legs: [leg],
    wallet: { posted: 7n, held: 8n },
    callId: 'call',
    quote: reserve.quote,
    bound: reserve.bound,
    limits: [],
  } as const
  const answer: BatchAnswer = {
    kind: 'outcomes',
    outcomes: [
      { kind: 'done', value: reserved },
      { kind: 'done', value: { ...reserved, legs: [leg, { ...leg, sourceId: 'pool' }] } },
      { kind: 'done', value: { ...reserved, legs: [] } },
      {
        kind: 'done',
        value: {
          costMicros: 1n,
          billedMicros: 2n,
          chargeMicros: 3n,
          overHoldMicros: 4n,
          walletPostedMicros: 5n,
        },
      },
      { kind: 'done', value: { kind: 'stale' } },
      { kind: 'done', value: null },
      { kind: 'unavailable', reason: 'full' },
      { kind: 'fault', name: 'NoSuchHold', message: 'none' },
    ],
  }
  expect(decodeAnswer(structuredClone(encodeAnswer(answer)))).toEqual(answer)
  expect(decodeAnswer(structuredClone(encodeAnswer({ kind: 'in_doubt' })))).toEqual({ kind: 'in_doubt' })
})
