import type { ApiKeySummary } from '#sdk/generated/types.ts'
import { moneyText } from '#web/ui/money-text.ts'

/** @param capMicros null for no cap */
export function capPreview(
  key: Pick<ApiKeySummary, 'capPeriod' | 'heldMicros' | 'spentMicros'>,
  capMicros: string | null,
  period: string,
): string {
  if (capMicros === null) return 'Starting with the next request, the key has no spend limit of its own.'
  if (period !== key.capPeriod)
    return "Starting with the next request, the key's spending in the chosen period counts against the cap."
  const left = BigInt(capMicros) - BigInt(key.spentMicros) - BigInt(key.heldMicros)
  const used = `The key has spent ${moneyText(key.spentMicros)} in this period`
  return left > 0n
    ? `${used}, so ${moneyText(left)} remains.`
    : `${used}, so new requests will be rejected until the cap resets.`
}
