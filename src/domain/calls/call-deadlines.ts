/** Deadlines of a call, in milliseconds. */
export interface Deadlines {
  readonly connectMs: number
  readonly firstByteMs: number
  /**
   * Maximum time from the request to the first text of a streamed response. Events without text do not meet this
   * deadline. Absent means no limit.
   */
  readonly firstTokenMs?: number
  readonly idleMs: number
  readonly totalMs: number
}

/** The deadlines in the order in which they can expire. */
export const deadlineNames = ['connectMs', 'firstByteMs', 'firstTokenMs', 'idleMs', 'totalMs'] as const
