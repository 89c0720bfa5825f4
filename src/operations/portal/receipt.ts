import * as z from 'zod'
import type { CallStory, LedgerEntry } from '#domain/records.ts'
import { linesOf, PriceLines } from '#operations/requests/price-lines.ts'
import { Micros } from '#operations/schemas.ts'
import { LedgerEntryView, ledgerEntryView } from '#operations/users/ledger.ts'
import { PortalRequest, portalRequest } from './request-view.ts'

/** What a call used and cost, for its person. As `PortalRequest`, a list of what is shown. */
export const Receipt = PortalRequest.extend({
  summary: z.string().meta({ description: 'What happened, in a sentence.' }),
  price: PriceLines.nullable().meta({
    description:
      'What was used, rated by the price for the person. Less is billed than it adds up to where more was used than was held for. Null: nothing was used.',
  }),
  billedMicros: Micros.meta({ description: 'What was billed for it, in micros.' }),
  heldMicros: Micros.meta({ description: 'What is held for it while it runs, in micros.' }),
  paidFrom: z
    .array(
      z.object({
        source: z.string().meta({ description: 'As in portal.ledger: `wallet`, a pool, on-demand.' }),
        unit: z.enum(['micros', 'credits']).meta({ description: 'What `amount` counts.' }),
        amount: Micros.meta({ description: 'What it paid; credits in millionths.' }),
      }),
    )
    .meta({ description: 'What paid for it, in the order in which it did.' }),
  ledger: z.array(LedgerEntryView).meta({ description: 'Its ledger entries, oldest first.' }),
}).meta({ id: 'PortalReceipt', description: 'What a call of the signed-in person used and cost.' })

/** @param known.sourceNames source id -> its name on the ledger */
export function receiptOf(
  story: CallStory,
  known: {
    readonly entries: readonly LedgerEntry[]
    readonly sourceNames: ReadonlyMap<string, string>
  },
): z.output<typeof Receipt> {
  const { call, hold, settlement } = story
  return {
    ...portalRequest(call),
    summary: sentence(story),
    price: settlement && linesOf('sell', settlement.usage, settlement.quote.sell),
    billedMicros: settlement?.billedMicros ?? 0n,
    heldMicros: hold?.worstMicros ?? 0n,
    paidFrom: (settlement?.legs ?? []).map(({ amount, sourceId, unit }) => ({
      source: known.sourceNames.get(sourceId) ?? sourceId,
      unit,
      amount,
    })),
    ledger: known.entries.map(ledgerEntryView),
  }
}

function sentence({ call, hold, settlement }: CallStory): string {
  if (settlement) return `${settlement.chargeMicros} micros were charged.`
  if (hold) return `It is running: ${hold.worstMicros} micros are held, and what it does not use comes back.`
  const code = call.errorCode ?? 'unknown'
  return call.status === 'released'
    ? `Nothing was charged: it failed (${code}).`
    : `Nothing was charged: it was refused (${code}).`
}
