import type { EndedCall } from '#domain/ledger-interface.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Logger } from '#domain/log-interface.ts'
import { totalInput } from '#money/usage-counts.ts'
import { LineLimit, type LineLimitDeps } from './log-line-limit.ts'

export const callLines = { linesMax: 500 } as const

export interface CallLogOptions extends LineLimitDeps {
  readonly log: Pick<Logger, 'info'>
  /** Share of successful calls to log, from 0 to 1. Failures are always logged. */
  readonly share: number
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
}

/**
 * Logs a line for each call, at the level `info`. The line contains no end user, key or message text, and names a model
 * only if the application serves it. The number of lines is limited for each organization.
 */
export function callLog({ log, random, share, ...deps }: CallLogOptions): (ended: EndedCall) => void {
  const lines = new LineLimit(callLines, deps, (organizationId, suppressed) =>
    log.info({ organizationId, suppressed }, 'more calls ended than logged'),
  )
  return (ended) => {
    const { organizationId, record } = ended
    if (record.errorCode === null && share < 1 && (share === 0 || random() >= share)) return
    const suppressed = lines.take(organizationId)
    if (suppressed === null) return
    log.info(suppressed > 0 ? { ...lineOf(ended), suppressed } : lineOf(ended), 'call')
  }
}

function lineOf({ applicationSlug, attempts, charged, endedAtMs, record }: EndedCall): object {
  return {
    requestId: idOf('req', record.callId),
    application: applicationSlug,
    mode: record.mode,
    wire: record.wire,
    model: record.target === null ? null : record.alias,
    streamed: record.streamed,
    outcome: record.status,
    httpStatus: record.httpStatus,
    code: record.errorCode,
    ms: Math.round(endedAtMs),
    firstByteMs: record.firstByteMs,
    attempts: attempts.length,
    ...(charged && {
      inputTokens: totalInput(charged.usage),
      outputTokens: charged.usage.output,
      chargedMicros: String(charged.result.chargeMicros),
      billedMicros: String(charged.result.billedMicros),
      costMicros: String(charged.result.costMicros),
    }),
  }
}
