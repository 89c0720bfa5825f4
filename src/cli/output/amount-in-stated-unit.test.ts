import { expect, it } from 'vitest'
import { tableText } from './aligned-table.ts'
import { recordText } from './print-document-as-lines.ts'

const screen = {
  columns: null,
  hasColour: false,
  isTerminal: false,
  write: () => {},
  drained: async () => {},
}
const table = (rows: Parameters<typeof tableText>[0]): string =>
  tableText(rows, { columns: null }, screen).text

it('limits on money are printed in dollars, and other limits as counts', () => {
  const limits = [
    { measure: 'micros', most: '2000000', used: '250000', available: '1750000' },
    { measure: 'requests', most: '2000000', used: '12', available: '1999988' },
  ]
  expect(table(limits)).toBe(
    [
      'MEASURE      MOST   USED  AVAILABLE',
      'micros      $2.00  $0.25      $1.75',
      'requests  2000000     12    1999988',
      '',
    ].join('\n'),
  )
})

it('ledger entries in credits are never printed as dollars', () => {
  const entries = [
    { amountUnits: '-1500000', balanceAfterUnits: '500000000', unit: 'credits' },
    { amountUnits: '-1500000', balanceAfterUnits: '500000000', unit: 'micros' },
  ]
  expect(table(entries)).toBe(
    [
      '      AMOUNT  BALANCE AFTER  UNIT',
      '-1.5 credits    500 credits  credits',
      '      -$1.50        $500.00  micros',
      '',
    ].join('\n'),
  )
})

it('a single document is printed in the unit that it states', () => {
  expect(recordText({ slug: 'base', unit: 'micros', amount: '10000000' }, screen)).toContain(
    'amount  $10.00\n',
  )
  expect(recordText({ slug: 'base', unit: 'credits', amount: '10000000' }, screen)).toContain(
    'amount  10 credits\n',
  )
  expect(recordText({ slug: 'base', unit: 'tokens', amount: '10000000' }, screen)).toContain(
    'amount  10000000\n',
  )
})
