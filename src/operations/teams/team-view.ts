import * as z from 'zod'
import type { EndUser, Page } from '#domain/records.ts'
import type { Team } from '#domain/billing/team.ts'
import { SharedLimitUse, sharedLimitUses } from '#operations/gateway/shared-limit-uses.ts'
import type { InApplication } from '#operations/kernel/context.ts'
import { modeTime } from '#operations/kernel/mode-time.ts'
import { RateLimits } from '#operations/kernel/rate-limits.ts'
import {
  Count,
  ExternalId,
  Micros,
  MicrosSum,
  SignedMicros,
  Slug,
  text,
  Timestamp,
} from '#operations/kernel/schemas.ts'

export const teamSlug = Slug.meta({ description: 'Slug of the team.', examples: ['acme-labs'] })

const spentMicros = MicrosSum.meta({
  description:
    "Amount that was spent from the payer's wallet in the current calendar month (UTC), in the mode of the request, in micros.",
})
const heldMicros = MicrosSum.meta({
  description: "Amount in the payer's wallet that is held for requests in flight, in micros.",
})

export const TeamView = z
  .object({
    id: z.string().meta({ description: 'ID of the team, `tm_…`.' }),
    slug: teamSlug,
    displayName: z
      .string()
      .meta({ description: 'Display name of the team. End users see the name in the portal.' }),
    payer: ExternalId.meta({
      description: 'External ID of the end user whose wallet the members spend from.',
    }),
    members: Count.meta({ description: 'Number of members. The payer is not a member.' }),
    balanceUnits: SignedMicros.meta({
      description:
        "Balance of the payer's wallet in the mode of the request, in micros, without expiring credit.",
    }),
    reservedUnits: Micros.meta({
      description:
        "Amount in the payer's wallet that is held for requests of the members and the payer, in micros.",
    }),
    spentMicros: spentMicros.meta({
      description:
        "Amount that members spent from the payer's wallet in the current calendar month (UTC), in the mode of the request, in micros. Includes end users who have left the team.",
    }),
    limits: RateLimits.meta({
      description:
        'Limits for all members of the team together, counted separately in each mode. Empty if no limits are set.',
    }),
    limitUses: z.array(SharedLimitUse).meta({
      description: 'Current usage of each limit in the mode of the request, in the order of `limits`.',
    }),
    createdAt: Timestamp.meta({ description: 'When the team was created.' }),
  })
  .meta({ id: 'EndUserTeam', description: 'End users who spend from the wallet of one end user, the payer.' })

export const cap = Micros.nullable().meta({
  description:
    "Maximum that the member may spend from the payer's wallet per calendar month (UTC), in micros. Null means no maximum.",
})

export const MemberView = z
  .object({
    endUserId: text(256).meta({ description: 'External ID of the member.' }),
    email: z.string().nullable().meta({ description: 'Email address of the member. Null if unknown.' }),
    capMicros: cap,
    spentMicros,
    heldMicros,
  })
  .meta({ id: 'EndUserTeamMember', description: 'A member of a team of end users.' })

export async function teamViews(
  teams: readonly Team[],
  context: InApplication,
): Promise<z.output<typeof TeamView>[]> {
  const { application, mode, store } = context
  const payerIds = teams.map(({ payerId }) => payerId)
  const counts = await store.teams.counts(teams)
  const spending = await store.teams.spending(payerIds, mode, modeTime(context))
  const byPayer = Map.groupBy(spending, ({ payerId }) => payerId)
  const views: z.output<typeof TeamView>[] = []
  for (const team of teams) {
    const { createdAtMs, displayName, id, limits, payerId, slug } = team
    // oxlint-disable-next-line no-await-in-loop -- one page, in one share of reads
    const payer = await store.endUsers.evenRemoved(application.id, payerId)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const share = await store.teams.share({ id: '', payerId, payerCapMicros: null }, mode, modeTime(context))
    views.push({
      id,
      slug,
      displayName,
      payer: payer?.externalId ?? payerId,
      members: counts.get(payerId) ?? 0,
      balanceUnits: share?.wallet.posted ?? 0n,
      reservedUnits: share?.wallet.held ?? 0n,
      spentMicros: (byPayer.get(payerId) ?? []).reduce((sum, member) => sum + member.spentMicros, 0n),
      limits,
      // oxlint-disable-next-line no-await-in-loop -- as above
      limitUses: await sharedLimitUses({ tag: null, team, rules: limits }, context),
      createdAt: createdAtMs,
    })
  }
  return views
}

export async function teamView(team: Team, context: InApplication): Promise<z.output<typeof TeamView>> {
  const [view] = await teamViews([team], context)
  if (!view) throw new Error('teamViews must return one view per team')
  return view
}

/** Returns a page of the members of a team, with their spending in the mode of the request. */
export async function memberViews(team: Team, page: Page, context: InApplication) {
  const { mode, store } = context
  const { next, rows } = await store.teams.members(team, page)
  const spending = await store.teams.spending([team.payerId], mode, modeTime(context))
  const byMember = new Map(spending.map((one) => [one.endUserId, one]))
  return { next, rows: rows.map((member) => memberView(member, byMember.get(member.id))) }
}

export function memberView(
  { email, externalId, payerCapMicros }: EndUser,
  spending: { readonly spentMicros: bigint; readonly heldMicros: bigint } | undefined,
): z.output<typeof MemberView> {
  return {
    endUserId: externalId,
    email,
    capMicros: payerCapMicros,
    spentMicros: spending?.spentMicros ?? 0n,
    heldMicros: spending?.heldMicros ?? 0n,
  }
}
