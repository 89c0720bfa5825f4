import * as z from 'zod'
import type { InvoiceLine } from '#money/invoice.ts'
import { type InvoiceLineShown, type InvoiceShown, invoiceStatus } from '#domain/billing/invoice-records.ts'
import { ExternalId, Micros, SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const InvoiceStatusField = z.enum(['open', 'past_due', 'paid', 'void']).meta({
  description:
    'Status of the invoice. `open`: unpaid, due by `dueAt`. `past_due`: unpaid after `dueAt`. A past-due invoice blocks new on-demand usage. `paid`: the end user has paid. `void`: waived, so nothing is owed.',
})

export const InvoiceLineView = z
  .object({
    kind: z.enum(['plan', 'unused', 'on_demand', 'credit', 'carried']).meta({
      description:
        '`plan`: charge for a plan. `unused`: credit for unused days of the previous plan. `on_demand`: usage of a calendar month (UTC) beyond the plan. `credit`: credit from earlier invoices. `carried`: amount that is kept as credit for later invoices.',
    }),
    description: z
      .string()
      .meta({ description: 'Description of the line, such as the name of the plan.', examples: ['Pro'] }),
    periodStart: Timestamp.meta({ description: 'Start of the period that the line covers.' }),
    periodEnd: Timestamp.meta({ description: 'End of the period that the line covers (exclusive).' }),
    amountMicros: SignedMicros.meta({
      description: 'Amount of the line, in micros. Negative if the line reduces the invoice.',
    }),
    ledgerEntryId: z.exactOptional(z.string()).meta({
      description:
        'ID of the ledger entry, `led_…`, that sets the amount owed to 0 for the month of on-demand usage on this line. The entry is written after the invoice is paid or voided. Omitted until the entry is written, and for other kinds of lines.',
    }),
  })
  .meta({ id: 'InvoiceLine', description: 'A line of an invoice.' })

export const InvoiceView = z
  .object({
    id: z.string().meta({ description: 'ID of the invoice, `inv_…`.' }),
    number: z
      .int()
      .min(1)
      .meta({ description: 'Number of the invoice, starting at 1 for each end user and mode.' }),
    endUserId: ExternalId.meta({ description: 'External ID of the end user who owes the invoice.' }),
    status: InvoiceStatusField,
    amountMicros: Micros.meta({ description: 'Amount due, in micros: the sum of the lines.' }),
    lines: z.array(InvoiceLineView).meta({ description: 'Lines that add up to the amount.' }),
    periodStart: Timestamp.meta({ description: 'Start of the period that the invoice covers.' }),
    periodEnd: Timestamp.meta({ description: 'End of the period that the invoice covers (exclusive).' }),
    issuedAt: Timestamp.meta({
      description: 'When the invoice was issued. Plans are invoiced in advance, on-demand usage in arrears.',
    }),
    dueAt: Timestamp.meta({
      description: 'When an unpaid invoice becomes past due: seven days after its issue.',
    }),
    paidAt: Timestamp.nullable().meta({
      description: 'When the invoice was paid. Null if the invoice was not paid.',
    }),
    voidedAt: Timestamp.nullable().meta({
      description: 'When the invoice was voided. Null if the invoice was not voided.',
    }),
  })
  .meta({ id: 'Invoice', description: 'An invoice to an end user for plans and on-demand usage.' })

export function invoiceView(invoice: InvoiceShown, nowMs: number): z.output<typeof InvoiceView> {
  return {
    id: invoice.id,
    number: invoice.number,
    endUserId: invoice.externalId,
    status: invoiceStatus(invoice, nowMs),
    amountMicros: invoice.amountMicros,
    lines: invoice.lines.map(invoiceLineView),
    periodStart: invoice.periodStartMs,
    periodEnd: invoice.periodEndMs,
    issuedAt: invoice.createdAtMs,
    dueAt: invoice.dueAtMs,
    paidAt: invoice.paidAtMs,
    voidedAt: invoice.voidedAtMs,
  }
}

export function invoiceLineView(line: InvoiceLineShown): z.output<typeof InvoiceLineView> {
  return {
    kind: line.kind,
    description: wordsOf(line),
    periodStart: line.startsAtMs,
    periodEnd: line.endsAtMs,
    amountMicros: line.amountMicros,
    ...(line.ledgerEntryId !== null && { ledgerEntryId: line.ledgerEntryId }),
  }
}

function wordsOf({ kind, name }: InvoiceLine): string {
  switch (kind) {
    case 'plan':
      return name
    case 'unused':
      return `Unused days of ${name}`
    case 'on_demand':
      return `On-demand usage, ${monthInWords(name)}`
    case 'credit':
      return 'Credit from earlier invoices'
    case 'carried':
      return 'Kept as credit for later invoices'
    default:
      return kind satisfies never
  }
}

function monthInWords(name: string): string {
  const month = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return month.format(Date.parse(`${name}-01T00:00:00Z`))
}
