/** The product of units and a rate has up to nine decimals of a micro. */
import { exactDollars, spaced } from '#explain/amounts-in-explanation-text.ts'
import { isPerUse } from '#money/price.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { countText } from '#web/ui/number-text.ts'
import type { Told } from './waterfall-phases.ts'

type Prices = Told['priceLines'][number]

export interface ReceiptText {
  readonly title: string
  readonly about: string
  readonly lines: readonly {
    readonly key: string
    readonly what: string
    readonly units: string
    readonly rate: string
    readonly amount: string
  }[]
  /** The sum of the lines, not rounded. */
  readonly exact: string
  /** Null for the default service tier. */
  readonly multiplier: string | null
  /** Includes the multiplier, and is rounded up to a whole unit. */
  readonly amount: string
  readonly isCharged: boolean
}

const titles: Readonly<Record<string, string>> = {
  cost: "The provider's price",
  sell: "The bundle's price",
  credits: 'Credits',
}

/** The receipt at the charged price is first. */
export function receiptsOf({ policy, priceLines }: Told): readonly ReceiptText[] {
  const hasSell = priceLines.some(({ price }) => price === 'sell')
  const charged = policy?.debitBasis === 'sell_price' && hasSell ? 'sell' : 'cost'
  return priceLines
    .map((prices) => receiptOf(prices, prices.price === charged))
    .toSorted((one, other) => Number(other.isCharged) - Number(one.isCharged))
}

function receiptOf({ amount, lines, multiplier, price }: Prices, isCharged: boolean): ReceiptText {
  const isMoney = price !== 'credits'
  const exactText = (exact: string): string => (isMoney ? exactDollars(exact, moneyText) : exact)
  return {
    title: titles[price] ?? spaced(price),
    about: isCharged
      ? 'This price was charged.'
      : price === 'sell'
        ? "List value of the request: its usage at the bundle's sell price."
        : price === 'cost'
          ? 'The price that the provider charges the account.'
          : "The bundle's credit price, in millionths of a credit. Pools that count credits pay this price.",
    lines: lines.map(({ assumed, dimension, exact, rate, units }) => ({
      key: dimension,
      what: `${spaced(dimension)}${assumed ? ' (rate assumed)' : ''}`,
      units: countText(units),
      rate:
        rate === null
          ? 'no rate'
          : isMoney
            ? `${moneyText(rate)}${isPerUse(dimension) ? ' each' : ' / M'}`
            : `${countText(rate)}${isPerUse(dimension) ? ' each' : ' / M'}`,
      amount: exactText(exact),
    })),
    exact: exactText(sumOfExact(lines.map(({ exact }) => exact))),
    multiplier: multiplier === '1000' ? null : String(Number(multiplier) / 1000),
    amount: isMoney ? moneyText(amount) : countText(amount),
    isCharged,
  }
}

/** Exact for at most nine decimal places. */
export function sumOfExact(amounts: readonly string[]): string {
  let nanos = 0n
  for (const amount of amounts) {
    const [whole = '0', decimals = ''] = amount.split('.')
    nanos += BigInt(whole + decimals.padEnd(9, '0'))
  }
  const digits = String(nanos).padStart(10, '0')
  const decimals = digits.slice(-9).replace(/0+$/, '')
  return decimals === '' ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${decimals}`
}
