import type { Diagnosis } from '#domain/health/doctor-facts-interface.ts'
import type { Check, Finding } from './finding-types.ts'

const warningMs = 5_000
const errorMs = 60_000

/** Periods, expiry and the sums of days depend on the clock of this process. */
export const clock: Check = {
  name: 'clock',
  looksAt:
    'Clock of this process, compared with the clock of the database, or with the newest ledger entry of the embedded store.',
  run: async ({ nowMs, store }) => {
    const found = await clockFinding(store.diagnosis, nowMs)
    return found === null ? [] : [found]
  },
}

export async function clockFinding(
  diagnosis: Pick<Diagnosis, 'clockMs' | 'newestEntryMs'>,
  nowMs: number,
): Promise<Finding | null> {
  const databaseMs = await diagnosis.clockMs()
  if (databaseMs !== null) {
    const skewMs = Math.abs(databaseMs - nowMs)
    return skewMs <= warningMs
      ? null
      : skewed(skewMs, 'The clocks of this process and of the database differ by')
  }
  const newestMs = await diagnosis.newestEntryMs()
  const aheadMs = newestMs === null ? 0 : newestMs - nowMs
  return aheadMs <= warningMs
    ? null
    : skewed(aheadMs, 'The newest ledger entry is ahead of the clock of this process by')
}

function skewed(skewMs: number, sentence: string): Finding {
  return {
    code: 'clock_skew',
    severity: skewMs > errorMs ? 'error' : 'warning',
    resource: { type: 'server', id: 'clock' },
    message: `${sentence} ${Math.round(skewMs / 1000)} s. As a result, periods, expiry and limits take effect at the wrong time.`,
    fix: { say: 'Correct the clock of the machine, and synchronize it with NTP.', call: null },
  }
}
