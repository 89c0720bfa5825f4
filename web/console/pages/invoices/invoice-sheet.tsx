import { useState, type ReactNode } from 'react'
import type { Invoice } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts, Section } from '#web/ui/page-head-and-sections.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money, When } from '#web/ui/formatted-values.tsx'
import { useAnswer, useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { InvoiceState } from '../../invoices/invoice-state.tsx'
import { PeriodText } from '../../period-text.tsx'
import { useMay } from '../../sign-in/member-session.ts'
import { UserLink } from '../../shell/console-links.tsx'

export function InvoiceSheet({
  id,
  onClose,
  onStep,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const { data: invoice, error, refetch } = useAnswer('invoices.show', { id })
  return (
    <Sheet
      isOpen
      onClose={onClose}
      onStep={onStep}
      title={invoice ? `Invoice ${invoice.number}` : 'Invoice'}
      about={
        invoice && (
          <>
            End user: <UserLink id={invoice.endUserId} />
          </>
        )
      }
    >
      {error && !invoice && <FailureNote error={error} onRetry={() => void refetch()} />}
      {invoice ? <Detail key={invoice.id} of={invoice} /> : !error && <Skeleton className="h-48" />}
    </Sheet>
  )
}

function Detail({ of: invoice }: { readonly of: Invoice }): ReactNode {
  return (
    <>
      <p className="mb-6 text-28 font-semibold">
        <Money micros={invoice.amountMicros} />
      </p>
      {invoice.status === 'past_due' && (
        <div className="mb-6">
          <Note tone="negative" title="On-demand billing is paused until this invoice is paid">
            <p className="text-ink-2">Plan credit and wallet balance are used as before.</p>
          </Note>
        </div>
      )}
      <Section title="Lines">
        <ul className="text-14">
          {invoice.lines.map((line) => (
            <li
              key={`${line.kind} ${line.periodStart} ${line.description}`}
              className="flex items-baseline justify-between gap-6 border-b border-line py-2"
            >
              <span className="min-w-0">
                <bdi className="wrap-anywhere">{line.description}</bdi>
                <span className="block text-13 text-ink-3">
                  <PeriodText from={line.periodStart} to={line.periodEnd} />
                  {line.ledgerEntryId !== undefined && (
                    <>
                      {' · '}
                      <code title="Ledger entry that reset the on-demand balance of the month to 0">
                        {line.ledgerEntryId}
                      </code>
                    </>
                  )}
                </span>
              </span>
              <Money micros={line.amountMicros} aligned />
            </li>
          ))}
          <li className="flex justify-between gap-6 py-2 font-medium">
            <span>Total</span>
            <Money micros={invoice.amountMicros} aligned />
          </li>
        </ul>
      </Section>
      <Facts
        className="mb-8"
        facts={[
          ['State', <InvoiceState key="state" status={invoice.status} dueAt={invoice.dueAt} />],
          ['Issued', <When key="issued" at={invoice.issuedAt} />],
          ['Due', <When key="due" at={invoice.dueAt} />],
          invoice.paidAt === null ? null : ['Paid', <When key="paid" at={invoice.paidAt} />],
          invoice.voidedAt === null ? null : ['Voided', <When key="void" at={invoice.voidedAt} />],
          ['ID', <code key="id">{invoice.id}</code>],
        ]}
      />
      <Actions of={invoice} />
    </>
  )
}

function Actions({
  of: { amountMicros, endUserId, id, lines, status },
}: {
  readonly of: Invoice
}): ReactNode {
  const mayChange = useMay('developer')
  const pay = useChange('invoices.pay')
  const waive = useChange('invoices.void')
  const [asked, setAsked] = useState<'pay' | 'void' | null>(null)
  const isOwed = status === 'open' || status === 'past_due'
  const close = (): void => setAsked(null)
  if (!isOwed || !mayChange) return <CopyAs operation="invoices.show" input={{ id }} />
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button kind="primary" onClick={() => setAsked('pay')}>
        Mark {moneyText(amountMicros)} as paid
      </Button>
      <CopyAs operation="invoices.pay" input={{ id }} words="API request to mark the invoice as paid" />
      <Button kind="danger" onClick={() => setAsked('void')}>
        Void invoice
      </Button>
      <CopyAs operation="invoices.void" input={{ id }} words="API request to void the invoice" />
      <Confirm
        isOpen={asked === 'pay'}
        onClose={close}
        title={<>Mark invoice of {moneyText(amountMicros)} as paid?</>}
        action="Mark as paid"
        onConfirm={async () => {
          await pay.mutateAsync({ id })
          toast(`Marked ${moneyText(amountMicros)} as paid`)
        }}
      >
        <p>
          Mark the invoice as paid only after you receive the payment from <bdi>{endUserId}</bdi>. Tollgate
          doesn't collect payments. If no other invoice is past due, on-demand billing resumes with the next
          request. This can't be undone.
        </p>
      </Confirm>
      <Confirm
        isOpen={asked === 'void'}
        onClose={close}
        title={<>Void invoice of {moneyText(amountMicros)}?</>}
        action="Void invoice"
        onConfirm={async () => {
          await waive.mutateAsync({ id })
          toast('Invoice voided')
        }}
      >
        <p>
          The invoice will be voided, and any credit applied to the invoice will be returned. This can't be
          undone.
        </p>
        {lines.some(({ kind }) => kind === 'on_demand') && (
          <p>The on-demand usage on this invoice will be waived.</p>
        )}
        <p>
          The plan of <bdi>{endUserId}</bdi> doesn't change. If the plan changes later, the unused days of
          this invoice are not credited, unless they replaced paid days of an earlier plan.
        </p>
      </Confirm>
    </div>
  )
}
