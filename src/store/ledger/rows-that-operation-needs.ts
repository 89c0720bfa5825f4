import type { Mode } from '#domain/application-config.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { bigintIn, numberOrNullIn, type SqlRow } from '#store/rows/read-row-strictly.ts'

/** Columns are named as in the tables. */
export type Need =
  | { readonly kind: 'application'; readonly id: string }
  | { readonly kind: 'key'; readonly id: string; readonly endUserId: string }
  /** The result has one row for each included pool of the bundle, or one row if there is no included pool. */
  | { readonly kind: 'bundle'; readonly id: string }
  | { readonly kind: 'aliases'; readonly applicationId: string }
  | { readonly kind: 'person'; readonly endUserId: string }
  | { readonly kind: 'owner'; readonly endUserId: string }
  /**
   * Each row also contains the end user's account and the usage that rate limits have counted. If the end user has no
   * source, the result is one row with only these columns. Sources that have ended may be omitted, except pools with a
   * rollover (`rolloverKeptMs`).
   */
  | ({ readonly kind: 'sources'; readonly nowMs: number } & PersonKey)
  /** Also read if the period of the month or share has ended. */
  | ({ readonly kind: 'source'; readonly sourceId: string } & PersonKey)
  | { readonly kind: 'quote'; readonly id: string }
  | ({ readonly kind: 'run'; readonly slug: string; readonly runId: string } & PersonKey)
  | ({ readonly kind: 'line_uses'; readonly lineId: string } & PersonKey)
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

/** How long a pool with a rollover is still loaded after its end. Must be longer than `rolloverPeriodsMax` months. */
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
 * True if the source has not ended or holds money. Also true for a pool with a balance, and with credit that may be
 * carried over.
 */
export function isNeeded(source: SqlRow, nowMs: number): boolean {
  const endsAtMs = numberOrNullIn(source, 'ends_at_ms')
  if (endsAtMs === null || endsAtMs > nowMs || bigintIn(source, 'held') > 0n) return true
  if (source.rollover_periods !== null && endsAtMs > nowMs - rolloverKeptMs) return true
  return source.kind === 'pool' && bigintIn(source, 'posted') > 0n
}
