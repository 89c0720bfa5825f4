import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { positionOfPlace } from '#domain/list-sorting-and-filters.ts'
import {
  AliasName,
  answerOf,
  ApplicationSlug,
  ExternalId,
  Label,
  Micros,
  MicrosSum,
  Moment,
  pageQuery,
  Pattern,
  PositiveMicros,
  Slug,
  text,
  Timestamp,
} from './value-and-page-schemas.ts'

function isDescribed(schema: z.ZodType, value: string): boolean {
  const json = z.toJSONSchema(schema, { io: 'input' })
  const { pattern = '', minLength = 0, maxLength = Infinity } = json
  // oxlint-disable-next-line typescript/no-misused-spread -- JSON Schema counts code points (RFC 8259)
  const { length } = [...value]
  return new RegExp(pattern, 'u').test(value) && length >= minLength && length <= maxLength
}

const edges = [
  '',
  '0',
  '00',
  '1',
  '01',
  '-1',
  '+1',
  '1.0',
  '1e3',
  ' 1',
  '1 ',
  '1\n',
  '٣',
  '7',
  '99',
  '100',
  '199',
  '200',
  '201',
  '999',
  '050',
  '007',
  '999999999999999',
  '1000000000000000',
  '1000000000000001',
  '9999999999999999',
  '10000000000000000',
  '*',
  '**',
  'a*',
  'a*b',
  '*a',
  'acme/*',
  '/a',
  'A',
  'a',
  '-a',
  'a-',
  'pa_1',
  'x',
  'a'.repeat(127),
  'a'.repeat(128),
  'a'.repeat(129),
  `${'a'.repeat(128)}*`,
  `${'a'.repeat(129)}*`,
  'é',
  '😀'.repeat(64),
  '😀'.repeat(65),
  '😀'.repeat(256),
  '😀'.repeat(257),
  'a\u0000',
  'a\tb',
  'a\u2028b',
  'a\u0085b',
  'a'.repeat(63),
  'a'.repeat(64),
  'a'.repeat(40),
  'a'.repeat(41),
  'a'.repeat(256),
  'a'.repeat(257),
]

const schemas: Readonly<Record<string, z.ZodType>> = {
  Micros,
  PositiveMicros,
  Pattern,
  Slug,
  ApplicationSlug,
  AliasName,
  Label,
  ExternalId,
  'text of 64': text(64),
}

test('the limit of a page is an integer from 1 to 200, in plain digits', () => {
  for (const digits of ['1', '2', '50', '199', '200'])
    expect(pageQuery.limit.safeParse(digits).success, digits).toBe(true)
  for (const digits of ['', '0', '201', '-1', '1.5', '1e1', ' 1', '01', 'x', '٣'])
    expect(pageQuery.limit.safeParse(digits).success, digits).toBe(false)
})

describe('constraints of texts in the OpenAPI document', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    test(`the schema ${name} enforces the constraints that the OpenAPI document states`, () => {
      const check = (value: string): void => {
        expect([value, schema.safeParse(value).success]).toEqual([value, isDescribed(schema, value)])
      }
      for (const value of edges) check(value)
      const digits = fc.stringMatching(/^[0-9]{0,18}$/)
      const names = fc.stringMatching(/^[a-zA-Z0-9._:/*_-]{0,140}$/)
      fc.assert(
        fc.property(fc.oneof(digits, names, fc.string({ unit: 'grapheme', maxLength: 140 })), check),
        {
          numRuns: 500,
        },
      )
    })
  }
})

test('every accepted time has a four-digit year in every time zone, so that responses can contain the time', () => {
  const right = ['1970-01-01T00:00:00Z', '1970-01-01T01:00:00+01:00', '9998-12-31T23:59:59.999Z']
  const wrong = [
    '0000-01-01T00:00:00Z',
    '1970-01-01T00:00:00+00:01',
    '9999-01-01T00:00:00Z',
    '9999-12-31T23:59:59-14:00',
  ]
  for (const schema of [Timestamp, Moment]) {
    for (const time of right) expect(schema.safeParse(time).data).toBe(Date.parse(time))
    for (const time of wrong) expect(schema.safeParse(time).error?.issues[0]?.message).toMatch(/^must be/)
  }
  for (const time of right) expect(z.encode(Timestamp, Date.parse(time))).toBe(new Date(time).toISOString())
  expect(Moment.safeParse('1970-01-01').data).toBe(0)
  expect(Moment.safeParse('0000-01-01').success).toBe(false)
})

test('an amount in a response can have any size, but an amount in a request has a maximum', () => {
  const large = 123_456_789_012_345_678_901n
  for (const schema of [Micros, MicrosSum]) expect(z.encode(schema, large)).toBe(String(large))
  expect(() => z.encode(Micros, -1n)).toThrow('must be a decimal string')
  expect(z.safeDecode(Micros, '1000000000000000').data).toBe(1_000_000_000_000_000n)
  const refused = z.safeDecode(Micros, '1000000000000001')
  expect(refused.error?.issues[0]?.message).toContain('from 0 to 1000000000000000')
  expect(isDescribed(MicrosSum, String(large))).toBe(true)
})

test.each([
  [
    'an external ID of the maximum length',
    positionOfPlace(
      { by: 'name', direction: 'desc' },
      { id: `eu_${'x'.repeat(26)}`, value: '😀'.repeat(256) },
    ).id,
  ],
  ['a run whose ID has a line separator', `eu_${'x'.repeat(26)}/run\u2028\u2029${'語'.repeat(195)}`],
])('the cursor after %s is accepted', async (_, id) => {
  const { nextCursor } = await answerOf({ rows: [], next: { at: 1_790_000_000_000, id } }, (row) => row)
  expect(pageQuery.cursor.safeParse(nextCursor)).toMatchObject({ data: { at: 1_790_000_000_000, id } })
})
