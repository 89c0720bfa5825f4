import fc from 'fast-check'
import { expect, it } from 'vitest'
import { before, monthsBack, statementCsv, statementOf } from './monthly-statement.ts'

const entry = (month: string, amountMicros: bigint, after: bigint, at: number) => ({
  id: `led_${at}`,
  kind: 'usage_debit' as const,
  amountUnits: String(amountMicros),
  balanceAfterUnits: String(after),
  createdAt: `${month}-1${at % 10}T00:00:00.000Z`,
})

it('a statement has an opening balance, entries and a closing balance that add up', () => {
  const months = ['2026-09', '2026-10', '2026-11']
  const moves = fc.array(
    fc.tuple(fc.constantFrom(0, 1, 2), fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })),
  )
  fc.assert(
    fc.property(moves, (all) => {
      let balance = 0n
      const entries = all
        .toSorted(([one], [other]) => one - other)
        .map(([month, amount], at) => {
          balance += amount
          return entry(months[month] ?? '', amount, balance, at)
        })
        .toReversed()
      let last = 0n
      for (const month of months) {
        const { closingMicros, entries: own, openingMicros } = statementOf(entries, month)
        expect(openingMicros).toBe(last)
        expect(openingMicros + own.reduce((sum, one) => sum + BigInt(one.amountUnits), 0n)).toBe(
          closingMicros,
        )
        last = closingMicros
      }
      expect(last).toBe(balance)
    }),
  )
})

it('the balance before an entry is computed from the entry', () => {
  expect(before(entry('2026-11', -5n, 20n, 1))).toBe(25n)
})

it('months are listed from the current month back to the same month of the previous year', () => {
  const months = monthsBack(Date.parse('2027-02-28T23:59:59Z'))
  expect(months).toHaveLength(13)
  expect(months.slice(0, 3)).toEqual(['2027-02', '2027-01', '2026-12'])
  expect(months.at(-1)).toBe('2026-02')
})

it('threat 101: a statement escapes a reason that a spreadsheet would run as a formula', () => {
  const made = { ...entry('2026-11', 5n, 5n, 1), reason: '=HYPERLINK("http://evil")' }
  const csv = statementCsv(statementOf([made], '2026-11'), '2026-11')
  expect(csv).toContain(`"'=HYPERLINK(""http://evil"")"`)
  expect(csv).toContain(',0.000005,0.000005,')
})
