import { describe, expect, it } from 'vitest'
import { sectionsOfTrace, settledNoteText } from './trace.ts'
import type { SettledNote } from './trace.ts'

const note: SettledNote = {
  bundle: 'pro',
  configVersion: 7,
  textTokensMax: 100,
  isTextCounted: 1,
  canReport: 5,
  audioTokensMax: 1,
  imageTokensMax: 2,
  inputTokensEstimated: 30,
  outputTokensAsked: null,
  choices: 1,
  serviceTier: 'flex',
  firstWorstMicros: '900',
  outputTokensPerChoice: 50,
  isClamped: true,
  legs: null,
  walletPostedMicros: '1000',
  walletHeldMicros: '900',
  attempts: [[200, null, 12]],
  end: 'answered',
  firstByteMs: 5,
  conversion: null,
  waitedMs: null,
}

describe('sectionsOfTrace', () => {
  it('says what a conversion lost, and nothing where there was none', () => {
    const converted = settledNoteText({ ...note, conversion: ['messages', 'seed', 'logit_bias'] })
    expect(sectionsOfTrace(converted)).toMatchObject({
      route: { upstreamWire: 'messages', lost: ['seed', 'logit_bias'] },
      stream: { firstByteMs: 5 },
    })
    expect(sectionsOfTrace(settledNoteText(note))).not.toHaveProperty('route')
  })

  it('gives back everything that was noted of a settled call', () => {
    expect(sectionsOfTrace(settledNoteText(note))).toEqual({
      policy: { bundle: 'pro', configVersion: 7 },
      quote: {
        textTokensMax: 100,
        textTokensBy: 'tokenizer',
        canReport: ['cacheWrite', 'audioOutput'],
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
        legs: [{ sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: '900', micros: '900' }],
      },
      attempts: [{ status: 200, failure: null, durationMs: 12 }],
      stream: { end: 'answered', firstByteMs: 5 },
    })
  })

  it('says how long a call waited, with a conversion and without', () => {
    const waited = { ...note, waitedMs: 120 }
    expect(sectionsOfTrace(settledNoteText(waited))).toMatchObject({ reserve: { waitedMs: 120 } })
    const converted = sectionsOfTrace(settledNoteText({ ...waited, conversion: ['messages', 'seed'] }))
    expect(converted).toMatchObject({
      reserve: { waitedMs: 120 },
      route: { upstreamWire: 'messages', lost: ['seed'] },
    })
    expect(sectionsOfTrace(settledNoteText(waited))).not.toHaveProperty('route')
  })

  it('names every leg where more than the wallet paid', () => {
    const legs = [['pool/1', 'pool', 'credits', '5', '400'] as const]
    expect(sectionsOfTrace(settledNoteText({ ...note, legs }))).toMatchObject({
      reserve: { legs: [{ sourceId: 'pool/1', kind: 'pool', unit: 'credits', amount: '5', micros: '400' }] },
    })
  })

  it('reads the sections of refused and released calls, and of calls of a process that died', () => {
    expect(sectionsOfTrace('{"refusal":{"code":"x"}}')).toEqual({ refusal: { code: 'x' } })
    expect(sectionsOfTrace('{}')).toEqual({})
  })
})
