import * as z from 'zod'
import type { InvoiceLine } from '#money/invoice.ts'
import { type InvoiceShown, invoiceStatus } from '#domain/invoices.ts'
import { ExternalId, Micros, SignedMicros, Timestamp } from '#operations/schemas.ts'

export const InvoiceStatusField = z.enum(['open', 'past_due', 'paid', 'void']).meta({
  description:
    '`open`: to be paid by `dueAt`; `past_due`: not paid by then, so that overage pays for nothing new; `paid`; `void`: nothing is owed.',
})

export const InvoiceLineView = z
  .object({
    kind: z.enum(['plan', 'unused', 'credit', 'carried']).meta({
      description:
        '`plan`: a charge; `unused`: days that are left of the plan before; `credit`: of earlier invoices; `carried`: kept as credit for later ones.',
    }),
    description: z.string().meta({ description: 'The line in words.', examples: ['Pro'] }),
    periodStart: Timestamp.meta({ description: 'The first instant of what it is for.' }),
    periodEnd: Timestamp.meta({ description: 'The end of what it is for.' }),
    amountMicros: SignedMicros.meta({ description: 'Part of the amount; negative: it reduces it.' }),
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
    issuedAt: Timestamp.meta({ description: 'When it was issued: at the start of what it is for.' }),
    dueAt: Timestamp.meta({
      description:
        'When it is past due: seven days after it was issued, or when what it is for ends, if sooner.',
    }),
    paidAt: Timestamp.nullable().meta({ description: 'When it was paid; null: it was not.' }),
    voidedAt: Timestamp.nullable().meta({ description: 'When it became void; null: it did not.' }),
  })
  .meta({ id: 'Invoice', description: 'What a person owes for a plan with a price.' })

/** @param nowMs the time in the mode of the invoice */
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

export function invoiceLineView(line: InvoiceLine): z.output<typeof InvoiceLineView> {
  return {
    kind: line.kind,
    description: wordsOf(line),
    periodStart: line.startsAtMs,
    periodEnd: line.endsAtMs,
    amountMicros: line.amountMicros,
  }
}

function wordsOf({ kind, name }: InvoiceLine): string {
  switch (kind) {
    case 'plan':
      return name
    case 'unused':
      return `Unused days of ${name}`
    case 'credit':
      return 'Credit of earlier invoices'
    case 'carried':
      return 'Kept as credit for later invoices'
    default:
      return kind satisfies never
  }
}
