import type { types } from '#sdk/portal.ts'

export interface NextCharge {
  readonly amountMicros: bigint
  readonly creditUsedMicros: bigint
}

/** What the next period will be invoiced at, as things are: its price, less the credit that there is. */
export function nextCharge({
  creditMicros,
  priceMicros,
}: Pick<types.Subscription, 'creditMicros' | 'priceMicros'>): NextCharge {
  const [price, credit] = [BigInt(priceMicros), BigInt(creditMicros)]
  const creditUsedMicros = credit < price ? credit : price
  return { amountMicros: price - creditUsedMicros, creditUsedMicros }
}
