import * as z from 'zod'
import { ceilDiv, maxOf, minOf } from '#money/amount.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { OwnedPool } from '#money/plan-pools.ts'
import { available } from '#money/payment-sources.ts'
import type { Wallet } from '#domain/billing/balances-and-ledger-entries.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { Count, SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { leftInShare, poolSharesOf } from '#operations/billing/shared/team-pools-shared-by-payer.ts'
import { poolMicrosLeft, withCarriedOver } from '#operations/billing/shared/current-plan-and-pools.ts'

/** Number of days, including today. */
const paceDaysMax = 7
/** The longest duration that is shown is a hundred years. */
const lastsDaysMax = 36_525n

/** The amounts are `SignedMicros`, because a sum may exceed the maximum of a single amount. */
export const SpendingPace = z
  .object({
    from: Timestamp.meta({ description: 'Start of the first counted day (UTC).' }),
    to: Timestamp.meta({ description: 'Current time.' }),
    days: z.int().min(1).max(paceDaysMax).meta({
      description:
        'Number of counted days, including today: seven, or fewer if the first usage is more recent.',
    }),
    chargedMicros: SignedMicros.meta({
      description: 'Charges of requests that settled since `from`, in micros.',
    }),
    perDayMicros: SignedMicros.meta({ description: 'Average charge per day, in micros, rounded up.' }),
    availableMicros: SignedMicros.meta({
      description:
        "Available credit, in micros: the wallet, the pools, and the part of a team payer's wallet that the end user can spend. On-demand billing and credits without a price are not included. A negative wallet counts as 0.",
    }),
    lastsDays: Count.max(Number(lastsDaysMax))
      .nullable()
      .meta({
        description: `Number of whole days that the available credit lasts at this pace, at most ${lastsDaysMax}. Null if nothing was charged, or if no credit is available.`,
      }),
  })
  .meta({
    id: 'SpendingPace',
    description: 'Spending pace of an end user, and how long the available credit lasts.',
  })

export async function paceOf(
  endUser: EndUser,
  pools: readonly OwnedPool[],
  context: InApplication,
): Promise<z.output<typeof SpendingPace>> {
  const { mode, store } = context
  const nowMs = modeTime(context)
  const wallet = (await store.balances.wallets([endUser.id], mode, nowMs)).get(endUser.id)
  const days = paceDays(nowMs, await store.portals.firstUseDay(endUser.id, mode))
  const fromDay = Math.floor(nowMs / dayMs) - days + 1
  const share = await store.teams.share(endUser, mode, nowMs)
  const shares = await poolSharesOf(endUser, context)
  const ofTeamPools = shares.reduce((sum, shared) => sum + leftInShare(shared), 0n)
  const ofTeam = share?.isOpen === true ? maxOf(0n, available(share) ?? 0n) : 0n
  return spendingPace({
    nowMs,
    days,
    chargedMicros: await store.portals.chargedMicros(endUser.id, mode, { fromDay, toDay: null }),
    availableMicros: withCarriedOver(pools).reduce(
      (sum, { pool }) => sum + poolMicrosLeft(pool),
      spendableMicros(wallet, nowMs) + ofTeam + ofTeamPools,
    ),
  })
}

/** The wallet and the current expiring credit, without held amounts. A negative wallet does not reduce the credit. */
export function spendableMicros(wallet: Wallet | undefined, nowMs: number): bigint {
  if (wallet === undefined) return 0n
  let micros = wallet.lastingMicros > 0n ? wallet.lastingMicros : 0n
  for (const { heldMicros, postedMicros, startsAtMs } of wallet.expiring) {
    if (startsAtMs <= nowMs) micros += postedMicros - heldMicros
  }
  return micros
}

/**
 * Days before the first usage would lower the average, so they are not counted.
 * @param firstUseDay in days since 1970 (UTC); null if there was no usage yet
 */
export function paceDays(nowMs: number, firstUseDay: number | null): number {
  const today = Math.floor(nowMs / dayMs)
  return Math.min(Math.max(today - (firstUseDay ?? today) + 1, 1), paceDaysMax)
}

/**
 * @param days the number of days in which `chargedMicros` was charged, including today; at least 1
 * @param availableMicros must be at least 0
 */
export function spendingPace({
  availableMicros,
  chargedMicros,
  days,
  nowMs,
}: Record<'availableMicros' | 'chargedMicros', bigint> & Record<'days' | 'nowMs', number>): z.output<
  typeof SpendingPace
> {
  const hasEnd = chargedMicros > 0n && availableMicros > 0n
  const lastsDays = hasEnd ? minOf((availableMicros * BigInt(days)) / chargedMicros, lastsDaysMax) : null
  return {
    from: (Math.floor(nowMs / dayMs) - days + 1) * dayMs,
    to: nowMs,
    days,
    chargedMicros,
    perDayMicros: ceilDiv(chargedMicros, BigInt(days)),
    availableMicros,
    lastsDays: lastsDays === null ? null : Number(lastsDays),
  }
}
