import { lazy, Suspense, type ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { daysText } from '#web/ui/number-text.ts'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useAccount, useSubscription } from '#web/portal/account-and-plan-hooks.ts'
import { useAnswer, useFresh } from '#web/portal/response-cache.ts'
import { ApplicationLink } from '#web/portal/application-link.tsx'
import { brand, supportLink } from '#web/portal/brand-in-document.ts'
import { CallRow } from '#web/portal/request-rows.tsx'
import { leftOfLimit, limitsOf, meansOf, type Means } from '#web/portal/remaining-credit.ts'
import { OnDemand } from '#web/portal/on-demand-switch.tsx'
import { Go } from '#web/portal/portal-router.tsx'
import { receiptPath } from '#web/portal/pages-of-url-paths.ts'
import { client } from '#web/portal/end-user-session.ts'
import { BigMoney } from '#web/portal/ui/big-money.tsx'
import { ExpiringCredit } from '#web/portal/ui/expiring-credit.tsx'
import { Fact, List } from '#web/portal/ui/lists-and-rows.tsx'
import { Further, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown, Waiting } from '#web/portal/ui/loaded-content.tsx'
import { countOf, dayText, perText } from '#web/portal/time-and-count-text.ts'

/** Load the chart in parallel, because the numbers do not need it. */
const bars = import('#web/portal/usage-bars.tsx').catch(() => ({ default: NoBars }))
const UsageBars = lazy(() => bars)

export function Home(): ReactNode {
  const account = useAccount()
  const subscription = useSubscription()
  const usage = useAnswer('usage', () => client.portal.usage())
  const calls = useAnswer('requests last', () => client.portal.requests({ limit: 5 }))
  useFresh(['account', 'subscription', 'usage', 'requests last'], 15_000)
  const answers = [account, subscription, usage, calls]
  // Show all parts together to avoid layout shift.
  if (answers.some(({ error, value }) => value === undefined && error === null)) return <Waiting rows={8} />
  const plan = subscription.value ?? null
  return (
    <>
      <Shown answer={subscription} what="Your plan">
        {() => null}
      </Shown>
      <Shown answer={account} what="Your balance">
        {(value) => {
          const means = meansOf(value, plan)
          return (
            <>
              <Stopped account={value} means={means} plan={plan} lastCall={calls.value?.data[0] ?? null} />
              <Balance account={value} means={means} />
            </>
          )
        }}
      </Shown>
      <Part title="Last 30 days" action={<Further to="/usage">Usage</Further>}>
        <Shown answer={usage} what="Your usage">
          {(value) => (
            <Suspense fallback={<div className="h-49" />}>
              <UsageBars usage={value} isStacked={false} label="Spend per day" height={140} />
            </Suspense>
          )}
        </Shown>
      </Part>
      {account.value && subscription.value !== undefined && (
        <section className="mb-10 border-y border-line py-2">
          <OnDemand account={account.value} subscription={plan} />
        </section>
      )}
      {account.value && plan && <PlanFacts account={account.value} plan={plan} />}
      <Part title="Latest requests" action={<Further to="/activity">All requests</Further>}>
        <Shown answer={calls} what="Your requests">
          {({ data }) =>
            data.length === 0 ? (
              <p className="border-t border-line py-4 text-ink-2">
                No requests yet. Each request appears here with its price.{' '}
                <Go to="/keys?act=new" className="brand-text underline">
                  Create a key
                </Go>{' '}
                to send your first request.
              </p>
            ) : (
              <List label="Latest requests">
                {data.map((call) => (
                  <CallRow key={call.id} call={call} />
                ))}
              </List>
            )
          }
        </Shown>
      </Part>
    </>
  )
}

function Balance({
  account: { balance, pace },
  means: { balanceMicros, included, totalMicros },
}: {
  readonly account: types.PortalAccount
  readonly means: Means
}): ReactNode {
  const { callsInFlight, expiringCredit, heldMicros } = balance
  return (
    <section className="mb-8">
      <h1 className="text-ink-2">{included.length === 0 ? 'Balance' : 'Available to spend'}</h1>
      <p data-balance>
        <BigMoney micros={totalMicros} isLargest />
      </p>
      {BigInt(heldMicros) > 0n ? (
        <p className="mt-1 text-held">
          <Money micros={heldMicros} /> more is held by {countOf(callsInFlight, 'running request')}
        </p>
      ) : (
        callsInFlight > 0 && <p className="mt-1 text-held">{countOf(callsInFlight, 'request')} running</p>
      )}
      {BigInt(pace.perDayMicros) > 0n && (
        <p className="mt-1 text-ink-2" data-pace>
          {pace.lastsDays !== null && <>Lasts {daysText(pace.lastsDays)} at this pace: </>}
          <Money micros={pace.perDayMicros} />{' '}
          {pace.days === 1 ? 'used so far today' : `a day, the average of the last ${pace.days} days`}
        </p>
      )}
      {included.length > 0 && (
        <dl className="mt-4 border-t border-line">
          {included.map(({ leftMicros, name, slug }) => (
            <Fact key={slug} name={<bdi>{name}</bdi>}>
              <Money micros={leftMicros} />
            </Fact>
          ))}
          <Fact name="Balance">
            <Money micros={balanceMicros} />
          </Fact>
        </dl>
      )}
      <ExpiringCredit credits={expiringCredit} name="Included in your balance" />
    </section>
  )
}

