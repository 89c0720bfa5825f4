import { describe, expect, it } from 'vitest'
import { sectionsOfTrace, textOfTrace, type Trace } from './trace-format.ts'

const wallet = { sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: '900', micros: '900' }

const trace = {
  auth: { keyId: 'key_1', endUserId: 'eu_1', mode: 'live' },
  policy: { bundle: 'pro', configVersion: 7 },
  quote: {
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
    firstWorstMicros: '900',
    outputTokensPerChoice: 50,
    isClamped: true,
    waitedMs: null,
    walletPostedMicros: '1000',
    walletHeldMicros: '900',
    legs: [wallet],
  },
  route: { provider: 'openai' },
  attempts: [{ provider: 'openai', account: 'pa_1', status: 200, failure: null, durationMs: 12 }],
  stream: { end: 'answered', firstByteMs: 5 },
  refusal: null,
}

/** The trace as explain shows it. */
const quote = { ...trace.quote, canReport: ['cacheWrite', 'audioOutput'] }

const readAgain = (written: Trace) => sectionsOfTrace(textOfTrace(written, true))

describe('the trace of a settled call', () => {
  it('returns all data that no other row contains', () => {
    const { policy, reserve } = trace
    const attempts = [{ status: 200, failure: null, durationMs: 12 }]
    const stream = { ...trace.stream, clientLeftAtMs: null }
    expect(readAgain(trace)).toEqual({ policy, quote, reserve, stream, attempts })
  })

  it('is written in a constant format, so that older traces can be read', () => {
    expect(textOfTrace(trace, true)).toBe(
      '["pro",7,100,1,5,1,2,30,null,1,"flex","900",50,true,null,"1000","900",[[200,null,12]],"answered",5]',
    )
  })

  it('reports the losses of a conversion, and no losses without a conversion', () => {
    const route = { upstreamWire: 'messages', lost: ['seed', 'logit_bias'] }
    expect(readAgain({ ...trace, route })).toMatchObject({ route, stream: { firstByteMs: 5 } })
    expect(readAgain(trace)).not.toHaveProperty('route')
  })

  it('contains the waiting time of a call, with a conversion and without', () => {
    const waited = { ...trace, reserve: { ...trace.reserve, waitedMs: 120 } }
    expect(readAgain(waited)).toMatchObject({ reserve: { waitedMs: 120 } })
    expect(readAgain(waited)).not.toHaveProperty('route')
    const route = { upstreamWire: 'messages', lost: ['seed'] }
    expect(readAgain({ ...waited, route })).toMatchObject({ reserve: { waitedMs: 120 }, route })
  })

  it('contains the pace of a stream, each limit that it met, and the other possible targets', () => {
    const pace = { firstTokenMs: 30, lastTokenMs: 900, longestGapMs: 70, bytes: 4_096, clientLeftAtMs: 880 }
    const limits = [
      {
        name: 'key_cap',
        scope: 'key_1',
        limitMicros: '500',
        usedMicros: '20',
        heldMicros: '0',
        resetsAtMs: 7,
      },
    ]
    const unpriced = { code: 'unpriced', reason: 'it has no price of input' }
    const targets = [
      { path: ['fast', 'a'], accountId: 'pa_1', provider: 'openai', model: 'm', skip: unpriced },
      { path: ['fast'], accountId: 'pa_2', provider: 'openai', model: 'm' },
    ]
    const route = { router: 'fast', policy: 'cheapest', targets }
    const attempts = [
      { status: null, failure: 'connect', durationMs: 12, atMs: 3, connectMs: 1, firstByteMs: 9 },
      {
        status: 200,
        durationMs: 40,
        atMs: 15,
        firstByteMs: 8,
        provider: 'openai',
        account: 'pa_2',
        model: 'm',
      },
    ]
    const written = {
      ...trace,
      attempts,
      policy: { ...trace.policy, limits },
      route,
      stream: { ...trace.stream, ...pace },
    }
    const read = readAgain(written)
    const { attempts: _, route: __, ...sections } = written
    expect(read).toMatchObject({
      policy: sections.policy,
      stream: sections.stream,
      attempts,
      route,
    })
    const lost = { ...written, route: { upstreamWire: 'messages', lost: ['seed'], ...route } }
    expect(readAgain(lost)).toMatchObject({ route: lost.route })
  })

  it('names every leg if not only the wallet paid', () => {
    const legs = [{ sourceId: 'pool/1', kind: 'pool', unit: 'credits', amount: '5', micros: '400' }]
    expect(readAgain({ ...trace, reserve: { ...trace.reserve, legs } })).toMatchObject({ reserve: { legs } })
  })
})

describe('the trace of any other call', () => {
  it('is its sections', () => {
    expect(sectionsOfTrace(textOfTrace(trace, false))).toEqual({ ...trace, quote })
    expect(sectionsOfTrace('{"refusal":{"code":"x"}}')).toEqual({ refusal: { code: 'x' } })
    expect(sectionsOfTrace('{}')).toEqual({})
  })
})
