import { describe, expect, it } from 'vitest'
import { holdOf, phasesOf, totalMsOf, type Told } from './waterfall-phases.ts'
import { receiptsOf, sumOfExact } from './receipt-lines.ts'

const charged = {
  id: 'req_1',
  status: 'settled',
  latencyMs: 900,
  chargeMicros: '500',
  timeline: [
    { phase: 'decide', atMs: 0, durationMs: 6 },
    { phase: 'attempt', atMs: 6, durationMs: 100 },
    { phase: 'attempt', atMs: 106, durationMs: 200 },
    { phase: 'stream', atMs: 306, durationMs: 590 },
    { phase: 'settle', atMs: 896, durationMs: 4 },
  ],
  policy: { bundle: 'pro', debitBasis: 'sell_price' },
  reserve: { worstMicros: '900', firstWorstMicros: '800' },
  attempts: [
    { n: 1, target: 'main/a', status: 529, code: 'upstream_overloaded', durationMs: 100 },
    { n: 2, target: 'other/b', status: 200, firstByteMs: 40, durationMs: 790 },
  ],
  stream: { end: 'answered', firstTokenMs: 320, tokensPerSecond: 71 },
  refusal: null,
  settle: {
    chargeMicros: '500',
    releasedMicros: '400',
    legs: [
      { sourceId: 'pool/base', kind: 'pool', unit: 'micros', amount: '300', micros: '300' },
      { sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: '200', micros: '200' },
    ],
  },
  priceLines: [
    {
      price: 'cost',
      lines: [{ dimension: 'input', units: 10, rate: '1000000', assumed: false, exact: '10' }],
      multiplier: '1000',
      amount: '10',
    },
    {
      price: 'sell',
      lines: [
        { dimension: 'input', units: 413, rate: '150000', assumed: false, exact: '61.95' },
        { dimension: 'output', units: 51, rate: '600000', assumed: true, exact: '30.6' },
        { dimension: 'request', units: 1, rate: null, assumed: false, exact: '0' },
      ],
      multiplier: '1000',
      amount: '93',
    },
  ],
} as unknown as Told

const refused = {
  ...charged,
  status: 'refused',
  timeline: [{ phase: 'decide', atMs: 0, durationMs: 12 }],
  reserve: null,
  attempts: [],
  stream: null,
  settle: null,
  priceLines: [],
  latencyMs: 12,
  refusal: { code: 'insufficient_credit' },
} as unknown as Told

const sumOf = (told: Told): bigint =>
  phasesOf(told)
    .flatMap(({ amounts = [] }) => amounts)
    .reduce((sum, { value }) => sum + value, 0n)

describe('the phases of a request', () => {
  it('the phases show how much each source paid, and these amounts add up to the charge', () => {
    expect(sumOf(charged)).toBe(500n)
    expect(phasesOf(charged).at(-1)?.amounts).toEqual([
      { key: '0', name: 'from pool/base', value: 300n },
      { key: '1', name: 'from wallet', value: 200n },
    ])
  })

  it('the phases show the charge as a single amount if the amounts of the sources do not add up to it', () => {
    const settle = { ...charged.settle, legs: [{ sourceId: 'credits', micros: '1' }] }
    expect(sumOf({ ...charged, settle })).toBe(500n)
    expect(sumOf({ ...charged, settle: { ...settle, legs: [] } })).toBe(500n)
  })

  it('the phases show the charge even if the end of the request was not measured', () => {
    const timeline = charged.timeline.filter(({ phase }) => phase !== 'settle')
    expect(sumOf({ ...charged, timeline })).toBe(500n)
  })

  it('the phases show the number of each attempt, and mark a failed attempt', () => {
    const [, first, second, stream] = phasesOf(charged)
    expect(first).toMatchObject({ name: 'Attempt 1', kind: 'failed', atMs: 6, ms: 100 })
    expect(first?.detail).toBe('main/a · returned 529 · upstream overloaded')
    expect(second).toMatchObject({ name: 'Attempt 2' })
    expect(second?.kind).toBeUndefined()
    expect(stream?.marks).toEqual([{ name: 'first token', atMs: 320 }])
  })

  it('the phases of a rejected request end with the decision and have no hold', () => {
    expect(phasesOf(refused)).toHaveLength(1)
    expect(phasesOf(refused)[0]).toMatchObject({ name: 'Check limits and balance', kind: 'failed' })
    expect(phasesOf(refused)[0]?.detail).toBe('bundle pro · rejected: insufficient credit')
    expect([holdOf(refused), totalMsOf(refused), sumOf(refused)]).toEqual([null, 12, 0n])
  })

  it('the phases state how much of the hold was charged or released, or is still held', () => {
    expect(holdOf(charged)).toEqual({ held: 900n, charged: 500n, released: 400n })
    const open = { ...charged, settle: null, status: 'in_flight' } as Told
    expect(holdOf(open)).toEqual({ held: 900n, charged: null, released: null })
    expect(holdOf({ ...open, status: 'released' })).toEqual({ held: 900n, charged: 0n, released: 900n })
  })
})

describe('the receipts of a request', () => {
  it('the first receipt shows the charged price, with an exact sum', () => {
    const [sell, cost] = receiptsOf(charged)
    expect(sell).toMatchObject({
      title: "The bundle's price",
      isCharged: true,
      exact: '$0.00009255',
      amount: '$0.000093',
    })
    expect(cost).toMatchObject({ isCharged: false, exact: '$0.00001', amount: '$0.00001' })
    expect(sell?.lines.map(({ rate, what }) => `${what}: ${rate}`)).toEqual([
      'input: $0.15 / M',
      'output (rate assumed): $0.60 / M',
      'request: no rate',
    ])
    const policy = { ...charged.policy, debitBasis: 'provider_cost' }
    expect(receiptsOf({ ...charged, policy })[0]?.title).toBe("The provider's price")
  })

  it('the sums of receipts are exact for amounts with up to nine decimals', () => {
    expect(sumOfExact(['0.000000001', '0.999999999', '12'])).toBe('13')
    expect(sumOfExact(['61.95', '30.6'])).toBe('92.55')
    expect(sumOfExact([])).toBe('0')
  })
})
