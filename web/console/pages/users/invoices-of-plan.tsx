import type { ReactNode } from 'react'
import type { Subscription } from '#sdk/generated/types.ts'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Money, When } from '#web/ui/formatted-values.tsx'
import { InvoiceState } from '../../invoices/invoice-state.tsx'
import { Go } from '../../shell/console-links.tsx'

/** Void invoices are listed only on the Invoices page. */
export function PlanInvoices({ plan: { invoices } }: { readonly plan: Subscription }): ReactNode {
  return (
    <Section title="Invoices">
      {invoices.length === 0 ? (
        <p className="text-14 text-ink-2">
          No invoices yet. A plan with a price is invoiced at the start of each period.
        </p>
      ) : (
        <ul className="text-14">
          {invoices.map(({ amountMicros, dueAt, id, issuedAt, status }) => (
            <li
              key={id}
              className="grid grid-cols-[1fr_auto] items-center gap-x-6 gap-y-1 border-b border-line py-2 phone:grid-cols-[6rem_1fr_10rem_8rem]"
            >
              <When at={issuedAt} />
              <InvoiceState status={status} dueAt={dueAt} />
              <span className="text-right">
                <Money micros={amountMicros} aligned />
              </span>
              <span className="text-right">
                <Go to="/invoices" search={{ open: id }}>
                  View invoice
                </Go>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
