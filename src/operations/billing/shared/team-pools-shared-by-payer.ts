import type { TeamPoolSource } from '#money/decision-types.ts'
import type { OwnedPool } from '#money/plan-pools.ts'
import { balanceOf, teamPoolSourceId } from '#money/payment-sources.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { MemberPoolSpending } from '#domain/billing/teams-interface.ts'
import { currentPools, planOf, type PlanReads } from './current-plan-and-pools.ts'

/** Only pools that members can use now. */
export async function sharedPoolsOf(payer: EndUser, context: PlanReads): Promise<readonly OwnedPool[]> {
  const bundle = await planOf(payer, context)
  if (bundle === null) return []
  const stored = await context.store.subscriptions.of(payer.id, context.mode)
  const pools = await currentPools(payer, bundle, stored, context)
  return pools.filter(({ source }) => source.memberCap !== null)
}

export function spendingFrom(
  pools: readonly OwnedPool[],
  payer: EndUser,
  { mode, store }: PlanReads,
): Promise<readonly MemberPoolSpending[]> {
  const ids = pools.map(({ source }) => source.id)
  return store.teams.poolSpending(payer.id, mode, ids)
}

export interface PoolShare {
  readonly pool: OwnedPool
  readonly share: TeamPoolSource
}

/** Empty if the end user is in no team. */
export async function poolSharesOf(
  { applicationId, id, payerId }: EndUser,
  context: PlanReads,
): Promise<readonly PoolShare[]> {
  const payer = payerId === null ? null : await context.store.endUsers.byId(applicationId, payerId)
  if (payer === null) return []
  const pools = await sharedPoolsOf(payer, context)
  const spending = await spendingFrom(pools, payer, context)
  return pools.map((pool) => {
    const { source } = pool
    const own = spending.find(({ endUserId, poolId }) => endUserId === id && poolId === source.id)
    return {
      pool,
      share: {
        kind: 'team_pool',
        id: teamPoolSourceId(payer.id, source.id),
        posted: -(own?.spentMicros ?? 0n),
        held: own?.heldMicros ?? 0n,
        isOpen: payer.frozenAtMs === null,
        pool: source,
        startsAtMs: source.startsAtMs,
        endsAtMs: source.endsAtMs,
      },
    }
  })
}

/** Never negative. */
export function leftInShare({ share }: PoolShare): bigint {
  const { held, posted } = balanceOf(share)
  return share.isOpen ? posted - held : 0n
}
