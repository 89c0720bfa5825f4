import { describe, expect, it } from 'vitest'
import { textOfTrace, traceOf } from './convert-trace-to-text.ts'
import type { Trace } from './sections-of-trace.ts'

const wallet = { sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: '900', micros: '900' }

const target = { provider: 'openai', accountId: 'pa_1', model: 'm' }
const own = { provider: 'openai', account: 'pa_1', model: 'm' }
const answered = { status: 200, failure: null, durationMs: 12, atMs: 3, connectMs: 1, firstByteMs: 9 }

const trace: Trace = {
  auth: { keyId: 'key_1', endUserId: 'eu_1', mode: 'live' },
  policy: { bundle: 'pro', terminationPolicy: 'hard_token', debitBasis: 'sell_price', configVersion: 7 },
  quote: {
    quoteId: 'q',
    textTokensMax: 100,
    textTokensBy: 'tokenizer',
    canReport: { cacheWrite: true, cacheWriteLong: false, audioOutput: true, imageOutput: false },
    audioTokensMax: 1,
    imageTokensMax: 2,
    inputTokensEstimated: 30,
    outputTokensAsked: null,
    choices: 1,
    serviceTier: 'flex',
  },
  reserve: {
    worstMicros: '950',
    firstWorstMicros: '900',
    worstCredits: '0',
    outputTokensPerChoice: 50,
    isClamped: true,
    waitedMs: null,
    walletPostedMicros: '1000',
    walletHeldMicros: '900',
    legs: [wallet],
  },
  route: target,
  attempts: [{ ...answered, ...own }],
  stream: { end: 'answered', firstByteMs: 5, clientLeftAtMs: null },
  refusal: null,
}

/** The omitted fields are in other database rows. */
const { quoteId: _quoteId, ...listedQuote } = trace.quote ?? {}
const { worstMicros: _worstMicros, worstCredits: _worstCredits, ...reserve } = trace.reserve ?? {}
const quote = { ...listedQuote, canReport: ['cacheWrite', 'audioOutput'] }
const listed = {
  auth: null,
  policy: { bundle: 'pro', configVersion: 7 },
  quote,
  reserve,
  route: {},
  attempts: [answered],
  stream: trace.stream,
  refusal: null,
}

const readAgain = (more: Partial<Trace>) => traceOf(textOfTrace({ ...trace, ...more }, true))

describe('the trace of a settled request', () => {
  it('a trace that is stored and read back keeps all data that no other database row contains', () => {
    expect(readAgain({})).toEqual(listed)
  })

  it('the format of a stored trace does not change, so that older traces can be read', () => {
    expect(textOfTrace(trace, true)).toBe(
      '["pro",7,100,1,5,1,2,30,null,1,"flex","900",50,true,null,"1000","900",[[200,null,12,3,1,9]],"answered",5]',
    )
  })

  it('a trace contains the facts that only some requests have', () => {
    const pace = { firstTokenMs: 30, lastTokenMs: 900, longestGapMs: 70, bytes: 4_096 }
    const stream = { end: 'left', firstByteMs: 5, ...pace, clientLeftAtMs: 880, droppedFrames: 2 }
    const resetsAtMs = 7
    const amounts = { limitMicros: '500', usedMicros: '20', heldMicros: '0' }
    const limits = [{ name: 'key_cap', scope: 'key_1', ...amounts, resetsAtMs }]
    const worst = {
      inputPrice: '1',
      outputPrice: '2',
      inputTokensMax: 3,
      outputTokensMax: 4,
      fixed: '5',
      outputRate: '6',
      multiplier: '1000',
    }
    const skip = { code: 'unpriced', reason: 'it has no price of input' }
    const targets = [
      { path: ['fast', 'a'], ...target, skip, worst: null },
      { path: ['fast'], ...target, accountId: 'pa_2', skip: null, worst },
    ]
    const chosen = { upstreamWire: 'messages', lost: ['seed', 'logit_bias'], answeredBy: 'm-2' }
    const route = { ...chosen, router: 'fast', policy: 'cheapest', targets }
    const failed = { ...answered, status: null, failure: 'connect', code: 'upstream_error', costMicros: '8' }
    const attempts = [
      { ...failed, ...own, deadlines: { idleMs: 60 }, notRepeated: 'retry_budget' },
      { ...answered, ...own, account: 'pa_2' },
    ]
    const legs = [{ sourceId: 'pool/1', kind: 'pool', unit: 'credits', amount: '5', micros: '400' }]
    const written: Partial<Trace> = {
      policy: trace.policy && { ...trace.policy, limits },
      reserve: trace.reserve && { ...trace.reserve, waitedMs: 120, legs },
      route: { ...target, ...route },
      attempts,
      stream,
    }
    expect(readAgain(written)).toEqual({
      ...listed,
      policy: { ...listed.policy, limits },
      reserve: { ...reserve, waitedMs: 120, legs },
      route: {
        ...route,
        targets: [{ path: ['fast', 'a'], ...target, skip }, targets[1]],
      },
      attempts,
      stream,
    })
  })

  it('a trace contains the billed uses that the hold covers, for requests with and without tools', () => {
    const uses = { searchUnits: 3 }
    const tools = { kinds: ['webSearch'], uses: 1, usesMax: 2, tokensPerUse: 5, searchesPerUse: 1 }
    for (const more of [{ uses }, { uses, tools }]) {
      const written = trace.quote && { ...trace.quote, ...more }
      expect(readAgain({ quote: written }).quote).toEqual({ ...quote, ...more })
    }
  })

  it('a trace contains the model that responded and the provider’s wire, even if only one of these is set', () => {
    expect(readAgain({ route: { ...target, answeredBy: 'm-2' } }).route).toEqual({ answeredBy: 'm-2' })
    const converted = { upstreamWire: 'messages', lost: [] }
    expect(readAgain({ route: { ...target, ...converted } }).route).toEqual(converted)
  })
})

