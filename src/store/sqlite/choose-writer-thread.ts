/**
 * Chooses the thread that writes the embedded ledger, by the duration of commits
 * (docs/decisions/2026-11-23-thread-of-the-ledger-writer.md). On the main thread, a call costs less CPU, but every
 * commit delays all streams until the disk has stored it. On a separate thread, the ledger delays no stream.
 *
 * Commits are counted in windows of time. A window votes for a move if more than half of its commits vote for the move.
 * A single slow commit therefore causes no move. Several windows in a row must agree, so a burst causes no move either.
 * A commit whose duration is between the two limits does not vote for a move.
 */

/** `inline` means the main thread. */
export type WriterPlace = 'inline' | 'thread'

export interface WriterChoice {
  /**
   * @param durationMs how long the COMMIT took
   * @param atMs time of a monotonic clock
   * @param place the thread on which the commit was made
   * @returns the thread for all later writes of the ledger; if a move to this thread fails, a later call requests the
   * move again
   */
  committed(durationMs: number, atMs: number, place: WriterPlace): WriterPlace
}

/**
 * If most commits take longer, the writer moves to its own thread. Slow commits on the main thread delay every stream
 * noticeably.
 */
export const slowMs = 2
/**
 * If most commits take less time, the writer moves back to the main thread. Below `slowMs`, because with a single
 * limit, a disk near the limit would make the writer move back and forth.
 */
export const fastMs = 1

const windowMs = 5_000
/**
 * A window continues until it has this many commits. A few commits on a quiet server therefore do not move the ledger.
 */
const windowCommitsMin = 32
/**
 * Number of consecutive windows that must vote for a move to each place. The writer moves away after ten seconds of
 * slow commits, but moves back only after a minute of fast commits. On the main thread, slow commits delay streams. On
 * the separate thread, calls only cost more CPU.
 */
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
