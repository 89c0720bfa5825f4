/** Milliseconds, each its own clock: to a socket, to the response head, between pieces, for all of it. */
export interface Deadlines {
  readonly connectMs: number
  readonly firstByteMs: number
  /** From the request to the first text of a streamed answer, whatever its wire sends before; absent: no limit. */
  readonly firstTokenMs?: number
  readonly idleMs: number
  readonly totalMs: number
}

/** In the order in which they can pass. */
export const deadlineNames = ['connectMs', 'firstByteMs', 'firstTokenMs', 'idleMs', 'totalMs'] as const
