import { calendarWindow, dayMs } from '#money/periods-and-windows.ts'
import { dayOf } from '#store/ledger/day-sums-of-batch.ts'
import { Differences } from './first-difference-and-count.ts'
import type { StoreReading, Verification } from './store-snapshot-interface.ts'

const current = `key_spending WHERE set_number = (SELECT spending_set FROM usage_fold)
  AND run = (SELECT spending_run FROM usage_fold)`
const columns = ['billed_micros', 'charge_micros', 'week_charge_micros', 'month_charge_micros'] as const
const keys = 'application_id, mode, end_user_id, key_id'

export async function spendingCheck(reading: StoreReading): Promise<Verification> {
  const found = new Differences()
  const throughDay = await reading.count('SELECT spending_day FROM usage_fold')
  if (throughDay >= 0) {
    const fromDay = (window: 'week' | 'month'): number =>
      dayOf(calendarWindow(window, throughDay * dayMs).startsAtMs)
    const since = (day: number): string => `CASE WHEN day >= ${day} THEN charge_micros ELSE 0 END`
    // Name the columns inside the union, because Citus loses column names after WITH.
    const stored = columns.map((name) => `${name} AS stored_${name}`).join(', ')
    const zeros = columns.map((name) => `0 AS ${name}`).join(', ')
    const differs = columns.map((name) => `sum(stored_${name}) <> sum(${name})`).join(' OR ')
    const rows = reading.stream(`
      WITH sides AS (
        SELECT ${keys}, ${stored}, ${zeros} FROM ${current}
        UNION ALL
        SELECT ${keys}, ${zeros}, billed_micros, charge_micros, ${since(fromDay('week'))}, ${since(fromDay('month'))}
        FROM usage_days WHERE day <= ${throughDay})
      SELECT 'key ' || key_id || ' of ' || end_user_id || ' (' || mode || '): charged ' ||
        sum(stored_charge_micros) || ', its days say ' || sum(charge_micros) AS difference
      FROM sides GROUP BY ${keys} HAVING ${differs}`)
    for await (const row of rows) found.add(String(row.difference))
  }
  return {
    check: 'the stored spending of a key equals the sums of its days',
    rows: await reading.count(`SELECT count(*) FROM ${current}`),
    difference: found.text(),
  }
}
