import { expect, test } from 'vitest'
import { grantLines, totalOf } from './grant-lines.ts'

const brief = (text: string) =>
  grantLines(text, 'b').map(({ externalId, faults, line, micros, reason }) => [
    line,
    externalId,
    micros,
    reason,
    faults.length,
  ])

test('amounts are exact, whatever separates the values', () => {
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

test('a first line of names is no grant, and a first line that is one stays', () => {
  expect(brief('ada,5,welcome')).toEqual([[1, 'ada', '5000000', 'welcome', 0]])
  expect(brief('user-1,5,welcome')).toEqual([[1, 'user-1', '5000000', 'welcome', 0]])
  expect(brief('\uFEFFEnd user,Amount,Why\nada,5,x')).toEqual([[2, 'ada', '5000000', 'x', 0]])
  // A person with a wrong amount on the first line is told so.
  expect(brief('user-1,5.5.5,welcome')).toEqual([[1, 'user-1', null, 'welcome', 1]])
})

test('values in quotes have commas, quotes and breaks, and the lines after them keep their numbers', () => {
  const text = '"Lovelace, Ada",1,"says ""hi"""\n\nbob,"1,000.50","two\nlines"\ncarl,2,x\n'
  expect(brief(text)).toEqual([
    [1, 'Lovelace, Ada', '1000000', 'says "hi"', 0],
    [3, 'bob', '1000500000', 'two\nlines', 0],
    [5, 'carl', '2000000', 'x', 0],
  ])
})

test('each fault of a line is named', () => {
  const faults = (text: string) => grantLines(text, 'b')[0]?.faults ?? []
  expect(faults(',5,x')).toEqual(['There is no end user.'])
  expect(faults('ada,,x')).toEqual(['There is no amount.'])
  expect(faults('ada,0.0000001,x')).toEqual([
    '“0.0000001” is no amount of dollars with at most six decimals.',
  ])
  expect(faults('ada,0,x')).toEqual(['The amount is not more than zero.'])
  expect(faults('ada,-5,x')).toEqual(['The amount is not more than zero.'])
  expect(faults('ada,5,')).toEqual(['There is no reason.'])
  expect(faults('ada,5')).toEqual(['There is no reason.'])
  expect(faults('ada,5,x,y')[0]).toContain('4 values')
  expect(faults('ada,5,"x')).toEqual(['A double quote is never closed.'])
  expect(faults('ada,5,"x"y')).toEqual(['Something follows a closing double quote.'])
  expect(faults(`ada,5,${'x'.repeat(257)}`)).toEqual(['The reason has more than 256 characters.'])
  expect(grantLines('\n \n', 'b')).toEqual([])
})

test('a repeat has the same keys, and another batch, line or time has others', () => {
  const keys = (text: string, batch = 'b') =>
    grantLines(text, batch).map(({ idempotencyKey }) => idempotencyKey)
  expect(keys('ada,5,x')).toEqual(keys('externalId,dollars,reason\nada,5.00,x'))
  expect(keys('ada,5,x')).not.toEqual(keys('ada,5,x', 'c'))
  expect(new Set(keys('ada,5,x\nada,5,x\nada,5.000001,x\nbob,5,x\nada,5,y')).size).toBe(5)
  // Lines that are taken away leave the keys of the others.
  expect(keys('ada,5,x\nbob,5,x')[1]).toBe(keys('bob,5,x')[0])
})

test('the total is the sum of what can be read', () => {
  expect(totalOf(grantLines('ada,0.000001,x\nbob,9007199254.740993,x\ncarl,nothing,x', 'b'))).toBe(
    9007199254740994n,
  )
})
