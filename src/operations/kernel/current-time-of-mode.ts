import { timeIn } from '#domain/test-clock.ts'
import type { ModeTimes } from '#domain/store-interface.ts'
import type { ApplicationContext } from './operation-context.ts'

/**
 * End users' money, keys and invoices use a separate clock in each mode. Shared data (end users, bundles, names) and
 * the security of the control plane (tokens, sessions) use the real time, `context.nowMs`.
 */
export function modeTime(
  { application, mode, nowMs }: Pick<ApplicationContext, 'application' | 'mode' | 'nowMs'>,
  of = mode,
): number {
  return timeIn(of, application, nowMs)
}

/** A change of shared data, such as a bundle, takes effect at a different time in each mode. */
export function modeTimes(context: Pick<ApplicationContext, 'application' | 'mode' | 'nowMs'>): ModeTimes {
  return { live: modeTime(context, 'live'), test: modeTime(context, 'test') }
}
