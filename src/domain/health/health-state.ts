/** The health of an account or a model name, in one word. API, doctor, pages and command line all use this rule. */
export const healthStates = [
  'healthy',
  'degraded',
  'failing',
  'unavailable',
  'key_refused',
  'unknown',
] as const
export type HealthState = (typeof healthStates)[number]

/** The facts about an account or a model name. */
export interface HealthFacts {
  /** Number of requests in the last 24 hours, or of attempts for an account. */
  readonly calls: number
  /** How many of `calls` failed because of the provider or this server. */
  readonly failed: number
  /** Number of targets of the model name or account. A target is an account and a model. */
  readonly targets: number
  /**
   * How many of `targets` no request can use now, because of open circuits, rejected keys, missing prices or deleted
   * accounts. Infinity if a router cannot serve any request.
   */
  readonly unusable: number
  /** Whether the provider rejects the account's API key. Always false for a model name. */
  readonly isKeyRefused: boolean
}

/** Returns the health. Problems that block requests now take precedence over failures during the day. */
export function healthState({ calls, failed, isKeyRefused, targets, unusable }: HealthFacts): HealthState {
  if (isKeyRefused) return 'key_refused'
  if (targets > 0 && unusable >= targets) return 'unavailable'
  if (failed >= failuresMin && failed / calls >= failingShare) return 'failing'
  if (failed > 0 || unusable > 0) return 'degraded'
  return calls > 0 ? 'healthy' : 'unknown'
}

/** Most end users notice one failed request in twenty. Fewer than five failures may be a single incident. */
const failingShare = 0.05
const failuresMin = 5
