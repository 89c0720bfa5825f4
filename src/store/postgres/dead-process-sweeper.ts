/**
 * Each process ends the calls and grants of all dead processes. Sweepers may run concurrently, because the end user's
 * lock ensures that each call is ended once.
 *
 * A process counts as dead if its row was not updated for `silentMs` *while this sweeper was checking*. Two checks that
 * are `silentMs` apart, by the database's clock, must have found the same update time. No check in between may have
 * failed or been missed. The age of the last update alone is not enough: while the database is unavailable, no process
 * can update its row. The first process to reconnect would then consider all other processes dead.
 */
import type { Pool } from 'pg'
import type { Mode } from '#domain/application-config.ts'
import { endEpoch } from './process-lease.ts'
import { finishGrants, type GrantProgress } from '#store/ledger/finish-work-of-dead-process.ts'
import { usageFromText } from '#store/rows/json-columns.ts'
import type { Database } from '#store/sql/database-interface.ts'
import type { PostgresLedger } from './ledger-divided-among-lanes.ts'

export const silentMs = 20_000
const sweepEveryMs = 5_000
/** The longest gap between two checks. In a longer gap, this process may have missed updates of other processes. */
const gapMsMax = 10_000
/** Maximum number of calls in one sweep. The next sweep recovers further calls. */
const callsMax = 5_000
/**
 * After this time without progress of a grant, its process counts as dead, and any other process finishes the grant.
 */
const grantMs = 60_000

export interface SweepOptions {
  readonly pool: Pool
  readonly database: Database
  readonly ledger: PostgresLedger
  readonly epoch: number
  readonly nowMs: () => number
  readonly silentMs?: number
}

export interface Swept {
  readonly ended: readonly number[]
  readonly calls: number
  readonly takenOver: number
  readonly grants: number
  /** Errors of single calls, corrections and grants. The next sweep tries each of them again. */
  readonly failures: readonly unknown[]
}

interface Seen {
  readonly beat: string
  /** Time of the last check, by the database's clock. */
  readonly sinceMs: number
}

export class Sweeper {
  readonly #options: SweepOptions
  #seen = new Map<number, Seen>()
  readonly #grants = new Map<string, { readonly done: number; readonly sinceMs: number }>()
  /** Time of the last check, by the database's clock. */
  #lookedAtMs = 0
  #timer: NodeJS.Timeout | null = null
  #sweeping: Promise<unknown> = Promise.resolve()

  constructor(options: SweepOptions) {
    this.#options = options
  }

