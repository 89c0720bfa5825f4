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
  /** The calls among them that the provider or this server failed. */
  readonly failed: number
  /** How many of the calls failed because of the provider or this server. */
  readonly targets: number
  /** Number of accounts with a model that can serve the name, or could. */
  readonly unusable: number
  /** How many of the targets no call can use now: open circuits, rejected keys, missing prices, deleted accounts. */
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
