/**
 * What a process does that finds its epoch ended: others have taken it for dead and recovered its calls at their last
 * checkpoints. It may write nothing on the ledger any more, yet it learns how its calls in flight really end. It leaves
 * each true usage in a table, which needs no lease, for the sweeper of a living process (`Sweeper`), and ends once its
 * calls have ended, or after `leaveMs`.
 */
import type { Pool } from 'pg'
import type { ReleaseRequest, SettleRequest } from '#domain/ledger.ts'
import { type Usage, zeroUsage } from '#money/usage.ts'
import type { RenewedMap } from '#store/ledger/renewed-map.ts'
import { usageToText } from '#store/rows/json-columns.ts'

/** How long the calls of a process that was taken for dead may take to end. */
const leaveMs = 10_000

export interface LeftUsageOptions {
  readonly pool: Pool
  readonly nowMs: () => number
  /** The calls of this process that have not ended. */
  readonly calls: Pick<RenewedMap<unknown>, 'size'>
  /** Called once, when the process must end. */
  readonly onFatal: (error: Error) => void
  readonly leaveMs?: number
}

export class LeftUsage {
  readonly #options: LeftUsageOptions
  #error: Error | null = null
  #timer: NodeJS.Timeout | null = null
  #isTold = false

  constructor(options: LeftUsageOptions) {
    this.#options = options
  }

  /** The epoch of this process has ended. */
  readonly begin = (error: Error): void => {
    if (this.#error !== null) return
    this.#error = error
    this.#timer = setTimeout(() => this.#tell(), this.#options.leaveMs ?? leaveMs)
    // The operations of the batch that found it out have not been refused yet.
    setImmediate(() => this.callEnded())
  }

  /** Leaves what a call used, after its settle or release was refused. Does nothing while the epoch lasts. */
  async leave(request: SettleRequest | ReleaseRequest): Promise<void> {
    if (this.#error === null) return
    const { applicationId, endUserId, mode } = request.record
    // A call that was released used nothing, whatever it was recovered with.
    const usage: Usage = 'usage' in request ? request.usage : zeroUsage
    if (endUserId === null) return
    await this.#options.pool
      .query(
        `INSERT INTO late_usage (call_id, application_id, end_user_id, mode, usage, created_at_ms)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        [request.callId, applicationId, endUserId, mode, usageToText(usage), this.#options.nowMs()],
      )
      // The caller is told that its settle failed; the recovered charge stands then.
      .catch(() => {})
  }

  /** After a call has ended in this process. */
  callEnded(): void {
    if (this.#error !== null && this.#options.calls.size === 0) this.#tell()
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #tell(): void {
    if (this.#isTold || this.#error === null) return
    this.#isTold = true
    this.close()
    this.#options.onFatal(this.#error)
  }
}