  start(onSwept: (swept: Swept) => void, onError: (error: unknown) => void, everyMs = sweepEveryMs): void {
    const report = (swept: Swept): void => {
      // A failure of one call must not hide that this process has taken over other calls.
      onSwept(swept)
      swept.failures.forEach(onError)
    }
    let isBusy = false
    this.#timer = setInterval(() => {
      if (isBusy) return
      isBusy = true
      this.#sweeping = this.sweep()
        .then(report, onError)
        .finally(() => {
          isBusy = false
        })
    }, everyMs)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#sweeping
  }

  /**
   * If a step fails, runs the other steps too, because a single call that cannot be recovered may fail in every sweep.
   * @throws if the database is unavailable; the next sweep then ignores the results of this and earlier checks
   */
  async sweep(): Promise<Swept> {
    const ended = await this.#endSilent()
    const { database, ledger, nowMs } = this.#options
    const failures: unknown[] = []
    const failed = (cause: unknown): null => {
      failures.push(cause)
      return null
    }
    const recovered = await this.#recoverCalls(failed).catch(failed)
    await this.#applyLate().catch(failed)
    const isStalled = (grant: GrantProgress): boolean => this.#isStalled(grant, nowMs())
    const grantLedger = {
      continueGrant: ledger.continueGrant.bind(ledger),
      reportFault: (error: Error) => void failed(error),
    }
    const grants = await finishGrants(database, grantLedger, isStalled).catch(failed)
    return { ended, calls: 0, takenOver: 0, ...recovered, grants: grants ?? 0, failures }
  }

  /** @param nowMs the time of a real clock; the time stored with the grant may follow a test clock */
  #isStalled({ done, id }: GrantProgress, nowMs: number): boolean {
    const known = this.#grants.get(id)
    if (known?.done === done) return nowMs - known.sinceMs >= grantMs
    this.#grants.set(id, { done, sinceMs: nowMs })
    return false
  }

  async #endSilent(): Promise<number[]> {
    const { epoch: own, nowMs, pool } = this.#options
    const before = this.#seen
    // Drop the results of earlier checks now, because they are invalid if this check fails.
    this.#seen = new Map()
    const { rows } = await pool.query<{ epoch: bigint; beat: string; now_ms: bigint }>(
      `SELECT epoch, beat_at::text AS beat, (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now_ms
       FROM epochs WHERE ended_at_ms IS NULL AND epoch <> $1`,
      [own],
    )
    const [first] = rows
    if (first === undefined) return []
    if (Number(first.now_ms) - this.#lookedAtMs > gapMsMax) before.clear()
    this.#lookedAtMs = Number(first.now_ms)
    const seen = new Map<number, Seen>()
    const ended: number[] = []
    for (const row of rows) {
      const epoch = Number(row.epoch)
      const known = before.get(epoch)
      const isSilent = known !== undefined && known.beat === row.beat
      if (isSilent && Number(row.now_ms) - known.sinceMs >= (this.#options.silentMs ?? silentMs)) {
        // oxlint-disable-next-line no-await-in-loop -- there are few calls, and each waits for at most one batch
        await endEpoch(pool, epoch, nowMs())
        ended.push(epoch)
      } else {
        seen.set(epoch, isSilent ? known : { beat: row.beat, sinceMs: Number(row.now_ms) })
      }
    }
    this.#seen = seen
    return ended
  }

  /**
   * Recovers the calls of every ended epoch (process), including epochs that another sweeper has ended. A call whose
   * recovery fails does not block the recovery of other calls.
   */
  async #recoverCalls(failed: (cause: unknown) => void): Promise<{ calls: number; takenOver: number }> {
    const { ledger, nowMs, pool } = this.#options
    const { rows } = await pool.query<{
      call_id: string
      end_user_id: string
      mode: Mode
      key_id: string
      outcome_slug: string | null
      run_id: string | null
    }>(
      `SELECT h.call_id, h.end_user_id, h.mode, h.key_id, h.outcome_slug, h.run_id
       FROM holds h WHERE h.epoch NOT IN (SELECT epoch FROM epochs WHERE ended_at_ms IS NULL) LIMIT $1`,
      [callsMax],
    )
    const results = await Promise.allSettled(
      rows.map(
        ({ call_id: callId, end_user_id: endUserId, key_id: keyId, mode, outcome_slug: slug, run_id }) => {
          const outcome = slug === null || run_id === null ? null : { slug, runId: run_id }
          return ledger.recover(callId, { endUserId, mode, keyId, outcome }, nowMs())
        },
      ),
    )
    const done = results.filter((one) => one.status === 'fulfilled')
    const takenOver = done.filter(({ value }) => value.kind === 'taken_over').length
    const first = results.find(({ status }) => status === 'rejected')
    if (first?.status === 'rejected') {
      failed(new Error('recover the requests of ended processes', { cause: first.reason }))
    }
    return { calls: done.length - takenOver, takenOver }
  }

  /**
   * Corrects recovered calls whose true usage was stored by the process that served them
   * (shut-down-declared-dead-process.ts).
   */
  async #applyLate(): Promise<void> {
    const { ledger, nowMs, pool } = this.#options
    const { rows } = await pool.query<{
      call_id: string
      application_id: string
      end_user_id: string
      mode: Mode
      usage: string
    }>('SELECT call_id, application_id, end_user_id, mode, usage FROM late_usage LIMIT $1', [callsMax])
    const done: string[] = []
    const results = await Promise.allSettled(
      rows.map(async (row) => {
        const { application_id: applicationId, call_id: callId, end_user_id: endUserId, mode } = row
        const usage = usageFromText(row.usage)
        const result = await ledger.lateUsage({
          applicationId,
          callId,
          endUserId,
          mode,
          usage,
          nowMs: nowMs(),
        })
        // A call in flight has not been recovered yet, so keep its usage for the next sweep.
        if (result.kind !== 'in_flight') done.push(callId)
      }),
    )
    if (done.length > 0) await pool.query('DELETE FROM late_usage WHERE call_id = ANY($1::text[])', [done])
    const failed = results.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      throw new Error('correct recovered calls by their true usage', { cause: failed.reason })
    }
  }
}
