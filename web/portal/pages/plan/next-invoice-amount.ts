import type { types } from '#sdk/portal.ts'

export interface NextCharge {
  readonly amountMicros: bigint
  readonly creditUsedMicros: bigint
}

/** The plan's price minus the available credit. */
export function nextCharge({
  creditMicros,
  priceMicros,
}: Pick<types.Subscription, 'creditMicros' | 'priceMicros'>): NextCharge {
  const [price, credit] = [BigInt(priceMicros), BigInt(creditMicros)]
  const creditUsedMicros = credit < price ? credit : price
  return { amountMicros: price - creditUsedMicros, creditUsedMicros }
}
