import type { Team } from '#domain/billing/team-record.ts'
import { rateView } from '#operations/kernel/rate-limit-schemas.ts'
import { ownTeam, withState } from '#operations/kernel/find-resources-of-caller.ts'

/** The ETag does not cover the members and amounts of the team. */
export const teamWithEtag = withState(ownTeam, ({ displayName, limits, payerId, slug }: Team) => ({
  slug,
  displayName,
  payerId,
  limits: limits.map((rule) => ({ ...rateView(rule), most: String(rule.most) })),
}))
