import type { Deadlines } from '#domain/deadlines.ts'

/** What decides how long one attempt may be silent. */
export interface Attempted {
  /** The gateway's own deadlines. */
  readonly usual: Deadlines
  /** Deadlines set on the router or the target; null: none. */
  readonly own: Partial<Deadlines> | null
  /** Milliseconds after the first attempt in which another may begin. */
  readonly withinMs: number
  /** Whether another target is left to ask. */
  readonly hasAnother: boolean
  readonly isStream: boolean
  /** Whether the model may think for long before its first text. */
  readonly mayReason: boolean
  /** Estimated. */
  readonly inputTokens: number
}

/**
 * The deadlines of one attempt that differ from the gateway's own; null: none.
 *
 * While another target is left, a silent one gets at most a third of the time in which attempts may begin: a limit that
 * outlasts that time would end the call without asking anyone else. Two exceptions give a slow answer its time:
 *
 * - A whole answer of a model that reasons has its first byte when it is complete, so it gets two thirds.
 * - A streamed answer has its own limit to the first text, longer for a long input and absent for a model that reasons.
 *
 * A deadline that is set is kept as it is.
 */
export function attemptDeadlines(attempted: Attempted): Partial<Deadlines> | null {
  const { hasAnother, isStream, own, usual } = attempted
  if (!hasAnother) return isStream ? own : withoutFirstToken(own)
  const { inputTokens, mayReason, withinMs } = attempted
  const third = Math.floor(withinMs / 3)
  const firstByteMs = Math.max(1, Math.min(usual.firstByteMs, mayReason && !isStream ? 2 * third : third))
  const firstTokenMs = Math.max(1, Math.min(third, firstTokenUsualMs + Math.floor(inputTokens / tokensPerMs)))
  return withoutFirstToken(own, {
    firstByteMs,
    ...(isStream && !mayReason && { firstTokenMs }),
    ...(isStream && own?.firstTokenMs !== undefined && { firstTokenMs: own.firstTokenMs }),
  })
}

/** A whole answer has no first token to wait for. */
function withoutFirstToken(
  own: Partial<Deadlines> | null,
  derived: Partial<Deadlines> = {},
): Partial<Deadlines> | null {
  const { firstTokenMs: _, ...rest } = own ?? {}
  const deadlines = { ...derived, ...rest }
  return Object.keys(deadlines).length === 0 ? null : deadlines
}

/** Ten times what most models take. */
const firstTokenUsualMs = 10_000
/** Models read at least so many tokens of a prompt in a millisecond. */
const tokensPerMs = 10
