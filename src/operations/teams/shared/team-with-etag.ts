import type { Team } from '#domain/billing/team-record.ts'
import { rateView } from '#operations/kernel/rate-limit-schemas.ts'
import { ownTeam, withState } from '#operations/kernel/find-resources-of-caller.ts'

/** A team whose ETag covers its settings, without its members and amounts. */
export const teamWithEtag = withState(ownTeam, ({ displayName, limits, payerId, slug }: Team) => ({
  slug,
  displayName,
  payerId,
  limits: limits.map((rule) => ({ ...rateView(rule), most: String(rule.most) })),
}))
