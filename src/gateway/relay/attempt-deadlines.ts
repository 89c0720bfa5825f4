import type { Deadlines } from '#domain/calls/call-deadlines.ts'

export interface Attempted {
  readonly usual: Deadlines
  /** Null if the router and the target set no deadlines. */
  readonly own: Partial<Deadlines> | null
  /** How long after the start of the first attempt another attempt may begin, in milliseconds. */
  readonly withinMs: number
  readonly hasAnother: boolean
  readonly isStream: boolean
  /** Whether the model may think for a long time before its first text. */
  readonly mayReason: boolean
  readonly inputTokens: number
}

/**
 * Null if all deadlines are the gateway's own.
 *
 * If another target remains, a target that does not respond times out after at most a third of `withinMs`. With a
 * longer timeout, `withinMs` could pass before another target is called. Slow responses get more time:
 *
 * - The first byte of a non-streaming response arrives when the response is complete. If the model reasons, a
 *   non-streaming response gets two thirds of `withinMs`.
 * - A streamed response has a separate deadline for its first text. This deadline is later for a long input, and absent
 *   for a model that reasons.
 *
 * Deadlines that the router or target sets never change.
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

/** The deadline for the first token does not apply to a non-streaming response. */
function withoutFirstToken(
  own: Partial<Deadlines> | null,
  derived: Partial<Deadlines> = {},
): Partial<Deadlines> | null {
  const { firstTokenMs: _, ...rest } = own ?? {}
  const deadlines = { ...derived, ...rest }
  return Object.keys(deadlines).length === 0 ? null : deadlines
}

/** Usual deadline for the first text of a stream, in milliseconds. Most models need a tenth of this time. */
const firstTokenUsualMs = 10_000
/** Number of input tokens that even slow models process per millisecond. */
const tokensPerMs = 10
