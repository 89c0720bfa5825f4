import type { Team } from '#domain/billing/team-record.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { lasting, optional, type Values } from '#operations/kernel/put-fields.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { ExternalId, text } from '#operations/kernel/value-and-page-schemas.ts'
import { usedByTeam } from './end-user-in-other-team.ts'

export const teamPut = {
  displayName: lasting(
    text(128).meta({
      description: 'Display name. End users see the name in the portal.',
      examples: ['Acme Labs'],
    }),
  ),
  payer: lasting(
    ExternalId.meta({
      description:
        'External ID or ID (`eu_…`) of the end user whose wallet the members spend from. The payer cannot be changed.',
    }),
  ),
  limits: optional(
    RateLimits.meta({
      description:
        'Limits on the team. Each limit counts the usage of all members. Live and test usage is counted separately. At most one limit is allowed per measure, window and list of models. These limits apply in addition to all other limits.',
    }),
    [],
  ),
}

export async function checkedTeam(
  slug: string,
  { displayName, limits, payer: named }: Values<typeof teamPut>,
  context: ApplicationContext,
  param: string,
): Promise<
  { readonly team: Team; readonly payer: string } | Refused<'not_found' | 'in_use' | 'invalid_request'>
> {
  const { application, nowMs, ports, store } = context
  const existing = await store.teams.bySlug(application.id, slug)
  const payer = await ownEndUser.find(named, context, param)
  if (payer instanceof Refused) return payer
  if (existing !== null && payer.id !== existing.payerId) {
    const reason = 'The payer of a team cannot be changed. Create another team'
    return refused('invalid_request', { reason }, param)
  }
  if (existing === null) {
    const locked = await store.teams.lockEndUser(payer)
    const used = locked && (await usedByTeam(locked, null, context, param))
    if (used !== null) return used
  }
  const team = existing ?? {
    id: idOf('tm', ports.newId()),
    applicationId: application.id,
    slug,
    payerId: payer.id,
    createdAtMs: nowMs,
  }
  return { team: { ...team, displayName, limits }, payer: payer.externalId }
}
