import { expect, test } from 'vitest'
import { grantLines, totalOf } from './parse-grant-lines.ts'

const brief = (text: string) =>
  grantLines(text, 'b').map(({ externalId, faults, line, micros, reason }) => [
    line,
    externalId,
    micros,
    reason,
    faults.length,
  ])

test('the amounts of grants are exact, whichever character separates the values of a line', () => {
  for (const separator of [',', ';', '\t']) {
    const row = (...values: string[]) => values.join(separator)
    const text = [
      row('externalId', 'dollars', 'reason'),
      row('ada', '0.000001', 'welcome'),
      row('bob', '$20', 'x'),
    ]
    expect(brief(text.join('\r\n'))).toEqual([
      [2, 'ada', '1', 'welcome', 0],
      [3, 'bob', '20000000', 'x', 0],
    ])
  }
})

test('a header line is skipped, and a first line with a grant is kept', () => {
  expect(brief('ada,5,welcome')).toEqual([[1, 'ada', '5000000', 'welcome', 0]])
  expect(brief('user-1,5,welcome')).toEqual([[1, 'user-1', '5000000', 'welcome', 0]])
  expect(brief('\uFEFFEnd user,Amount,Why\nada,5,x')).toEqual([[2, 'ada', '5000000', 'x', 0]])
  // A first line with an invalid amount is not a header.
  expect(brief('user-1,5.5.5,welcome')).toEqual([[1, 'user-1', null, 'welcome', 1]])
})

test('quoted values may contain commas, quotes and line breaks, and later lines keep their numbers', () => {
  const text = '"Lovelace, Ada",1,"says ""hi"""\n\nbob,"1,000.50","two\nlines"\ncarl,2,x\n'
  expect(brief(text)).toEqual([
    [1, 'Lovelace, Ada', '1000000', 'says "hi"', 0],
    [3, 'bob', '1000500000', 'two\nlines', 0],
    [5, 'carl', '2000000', 'x', 0],
  ])
})

test('each error of a line is reported', () => {
  const faults = (text: string) => grantLines(text, 'b')[0]?.faults ?? []
  expect(faults(',5,x')).toEqual(['The end user is missing.'])
  expect(faults('ada,,x')).toEqual(['The amount is missing.'])
  expect(faults('ada,0.0000001,x')).toEqual([
    '“0.0000001” is not an amount in dollars with at most six decimals.',
  ])
  expect(faults('ada,0,x')).toEqual(['The amount must be greater than 0.'])
  expect(faults('ada,-5,x')).toEqual(['The amount must be greater than 0.'])
  expect(faults('ada,5,')).toEqual(['The reason is missing.'])
  expect(faults('ada,5')).toEqual(['The reason is missing.'])
  expect(faults('ada,5,x,y')[0]).toContain('4 values')
  expect(faults('ada,5,"x')).toEqual(['A double quote is not closed.'])
  expect(faults('ada,5,"x"y')).toEqual(['Unexpected text after a closing double quote.'])
  expect(faults(`ada,5,${'x'.repeat(257)}`)).toEqual(['The reason is longer than 256 characters.'])
  expect(grantLines('\n \n', 'b')).toEqual([])
})

test('a retry of a grant has the same idempotency key, and another batch, line or repetition has a different one', () => {
  const keys = (text: string, batch = 'b') =>
    grantLines(text, batch).map(({ idempotencyKey }) => idempotencyKey)
  expect(keys('ada,5,x')).toEqual(keys('externalId,dollars,reason\nada,5.00,x'))
  expect(keys('ada,5,x')).not.toEqual(keys('ada,5,x', 'c'))
  expect(new Set(keys('ada,5,x\nada,5,x\nada,5.000001,x\nbob,5,x\nada,5,y')).size).toBe(5)
  // Removing a line does not change the keys of other lines.
  expect(keys('ada,5,x\nbob,5,x')[1]).toBe(keys('bob,5,x')[0])
})

test('the total is the sum of the valid amounts', () => {
  expect(totalOf(grantLines('ada,0.000001,x\nbob,9007199254.740993,x\ncarl,nothing,x', 'b'))).toBe(
    9007199254740994n,
  )
})
