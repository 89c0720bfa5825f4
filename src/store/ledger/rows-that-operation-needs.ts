import type { Mode } from '#domain/application-config.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { bigintIn, numberOrNullIn, type SqlRow } from '#store/rows/read-row-strictly.ts'

/**
 * The rows that the ledger needs to decide about an operation. Each engine has separate SQL that reads these rows. The
 * columns are named as in the tables, and ledger-state-from-rows.ts reads them.
 */
export type Need =
  | { readonly kind: 'application'; readonly id: string }
  | { readonly kind: 'key'; readonly id: string; readonly endUserId: string }
  /**
   * The bundle with its included pools. The result has one row per included pool, or one row without an included pool.
   * Column `bundle_slug` is the slug of the bundle.
   */
  | { readonly kind: 'bundle'; readonly id: string }
  /** All aliases of the application. */
  | { readonly kind: 'aliases'; readonly applicationId: string }
  | { readonly kind: 'person'; readonly endUserId: string }
  | { readonly kind: 'owner'; readonly endUserId: string }
  /**
   * The sources of the end user. Each row also contains the end user's account and the usage that rate limits have
   * counted. If the end user has no source, the result is one row with only these columns. Sources that have ended may
   * be omitted, except pools with a rollover (`rolloverKeptMs`).
   */
  | ({ readonly kind: 'sources'; readonly nowMs: number } & PersonKey)
  /** A month of on-demand usage or a share in a payer's money, even if the period has ended. */
  | ({ readonly kind: 'source'; readonly sourceId: string } & PersonKey)
  | { readonly kind: 'quote'; readonly id: string }
  | ({ readonly kind: 'run'; readonly slug: string; readonly runId: string } & PersonKey)
  /** The usage counted by the rate limits of a key line. */
  | ({ readonly kind: 'line_uses'; readonly lineId: string } & PersonKey)
  /** The amount that was spent in a time range, as a single row. */
  | ({
      readonly kind: 'spent'
      /** ID of a key line, `wholePerson` or `portalLines`. */
      readonly spender: string
      readonly fromDay: number
      readonly toDay: number | null
    } & PersonKey)
  | {
      readonly kind: 'grant'
      readonly applicationId: string
      readonly mode: Mode
      readonly grantId: string
      readonly idempotencyKey: string | null
      readonly paymentReference: string | null
    }
  /** The ledger entries of the end user's wallet that have an idempotency key. */
  | ({ readonly kind: 'credits' } & PersonKey)
  /** The usage record of a call. */
  | {
      readonly kind: 'charged_call'
      readonly applicationId: string
      readonly endUserId: string
      readonly callId: string
    }
  /** The corrections of a call, oldest first. */
  | {
      readonly kind: 'corrections'
      readonly applicationId: string
      readonly endUserId: string
      readonly callId: string
    }
  | ({ readonly kind: 'entry'; readonly idempotencyKey: string } & PersonKey)

/**
 * How long after its end a pool with a rollover is still loaded. This time must be longer than `rolloverPeriodsMax`
 * months.
 */
export const rolloverKeptMs = 400 * dayMs

export interface PersonKey {
  readonly endUserId: string
  readonly mode: Mode
}

export function valueOf(need: object, field: string): string | number | null {
  const value: unknown = Reflect.get(need, field)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/**
 * Whether the source must be loaded. True if the source has not ended or holds money. Also true for a pool with a
 * balance, and for a pool whose credit may be carried over.
 */
export function isNeeded(source: SqlRow, nowMs: number): boolean {
  const endsAtMs = numberOrNullIn(source, 'ends_at_ms')
  if (endsAtMs === null || endsAtMs > nowMs || bigintIn(source, 'held') > 0n) return true
  if (source.rollover_periods !== null && endsAtMs > nowMs - rolloverKeptMs) return true
  return source.kind === 'pool' && bigintIn(source, 'posted') > 0n
}
