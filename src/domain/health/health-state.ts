/** The API, the doctor, the pages and the command line all compute health by this rule. */
export const healthStates = [
  'healthy',
  'degraded',
  'failing',
  'unavailable',
  'key_refused',
  'unknown',
] as const
export type HealthState = (typeof healthStates)[number]

export interface HealthFacts {
  /** Number of requests in the last 24 hours. For a provider account, the number of attempts. */
  readonly calls: number
  /** Number of `calls` that failed because of the provider or this server. */
  readonly failed: number
  /** A target is a model at an account. */
  readonly targets: number
  /**
   * Number of `targets` that no request can use now. Reasons are an open circuit, a rejected key, a missing price and a
   * deleted account. Infinity if a router cannot serve any request.
   */
  readonly unusable: number
  /** Always false for a model name. */
  readonly isKeyRefused: boolean
}

/** A problem that blocks requests at present takes precedence over failures in the last 24 hours. */
export function healthState({ calls, failed, isKeyRefused, targets, unusable }: HealthFacts): HealthState {
  if (isKeyRefused) return 'key_refused'
  if (targets > 0 && unusable >= targets) return 'unavailable'
  if (failed >= failuresMin && failed / calls >= failingShare) return 'failing'
  if (failed > 0 || unusable > 0) return 'degraded'
  return calls > 0 ? 'healthy' : 'unknown'
}

/**
 * If at least this share of the requests failed, the state is `failing`. Most end users notice if one request in twenty
 * fails. Fewer than five failures (`failuresMin`) may have a single cause, so the state is only `degraded`.
 */
const failingShare = 0.05
const failuresMin = 5
