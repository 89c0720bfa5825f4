/**
 * How an account or a name does, in one word: the only rule by which API, doctor, pages and command line judge it.
 */
export const healthStates = [
  'healthy',
  'degraded',
  'failing',
  'unavailable',
  'key_refused',
  'unknown',
] as const
export type HealthState = (typeof healthStates)[number]

/** What is known of an account or a name. */
export interface HealthFacts {
  /** Calls of the last day, or attempts at an account. */
  readonly calls: number
  /** Of them, those that the provider or this server failed. */
  readonly failed: number
  /** Accounts with a model that can answer, or could. */
  readonly targets: number
  /** Of them, those that no call can take now: open circuits, refused keys, missing prices, removed accounts. */
  readonly unusable: number
  /** Whether the provider refuses the account's key. */
  readonly isKeyRefused: boolean
}

/** What keeps calls away now comes first, then what went wrong during the day. */
export function healthState({ calls, failed, isKeyRefused, targets, unusable }: HealthFacts): HealthState {
  if (isKeyRefused) return 'key_refused'
  if (targets > 0 && unusable >= targets) return 'unavailable'
  if (failed >= failuresMin && failed / calls >= failingShare) return 'failing'
  if (failed > 0 || unusable > 0) return 'degraded'
  return calls > 0 ? 'healthy' : 'unknown'
}

/** One failed call in twenty is noticed by most end users; fewer than five failures may be one bad moment. */
const failingShare = 0.05
const failuresMin = 5
