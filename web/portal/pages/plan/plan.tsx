import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { RightIcon } from '#web/ui/icons.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { countText } from '#web/ui/number-text.ts'
import { Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useAccount, useSubscription } from '#web/portal/account-and-plan-hooks.ts'
import { brand, supportLink } from '#web/portal/brand-in-document.ts'
import { OnDemand } from '#web/portal/on-demand-switch.tsx'
import { List, Fact, Row } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown } from '#web/portal/ui/loaded-content.tsx'
import { dayText } from '#web/portal/time-and-count-text.ts'
import { ApplicationLink } from '#web/portal/application-link.tsx'
import { Go } from '#web/portal/portal-router.tsx'
import { invoicePath } from '#web/portal/pages-of-url-paths.ts'
import { invoiceState } from './invoice-state.ts'
import { nextCharge } from './next-invoice-amount.ts'

type Subscription = types.Subscription
type Pool = Subscription['pools'][number]

export default function Plan(): ReactNode {
  const account = useAccount()
  const subscription = useSubscription()
  return (
    <>
      <PageTitle title="Plan" />
      <Shown answer={subscription} what="Your plan" rows={6}>
        {(plan) =>
          plan === null ? (
            <p className="border-t border-line py-4 text-ink-2">
              You have no plan. Your plan's price and included credit appear here. Choose a plan in{' '}
              <bdi>{brand.productName}</bdi>.
            </p>
          ) : (
            <OfPlan plan={plan} account={account.value ?? null} />
          )
        }
      </Shown>
    </>
  )
}

function OfPlan({
  account,
  plan,
}: {
  readonly plan: Subscription
  readonly account: types.PortalAccount | null
}): ReactNode {
  const next = nextCharge(plan)
  const help = supportLink()
  const renewal = renewalText(plan)
  return (
    <>
      {plan.onDemandBlockedSince !== null && (
        <div className="mb-6">
          <Note
            tone="held"
            title={`An invoice has been past due since ${dayText(plan.onDemandBlockedSince)}`}
            action={<ApplicationLink to={brand.payUrl} words="Pay invoice" />}
          >
            <p>
              On-demand billing is blocked until the invoice is paid. Plan credit and balance are used as
              before.
            </p>
          </Note>
        </div>
      )}
      <section className="mb-10">
        <h2 className="text-20 font-semibold wrap-anywhere">
          <bdi>{plan.planName}</bdi>
        </h2>
        <p className="text-ink-2">
          {plan.priceMicros === '0' ? (
            'Free'
          ) : (
            <>
              <Money micros={plan.priceMicros} /> per {plan.interval}
            </>
          )}
        </p>
        <dl className="mt-4 border-t border-line">
          <Fact name="This period">
            {dayText(plan.periodStart)} – {dayText(plan.periodEnd)}
          </Fact>
          {plan.endsAt === null && plan.priceMicros === '0' && !plan.onDemandEnabled ? (
            <Fact name="Renews on">{dayText(plan.periodEnd)}</Fact>
          ) : plan.endsAt === null ? (
            <Fact name="Next charge">
              <Money micros={next.amountMicros} /> on {dayText(plan.periodEnd)}
              {plan.onDemandEnabled && ', plus on-demand usage'}
            </Fact>
          ) : (
            <Fact name="Ends on">{dayText(plan.endsAt)}</Fact>
          )}
          {plan.endsAt === null && next.creditUsedMicros > 0n && (
            <Fact name="Credit applied">
              <Money micros={-next.creditUsedMicros} />
            </Fact>
          )}
          {plan.creditMicros !== '0' && (
            <Fact name="Credit for future invoices">
              <Money micros={plan.creditMicros} />
            </Fact>
          )}
        </dl>
        {renewal !== '' && <p className="mt-2 text-14 text-ink-2">{renewal}</p>}
      </section>
      <Part title="Included">
        {plan.pools.length === 0 ? (
          <p className="border-t border-line py-4 text-ink-2">
            Your plan includes no credit. Requests are paid from your balance.
          </p>
        ) : (
          <ul className="flex flex-col gap-6 border-t border-line pt-4">
            {plan.pools.map((pool) => (
              <li key={pool.slug}>
                <PoolMeter pool={pool} pools={plan.pools} />
              </li>
            ))}
          </ul>
        )}
      </Part>
      {account && (
        <section className="mb-10 border-y border-line py-2">
          <OnDemand account={account} subscription={plan} />
        </section>
      )}
      <Part title="Invoices">
        {plan.invoices.length === 0 ? (
          <p className="border-t border-line py-4 text-ink-2">
            No invoices yet. Invoices appear here with all their lines.
          </p>
        ) : (
          <List label="Invoices">
            {plan.invoices.map((invoice) => (
              <Invoice key={invoice.id} invoice={invoice} />
            ))}
          </List>
        )}
      </Part>
      <p className="text-ink-2">
        To change or cancel the plan, go to <bdi>{brand.productName}</bdi>
        {help === null ? (
          '.'
        ) : (
          <>
            {' '}
            or{' '}
            <a className="brand-text underline" href={help} rel="noreferrer">
              contact support
            </a>
            .
          </>
        )}
      </p>
    </>
  )
}

