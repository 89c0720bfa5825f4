/** The page can be printed as a document. */
import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { Button } from '#web/ui/button.tsx'
import { Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useAccount, useSubscription } from '#web/portal/account-and-plan-hooks.ts'
import { brand, supportLink } from '#web/portal/brand-in-document.ts'
import { ApplicationLink } from '#web/portal/application-link.tsx'
import { Go } from '#web/portal/portal-router.tsx'
import { pathOf } from '#web/portal/pages-of-url-paths.ts'
import { Fact } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown } from '#web/portal/ui/loaded-content.tsx'
import { dayText } from '#web/portal/time-and-count-text.ts'
import { invoiceState } from './invoice-state.ts'

type Subscription = types.Subscription

export default function Invoice({ id }: { readonly id: string }): ReactNode {
  const subscription = useSubscription()
  return (
    <Shown answer={subscription} what="Your invoice" rows={6}>
      {(plan) => {
        const invoice = plan?.invoices.find((one) => one.id === id)
        return invoice === undefined ? <NoInvoice /> : <Document invoice={invoice} />
      }}
    </Shown>
  )
}

function NoInvoice(): ReactNode {
  return (
    <>
      <PageTitle title="Invoice not found" />
      <Go to={pathOf('plan')} className="brand-text underline">
        View all invoices
      </Go>
    </>
  )
}

function Document({ invoice }: { readonly invoice: Subscription['invoices'][number] }): ReactNode {
  const account = useAccount().value ?? null
  const [tone, words] = invoiceState(invoice.status)
  const isOwed = invoice.status === 'open' || invoice.status === 'past_due'
  const help = supportLink()
  return (
    <article data-invoice={invoice.id}>
      <PageTitle title="Invoice" />
      <div className="mb-6 flex flex-wrap items-center gap-4 print:hidden">
        <Button onClick={() => print()}>Print or save as PDF</Button>
        {isOwed && <ApplicationLink to={brand.payUrl} words="Pay invoice" />}
        <Go to={pathOf('plan')} className="brand-text flex min-h-12 items-center underline">
          All invoices
        </Go>
      </div>
      {invoice.status === 'past_due' && (
        <div className="mb-6 print:hidden">
          <Note tone="held" title="This invoice is past due">
            <p>On-demand billing is blocked until the invoice is paid.</p>
          </Note>
        </div>
      )}
      <dl className="mb-8 border-t border-line">
        <Fact name="From">
          <bdi>{brand.productName}</bdi>
        </Fact>
        <Fact name="To">
          <bdi>{account?.email ?? account?.endUserId ?? ''}</bdi>
        </Fact>
        <Fact name="Number">
          <code className="text-13 wrap-anywhere">{invoice.id}</code>
        </Fact>
        <Fact name="Issued">{dayText(invoice.issuedAt)}</Fact>
        <Fact name="Period">
          {dayText(invoice.periodStart)} – {dayText(invoice.periodEnd)}
        </Fact>
        {isOwed && <Fact name="Due">{dayText(invoice.dueAt)}</Fact>}
        <Fact name="Status">
          <State tone={tone} words={words} />
        </Fact>
      </dl>
      <Part title="Lines">
        <dl className="border-t border-line">
          {invoice.lines.map((line, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines keep their order
            <Fact key={at} name={<bdi>{line.description}</bdi>}>
              <Money micros={line.amountMicros} />
            </Fact>
          ))}
          <Fact name={<strong>Total</strong>}>
            <strong>
              <Money micros={invoice.amountMicros} />
            </strong>
          </Fact>
        </dl>
      </Part>
      {help !== null && (
        <p className="text-ink-2">
          Questions about this invoice?{' '}
          <a className="brand-text underline" href={help} rel="noreferrer">
            Contact support
          </a>
          .
        </p>
      )}
    </article>
  )
}
