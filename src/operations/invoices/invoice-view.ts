import * as z from 'zod'
import type { InvoiceLine } from '#money/invoice.ts'
import { type InvoiceLineShown, type InvoiceShown, invoiceStatus } from '#domain/invoices.ts'
import { ExternalId, Micros, SignedMicros, Timestamp } from '#operations/schemas.ts'

export const InvoiceStatusField = z.enum(['open', 'past_due', 'paid', 'void']).meta({
  description:
    '`open`: to be paid by `dueAt`; `past_due`: not paid by then, so that overage pays for nothing new; `paid`; `void`: nothing is owed.',
})

export const InvoiceLineView = z
  .object({
    kind: z.enum(['plan', 'unused', 'on_demand', 'credit', 'carried']).meta({
      description:
        '`plan`: charge for a plan. `unused`: remaining days of the previous plan. `on_demand`: usage of a calendar month (UTC) beyond the plan. `credit`: credit from earlier invoices. `carried`: kept as credit for later invoices.',
    }),
    description: z.string().meta({ description: 'The line in words.', examples: ['Pro'] }),
    periodStart: Timestamp.meta({ description: 'The first instant of what it is for.' }),
    periodEnd: Timestamp.meta({ description: 'The end of what it is for.' }),
    amountMicros: SignedMicros.meta({ description: 'Part of the amount; negative: it reduces it.' }),
    ledgerEntryId: z.exactOptional(z.string()).meta({
      description:
        'ID of the ledger entry that cleared the on-demand month when the invoice was paid or voided, `led_…`. Omitted until the entry is written, and for other kinds of lines.',
    }),
  })
  .meta({ id: 'InvoiceLine', description: 'A part of the amount of an invoice.' })

export const InvoiceView = z
  .object({
    id: z.string().meta({ description: 'Id of the invoice, `inv_…`.' }),
    number: z.int().min(1).meta({ description: "1 for the person's first invoice in its mode, and so on." }),
    endUserId: ExternalId.meta({ description: "The customer's own id of the person who owes it." }),
    status: InvoiceStatusField,
    amountMicros: Micros.meta({ description: 'Amount due: the sum of its lines.' }),
    lines: z.array(InvoiceLineView).meta({ description: 'What the amount is the sum of.' }),
    periodStart: Timestamp.meta({ description: 'The first instant of what it is for.' }),
    periodEnd: Timestamp.meta({ description: 'The end of what it is for.' }),
    issuedAt: Timestamp.meta({
      description: 'When the invoice was issued: plans are invoiced in advance, on-demand usage in arrears.',
    }),
    dueAt: Timestamp.meta({
      description: 'When the invoice becomes past due if it is unpaid: seven days after it was issued.',
    }),
    paidAt: Timestamp.nullable().meta({ description: 'When it was paid; null: it was not.' }),
    voidedAt: Timestamp.nullable().meta({ description: 'When it became void; null: it did not.' }),
  })
  .meta({ id: 'Invoice', description: 'What an end user owes for a plan and for on-demand usage.' })

/** @param nowMs the time in the invoice's mode */
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
      return 'Credit of earlier invoices'
    case 'carried':
      return 'Kept as credit for later invoices'
    default:
      return kind satisfies never
  }
}

/** @param name `2026-11` */
function monthInWords(name: string): string {
  const month = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return month.format(Date.parse(`${name}-01T00:00:00Z`))
}
