/**
 * The shutdown of a process that other processes have declared dead. Another process has charged this process's calls
 * for the usage at their last checkpoints. This process may no longer write to the ledger, but still receives the
 * responses of its calls in flight. This process writes the true usage of these calls to a table, which needs no lease.
 * The sweeper of a running process reads the table (`Sweeper`). This process exits when its last call has ended, or
 * after `leaveMs`.
 */
import type { Pool } from 'pg'
import type { ReleaseRequest, SettleRequest } from '#domain/ledger-interface.ts'
import { type Usage, zeroUsage } from '#money/usage-counts.ts'
import type { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'
import { usageToText } from '#store/rows/json-columns.ts'

/** Maximum time that a process waits for its calls to end after it was declared dead. */
const leaveMs = 10_000

export interface OrphanedUsageOptions {
  readonly pool: Pool
  readonly nowMs: () => number
  readonly calls: Pick<RenewedMap<unknown>, 'size'>
  /** Called once, when the process must exit. */
  readonly onFatal: (error: Error) => void
  readonly leaveMs?: number
}

export class OrphanedUsage {
  readonly #options: OrphanedUsageOptions
  #error: Error | null = null
  #timer: NodeJS.Timeout | null = null
  #isTold = false

  constructor(options: OrphanedUsageOptions) {
    this.#options = options
  }

  /** Call this function when other processes have declared this process dead. */
  readonly begin = (error: Error): void => {
    if (this.#error !== null) return
    this.#error = error
    this.#timer = setTimeout(() => this.#tell(), this.#options.leaveMs ?? leaveMs)
    // Wait one turn, because the batch that detected the end of the epoch has not rejected its operations yet.
    setImmediate(() => this.callEnded())
  }

  /** Stores the true usage of a call whose settle or release was rejected. Does nothing while the epoch is active. */
  async leave(request: SettleRequest | ReleaseRequest): Promise<void> {
    if (this.#error === null) return
    const { applicationId, endUserId, mode } = request.record
    // A released call has no usage, even if recovery charged the call.
    const usage: Usage = 'usage' in request ? request.usage : zeroUsage
    if (endUserId === null) return
    await this.#options.pool
      .query(
        `INSERT INTO late_usage (call_id, application_id, end_user_id, mode, usage, created_at_ms)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        [request.callId, applicationId, endUserId, mode, usageToText(usage), this.#options.nowMs()],
      )
      // The recovery's charge remains if the usage cannot be stored. The caller still receives the error of its settle.
      .catch(() => {})
  }

  /** Call this function after a call has ended in this process. */
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
