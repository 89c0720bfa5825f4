/**
 * Where the embedded ledger is best written, from how long its commits take
 * (docs/decisions/2026-11-22-the-writer-moves-while-it-runs.md). On the main thread a call costs less CPU,
 * but every commit holds all streams up until the disk has it; on a thread of its own it holds up nothing.
 *
 * Commits are looked at in windows. A window speaks for the other place when more than half of its commits
 * do, so that single slow ones decide nothing; several windows in a row must, so that a gust does not
 * either. Between the two bounds a commit speaks for staying, wherever the ledger is.
 */

/** `inline`: on the main thread. */
export type WriterPlace = 'inline' | 'thread'

/** What decides, told of every commit. */
export interface WriterChoice {
  /**
   * @param durationMs from the COMMIT to its end
   * @param atMs on a clock that never goes back
   * @param place where it was made
   * @returns where the ledger is to be written; asked again when the move has failed
   */
  committed(durationMs: number, atMs: number, place: WriterPlace): WriterPlace
}

/** A commit that is longer would be felt in every stream. */
export const slowMs = 2
/** The main thread gets the ledger back for no less: a disk between the two would move it to and fro. */
export const fastMs = 1

const windowMs = 5_000
/** A window with fewer commits goes on: on a quiet server nothing is decided by a handful. */
const windowCommitsMin = 32
/** Streams that are held up are worse than CPU: the one way takes ten seconds, the other a minute. */
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
