/**
 * Deadlines in milliseconds, each with its own clock: to a socket, to the response head, between pieces, and in total.
 */
export interface Deadlines {
  readonly connectMs: number
  readonly firstByteMs: number
  /**
   * From the request to the first text of a streamed response, regardless of earlier events on its wire. Absent means
   * no limit.
   */
  readonly firstTokenMs?: number
  readonly idleMs: number
  readonly totalMs: number
}

/** In the order in which they can expire. */
export const deadlineNames = ['connectMs', 'firstByteMs', 'firstTokenMs', 'idleMs', 'totalMs'] as const
