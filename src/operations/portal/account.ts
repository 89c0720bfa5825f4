import * as z from 'zod'
import { calendarWindow, type Window } from '#money/period.ts'
import type { BundleRecord } from '#domain/records.ts'
import { modeTime } from '#operations/mode-time.ts'
import type { EndUserContext } from '#operations/context.ts'
import { windowDays } from '#operations/keys/key-view.ts'
import { operation } from '#operations/operation.ts'
import { bringUpEndUser } from '#operations/subscription/issue-due.ts'
import { currentPools, onDemandOwed, planOf } from '#operations/subscription/subscription-view.ts'
import { ExpiringCreditView, expiringCreditView } from '#operations/users/expiring-credit.ts'
import { paceOf, SpendingPace } from '#operations/users/spending-pace.ts'
import { portalKeysUse } from './portal-keys-use.ts'
import {
  ApplicationSlug,
  Count,
  ExternalId,
  Micros,
  Period,
  SignedMicros,
  Slug,
  Timestamp,
} from '#operations/schemas.ts'

const SpendLimit = z
  .object({
    limitMicros: Micros.meta({ description: 'What may be spent per `period`.' }),
    spentMicros: Micros.meta({ description: 'What was spent in the present one.' }),
    period: Period.meta({ description: 'When it starts anew (UTC); `total`: never.' }),
    resetsAt: Timestamp.nullable().meta({ description: 'When the next period begins; null: never.' }),
  })
  .meta({ id: 'PortalLimit', description: 'A limit on spending, and what is spent of it.' })

export default operation({
  id: 'portal.account',
  method: 'GET',
  path: '/v1/portal/account',
  scope: 'end_user',
  summary: 'Show the account of the signed-in end user',
  description:
    'Who is signed in, what they have and what bounds it, in the mode of the session. It is shown whatever may be spent: without any money, and to a person whose spending is stopped.',
  output: z
    .object({
      endUserId: ExternalId,
      email: z.string().nullable().meta({ description: 'Email address; null: not known.' }),
      application: ApplicationSlug.meta({ description: 'Slug of the application.' }),
      livemode: z.boolean().meta({ description: 'Whether these are live data; false: test data.' }),
      readOnly: z
        .boolean()
        .meta({ description: 'Whether the session is read-only: it cannot change anything.' }),
      openedBy: z.string().nullable().meta({
        description:
          'E-mail address of the member of the team who opened this session. Null if it is the end user.',
      }),
      plan: z
        .object({
          slug: Slug.meta({ description: 'Slug of the plan.' }),
          name: z.string().meta({ description: 'Its name for people.' }),
        })
        .nullable()
        .meta({ description: 'The plan that they are on; null: none.' }),
      balance: z
        .object({
          balanceMicros: SignedMicros.meta({
            description:
              'Balance of the wallet with the credit that expires and can be spent now, in micros.',
          }),
          heldMicros: Micros.meta({ description: 'Held by calls that are running.' }),
          availableMicros: SignedMicros.meta({ description: 'What is left: the balance less what is held.' }),
          callsInFlight: Count.meta({ description: 'Number of calls that are running.' }),
          expiringCredit: ExpiringCreditView,
        })
        .meta({ description: 'The wallet. What the plan grants is in portal.subscription.' }),
      pace: SpendingPace,
      onDemand: z
        .object({
          enabled: z.boolean().meta({ description: 'Whether more may be used than is paid for.' }),
          limitMicros: Micros.nullable().meta({ description: 'Their monthly ceiling (UTC); null: none.' }),
          ceilingMicros: Micros.nullable().meta({
            description: 'The most that they may set it to; null: the application has set no bound.',
          }),
          spentMicros: Micros.meta({
            description: 'On-demand usage in the current calendar month (UTC), in micros.',
          }),
          owedMicros: Micros.meta({
            description:
              'On-demand usage of earlier months that is not paid yet, in micros: not invoiced yet, or on an unpaid invoice.',
          }),
        })
        .meta({ description: 'Use beyond what is paid for.' }),
      spendLimit: SpendLimit.nullable().meta({ description: 'The spend limit of the plan; null: none.' }),
      limits: z.array(SpendLimit).meta({
        description:
          'Limits of the end user over all keys and plans, at most one per period. Empty if none are set.',
      }),
      frozen: z.boolean().meta({ description: 'Whether the application has stopped their spending.' }),
      keys: z
        .object({
          mayMint: z.boolean().meta({ description: 'Whether they may mint keys here.' }),
          capMicros: Micros.nullable().meta({ description: 'The widest cap of such a key; null: any.' }),
          capPeriod: Period.meta({ description: 'The period of that cap and of the total.' }),
          totalMicros: Micros.nullable().meta({
            description:
              'Maximum that all keys created in the portal can spend together per `capPeriod`, in micros. Null means no total.',
          }),
          spentMicros: Micros.nullable().meta({
            description:
              'What these keys spent of the total in the current period, in micros. Null if there is no total.',
          }),
          leftForCapsMicros: Micros.nullable().meta({
            description:
              'Maximum cap that a further key can have under the total, in micros. Null if there is no total.',
          }),
        })
        .meta({ description: 'What portal.mintKey allows.' }),
      session: z
        .object({
          expiresAt: Timestamp.meta({ description: 'When the session ends at the latest.' }),
          csrfToken: z.string().nullable().meta({
            description: "What pages send as `x-csrf-token`; null where the session is no browser's.",
          }),
        })
        .meta({ description: 'The session in use.' }),
    })
    .meta({ id: 'PortalAccount', description: 'What a person sees of themselves.' }),
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
      spendLimit: bundle && (await spendLimit(bundle, context)),
      limits: await ownLimits(context),
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

/** Counts as the ledger does: a charge counts on the day on which it settled. */
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
