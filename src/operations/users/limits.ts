import { hasExpired } from '#domain/end-user-keys.ts'
import * as z from 'zod'
import { calendarWindow } from '#money/periods-and-windows.ts'
import { available } from '#money/payment-sources.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { Count, Micros, Period, SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { bringUpEndUser } from '#operations/billing/shared/issue-due-invoices.ts'
import { leftInShare, poolSharesOf } from '#operations/billing/shared/team-pools-shared-by-payer.ts'
import {
  blockedSince,
  currentPools,
  planOf,
  withCarriedOver,
} from '#operations/billing/shared/current-plan-and-pools.ts'
import { spendLimitsOf } from '#operations/users/shared/spend-limits-of-end-user.ts'
import { portalKeysUse } from '#operations/users/shared/total-spending-of-portal-keys.ts'
import { RateLimitUse, rateLimitUses } from '#operations/users/shared/rate-limit-use-views.ts'
import { paceOf, SpendingPace } from '#operations/users/shared/spending-pace.ts'

const kinds = [
  'pool',
  'team_pool',
  'credit',
  'team',
  'on_demand',
  'bundle_limit',
  'end_user_limit',
  'portal_total',
  'key_cap',
] as const

const Limit = z
  .object({
    kind: z.enum(kinds).meta({
      description:
        "Kind of the limit:\n- `pool`: a pool of the plan.\n- `team_pool`: the amount that the end user can spend from a pool of the team's payer.\n- `credit`: credit that expires.\n- `team`: the amount that the end user can spend from the wallet of the team's payer in the calendar month.\n- `on_demand`: on-demand billing in the current month.\n- `bundle_limit`: the spend limit of the plan.\n- `end_user_limit`: a limit of the end user, which counts the usage of all keys and plans.\n- `portal_total`: the maximum that all keys created in the portal can spend together.\n- `key_cap`: the cap of one key and of the keys that this key replaced.",
    }),
    id: z.string().meta({
      description:
        'Identifier of the limit. The value depends on `kind`: the slug of an include, bundle or team, or the ID of a grant or key. For `end_user_limit`, the window of the limit. For `portal_total`, the fixed value `portal`. For `on_demand`, the fixed value `on_demand`.',
    }),
    name: z.string().meta({ description: 'Display name of the limit.' }),
    unit: z
      .enum(['micros', 'credits'])
      .meta({ description: 'Unit of the amounts: `micros`, or `credits` for millionths of a credit.' }),
    limitUnits: Micros.nullable().meta({ description: 'Maximum amount. Null means no limit.' }),
    usedUnits: SignedMicros.meta({ description: 'Amount used by settled requests.' }),
    heldUnits: Micros.meta({ description: 'Amount held by requests in flight.' }),
    availableUnits: SignedMicros.nullable().meta({
      description: 'Remaining amount. Negative if the limit was exceeded. Null means no limit.',
    }),
    period: Period.nullable().meta({
      description:
        'Calendar period (UTC) after which the limit resets. Null if the limit follows the period of the plan, or never resets.',
    }),
    resetsAt: Timestamp.nullable().meta({
      description: 'When the limit resets. Null if the limit never resets.',
    }),
    expiresAt: Timestamp.nullable().meta({
      description: 'When the unspent amount expires. Null if the amount does not expire.',
    }),
  })
  .meta({ id: 'UserLimit', description: 'A limit on the spending of an end user.' })

