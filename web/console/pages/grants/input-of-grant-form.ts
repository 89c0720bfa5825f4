import type { GrantsIssueInput } from '#sdk/generated/grants.ts'
import { spanOf, type SpanValues } from '#web/console/credit/start-and-expiry-fields.tsx'
import { microsOfText } from '#web/ui/money-text.ts'

export interface GrantForm extends SpanValues {
  readonly to: string
  readonly one: string
  readonly many: string
  readonly bundle: string
  readonly amount: string
  readonly reason: string
}

export function inputOf(
  { amount, bundle, many, one, reason, to, ...span }: GrantForm,
  idempotencyKey: string,
): GrantsIssueInput & { readonly amountUnits: string } {
  const credit = {
    amountUnits: microsOfText(amount) ?? '0',
    reason: reason.trim(),
    ...spanOf(span),
    idempotencyKey,
  }
  if (to === 'bundle') return { bundle, ...credit }
  if (to === 'everyone') return { everyone: true, ...credit }
  return { endUsers: to === 'many' ? idsOf(many) : [one.trim()], ...credit }
}

export function idsOf(text: string): readonly string[] {
  const ids = text.split('\n').map((line) => line.trim())
  return [...new Set(ids)].filter((id) => id !== '')
}
