import { rateLimits, type RateLimits } from '#http/control-plane-rate-limiter.ts'
import type { Config } from './server-configuration.ts'

/**
 * With 0 calls per second, only valid credentials have no limit. Unknown callers and guesses of secrets are still
 * limited.
 */
export function controlRates({ controlCallsPerSecond }: Config): RateLimits {
  if (controlCallsPerSecond === 0) return { ...rateLimits, credential: null }
  const credential = { perSecond: controlCallsPerSecond, burst: 5 * controlCallsPerSecond }
  return { ...rateLimits, credential }
}
