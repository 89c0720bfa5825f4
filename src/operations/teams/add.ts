import { operation } from '#operations/kernel/declare-operation.ts'
import { putBody, putValues } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { checkedTeam, teamPut } from '#operations/teams/shared/team-input-fields-and-checks.ts'
import { teamWithEtag } from '#operations/teams/shared/team-with-etag.ts'
import { TeamView, teamSlug, teamView } from '#operations/teams/shared/team-view.ts'

export default operation({
  id: 'teams.add',
  method: 'PUT',
  path: '/v1/teams/{slug}',
  scope: 'application',
  isExtension: true,
  summary: 'Create or update a team',
  description:
    "Creates a team of end users, or changes the existing team. Changes take effect with the next request. The members spend from the money of one end user, the payer. A member's requests are paid from these sources, in this order:\n- the member's own pools\n- the payer's shared pools\n- the member's own expiring credit\n- the payer's wallet\n- the member's own wallet\n\nRules:\n- Add credit to the payer with `grants.issue` or `users.topUp`. Expiring credit of the payer is not shared.\n- A pool of the payer's plan is shared if the include that grants the pool has a `memberCap` (`bundles.include`).\n- A payer can pay for only one team, and cannot be a member of a team. If the end user is already a member or the payer of another team, the request returns 409 `in_use`.\n- A frozen payer pays for no new requests.\n- A request beyond a limit of the team returns 429 `rate_limited`. If the limit can never allow the request, or if the limit counts `micros` per day, week or month, the request returns 402 `spend_limit_exceeded`. The payer's own requests do not count toward the limits.",
  parameters: { slug: teamSlug },
  body: putBody(teamPut),
  output: TeamView,
  errors: ['not_found', 'in_use'],
  configures: 'application',
  changes: ['teams', 'users'],
  async run({ body, path: { slug } }, context) {
    const { application, store } = context
    const existing = await store.teams.bySlug(application.id, slug)
    const stored = existing && { ...existing, payer: existing.payerId }
    const fields = putValues(teamPut, body, stored)
    if (fields instanceof Refused) return fields
    const checked = await checkedTeam(slug, fields, context, 'payer')
    if (checked instanceof Refused) return checked
    await store.teams.put(checked.team)
    return teamView(checked.team, context)
  },
  revision: ({ path }, context) => teamWithEtag.revision(path.slug, context),
})
