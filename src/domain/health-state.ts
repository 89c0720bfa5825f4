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
  /** Calls of the last day, or attempts at an account. */
  readonly calls: number
  /** Of them, those that the provider or this server failed. */
  readonly failed: number
  /** Accounts with a model that can answer, or could. */
  readonly targets: number
  /** Of them, those that no call can take now: open circuits, refused keys, missing prices, removed accounts. */
  readonly unusable: number
  /** Whether the provider rejects the account's key. */
  readonly isKeyRefused: boolean
}

/** Causes that block calls now take precedence over failures during the day. */
export function healthState({ calls, failed, isKeyRefused, targets, unusable }: HealthFacts): HealthState {
  if (isKeyRefused) return 'key_refused'
  if (targets > 0 && unusable >= targets) return 'unavailable'
  if (failed >= failuresMin && failed / calls >= failingShare) return 'failing'
  if (failed > 0 || unusable > 0) return 'degraded'
  return calls > 0 ? 'healthy' : 'unknown'
}

/** Most end users notice one failed call in twenty. Fewer than five failures may be a single incident. */
const failingShare = 0.05
const failuresMin = 5