export default operationOn(ownEndUser, {
  id: 'users.limits',
  method: 'GET',
  path: '/v1/end-users/{externalId}/limits',
  isExtension: true,
  summary: "Show an end user's limits",
  description:
    "Returns the limits of an end user in the mode of the request, with used and held amounts, and the spending pace. The wallet is not included. The response contains these limits:\n- pools, in the order in which they are spent\n- the amounts that the end user can spend from the pools of the team's payer\n- credit that expires\n- the amount that the end user can spend from the wallet of the team's payer\n- the on-demand usage of the current month, if on-demand billing is on\n- the spend limit of the plan\n- the limits of the end user\n- the maximum that all keys created in the portal can spend together\n- the caps of usable keys (keys that have not expired or been revoked).",
  output: z
    .object({
      onPlan: z
        .boolean()
        .meta({ description: 'Whether the end user is on a plan. If false, all requests are rejected.' }),
      callsInFlight: Count.meta({ description: 'Number of requests in flight.' }),
      heldMicros: Micros.meta({
        description: 'Amount that requests in flight hold from all sources, in micros.',
      }),
      pace: SpendingPace,
      onDemandBlockedSince: Timestamp.nullable().meta({
        description:
          'When a past-due invoice blocked on-demand billing. On-demand billing stays blocked until the invoice is paid. Null if no invoice is past due.',
      }),
      limits: z.array(Limit),
      rates: z.array(RateLimitUse).meta({
        description:
          'Rate limits of the usable keys, the plan and the end user. These limits cover requests, tokens, requests in flight and charges. The list does not contain the spend limits in `limits`.',
      }),
    })
    .meta({ id: 'UserLimits', description: 'Limits for the next request of an end user.' }),
  async run(endUser, context) {
    const { application, mode, store } = context
    const nowMs = modeTime(context)
    await bringUpEndUser(endUser, context)
    const bundle = await planOf(endUser, context)
    const stored = await store.subscriptions.of(endUser.id, mode)
    const inFlight = await store.keys.inFlight(application.id, [endUser.id], mode)
    const running = [...inFlight.values()]
    const heldMicros = running.reduce((sum, held) => sum + held.heldMicros, 0n)
    const limits: z.output<typeof Limit>[] = []
    const pools = bundle ? await currentPools(endUser, bundle, stored, context) : []
    for (const { pool } of withCarriedOver(pools)) {
      const { displayName, source } = pool
      limits.push({
        kind: 'pool',
        id: source.slug,
        name: displayName,
        unit: source.unit,
        limitUnits: source.granted,
        usedUnits: source.granted - source.posted,
        heldUnits: source.held,
        availableUnits: source.posted - source.held,
        period: null,
        resetsAt: source.endsAtMs,
        expiresAt: null,
      })
    }
    for (const shared of await poolSharesOf(endUser, context)) {
      const { displayName, source } = shared.pool
      limits.push({
        kind: 'team_pool',
        id: source.slug,
        name: displayName,
        unit: 'micros',
        limitUnits: source.memberCap,
        usedUnits: -shared.share.posted,
        heldUnits: shared.share.held,
        availableUnits: leftInShare(shared),
        period: null,
        resetsAt: source.endsAtMs,
        expiresAt: null,
      })
    }
    limits.push(...(await creditLimits(endUser, nowMs, context)))
    limits.push(...(await teamLimit(endUser, nowMs, context)))
    limits.push(...(await onDemandLimit(endUser, nowMs, context)))
    const keys = (await store.keys.held(endUser.id, mode)).filter((key) => !hasExpired(key, nowMs))
    const portal = await portalKeysUse(endUser, context)
    for (const limit of await spendLimitsOf({ endUser, bundle, keys, portal }, context)) {
      limits.push({
        kind: limit.kind,
        id: limit.id,
        name: limit.name,
        unit: 'micros',
        ...amounts(limit.limitMicros, limit.spentMicros, limit.heldMicros),
        period: limit.period,
        resetsAt: limit.resetsAtMs,
        expiresAt: null,
      })
    }
    return {
      onPlan: bundle !== null,
      callsInFlight: running.reduce((sum, { calls }) => sum + calls, 0),
      heldMicros,
      pace: await paceOf(endUser, pools, context),
      onDemandBlockedSince: blockedSince(stored, nowMs),
      limits: limits.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind)),
      rates: await rateLimitUses(endUser, bundle, context),
    }
  },
})

async function creditLimits(
  endUser: EndUser,
  nowMs: number,
  { mode, store }: InApplication,
): Promise<z.output<typeof Limit>[]> {
  const wallet = (await store.balances.wallets([endUser.id], mode, nowMs)).get(endUser.id)
  const current = (wallet?.expiring ?? []).filter(({ startsAtMs }) => startsAtMs <= nowMs)
  const grants = await Promise.all(
    current.map(({ grantId }) => store.grants.byId(endUser.applicationId, grantId)),
  )
  return current.map(({ endsAtMs, grantId, heldMicros, postedMicros }, at) => {
    const granted = grants[at]?.amountMicros ?? postedMicros
    return {
      kind: 'credit' as const,
      id: grantId,
      name: 'Credit',
      unit: 'micros' as const,
      ...amounts(granted, granted - postedMicros, heldMicros),
      period: null,
      resetsAt: null,
      expiresAt: endsAtMs,
    }
  })
}

async function teamLimit(
  endUser: EndUser,
  nowMs: number,
  { mode, store }: InApplication,
): Promise<z.output<typeof Limit>[]> {
  const share = await store.teams.share(endUser, mode, nowMs)
  const team = endUser.payerId === null ? null : await store.teams.ofPayer(endUser.payerId)
  if (share === null || team === null) return []
  return [
    {
      kind: 'team',
      id: team.slug,
      name: team.displayName,
      unit: 'micros',
      limitUnits: share.capMicros,
      usedUnits: -share.posted,
      heldUnits: share.held,
      availableUnits: share.isOpen ? available(share) : 0n,
      period: 'month',
      resetsAt: share.endsAtMs,
      expiresAt: null,
    },
  ]
}

async function onDemandLimit(
  endUser: EndUser,
  nowMs: number,
  { mode, store }: InApplication,
): Promise<z.output<typeof Limit>[]> {
  const { isEnabled, limitMicros } = await store.balances.onDemand(endUser.id, mode)
  if (!isEnabled) return []
  const used = await store.balances.onDemandSpent(endUser.id, mode, nowMs)
  const held = await store.balances.onDemandHeld(endUser.id, mode, nowMs)
  return [
    {
      kind: 'on_demand',
      id: 'on_demand',
      name: 'On-demand',
      unit: 'micros',
      ...(limitMicros === null
        ? { limitUnits: null, usedUnits: used, heldUnits: held, availableUnits: null }
        : amounts(limitMicros, used, held)),
      period: 'month',
      resetsAt: calendarWindow('month', nowMs).endsAtMs,
      expiresAt: null,
    },
  ]
}

function amounts(limitUnits: bigint, usedUnits: bigint, heldUnits: bigint) {
  return { limitUnits, usedUnits, heldUnits, availableUnits: limitUnits - usedUnits - heldUnits }
}
