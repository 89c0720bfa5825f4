/** Milliseconds, each its own clock: to a socket, to the response head, between pieces, for all of it. */
export interface Deadlines {
  readonly connectMs: number
  readonly firstByteMs: number
  readonly idleMs: number
  readonly totalMs: number
}
