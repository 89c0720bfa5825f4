import { expect, it } from 'vitest'
import { faultOf, offersOf, typedOf, valueOfTyped, wordsOfValue, type Filter } from './filter-suggestions.ts'

const status: Filter = {
  kind: 'choice',
  name: 'status',
  label: 'Status',
  choices: [
    ['2xx', 'Answered (2xx)'],
    ['4xx', 'Refused (4xx)'],
    ['5xx', 'Failed (5xx)'],
  ],
}
const key: Filter = { kind: 'text', name: 'key', label: 'Key', looksLike: /^key_/ }
const model: Filter = { kind: 'text', name: 'model', label: 'Name', choices: [['small', 'small']] }
const cost: Filter = { kind: 'money', name: 'cost', label: 'Cost' }
const filters = [status, key, model, cost]
const offered = (text: string, taken: Filter | null = null): readonly string[] =>
  offersOf({ filters, values: {}, taken, text }).map(({ words }) => words)

it('every filter is suggested for empty input, with its current value', () => {
  expect(offered('')).toEqual(['Status', 'Key', 'Name', 'Cost'])
  expect(offersOf({ filters, values: { cost: '10000' }, taken: null, text: 'cos' })).toEqual([
    { filter: cost, value: null, words: 'Cost', about: 'currently at least $0.01' },
  ])
})

it('matching values are suggested, and the filter of an ID is recognized', () => {
  expect(offered('refused')).toEqual(['Status: Refused (4xx)'])
  expect(offered('key_01')).toEqual(['Key: key_01'])
  expect(offered('sma')).toEqual(['Name: small'])
})

it('any text is suggested as a value of a filter that accepts any text, after all known values', () => {
  const http: Filter = { kind: 'text', name: 'http', label: 'HTTP status', looksLike: /^[1-5]\d\d$/ }
  const suggest = () => Promise.resolve([])
  const user: Filter = { kind: 'text', name: 'user', label: 'End user', takesAny: true, suggest }
  const offers = (text: string, suggested: readonly (readonly [string, string])[] = []) =>
    offersOf({ filters: [user, model, http], values: {}, taken: null, text, suggested }).map(
      ({ words }) => words,
    )
  expect(offers('503')).toEqual(['HTTP status: 503', 'End user: 503'])
  expect(offers('small')).toEqual(['Name: small', 'End user: small'])
  expect(offers('ad', [['ada', 'ada@example.com']])).toEqual(['End user: ada', 'End user: ad'])
  expect(offers('ada', [['ada', 'ada@example.com']])).toEqual(['End user: ada'])
})

it('only values of the chosen filter are suggested: its fixed choices first, and then suggestions of the server', () => {
  expect(offered('', status)).toEqual(['Answered (2xx)', 'Refused (4xx)', 'Failed (5xx)'])
  expect(offered('9', cost)).toEqual([])
  const suggested = [
    ['small', 'small'],
    ['large', 'large'],
  ] as const
  expect(
    offersOf({ filters, values: {}, taken: model, text: '', suggested }).map(({ value }) => value),
  ).toEqual(['small', 'large'])
})

it('typed text is converted: labels to choices, and dollars to micros', () => {
  expect(valueOfTyped(status, '4xx')).toBe('4xx')
  expect(valueOfTyped(status, 'fail')).toBe('5xx')
  expect(valueOfTyped(status, 'xx')).toBeNull()
  expect(valueOfTyped(cost, '$0.01')).toBe('10000')
  expect(valueOfTyped(cost, '-1')).toBeNull()
  expect(valueOfTyped(cost, '0.0000001')).toBeNull()
  expect(valueOfTyped(key, '  key_1 ')).toBe('key_1')
  expect(valueOfTyped(key, ' ')).toBeNull()
})

it('the error of an invalid value lists valid values', () => {
  expect(faultOf(cost, 'much')).toContain('dollars')
  expect(faultOf(status, 'xx')).toContain('Refused (4xx)')
  expect(faultOf(status, '2xx')).toBeUndefined()
})

it('an unknown value of an old link is shown unchanged', () => {
  expect(wordsOfValue(status, '3xx')).toBe('3xx')
  expect(wordsOfValue(cost, 'x')).toBe('x')
  expect(typedOf(cost, '20500000')).toBe('20.50')
})