function renewalText({ endsAt, pools }: Subscription): string {
  const hasCredit = pools.length > 0
  if (endsAt === null) return hasCredit ? 'The included credit renews on the date of the next charge.' : ''
  return [
    hasCredit && 'You can use the included credit until the plan ends.',
    'The plan is not charged again, and your balance is kept.',
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}

function PoolMeter({ pool, pools }: { readonly pool: Pool; readonly pools: readonly Pool[] }): ReactNode {
  const format = (units: bigint): string =>
    pool.unit === 'micros'
      ? moneyText(units)
      : pool.unit === 'credits'
        ? `${moneyText(units).replace('$', '').replace(/\.00$/, '')} credits`
        : `${countText(units)} ${pool.unit}`
  const then = pools.find(({ slug }) => slug === pool.spilloverTo)
  return (
    <>
      <Meter
        label={pool.displayName}
        used={BigInt(pool.consumed)}
        held={0n}
        limit={BigInt(pool.granted)}
        format={format}
      />
      {pool.rolledOver !== '0' && (
        <p className="mt-1 text-14 text-ink-2" data-rolled-over>
          Carried over from earlier months:{' '}
          <span data-micros={pool.rolledOver}>{format(BigInt(pool.rolledOver))}</span>
        </p>
      )}
      <p className="mt-1 text-14 text-ink-2">
        {then
          ? `When this credit is used up, ${then.displayName} is used.`
          : pool.thenOnDemand
            ? 'When this credit is used up, your balance is used. Then on-demand billing is used, if you have turned it on.'
            : 'When this credit is used up, requests that only this credit can pay for are rejected.'}
      </p>
      {pool.aliases.length > 0 && (
        <ul className="figures mt-1 text-14 text-ink-2">
          {pool.aliases.map(({ consumed, requestedModel }) => (
            <li key={requestedModel} className="flex justify-between gap-4">
              <bdi className="truncate">{requestedModel}</bdi>
              <span className="shrink-0">{format(BigInt(consumed))}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Invoice({ invoice }: { readonly invoice: Subscription['invoices'][number] }): ReactNode {
  const [tone, words] = invoiceState(invoice.status)
  return (
    <Row className="items-start">
      <details className="group min-w-0 flex-1">
        <summary className="flex min-h-12 cursor-pointer flex-wrap items-center gap-x-3 rounded">
          <RightIcon className="size-4 shrink-0 text-ink-3 group-open:rotate-90" />
          <span className="font-medium">{dayText(invoice.issuedAt)}</span>
          <span className="text-14 text-ink-2">
            <State tone={tone} words={words} />
          </span>
          <span className="ml-auto">
            <Money micros={invoice.amountMicros} />
          </span>
        </summary>
        <dl className="pb-2 text-14">
          {invoice.lines.map((line, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines keep their order
            <Fact key={at} name={<bdi>{line.description}</bdi>}>
              <Money micros={line.amountMicros} />
            </Fact>
          ))}
          <Fact name="Period">
            {dayText(invoice.periodStart)} – {dayText(invoice.periodEnd)}
          </Fact>
          {invoice.status !== 'paid' && <Fact name="Due">{dayText(invoice.dueAt)}</Fact>}
        </dl>
        <p className="flex flex-wrap gap-x-6 text-14">
          <Go to={invoicePath(invoice.id)} className="brand-text flex min-h-12 items-center underline">
            View invoice
          </Go>
          {invoice.status === 'past_due' && <ApplicationLink to={brand.payUrl} words="Pay invoice" />}
        </p>
      </details>
    </Row>
  )
}