function PlanFacts({
  account,
  plan,
}: {
  readonly account: types.PortalAccount
  readonly plan: types.Subscription
}): ReactNode {
  return (
    <Part title="Plan" action={<Further to="/plan">View plan</Further>}>
      <dl className="border-t border-line">
        <Fact name="Current plan">
          <bdi className="font-medium">{plan.planName}</bdi>
        </Fact>
        {plan.endsAt === null ? (
          <Fact name="Renews">{dayText(plan.periodEnd)}</Fact>
        ) : (
          <Fact name="Ends">{dayText(plan.endsAt)}</Fact>
        )}
        {limitsOf(account).map((limit, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the plan's limit first, then one per period
          <Fact key={at} name={limitName(limit, account)}>
            <Money micros={limit.spentMicros} /> of <Money micros={limit.limitMicros} />{' '}
            {perText(limit.period)}
          </Fact>
        ))}
      </dl>
    </Part>
  )
}

function Stopped({
  account,
  lastCall,
  means: { totalMicros },
  plan,
}: {
  readonly lastCall: types.PortalRequest | null
  readonly account: types.PortalAccount
  readonly means: Means
  readonly plan: types.Subscription | null
}): ReactNode {
  const { frozen, onDemand } = account
  const blocked = 'On-demand billing is blocked until the invoice is paid.'
  const ask = <ApplicationLink to={supportLink()} words="Contact support" />
  const pay = (
    <ApplicationLink to={brand.payUrl ?? '/plan'} words={brand.payUrl ? 'Pay invoice' : 'View invoices'} />
  )
  const isBlocked = Boolean(plan?.onDemandBlockedSince)
  const onDemandLeft =
    onDemand.limitMicros === null || BigInt(onDemand.limitMicros) > BigInt(onDemand.spentMicros)
  const isSpent = totalMicros <= 0n && !(onDemand.enabled && onDemandLeft && !isBlocked)
  const reached = limitsOf(account).find((limit) => leftOfLimit(limit) === 0n)
  const isRefused = lastCall?.status === 'refused'
  if (!frozen && !isSpent && !reached && !isBlocked && !isRefused) return null
  return (
    <div className="mb-6 flex flex-col gap-3">
      {frozen && (
        <Note tone="negative" title="Your account is frozen" action={ask}>
          <p>
            <bdi>{brand.productName}</bdi> has frozen your account, so requests are rejected. Your credit is
            kept.
          </p>
        </Note>
      )}
      {isSpent && (
        <Note
          tone="held"
          title={lastCall === null ? 'You have no credit yet' : 'Your credit is used up'}
          action={isBlocked ? pay : <ApplicationLink to={brand.topUpUrl} words="Add credit" />}
        >
          <p>
            Requests are rejected until you have credit.{' '}
            {onDemand.enabled
              ? isBlocked
                ? blocked
                : 'Your monthly on-demand limit is reached. Raise the limit below, or wait for the next month.'
              : plan !== null && 'Turn on on-demand billing below to continue immediately.'}
          </p>
        </Note>
      )}
      {reached && (
        <Note tone="held" title={`${limitName(reached, account)} reached`}>
          <p>
            Requests are rejected{reached.resetsAt === null ? '' : ` until ${dayText(reached.resetsAt)}`}.
          </p>
        </Note>
      )}
      {isRefused && (
        <Note
          tone="negative"
          title="Your last request was rejected"
          action={<Further to={receiptPath(lastCall.id)}>View reason</Further>}
        />
      )}
      {isBlocked && !isSpent && (
        <Note tone="held" title="An invoice is past due" action={pay}>
          <p>{blocked}</p>
        </Note>
      )}
    </div>
  )
}

function limitName(limit: unknown, { spendLimit }: types.PortalAccount): string {
  return limit === spendLimit ? 'Plan limit' : 'Your limit'
}

/** An update may have replaced the chart's file. */
function NoBars(): ReactNode {
  return <p className="border-t border-line py-4 text-ink-2">The chart couldn't be loaded.</p>
}
