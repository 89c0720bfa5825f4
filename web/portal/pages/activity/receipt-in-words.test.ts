import { describe, expect, it } from 'vitest'
import { creditsText, lineWords, whyOf } from './receipt-in-words.ts'

const line = (dimension: string, units: number, rate: string | null) => ({
  dimension,
  units,
  rate,
  assumed: false,
  exact: '0',
})

describe('a line of a receipt in words', () => {
  it('a line of a receipt states the count and the price', () => {
    expect(lineWords(line('cacheRead', 12_304, '300000'), 'charge')).toBe(
      '12\u2009304 cached input tokens at $0.30 per million',
    )
    expect(lineWords(line('output', 1, '4000000'), 'charge')).toBe('1 output token at $4.00 per million')
    expect(lineWords(line('webSearch', 2, '10000'), 'charge')).toBe('2 web searches at $0.01 each')
    expect(lineWords(line('request', 1, '5'), 'charge')).toBe('1 request at $0.000005 each')
    expect(lineWords(line('input', 5, '1000000'), 'credits')).toBe('5 input tokens at 1 credit per million')
    expect(lineWords(line('somethingNew', 3, null), 'charge')).toBe('3 somethingNew')
  })

  it('amounts in credits are formatted in words', () => {
    expect([creditsText('250000'), creditsText('1000000')]).toEqual(['0.25 credits', '1 credit'])
  })
})

describe('the reason why a request was rejected', () => {
  const refusal = (fields: object) => ({
    errorCode: null,
    requestedModel: 'acme/smart',
    refusal: fields as Parameters<typeof whyOf>[0]['refusal'],
  })

  it('a successful request has no reason', () => {
    expect(whyOf({ errorCode: null, refusal: null, requestedModel: 'a' })).toBe(null)
  })

  it('the reason repeats the message of the error response and says what to do', () => {
    const message = "This key's cap of $5.00 has $0.01 left. This request needs up to $0.09."
    const limitSource = 'key_cap'
    expect(whyOf(refusal({ code: 'spend_limit_exceeded', limitSource, message }))).toEqual({
      title: "The key's cap was reached",
      why: [message],
      helps: [{ words: 'Use another key, or wait until the cap resets', to: '/keys' }],
    })
  })

  it('the reason links to the pages where the end user can buy credit and pay invoices', () => {
    const pages = { topUpUrl: 'https://acme.example/credit', payUrl: 'https://acme.example/pay' }
    const code = 'insufficient_credit'
    const spent = whyOf(refusal({ code, limitSource: 'pool', topUpUrl: pages.topUpUrl }))
    expect(spent).toMatchObject({
      title: 'Not enough credit was left',
      helps: [{ to: pages.topUpUrl }, { to: '/limits' }, { to: null }],
    })
    const unpaid = whyOf(refusal({ code, limitSource: 'unpaid_invoice', ...pages }))
    expect(unpaid).toMatchObject({
      title: 'An invoice is past due',
      helps: [{ to: pages.payUrl }, { to: pages.topUpUrl }, { to: '/plan' }, { to: null }],
    })
  })

  it('if a rate limit rejected the request, the reason links to the page that shows the limits', () => {
    const message = 'Your limit of 2 requests per minute is reached.'
    expect(whyOf(refusal({ code: 'rate_limited', limitSource: 'end_user_limit', message }))).toEqual({
      title: 'A limit of your account was reached',
      why: [message],
      helps: [{ words: 'View your limits and when they reset', to: '/limits' }],
    })
  })

  it('every limit has a title, including unknown limits', () => {
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
      const why = whyOf(refusal({ code: 'spend_limit_exceeded', limitSource }))
      expect(why?.title).toMatch(/(?:reached|used up)$/)
    }
    for (const code of ['insufficient_credit', 'balance_held', 'end_user_frozen', 'model_not_allowed']) {
      expect(whyOf(refusal({ code }))?.title).not.toBe('The request failed')
    }
  })

  it('the reason says that the program closed the connection or canceled the response', () => {
    const why = (errorCode: string) => whyOf({ errorCode, refusal: null, requestedModel: 'acme/smart' })
    expect(why('client_left')).toEqual({
      title: 'Your program closed the connection',
      why: ['The connection closed before the response was complete.'],
      helps: [],
    })
    expect(why('response_canceled')?.title).toBe('The response was canceled')
  })

  it('if the error code is unknown, the reason is the message of the response, with amounts in dollars', () => {
    const message = 'There are 20000 micros, and one of 5 micros.'
    expect(whyOf(refusal({ code: 'something', message }))?.why).toEqual([
      'There are $0.02, and one of $0.000005.',
    ])
    expect(whyOf({ ...refusal({}), errorCode: 'strange' })?.why).toEqual(['The error code is strange.'])
  })
})
