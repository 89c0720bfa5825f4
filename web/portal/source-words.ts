import type { types } from '#sdk/portal.ts'
import { useAccount, useSubscription } from './account.ts'

interface Plan {
  readonly slug: string
  readonly pools: readonly Pick<types.Subscription['pools'][number], 'slug' | 'displayName'>[]
}

/** Returns a function that names a source for end users. Pools of the current plan have their display name. */
export function useSourceWords(): (source: string) => string {
  const slug = useAccount().value?.plan?.slug
  const pools = useSubscription().value?.pools
  const plan = slug === undefined || pools === undefined ? null : { slug, pools }
  return (source) => sourceWords(source, plan)
}

/**
 * Returns the name of a source for end users. The API names sources `wallet`, `on_demand/2026-11`, `credit/gr_…`, and a
 * pool by bundle, slug and first day, `pro/tokens/2026-11-20`. The API does not return display names of pools of other plans,
 * so these pools have their slug.
 */
export function sourceWords(source: string, plan: Plan | null): string {
  if (source === 'wallet') return 'Balance'
  const [first = '', ...rest] = source.split('/')
  if (first === 'credit') return 'Credit that expires'
  if (first === 'on_demand') return `On-demand, ${rest.join('/')}`
  const [slug = first, day] = rest
  const pool = plan?.slug === first ? plan.pools.find((one) => one.slug === slug) : undefined
  const name = `Included: ${pool?.displayName ?? slug}`
  return day === undefined ? name : `${name}, from ${day}`
}
