import { nextByRank } from '#money/payment-sources.ts'
import type { IncludeTerms } from '#money/plan-pools.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'

export function spilloverFault(
  { slug, spilloverTo }: Pick<IncludeTerms, 'slug' | 'spilloverTo'>,
  includes: readonly Pick<IncludeTerms, 'slug'>[],
  param: string,
): Refused<'invalid_request' | 'not_found'> | null {
  if (spilloverTo === null || spilloverTo === nextByRank) return null
  if (spilloverTo === slug) {
    return refused('invalid_request', { reason: 'spilloverTo must not name the include itself.' }, param)
  }
  if (includes.some((include) => include.slug === spilloverTo)) return null
  return refused('not_found', { resource: 'include', id: spilloverTo }, param)
}
