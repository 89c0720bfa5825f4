import * as z from 'zod'
import { costOf, type CostLine } from '#money/cost.ts'
import type { Quote } from '#money/hold.ts'
import { dimensionFacts, type Price } from '#money/price.ts'
import { accountUsage, type Usage } from '#money/usage.ts'
import { Count, Micros, MicrosSum } from '#operations/schemas.ts'

const PriceLine = z
  .object({
    dimension: z.string().meta({ description: 'What was counted.' }),
    units: Count.meta({ description: 'How many: tokens, or uses.' }),
    rate: Micros.nullable().meta({
      description: 'Per million tokens, or per use; null: there is none.',
    }),
    assumed: z.boolean().meta({
      description:
        'Whether the rate was assumed because the price has none for this dimension. Cached input at the rate of input, and reasoning at the rate of output, are not assumed.',
    }),
    exact: z.string().meta({ description: 'Units x rate x multiplier, not rounded.' }),
  })
  .meta({ id: 'PriceLine', description: 'Units of one kind, rated.' })

export const PriceLines = z
  .object({
    price: z.enum(['cost', 'sell', 'credits']).meta({
      description: 'By which price: what the account is charged, what the bundle sells at, or credits.',
    }),
    lines: z.array(PriceLine).meta({ description: 'What the amount is made of.' }),
    multiplier: z.string().meta({ description: 'Of the service tier, in thousandths.' }),
    amount: MicrosSum.meta({ description: 'The sum, rounded up once: micros, or millionths of a credit.' }),
  })
  .meta({ id: 'PriceLines', description: 'Usage rated by one price.' })

/** Rates the stored usage again at the stored prices. The result equals the charge, to the micro. */
export function priceLines(usage: Usage, quote: Quote): z.output<typeof PriceLines>[] {
  const all = [linesOf('cost', accountUsage(usage), quote.cost, quote.assumed)]
  // The end user pays for less output than the account does if the provider exceeded its maximum.
  if (hasSellPrice(quote) || usage.outputBeyond !== undefined) all.push(linesOf('sell', usage, quote.sell))
  if (quote.credits) all.push(linesOf('credits', usage, quote.credits))
  return all
}

/**
 * Returns whether the bundle sets the price. If it does not, or if its price stands in for the cost, `sell` is the same
 * object as `cost`.
 */
export function hasSellPrice({ assumed, cost, sell }: Quote): boolean {
  return sell !== cost || assumed !== undefined
}

function linesOf(
  name: 'cost' | 'sell' | 'credits',
  usage: Usage,
  price: Price,
  assumed?: Quote['assumed'],
): z.output<typeof PriceLines> {
  const { amount, lines, multiplier } = costOf(usage, price, assumed)
  return {
    price: name,
    lines: lines.map((line) => ({ ...line, exact: exactAmount(line, multiplier) })),
    multiplier: String(multiplier),
    amount,
  }
}

/** Returns a decimal with up to nine places, because rates are per million and multipliers in thousandths. */
function exactAmount({ dimension, rate, units }: CostLine, multiplier: bigint): string {
  const isPerUse = dimensionFacts[dimension].side === 'use'
  const scaled = BigInt(units) * (rate ?? 0n) * multiplier * (isPerUse ? 1_000_000n : 1n)
  const digits = scaled.toString().padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${fraction}`
}
