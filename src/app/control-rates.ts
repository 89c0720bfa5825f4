import { rateLimits, type RateLimits } from '#http/rate-limits.ts'
import type { Config } from './config.ts'

/** Even if there is no limit for valid credentials, the limits for wrong credentials, strangers and guesses apply. */
export function controlRates({ controlCallsPerSecond }: Config): RateLimits {
  if (controlCallsPerSecond === 0) return { ...rateLimits, credential: null }
  const credential = { perSecond: controlCallsPerSecond, burst: 5 * controlCallsPerSecond }
  return { ...rateLimits, credential }
}
