import { timeIn } from '#domain/test-clock.ts'
import type { ModeTimes } from '#domain/store.ts'
import type { ApplicationContext } from './context.ts'

/**
 * The time of what live and test mode keep apart: people's money, keys, invoices. What both share (people, bundles,
 * names) and what guards the control plane (tokens, sessions) is at the real time, `context.nowMs`.
 */
export function modeTime(
  { application, mode, nowMs }: Pick<ApplicationContext, 'application' | 'mode' | 'nowMs'>,
  of = mode,
): number {
  return timeIn(of, application, nowMs)
}

/** The moment of the request by the clock of each mode, for what both modes share and date apart. */
export function modeTimes(context: Pick<ApplicationContext, 'application' | 'mode' | 'nowMs'>): ModeTimes {
  return { live: modeTime(context, 'live'), test: modeTime(context, 'test') }
}
