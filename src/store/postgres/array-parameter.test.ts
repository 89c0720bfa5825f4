import { describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { hasPostgres, newDatabase } from '#tests/support/start-postgres.ts'
import { arrayParameter } from './array-parameter.ts'

const texts = [
  '',
  'plain',
  'NULL',
  'null',
  ' spaces ',
  'a,b',
  '{}',
  '{"a":1,"b":"c\\"d"}',
  '"',
  '\\',
  '\\"',
  '"\\',
  '\\\\"',
  "it's",
  'line\nbreak\ttab',
  'é 漢字 😀',
  null,
]
const integers = [0, -1, 42n, -(2n ** 63n), 2n ** 63n - 1n, 2 ** 53, null]
const rowsOf = (values: readonly (string | number | bigint | null)[]) =>
  values.map((value) => ['other', value])

test('without rows, the array is empty', () => {
  expect(arrayParameter([], 0, false)).toBe('{}')
})

test('a missing value is null', () => {
  expect(arrayParameter([[], ['a']], 0, false)).toBe('{NULL,"a"}')
})

describe.skipIf(!hasPostgres)('the text of an array', () => {
  test('PostgreSQL reads the values that were written', async () => {
    const database = await newDatabase()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<{ texts: string; integers: string }>(
      'SELECT to_json($1::text[])::text AS texts, to_json($2::int8[]::text[])::text AS integers',
      [arrayParameter(rowsOf(texts), 1, false), arrayParameter(rowsOf(integers), 1, true)],
    )
    await client.end()
    await database.drop()
    expect(JSON.parse(rows[0]?.texts ?? '')).toEqual(texts)
    expect(JSON.parse(rows[0]?.integers ?? '')).toEqual(
      integers.map((value) => (value === null ? null : String(value))),
    )
  })
})
