import { idOf } from '#domain/id.ts'
import { operation } from '#operations/kernel/operation.ts'
import { ownEndUser } from '#operations/kernel/owned-resources.ts'
import { lasting, optional, putBody, putValues } from '#operations/kernel/put-fields.ts'
import { RateLimits } from '#operations/kernel/rate-limits.ts'
import { Refused, refused } from '#operations/kernel/refused.ts'
import { ExternalId, text } from '#operations/kernel/schemas.ts'
import { usedByTeam } from './end-user-in-use.ts'
import { editableTeam } from './editable-team.ts'
import { TeamView, teamSlug, teamView } from './team-view.ts'

const teamPut = {
  displayName: lasting(
    text(128).meta({
      description: 'Display name. End users see the name in the portal.',
      examples: ['Acme Labs'],
    }),
  ),
  payer: lasting(
    ExternalId.meta({
      description:
        'External ID of the end user whose wallet the members spend from, or their ID, `eu_…`. The payer of a team cannot be changed.',
    }),
  ),
  limits: optional(
    RateLimits.meta({
      description:
        'Limits over all members together, in each mode, at most one per measure, window and list of models. They apply in addition to all other limits.',
    }),
    [],
  ),
}

export default operation({
  id: 'teams.add',
  method: 'PUT',
  path: '/v1/teams/{slug}',
  scope: 'application',
  isExtension: true,
  summary: 'Create or update a team',
  description:
    "Creates a team of end users, or changes the existing team, starting with the next request. The members spend from the wallet of one end user, the payer, after their own pools and expiring credit, and before their own wallet.\n\n- Add credit to the payer with `grants.issue` or `users.topUp`. Pools and expiring credit of the payer are not shared.\n- A payer pays for one team and is in no team. If the end user already belongs to a team, the request returns 409 `in_use`.\n- A frozen payer pays for no new requests.\n- A request beyond a limit of the team returns 429 `rate_limited`. If waiting cannot help, or if the limit counts `micros` per day, week or month, the request returns 402 `spend_limit_exceeded`. The payer's own requests do not count toward the limits.",
  parameters: { slug: teamSlug },
  body: putBody(teamPut),
  output: TeamView,
  errors: ['not_found', 'in_use'],
  configures: 'application',
  changes: ['teams', 'users'],
  async run({ body, path: { slug } }, context) {
    const { application, nowMs, ports, store } = context
    const existing = await store.teams.bySlug(application.id, slug)
    const stored = existing && { ...existing, payer: existing.payerId }
    const fields = putValues(teamPut, body, stored)
    if (fields instanceof Refused) return fields
    const payer = await ownEndUser.find(fields.payer, context, 'payer')
    if (payer instanceof Refused) return payer
    if (existing !== null && payer.id !== existing.payerId) {
      const reason = 'The payer of a team cannot be changed. Create another team'
      return refused('invalid_request', { reason }, 'payer')
    }
    const { displayName, limits } = fields
    const team = existing ?? {
      id: idOf('tm', ports.newId()),
      applicationId: application.id,
      slug,
      payerId: payer.id,
      createdAtMs: nowMs,
    }
    if (existing === null) {
      const locked = await store.teams.lockEndUser(payer)
      const used = locked && (await usedByTeam(locked, null, context, 'payer'))
      if (used !== null) return used
    }
    const changed = { ...team, displayName, limits }
    await store.teams.put(changed)
    return teamView(changed, context)
  },
  revision: ({ path }, context) => editableTeam.revision(path.slug, context),
})
