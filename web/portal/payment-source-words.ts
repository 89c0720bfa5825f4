import type { types } from '#sdk/portal.ts'
import { useAccount } from './account-and-plan-hooks.ts'

type LedgerEntry = types.LedgerEntry

/** Only the pools of plans have display names. */
export interface NamedSource extends Pick<LedgerEntry, 'source'> {
  readonly poolName?: string
  readonly planName?: string
}

export function useSourceWords(): (source: NamedSource) => string {
  const plan = useAccount().value?.plan?.slug ?? null
  return (source) => sourceWords(source, plan)
}

/**
 * In the API, the sources are `wallet`, `on_demand/2026-11`, `credit/gr_…`, `team/eu_…/2026-11` and pools. A pool such
 * as `pro/tokens/2026-11-20` consists of the bundle, the slug and the first day. A pool of the team's payer has the
 * prefix `team/eu_…/`. The name of a pool of another plan includes the name of that plan.
 * @param plan slug of the end user's plan; null if the end user has no plan
 */
export function sourceWords({ planName, poolName, source }: NamedSource, plan: string | null): string {
  if (source === 'wallet') return 'Balance'
  const [first = '', ...rest] = source.split('/')
  if (first === 'credit') return 'Credit that expires'
  if (first === 'team')
    return `Your team${poolName === undefined ? '' : `’s ${poolName}`}, ${rest.at(-1) ?? ''}`
  if (first === 'on_demand') return `On-demand, ${rest.join('/')}`
  const [slug = first, day] = rest
  const ofPlan = first === plan || planName === undefined ? '' : ` (${planName})`
  const name = `Included: ${poolName ?? slug}${ofPlan}`
  return day === undefined ? name : `${name}, from ${day}`
}
