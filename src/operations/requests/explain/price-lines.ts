import * as z from 'zod'
import { costOf, multiplierOf, type CostLine } from '#money/cost.ts'
import type { Quote } from '#money/decision-types.ts'
import { isPerUse, type Price } from '#money/price.ts'
import { accountUsage, type Usage } from '#money/usage-counts.ts'
import { Count, Micros, MicrosSum } from '#operations/kernel/value-and-page-schemas.ts'

const PriceLine = z
  .object({
    dimension: z.string().meta({ description: 'Dimension of the price, such as `input` or `webSearch`.' }),
    units: Count.meta({ description: 'Number of tokens or uses.' }),
    rate: Micros.nullable().meta({
      description: 'Rate per million tokens, or per use. Null if the price has no rate for the dimension.',
    }),
    assumed: z.boolean().meta({
      description:
        'Whether the rate was assumed because the price has no rate for this dimension. If cached input is charged at the input rate, or reasoning at the output rate, the rate does not count as assumed.',
    }),
    exact: z.string().meta({
      description:
        'Amount of the line: units multiplied by rate and multiplier, not rounded. The multiplier does not apply to fees of tools and of storage.',
    }),
  })
  .meta({ id: 'PriceLine', description: 'Usage of one dimension, with its rate and amount.' })

export const PriceLines = z
  .object({
    price: z.enum(['cost', 'sell', 'credits']).meta({
      description:
        '`cost`: price set for the provider account. `sell`: sell price of the bundle. `credits`: price in credits.',
    }),
    lines: z.array(PriceLine).meta({ description: 'Lines that add up to the amount.' }),
    multiplier: z.string().meta({ description: 'Multiplier of the service tier, in thousandths.' }),
    amount: MicrosSum.meta({
      description: 'Sum of the lines, in micros or millionths of a credit. Only this sum is rounded up.',
    }),
  })
  .meta({ id: 'PriceLines', description: 'Calculation of the amount of the usage at one price.' })

export function priceLines(usage: Usage, quote: Quote): z.output<typeof PriceLines>[] {
  const all = [linesOf('cost', accountUsage(usage), quote.cost, quote.assumed)]
  // If the provider generated more output than the maximum, only the cost includes the excess. The end user does not
  // pay for it, so the sell price has its own lines.
  if (hasSellPrice(quote) || usage.outputBeyond !== undefined) all.push(linesOf('sell', usage, quote.sell))
  if (quote.credits) all.push(linesOf('credits', usage, quote.credits))
  return all
}

/**
 * Whether the bundle sets the price. If not, or if the sell price is used as the cost, `sell` is the same object as
 * `cost`.
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

/** Rates per million tokens have six decimal places, and multipliers in thousandths have three. */
function exactAmount({ dimension, rate, units }: CostLine, multiplier: bigint): string {
  const perUse = isPerUse(dimension) ? 1_000_000n : 1n
  const scaled = BigInt(units) * (rate ?? 0n) * perUse * multiplierOf(dimension, multiplier)
  const digits = scaled.toString().padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${fraction}`
}
