import { expect, test } from 'vitest'
import { focusColumns } from '#operations/usage/export-rows/focus-columns.ts'
import { usageColumns } from '#operations/usage/export-rows/usage-record-columns.ts'
import { dayRow, usageRow } from '#store/ledger/rows-that-batch-inserts.ts'
import { columnName } from '#store/sql/convert-records-and-rows.ts'
import {
  addMoney,
  countNames,
  moneyNames,
  paidNames,
  unattributedMicros,
  zeroMoney,
} from '#domain/sums-of-request-figures.ts'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { openControl } from '../support/control-plane-without-socket.ts'
import { filled } from '../support/valid-request-of-every-operation.ts'

test('every usage figure has a zero value, and can be added and subtracted', () => {
  const sum = zeroMoney()
  expect(Object.keys(sum).toSorted()).toEqual([...moneyNames].toSorted())
  const one = zeroMoney()
  for (const [at, name] of moneyNames.entries()) one[name] = BigInt(at + 1)
  addMoney(sum, one)
  addMoney(sum, one)
  addMoney(sum, one, -1)
  expect(sum).toEqual(one)
})

test('every usage figure is stored for each day, and the parts of a charge are stored in each record', () => {
  for (const name of [...countNames, ...moneyNames]) expect(dayRow.columns).toContain(`${columnName(name)}+`)
  for (const name of paidNames) expect(usageRow.columns).toContain(`${columnName(name)}+`)
})

test('every amount is in the margin, the series, the list of requests and the exports', async () => {
  const control = await openControl()
  await filled(control)
  for (const [path, of] of [
    ['/v1/margin', 'totals'],
    ['/v1/usage/series', 'all'],
    ['/v1/requests', 'data'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- only three reads
    const { body } = await control.call('GET', path)
    const shown = of === 'data' ? body.data.at(-1) : (body[of].totals ?? body[of])
    for (const name of moneyNames) expect(shown, `${path} ${name}`).toHaveProperty(figures[name].wire)
  }
  await control.close()
  const columns = usageColumns.map(({ name }) => name)
  for (const name of moneyNames) expect(columns).toContain(figures[name].wire)
  expect(focusColumns.filter(({ name }) => /^x_(?:PaidFrom|OnDemand|Overdraft)/.test(name))).toHaveLength(
    paidNames.length,
  )
})

test('the part of a charge without a payer is the charge minus all paid parts', () => {
  const money = { ...zeroMoney(), chargeMicros: 10n, paidPlanMicros: 3n, onDemandMicros: 4n }
  expect(unattributedMicros(money)).toBe(3n)
})
