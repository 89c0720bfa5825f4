import * as z from 'zod'
import type { Wallet } from '#domain/billing/balances-and-ledger-entries.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Page } from '#domain/list-page.ts'
import type { Team } from '#domain/billing/team-record.ts'
import type { OwnedPool } from '#money/plan-pools.ts'
import { sharedPoolsOf, spendingFrom } from '#operations/billing/shared/team-pools-shared-by-payer.ts'
import { SharedLimitUse, sharedLimitUses } from '#operations/gateway/shared/use-of-shared-limits.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import {
  Count,
  ExternalId,
  Micros,
  MicrosSum,
  SignedMicros,
  Slug,
  text,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'

export const teamSlug = Slug.meta({ description: 'Slug of the team.', examples: ['acme-labs'] })

const spentMicros = MicrosSum.meta({
  description:
    "Amount that was spent from the payer's wallet in the current calendar month (UTC), in the mode of the request, in micros.",
})
const heldMicros = MicrosSum.meta({
  description: "Amount in the payer's wallet that is held for requests in flight, in micros.",
})

const TeamPool = z
  .object({
    slug: Slug.meta({ description: 'Slug of the pool.' }),
    displayName: z.string().meta({ description: 'Display name of the pool.' }),
    grantedMicros: Micros.meta({ description: 'Amount of the grant, in micros.' }),
    consumedMicros: Micros.meta({
      description:
        'Amount that the payer and all members have used, in micros. Expired credit counts as used.',
    }),
    heldMicros: MicrosSum.meta({ description: 'Amount that is held for requests in flight, in micros.' }),
    memberCapMicros: Micros.meta({
      description: 'Maximum that each member can spend from the pool, in micros.',
    }),
    resetsAt: Timestamp.nullable().meta({
      description: 'When the pool ends. Null if the pool never ends.',
    }),
  })
  .meta({ id: 'EndUserTeamPool', description: "A pool of the payer's plan that members can use." })

const MemberPool = z
  .object({
    slug: Slug.meta({ description: 'Slug of the pool.' }),
    spentMicros: MicrosSum.meta({ description: 'Amount that the member spent from the pool, in micros.' }),
    heldMicros: MicrosSum.meta({ description: 'Amount that is held for requests in flight, in micros.' }),
  })
  .meta({
    id: 'EndUserTeamMemberPool',
    description: 'Amounts that a member has spent and holds from one pool of the payer.',
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
        "Amount that members spent from the payer's wallet in the current calendar month (UTC), in the mode of the request, in micros. Includes spending of end users who have left the team.",
    }),
    limits: RateLimits.meta({
      description:
        'Limits on the team. Each limit counts the usage of all members. Live and test usage is counted separately. Empty if no limits are set.',
    }),
    limitUses: z.array(SharedLimitUse).meta({
      description: 'Current usage of each limit in the mode of the request, in the order of `limits`.',
    }),
    pools: z.array(TeamPool).meta({
      description:
        "Current pools of the payer's plan that members can use, in the mode of the request. Members can use the pools of includes with a `memberCap` (`bundles.include`). Credit that was carried over is not included. Empty if no pool is shared.",
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
    pools: z.array(MemberPool).meta({
      description:
        "Spending of the member from each shared pool of the payer, in the order of the team's `pools`. Pools that the member has not used are omitted.",
    }),
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
  const wallets = await store.balances.wallets(payerIds, mode, modeTime(context))
  // Concurrent look-ups of one kind share one SQL statement.
  return Promise.all(
    teams.map(async (team) => {
      const { createdAtMs, displayName, id, limits, payerId, slug } = team
      const payer = await store.endUsers.evenRemoved(application.id, payerId)
      const wallet = walletAlone(wallets.get(payerId), modeTime(context))
      return {
        id,
        slug,
        displayName,
        payer: payer?.externalId ?? payerId,
        members: counts.get(payerId) ?? 0,
        balanceUnits: wallet.postedMicros,
        reservedUnits: wallet.heldMicros,
        spentMicros: (byPayer.get(payerId) ?? []).reduce((sum, member) => sum + member.spentMicros, 0n),
        limits,
        limitUses: await sharedLimitUses({ tag: null, team, rules: limits }, context),
        pools: payer === null ? [] : (await sharedPoolsOf(payer, context)).map(poolView),
        createdAt: createdAtMs,
      }
    }),
  )
}

/** Members cannot spend the payer's expiring credit. */
function walletAlone(wallet: Wallet | undefined, nowMs: number): Pick<Wallet, 'heldMicros' | 'postedMicros'> {
  let held = wallet?.heldMicros ?? 0n
  let posted = wallet?.postedMicros ?? 0n
  for (const credit of wallet?.expiring ?? []) {
    if (credit.startsAtMs > nowMs) continue
    held -= credit.heldMicros
    posted -= credit.postedMicros
  }
  return { heldMicros: held, postedMicros: posted }
}

export async function teamView(team: Team, context: InApplication): Promise<z.output<typeof TeamView>> {
  const [view] = await teamViews([team], context)
  if (!view) throw new Error('teamViews must return one view per team')
  return view
}

function poolView({ displayName, source }: OwnedPool): z.output<typeof TeamPool> {
  return {
    slug: source.slug,
    displayName,
    grantedMicros: source.granted,
    consumedMicros: source.granted - source.posted,
    heldMicros: source.held,
    memberCapMicros: source.memberCap ?? 0n,
    resetsAt: source.endsAtMs,
  }
}

export async function memberViews(team: Team, page: Page, context: InApplication) {
  const { next, rows } = await context.store.teams.members(team, page)
  return { next, rows: await viewsOf(rows, team, context) }
}

/** The end user is, or was, a member of the team. */
export async function memberView(
  member: EndUser,
  team: Team,
  context: InApplication,
): Promise<z.output<typeof MemberView>> {
  const [view] = await viewsOf([member], team, context)
  if (!view) throw new Error('viewsOf must return one view per member')
  return view
}

async function viewsOf(
  members: readonly EndUser[],
  team: Team,
  context: InApplication,
): Promise<z.output<typeof MemberView>[]> {
  const { application, mode, store } = context
  const spending = await store.teams.spending([team.payerId], mode, modeTime(context))
  const byMember = new Map(spending.map((one) => [one.endUserId, one]))
  const payer = await store.endUsers.evenRemoved(application.id, team.payerId)
  const pools = payer === null ? [] : await sharedPoolsOf(payer, context)
  const ofPools = payer === null ? [] : await spendingFrom(pools, payer, context)
  return members.map(({ email, externalId, id, payerCapMicros }) => ({
    endUserId: externalId,
    email,
    capMicros: payerCapMicros,
    spentMicros: byMember.get(id)?.spentMicros ?? 0n,
    heldMicros: byMember.get(id)?.heldMicros ?? 0n,
    pools: pools.flatMap(({ source }) => {
      const own = ofPools.find(({ endUserId, poolId }) => endUserId === id && poolId === source.id)
      return own === undefined
        ? []
        : { slug: source.slug, spentMicros: own.spentMicros, heldMicros: own.heldMicros }
    }),
  }))
}
