/**
 * Deadlines in milliseconds, each measured separately: until the connection, until the response head, between pieces of
 * the body, and in total.
 */
export interface Deadlines {
  readonly connectMs: number
  readonly firstByteMs: number
  /**
   * From the request to the first text of a streamed response. Earlier events without text do not count. Absent means
   * no limit.
   */
  readonly firstTokenMs?: number
  readonly idleMs: number
  readonly totalMs: number
}

/** The deadlines in the order in which they can expire. */
export const deadlineNames = ['connectMs', 'firstByteMs', 'firstTokenMs', 'idleMs', 'totalMs'] as const
