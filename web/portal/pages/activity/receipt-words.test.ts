import { describe, expect, it } from 'vitest'
import { creditsText, exactDollars, inDollars, lineWords, whyOf } from './receipt-words.ts'

const line = (dimension: string, units: number, rate: string | null) => ({
  dimension,
  units,
  rate,
  assumed: false,
  exact: '0',
})

describe('a line of a receipt', () => {
  it('says what was counted, and at which price', () => {
    expect(lineWords(line('cacheRead', 12_304, '300000'), 'charge')).toBe(
      '12\u2009304 cached tokens at $0.30 per million',
    )
    expect(lineWords(line('output', 1, '4000000'), 'charge')).toBe('1 token out at $4.00 per million')
    expect(lineWords(line('webSearch', 2, '10000'), 'charge')).toBe('2 web searches at $0.01 each')
    expect(lineWords(line('request', 1, '5'), 'charge')).toBe('1 request at $0.000005 each')
    expect(lineWords(line('input', 5, '1000000'), 'credits')).toBe('5 tokens in at 1 credit per million')
    expect(lineWords(line('somethingNew', 3, null), 'charge')).toBe('3 somethingNew')
  })

  it('has every digit of its amount', () => {
    expect(['3691.2', '0', '277', '1234567890.5', '-20', '0.000001'].map(exactDollars)).toEqual([
      '$0.0036912',
      '$0.00',
      '$0.000277',
      '$1,234.5678905',
      '\u2212$0.00002',
      '$0.000000000001',
    ])
    expect([creditsText('250000'), creditsText('1000000')]).toEqual(['0.25 credits', '1 credit'])
  })
})

describe('why a call was refused', () => {
  const refusal = (fields: object) => ({
    errorCode: null,
    requestedModel: 'acme/smart',
    refusal: fields as Parameters<typeof whyOf>[0]['refusal'],
  })
  const dayOf = (iso: string): string => iso.slice(0, 10)

  it('is nothing for a call that was answered', () => {
    expect(whyOf({ errorCode: null, refusal: null, requestedModel: 'a' }, dayOf)).toBe(null)
  })

  it('has the numbers in dollars, and what helps', () => {
    const why = whyOf(
      refusal({
        code: 'spend_limit_exceeded',
        limitSource: 'key_cap',
        limit: '5000000',
        used: '4980000',
        held: '10000',
        requested: '90000',
        available: '10000',
        resetsAt: '2026-12-01T00:00:00Z',
      }),
      dayOf,
    )
    expect(why).toEqual({
      title: 'The cap of the key was reached',
      why: [
        'It would have needed at least $0.09, and $0.01 was left.',
        '$4.98 of $5.00 was used, and $0.01 was held by running calls.',
        'It starts anew on 2026-12-01.',
      ],
      helps: [{ words: 'Use another key, or wait until the cap resets', to: '/keys' }],
    })
  })

  it('is said for every limit, and for limits that are not known yet', () => {
    for (const limitSource of [
      'portal_total',
      'bundle_limit',
      'end_user_limit',
      'on_demand_ceiling',
      'outcome_run',
      'balance',
      'pool',
      'a_new_one',
    ]) {
      const why = whyOf(refusal({ code: 'spend_limit_exceeded', limitSource }), dayOf)
      expect(why?.title).toMatch(/(?:reached|used up)$/)
    }
    for (const code of ['insufficient_credit', 'balance_held', 'end_user_frozen', 'model_not_allowed']) {
      expect(whyOf(refusal({ code }), dayOf)?.title).not.toBe('It could not be answered')
    }
  })

  it('is the sentence that the caller got, with its amounts as dollars, where no other is known', () => {
    const message = 'There are 20000 micros, and one of 5 micros.'
    expect(whyOf(refusal({ code: 'something', message }), dayOf)?.why).toEqual([
      'There are $0.02, and one of $0.000005.',
    ])
    expect(inDollars('no amount')).toBe('no amount')
    expect(whyOf({ ...refusal({}), errorCode: 'strange' }, dayOf)?.why).toEqual([
      'The code of the fault is strange.',
    ])
  })
})
