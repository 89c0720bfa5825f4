import { expect, it } from 'vitest'
import { flagValue, setAt } from './flag-value.ts'
import type { Flag } from './operation-table.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const flag = (more: Partial<Flag>): Flag => ({ name: 'x', about: '', kind: 'text', ...more })
const read = (more: Partial<Flag>, text: string): unknown => flagValue(flag(more), text, nowMs)

it('each kind of value is parsed, and errors name the accepted format', () => {
  expect(read({ kind: 'integer' }, '12')).toBe(12)
  expect(read({ kind: 'amount' }, '9007199254740993')).toBe('9007199254740993')
  expect(read({ kind: 'micros' }, '$0.25')).toBe('250000')
  expect(read({ kind: 'boolean' }, 'false')).toBe(false)
  expect(read({ kind: 'json' }, '{"a":[1]}')).toEqual({ a: [1] })
  for (const [kind, text] of [
    ['integer', '1.5'],
    ['integer', ''],
    ['number', 'many'],
    ['amount', '1.5'],
    ['boolean', 'yes'],
    ['json', '{'],
  ] as const) {
    expect(() => read({ kind }, text)).toThrow(/^--x must be .*, but is /)
  }
  expect(() => read({ words: ['day', 'week'] }, 'year')).toThrow('--x must be one of day, week, but is year.')
})

it('if an amount in dollars is set for an amount in its own unit, the error states the amount in micros', () => {
  expect(() => read({ kind: 'amount' }, '$0.0005')).toThrow(
    '--x must be an integer, but is $0.0005. If the unit is micros, set 500.',
  )
})

it('relative times and days are converted to points in time, and times are sent unchanged', () => {
  expect(read({ kind: 'time' }, '+30d')).toBe('2026-12-20T12:00:00.000Z')
  expect(read({ kind: 'time' }, '-12h')).toBe('2026-11-20T00:00:00.000Z')
  expect(read({ kind: 'time' }, '2026-11-20')).toBe('2026-11-20T00:00:00.000Z')
  expect(read({ kind: 'time' }, '2026-11-20T10:00:00+02:00')).toBe('2026-11-20T10:00:00+02:00')
  for (const text of ['tomorrow', '2026', '30d', '+30y', '']) {
    expect(() => read({ kind: 'time' }, text)).toThrow(/^--x must be a day \(2026-11-20\), .*, but is /)
  }
})

it('a limit accepts dollars only if it limits money', () => {
  const fields = [
    flag({ name: 'measure', words: ['requests', 'micros'] }),
    flag({ name: 'window', words: ['day'] }),
    flag({ name: 'most', kind: 'amount' }),
  ]
  const limit = { measure: 'micros', window: 'day', most: '2000000' }
  expect(read({ kind: 'json', fields }, 'measure=micros,window=day,most=$2')).toEqual(limit)
  expect(read({ kind: 'json', fields }, 'most=$2,window=day,measure=micros')).toEqual(limit)
  expect(read({ kind: 'json', fields }, 'measure=micros,window=day,most=2000000')).toEqual(limit)
  expect(() => read({ kind: 'json', fields }, 'measure=micros,window=day,most=0.25')).toThrow("like '$0.25'")
  expect(() => read({ kind: 'json', fields }, 'measure=requests,window=day,most=$2')).toThrow(
    '--x.most must be an integer, but is $2.',
  )
})

it('an object is parsed from field=value pairs', () => {
  const fields = [
    flag({ name: 'provider' }),
    flag({ name: 'weight', kind: 'integer' }),
    flag({ name: 'when.inputTokensMax', kind: 'integer' }),
  ]
  expect(read({ kind: 'json', fields }, 'provider=main,weight=3,when.input-tokens-max=5')).toEqual({
    provider: 'main',
    weight: 3,
    when: { inputTokensMax: 5 },
  })
  expect(() => read({ kind: 'json', fields }, 'provider=main,wieght=3')).toThrow(
    'The fields are provider, weight',
  )
})

it('a flag accepts a word in place of an object if the API accepts both', () => {
  const words = ['drop', 'refuse']
  const either = { kind: 'json', words, fields: [flag({ name: 'webSearch', words })] } as const
  expect(read(either, 'drop')).toBe('drop')
  expect(read(either, 'webSearch=refuse')).toEqual({ webSearch: 'refuse' })
  expect(read(either, '{"webSearch":"drop"}')).toEqual({ webSearch: 'drop' })
  expect(() => read(either, 'never')).toThrow('--x must be drop, refuse, field=value,field=value or JSON')
  expect(() => read(either, 'webSearch=never')).toThrow('--x.web-search must be one of drop, refuse')
})

it('a flag accepts a word in place of a number if the API accepts both', () => {
  const either = { kind: 'integer', words: ['drop', 'refuse'] } as const
  expect(read(either, 'drop')).toBe('drop')
  expect(read(either, '3')).toBe(3)
  expect(() => read(either, 'never')).toThrow('--x must be one of drop, refuse, or an integer, but is never')
})

it("nested fields can be set, but a flag can never set an object's prototype", () => {
  const made: Record<string, unknown> = { price: { input: '1' } }
  setAt(made, 'price.output', '2')
  setAt(made, '__proto__.polluted', true)
  expect(made['price']).toEqual({ input: '1', output: '2' })
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})
