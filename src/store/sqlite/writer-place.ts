/**
 * Chooses the better place to write the embedded ledger, by the duration of its commits
 * (docs/decisions/2026-11-22-the-writer-moves-while-it-runs.md). On the main thread, a call costs less CPU, but every
 * commit delays all streams until the disk has stored it. On its own thread, a commit delays no stream.
 *
 * Commits are judged in windows. A window votes for the other place if more than half of its commits do, so that single
 * slow commits do not decide. Several windows in a row must agree, so that a burst does not decide either. A commit
 * between the two limits votes for no move.
 */

/** `inline`: on the main thread. */
export type WriterPlace = 'inline' | 'thread'

/** Decides after every commit. */
export interface WriterChoice {
  /**
   * @param durationMs duration of the COMMIT
   * @param atMs by a clock that never goes back
   * @param place where the commit was made
   * @returns where to write the ledger from now on; called again after a failed move
   */
  committed(durationMs: number, atMs: number, place: WriterPlace): WriterPlace
}

/** A longer commit delays every stream noticeably. */
export const slowMs = 2
/**
 * The limit for moving back is lower. Otherwise a disk between the two limits would make the writer move back and
 * forth.
 */
export const fastMs = 1

const windowMs = 5_000
/** A window with fewer commits continues, so that a few commits on a quiet server do not decide. */
const windowCommitsMin = 32
/** Delayed streams are worse than CPU usage. So moving to the thread takes ten seconds, and moving back a minute. */
const windowsUntil: Readonly<Record<WriterPlace, number>> = { thread: 2, inline: 12 }

export class WriterChoiceByCommits implements WriterChoice {
  #sinceMs: number | null = null
  #commits = 0
  #commitsForOther = 0
  #windowsForOther = 0

  committed(durationMs: number, atMs: number, place: WriterPlace): WriterPlace {
    this.#sinceMs ??= atMs
    this.#commits += 1
    if (place === 'inline' ? durationMs > slowMs : durationMs < fastMs) this.#commitsForOther += 1
    if (this.#commits < windowCommitsMin || atMs - this.#sinceMs < windowMs) return place
    const isForOther = this.#commitsForOther * 2 > this.#commits
    this.#windowsForOther = isForOther ? this.#windowsForOther + 1 : 0
    this.#sinceMs = null
    this.#commits = 0
    this.#commitsForOther = 0
    const other = place === 'inline' ? 'thread' : 'inline'
    if (this.#windowsForOther < windowsUntil[other]) return place
    this.#windowsForOther = 0
    return other
  }
}
