import type { TargetFailure } from '#routing/circuit-breaker.ts'

export interface SimulatedTarget {
  readonly key: string
  /** Median time to the first token while there is no failure. */
  readonly firstTokenMs: number
  readonly tokensPerSecond: number
  readonly inputPrice: number
  readonly outputPrice: number
  /** Above this rate, the account returns 429 and asks the client to wait until the minute ends. */
  readonly callsPerMinuteMax: number
  /** The failures, sorted by their start, which never overlap. */
  readonly episodes: readonly Episode[]
}

export interface Episode {
  readonly fromMs: number
  readonly untilMs: number
  readonly trouble: Trouble
}

const troubles = [
  /** No connection can be made. */
  'down',
  /** The target returns 500 for every call. */
  'errors',
  /** The target returns 529 for two of three calls. */
  'overloaded',
  /** The request is accepted, but there is no response. */
  'hangs',
  /** The first token takes six times as long. */
  'slow',
  /** A quarter of the streams are interrupted before the client receives any output. */
  'breaks',
  /** The limit of calls per minute is a tenth of the usual limit. */
  'limited',
  /** The target returns 401. */
  'revoked',
] as const
type Trouble = (typeof troubles)[number]

export const dayMs = 86_400_000
const minuteMs = 60_000
const targetsCount = 20
const accountsOfProvider = 4
const episodesOfTarget = 6

/** With the same seed, the day is the same. `random` returns numbers that are at least 0 and below 1. */
export function scriptOfDay(random: () => number): SimulatedTarget[] {
  const between = (least: number, most: number): number => least + random() * (most - least)
  return Array.from({ length: targetsCount }, (_, at) => {
    const provider = Math.floor(at / accountsOfProvider)
    const shared: Episode[] = [
      { fromMs: 18 * 60 * minuteMs, untilMs: 18 * 60 * minuteMs + 90_000, trouble: 'down' },
    ]
    // All accounts of the first four targets' provider fail for 45 minutes.
    if (provider === 0)
      shared.push({ fromMs: 14 * 60 * minuteMs, untilMs: (14 * 60 + 45) * minuteMs, trouble: 'errors' })
    const own = Array.from({ length: episodesOfTarget }, (): Episode => {
      const fromMs = between(0, dayMs)
      const lastsMs = minuteMs * (1 - 20 * Math.log(1 - random()))
      const trouble = troubles[Math.floor(random() * troubles.length)] ?? 'down'
      return { fromMs, untilMs: fromMs + lastsMs, trouble }
    })
    return {
      key: `provider-${provider + 1}/account-${(at % accountsOfProvider) + 1}`,
      firstTokenMs: between(200, 900),
      tokensPerSecond: between(50, 150),
      inputPrice: between(1_000_000, 3_000_000),
      outputPrice: between(5_000_000, 15_000_000),
      callsPerMinuteMax: Math.round(between(600, 1_200)),
      episodes: apart([...own, ...shared]),
    }
  })
}

/** Each failure ends when the next one begins. */
function apart(episodes: readonly Episode[]): Episode[] {
  const ordered = episodes.toSorted((one, other) => one.fromMs - other.fromMs)
  return ordered.map((episode, at) => ({
    ...episode,
    untilMs: Math.min(episode.untilMs, ordered[at + 1]?.fromMs ?? Infinity),
  }))
}

export type SimulatedAttempt = {
  readonly takesMs: number
  readonly costMicros: number
} & (
  | { readonly kind: 'answered'; readonly firstTokenMs: number }
  /** The client has already received output, so no other target can continue the answer. */
  | { readonly kind: 'broken_in_sight' }
  | { readonly kind: 'failed'; readonly failure: TargetFailure; readonly retryAfterMs: number | null }
)

export interface SimulatedRequest {
  readonly inputTokens: number
  readonly outputTokens: number
}

export class TargetInTrouble {
  readonly target: SimulatedTarget
  readonly #random: () => number
  #episode = 0
  #minute = 0
  #callsOfMinute = 0

  constructor(target: SimulatedTarget, random: () => number) {
    this.target = target
    this.#random = random
  }

  /** The times of consecutive calls must not decrease. */
  attempt(request: SimulatedRequest, firstByteMs: number, nowMs: number): SimulatedAttempt {
    const { target } = this
    const trouble = this.#troubleAt(nowMs)
    const random = this.#random
    const failed = (
      failure: TargetFailure,
      takesMs: number,
      more: { readonly costMicros?: number; readonly retryAfterMs?: number } = {},
    ): SimulatedAttempt => ({
      kind: 'failed',
      failure,
      takesMs,
      costMicros: more.costMicros ?? 0,
      retryAfterMs: more.retryAfterMs ?? null,
    })
    const inputMicros = (request.inputTokens * target.inputPrice) / 1e6
    const outputMicros = (request.outputTokens * target.outputPrice) / 1e6

    if (trouble === 'down') return failed('connection', 30)
    if (trouble === 'revoked') return failed('credential_rejected', 120)
    const leftOfMinuteMs = this.#countedBeyondLimit(trouble === 'limited' ? 0.1 : 1, nowMs)
    if (leftOfMinuteMs !== null) return failed('rate_limited', 80, { retryAfterMs: leftOfMinuteMs })
    if (trouble === 'errors' || random() < 0.001) return failed('server_error', 300)
    if (trouble === 'overloaded' && random() < 2 / 3) return failed('server_error', 200)
    // The target has read the input and bills it.
    if (trouble === 'hangs') return failed('timeout', firstByteMs, { costMicros: inputMicros })

    // A log-normal distribution: one call in forty takes more than twice the median.
    const spread = Math.exp(0.35 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))
    const firstTokenMs = target.firstTokenMs * spread * (trouble === 'slow' ? 6 : 1)
    if (trouble === 'breaks' && random() < 0.25)
      return failed('broken_answer', firstTokenMs, { costMicros: inputMicros + outputMicros * 0.1 })
    const streamMs = (request.outputTokens / target.tokensPerSecond) * 1000
    if (random() < 0.0002)
      return {
        kind: 'broken_in_sight',
        takesMs: firstTokenMs + streamMs / 2,
        costMicros: inputMicros + outputMicros / 2,
      }
    return {
      kind: 'answered',
      firstTokenMs,
      takesMs: firstTokenMs + streamMs,
      costMicros: inputMicros + outputMicros,
    }
  }

  #troubleAt(nowMs: number): Trouble | null {
    const { episodes } = this.target
    let episode = episodes[this.#episode]
    while (episode !== undefined && episode.untilMs <= nowMs) episode = episodes[++this.#episode]
    return episode !== undefined && episode.fromMs <= nowMs ? episode.trouble : null
  }

  /** If this call exceeds the limit, returns the time until the current minute ends. Null otherwise. */
  #countedBeyondLimit(share: number, nowMs: number): number | null {
    const minute = Math.floor(nowMs / minuteMs)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#callsOfMinute = 0
    }
    if (this.#callsOfMinute >= this.target.callsPerMinuteMax * share) return (minute + 1) * minuteMs - nowMs
    this.#callsOfMinute++
    return null
  }
}
