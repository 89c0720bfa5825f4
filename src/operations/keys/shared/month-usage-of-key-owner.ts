import type { Holder, HolderUsage, HolderUse } from '#domain/balance-and-usage-for-key-owner.ts'
import type { UsageOfDay } from '#domain/portal-settings-and-sessions.ts'
import type { Nouns } from '#domain/store-interface.ts'
import { timeIn } from '#domain/test-clock.ts'
import { calendarWindow, dayMs } from '#money/periods-and-windows.ts'
import { windowDays } from '#operations/kernel/days-of-window.ts'

/** The usage of the current calendar month (UTC), by model name. */
export async function holderUsage(
  { key: { endUserId, mode }, nowMs: realMs, testClockOffsetMs }: Holder,
  store: Nouns,
): Promise<HolderUsage> {
  const nowMs = timeIn(mode, { testClockOffsetMs }, realMs)
  const days = windowDays('month', nowMs)
  const used = await store.portals.usageByDay(endUserId, mode, days)
  const names = [...Map.groupBy(used, ({ alias }) => alias)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  return {
    livemode: mode === 'live',
    from: dateOf(days.fromDay * dayMs),
    to: dateOf(calendarWindow('month', nowMs).endsAtMs ?? nowMs),
    models: names.map(([model, ofName]) => ({ model, ...sumOf(ofName) })),
    totals: sumOf(used),
  }
}

function sumOf(days: readonly UsageOfDay[]): HolderUse {
  let [calls, inputTokens, outputTokens, chargeMicros] = [0, 0, 0, 0n]
  for (const day of days) {
    calls += day.calls
    inputTokens += day.inputTokens
    outputTokens += day.outputTokens
    chargeMicros += day.chargeMicros
  }
  return { calls, inputTokens, outputTokens, chargeMicros: String(chargeMicros) }
}

function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}