describe('the trace of a request that was not settled', () => {
  it('the trace of a request that was not settled is stored as an object with its sections', () => {
    const fault = { host: 'api.example', cause: 'connection refused', systemCode: 'ECONNREFUSED' }
    const refusal = { code: 'upstream_error', reason: 'it could not be reached', timeoutMs: 5, isFirst: true }
    const attempts = [{ ...answered, ...own, fault }]
    const written = { ...trace, attempts, refusal }
    const read = traceOf(textOfTrace(written, false))
    expect(read).toEqual({ ...written, quote: { ...trace.quote, canReport: quote.canReport } })
  })

  it('the trace of a request that was not settled has no section for a step that the request did not reach', () => {
    const none = { auth: null, policy: null, quote: null, reserve: null, route: null, stream: null }
    const empty = { ...none, attempts: [], refusal: null }
    expect(traceOf('{"refusal":{"code":"x"}}')).toEqual({ ...empty, refusal: { code: 'x' } })
    expect(traceOf('{}')).toEqual(empty)
    expect(traceOf(null)).toEqual(empty)
  })
})

describe('the reader of a stored trace', () => {
  it('the reader of a trace returns null for a value of another type, and omits an item that is not a section', () => {
    const stored = {
      policy: { bundle: 7, configVersion: '7', limits: ['none', { limitMicros: 5, usedMicros: '1.5' }] },
      reserve: [],
      attempts: {},
      route: 'a route',
      stream: { end: null, bytes: [] },
      refusal: { code: 5, details: { a: 1 } },
    }
    expect(traceOf(JSON.stringify(stored))).toEqual({
      ...traceOf(null),
      attempts: null,
      policy: { bundle: null, configVersion: null, limits: [{ limitMicros: null, usedMicros: null }] },
      reserve: {},
      stream: { end: null, bytes: null },
      refusal: { code: null },
    })
  })
})

describe('the TypeScript types of a trace', () => {
  it('the types of a trace reject a missing or misspelled field', () => {
    // @ts-expect-error -- `mode` is missing
    const missing: Trace = { ...trace, auth: { keyId: 'key_1', endUserId: 'eu_1' } }
    // @ts-expect-error -- `waitedMS` is no field
    const misspelt: Trace = { ...trace, reserve: trace.reserve && { ...trace.reserve, waitedMS: 5 } }
    // @ts-expect-error -- candidates are only read
    const older: Trace = { ...trace, route: { ...target, candidates: [] } }
    expect([missing, misspelt, older]).toHaveLength(3)
  })
})
