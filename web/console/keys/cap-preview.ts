import type { ApiKeySummary } from '#sdk/generated/types.ts'
import { moneyText } from '#web/ui/money-text.ts'

/** Describes the effect of a cap on a key now. @param capMicros null for no cap */
export function capPreview(
  key: Pick<ApiKeySummary, 'capPeriod' | 'heldMicros' | 'spentMicros'>,
  capMicros: string | null,
  period: string,
): string {
  if (capMicros === null) return 'From the next call on nothing of its own bounds the key.'
  if (period !== key.capPeriod) return 'What it has spent in the new period counts from the next call on.'
  const left = BigInt(capMicros) - BigInt(key.spentMicros) - BigInt(key.heldMicros)
  const used = `It has spent ${moneyText(key.spentMicros)} of it`
  return left > 0n
    ? `${used}, so ${moneyText(left)} is left.`
    : `${used}, so the key is refused from the next call on, until the cap starts anew.`
}
