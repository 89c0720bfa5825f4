import { rateLimits, type RateLimits } from '#http/control-plane-rate-limiter.ts'
import type { Config } from './server-configuration.ts'

/** The limits for wrong credentials, unknown callers and guesses apply even if valid credentials have no limit. */
export function controlRates({ controlCallsPerSecond }: Config): RateLimits {
  if (controlCallsPerSecond === 0) return { ...rateLimits, credential: null }
  const credential = { perSecond: controlCallsPerSecond, burst: 5 * controlCallsPerSecond }
  return { ...rateLimits, credential }
}
