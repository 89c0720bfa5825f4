import type {
  EmitterMark,
  EmitterProgress,
  EnabledEmitter,
  Replay,
} from '#domain/emitters/emitter-records-and-ports.ts'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'

/** Earlier settled calls that an emitter still has to deliver, in addition to newly settled calls. */
export interface Backlog {
  /** `taken_over` means that an ended process settled the calls. */
  readonly reason: 'settled' | 'taken_over' | 'replay'
  /** Empty if no calls remain. */
  take(limit: number): Promise<readonly string[]>
  /**
   * Called with the outcome of the batch that was taken last.
   * @returns false if the worker must take no more calls
   */
  attempted(outcome: { readonly events: number; readonly failure: string | null }): Promise<boolean>
  /** Called once, after `take` has returned an empty list. */
  over(): Promise<void>
}

/**
 * Maximum time by which the clock of an ended process may have been behind the clock of the process that enabled an
 * emitter. A server whose clock is wrong by more than a minute is not ready (app/readiness.ts). If a process loads the
 * emitter, it also reads the calls of this time, which moves its mark beyond them. An emitter therefore gets calls from
 * before it was enabled only if a process ends within a few seconds.
 */
export const slowClockMsMax = 60_000

/** Sorts after every call ID. */
const afterAll = '~'

/**
 * Returns the calls that one process has settled but not delivered: the pending calls in the process's progress mark,
 * and all calls after the mark. If the process has ended, another process delivers these calls. The current process
 * delivers the calls that settled before it loaded the emitter.
 */
export function leftCalls(
  progress: EmitterProgress,
  emitter: Pick<EnabledEmitter, 'applicationId' | 'mode' | 'sinceMs'>,
  mark: EmitterMark,
  options: {
    readonly reason: 'settled' | 'taken_over'
    /** End of the range (exclusive). */
    readonly beforeMs?: number
    /** Whether this process delivers the call from its queue. */
    readonly isKnown?: (callId: string) => boolean
    readonly over: () => Promise<void>
  },
): Backlog {
  const { beforeMs, isKnown = () => false, over, reason } = options
  const { applicationId, mode, sinceMs } = emitter
  const pending = [...mark.pending]
  let after = mark.through
  let isRead = false
  return {
    reason,
    async take(limit) {
      while (pending.length > 0) {
        const some = pending.splice(0, limit).filter((callId) => !isKnown(callId))
        if (some.length > 0) return some
      }
      while (!isRead) {
        // oxlint-disable-next-line no-await-in-loop -- pages, in order
        const page = await progress.settledCalls({
          applicationId,
          mode,
          after,
          before: beforeMs === undefined ? afterAll : suffixFloor(beforeMs),
          epoch: mark.epoch,
          settledSinceMs: sinceMs - slowClockMsMax,
          limit,
        })
        isRead = page.length < limit
        after = page.at(-1) ?? after
        const some = page.filter((callId) => !isKnown(callId))
        if (some.length > 0) return some
      }
      return []
    },
    attempted: async () => true,
    over,
  }
}

/**
 * All recorded calls in the replay's time range, including calls whose events were already sent. The replay stops at
 * the first batch that fails.
 */
export function replayedCalls(
  progress: EmitterProgress,
  { applicationId, mode }: Pick<EnabledEmitter, 'applicationId' | 'mode'>,
  replay: Replay,
  nowMs: () => number,
): Backlog {
  let state = replay
  let last = replay.through
  const save = async (change: Partial<Replay>): Promise<void> => {
    state = { ...state, ...change, updatedAtMs: nowMs() }
    await progress.saveReplay(state)
  }
  return {
    reason: 'replay',
    async take(limit) {
      const page = await progress.settledCalls({
        applicationId,
        mode,
        after: state.through,
        before: suffixFloor(replay.toMs),
        epoch: null,
        settledSinceMs: 0,
        limit,
      })
      last = page.at(-1) ?? last
      return page
    },
    async attempted({ events, failure }) {
      if (failure === null) await save({ through: last, sent: state.sent + events })
      else await save({ state: 'stopped', failure })
      return failure === null
    },
    over: () => save({ state: 'done' }),
  }
}
