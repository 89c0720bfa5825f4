import * as z from 'zod'
import { maxOf } from '#money/amount.ts'
import { calendarWindow, type Window } from '#money/periods-and-windows.ts'
import { available } from '#money/payment-sources.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { EndUserContext } from '#operations/kernel/operation-context.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { bringUpEndUser } from '#operations/billing/shared/issue-due-invoices.ts'
import { ExpiringCreditView, expiringCreditView } from '#operations/billing/shared/expiring-credit-view.ts'
import { paceOf, SpendingPace } from '#operations/users/shared/spending-pace.ts'
import { RateLimitUse, rateLimitUses } from '#operations/users/shared/rate-limit-use-views.ts'
import { portalKeysUse } from '#operations/users/shared/total-spending-of-portal-keys.ts'
import {
  ApplicationSlug,
  Count,
  ExternalId,
  Micros,
  MicrosSum,
  Period,
  SignedMicros,
  Slug,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'
import { windowDays } from '#operations/kernel/days-of-window.ts'
import { leftInShare, poolSharesOf } from '#operations/billing/shared/team-pools-shared-by-payer.ts'
import { currentPools, onDemandOwed, planOf } from '#operations/billing/shared/current-plan-and-pools.ts'

const SpendLimit = z
  .object({
    limitMicros: Micros.meta({ description: 'Maximum spend per `period`, in micros.' }),
    spentMicros: Micros.meta({ description: 'Spending in the current `period`, in micros.' }),
    period: Period.meta({
      description:
        'Calendar period (UTC) after which the limit resets. With `total`, the limit never resets.',
    }),
    resetsAt: Timestamp.nullable().meta({
      description: 'When the next period begins. Null if the limit never resets.',
    }),
  })
  .meta({ id: 'PortalLimit', description: 'A spend limit and the spending that counts toward it.' })

export default operation({
  id: 'portal.account',
  method: 'GET',
  path: '/v1/portal/account',
  scope: 'end_user',
  summary: "Show the end user's account",
  description:
    "Returns the signed-in end user with their balance and limits, in the session's mode. The account is returned even if the end user has no money or is frozen.",
  output: z
    .object({
      endUserId: ExternalId,
      email: z.string().nullable().meta({ description: 'Email address. Null if the address is not known.' }),
      application: ApplicationSlug.meta({ description: 'Slug of the application.' }),
      livemode: z
        .boolean()
        .meta({ description: 'Whether the session shows live data. If false, the session shows test data.' }),
      readOnly: z.boolean().meta({
        description: 'Whether the session is read-only. A read-only session cannot change anything.',
      }),
      openedBy: z.string().nullable().meta({
        description:
          'Email address of the team member who opened this session. Null if the end user opened the session.',
      }),
      plan: z
        .object({
          slug: Slug.meta({ description: 'Slug of the plan.' }),
          name: z.string().meta({ description: 'Display name of the plan.' }),
        })
        .nullable()
        .meta({ description: 'Plan of the end user. Null if the end user has no plan.' }),
      balance: z
        .object({
          balanceMicros: SignedMicros.meta({
            description:
              'Balance of the wallet, in micros. The balance includes expiring credit that can be spent now.',
          }),
          heldMicros: Micros.meta({ description: 'Amount held by requests in flight, in micros.' }),
          availableMicros: SignedMicros.meta({
            description: 'Remaining balance, in micros: `balanceMicros` minus `heldMicros`.',
          }),
          callsInFlight: Count.meta({ description: 'Number of requests in flight.' }),
          expiringCredit: ExpiringCreditView,
        })
        .meta({
          description: "The end user's wallet. `portal.subscription` returns the credit of the plan.",
        }),
      pace: SpendingPace,
      onDemand: z
        .object({
          enabled: z.boolean().meta({ description: 'Whether on-demand billing is enabled.' }),
          limitMicros: Micros.nullable().meta({
            description:
              'Maximum on-demand usage per calendar month (UTC), in micros, as set by the end user. Null means no ceiling.',
          }),
          ceilingMicros: Micros.nullable().meta({
            description:
              'Maximum that the end user can set `limitMicros` to, in micros. Null means no maximum.',
          }),
          spentMicros: Micros.meta({
            description: 'On-demand usage in the current calendar month (UTC), in micros.',
          }),
          owedMicros: Micros.meta({
            description:
              'On-demand usage of earlier months that is not invoiced yet or is on an unpaid invoice, in micros.',
          }),
        })
        .meta({ description: 'On-demand usage: usage beyond plan and wallet.' }),
      team: z
        .object({
          name: z.string().meta({ description: 'Display name of the team.' }),
          capMicros: Micros.nullable().meta({
            description:
              'Maximum that the team pays for the end user per calendar month (UTC), in micros. Null means no maximum.',
          }),
          spentMicros: MicrosSum.meta({
            description: 'Amount that the team paid for the end user in the current month, in micros.',
          }),
          heldMicros: MicrosSum.meta({ description: 'Amount held for requests in flight, in micros.' }),
          availableMicros: MicrosSum.meta({
            description:
              'Amount that the team can still pay for the end user in the current month, in micros.',
          }),
          resetsAt: Timestamp.meta({ description: 'When the next month begins.' }),
          pools: z
            .array(
              z.object({
                slug: Slug.meta({ description: 'Slug of the pool.' }),
                displayName: z.string().meta({ description: 'Display name of the pool.' }),
                capMicros: Micros.meta({
                  description: 'Maximum that the end user can spend from the pool, in micros.',
                }),
                spentMicros: MicrosSum.meta({
                  description: 'Amount that the end user spent from the pool, in micros.',
                }),
                heldMicros: MicrosSum.meta({ description: 'Amount held for requests in flight, in micros.' }),
                availableMicros: MicrosSum.meta({
                  description: 'Amount that the end user can still spend from the pool, in micros.',
                }),
                resetsAt: Timestamp.nullable().meta({
                  description: 'When the pool ends. Null if the pool never ends.',
                }),
              }),
            )
            .meta({
              description: "Pools of the payer's plan that the end user can use. Empty if no pool is shared.",
            }),
        })
        .nullable()
        .meta({ description: 'The team that pays for the end user. Null if the end user is in no team.' }),
      paysFor: z
        .object({
          name: z.string().meta({ description: 'Display name of the team.' }),
          members: Count.meta({ description: 'Number of members.' }),
        })
        .nullable()
        .meta({
          description:
            "Team whose members spend from the end user's wallet (`portal.team`). Null if the end user pays for no team.",
        }),
      spendLimit: SpendLimit.nullable().meta({
        description: 'Spend limit of the plan. Null if the plan has no spend limit.',
      }),
      limits: z.array(SpendLimit).meta({
        description:
          'Spend limits of the end user, at most one per period. Each limit counts the charges of all keys and plans. Empty if no spend limits are set.',
      }),
      rates: z.array(RateLimitUse).meta({
        description:
          'Rate limits of the usable keys, the plan and the end user. These limits cover requests, tokens, requests in flight and charges. The list does not contain the spend limits in `limits`. Empty if no rate limits are set.',
      }),
      frozen: z
        .boolean()
        .meta({ description: 'Whether the account is frozen. Requests of a frozen end user are rejected.' }),
      keys: z
        .object({
          mayMint: z.boolean().meta({ description: 'Whether the end user can create keys in the portal.' }),
          capMicros: Micros.nullable().meta({
            description: 'Highest cap that a portal key can have, in micros. Null means no maximum.',
          }),
          capPeriod: Period.meta({
            description:
              'Calendar period (UTC) of `capMicros` and `totalMicros`. Spending counts from the start of the period. With `total`, all spending counts.',
          }),
          totalMicros: Micros.nullable().meta({
            description:
              'Maximum that all portal keys can spend together per `capPeriod`, in micros. Null means no maximum.',
          }),
          spentMicros: Micros.nullable().meta({
            description:
              'Amount that the keys created in the portal spent in the current period, in micros. Null if `totalMicros` is null.',
          }),
          leftForCapsMicros: Micros.nullable().meta({
            description:
              'Highest cap that a new portal key can have, in micros. The caps of all portal keys together must not exceed `totalMicros`. Null if `totalMicros` is null.',
          }),
        })
        .meta({ description: 'Rules for keys that the end user creates with portal.mintKey.' }),
      session: z
        .object({
          expiresAt: Timestamp.meta({ description: 'When the session expires at the latest.' }),
          csrfToken: z.string().nullable().meta({
            description:
              'Token that pages send as `x-csrf-token`. Null if the session does not use a cookie.',
          }),
        })
        .meta({ description: 'The current session.' }),
    })
    .meta({ id: 'PortalAccount', description: 'Account of the signed-in end user.' }),
  async run(_, context) {
    const { application, browser, endUser, mode, session, store } = context
    const { balances, portals } = store
    await bringUpEndUser(endUser, context)
    const bundle = await planOf(endUser, context)
    const wallet = (await balances.wallets([endUser.id], mode, modeTime(context))).get(endUser.id)
    const { heldMicros = 0n, postedMicros = 0n } = wallet ?? {}
    const { isEnabled, limitMicros } = await balances.onDemand(endUser.id, mode)
    const settings = await portals.settings(application.id)
    const ofKeys = await portalKeysUse(endUser, context)
    const stored = await store.subscriptions.of(endUser.id, mode)
    const pools = bundle ? await currentPools(endUser, bundle, stored, context) : []
    return {
      endUserId: endUser.externalId,
      email: endUser.email,
      application: application.slug,
      livemode: mode === 'live',
      readOnly: session.access === 'read',
      openedBy: session.openedByLabel,
      plan: bundle && { slug: bundle.slug, name: bundle.displayName },
      balance: {
        balanceMicros: postedMicros,
        heldMicros,
        availableMicros: postedMicros - heldMicros,
        callsInFlight: await portals.callsInFlight(application.id, endUser.id, mode),
        expiringCredit: expiringCreditView(wallet),
      },
      pace: await paceOf(endUser, pools, context),
      onDemand: {
        enabled: isEnabled,
        limitMicros,
        ceilingMicros: await portals.onDemandCeiling(endUser.id, mode),
        spentMicros: await balances.onDemandSpent(endUser.id, mode, modeTime(context)),
        owedMicros: await onDemandOwed(endUser.id, stored, modeTime(context), context),
      },
      team: await teamOf(context),
      paysFor: await paidTeam(context),
      spendLimit: bundle && (await spendLimit(bundle, context)),
      limits: await ownLimits(context),
      rates: await rateLimitUses(endUser, bundle, context),
      frozen: endUser.frozenAtMs !== null,
      keys: {
        mayMint: settings.endUsersMayMintKeys,
        capMicros: settings.keyCapMicros,
        capPeriod: settings.keyCapPeriod,
        totalMicros: settings.keyCapsTotalMicros,
        spentMicros: ofKeys && ofKeys.spentMicros,
        leftForCapsMicros: ofKeys && ofKeys.leftForCapsMicros,
      },
      session: { expiresAt: session.expiresAtMs, csrfToken: browser.csrfToken },
    }
  },
})

async function teamOf(context: EndUserContext) {
  const { endUser, mode, store } = context
  const share = await store.teams.share(endUser, mode, modeTime(context))
  const team = share && (await store.teams.ofPayer(endUser.payerId ?? ''))
  if (share === null || team === null) return null
  return {
    name: team.displayName,
    capMicros: share.capMicros,
    spentMicros: -share.posted,
    heldMicros: share.held,
    availableMicros: share.isOpen ? maxOf(0n, available(share) ?? 0n) : 0n,
    resetsAt: share.endsAtMs,
    pools: (await poolSharesOf(endUser, context)).map((shared) => ({
      slug: shared.pool.source.slug,
      displayName: shared.pool.displayName,
      capMicros: shared.pool.source.memberCap ?? 0n,
      spentMicros: -shared.share.posted,
      heldMicros: shared.share.held,
      availableMicros: leftInShare(shared),
      resetsAt: shared.pool.source.endsAtMs,
    })),
  }
}

async function paidTeam({ endUser, store }: EndUserContext) {
  const team = await store.teams.ofPayer(endUser.id)
  return team && { name: team.displayName, members: (await store.teams.counts([team])).get(endUser.id) ?? 0 }
}

/** A charge counts on the day on which it settled. */
async function spendLimit(
  { spendLimitMicros, spendLimitPeriod }: BundleRecord,
  context: EndUserContext,
): Promise<z.output<typeof SpendLimit> | null> {
  return spendLimitMicros === null ? null : limitIn(spendLimitPeriod, spendLimitMicros, context)
}

async function ownLimits(context: EndUserContext): Promise<z.output<typeof SpendLimit>[]> {
  const { endUser, mode, store } = context
  const limits: z.output<typeof SpendLimit>[] = []
  for (const { micros, window } of (await store.balances.limits([endUser.id], mode)).get(endUser.id) ?? []) {
    // oxlint-disable-next-line no-await-in-loop -- four at most, on one connection
    limits.push(await limitIn(window, micros, context))
  }
  return limits
}

async function limitIn(
  period: Window,
  limitMicros: bigint,
  context: EndUserContext,
): Promise<z.output<typeof SpendLimit>> {
  const { endUser, mode, store } = context
  const nowMs = modeTime(context)
  return {
    limitMicros,
    spentMicros: await store.portals.chargedMicros(endUser.id, mode, windowDays(period, nowMs)),
    period,
    resetsAt: calendarWindow(period, nowMs).endsAtMs,
  }
}
