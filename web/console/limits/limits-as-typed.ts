import type { RateLimit } from '#sdk/generated/types.ts'
import { moneyFault } from '#web/ui/form.tsx'
import { limitText } from '#web/ui/limit-text.ts'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'

/** `window` is ignored if the limit counts requests in flight (the measure `calls`). */
export interface LimitDraft {
  readonly measure: string
  readonly window: string
  readonly most: string
  readonly models: string
}

export const newDraft: LimitDraft = { measure: 'requests', window: 'minute', most: '', models: '' }

export const draftsMax = 12

export function draftsOf(limits: readonly RateLimit[]): LimitDraft[] {
  return limits.map(({ measure, models, most, window }) => ({
    measure,
    window: window ?? 'minute',
    most: measure === 'micros' ? typedDollars(most) : most,
    models: models?.join(', ') ?? '',
  }))
}

export function limitsOfDrafts(drafts: readonly LimitDraft[]): RateLimit[] {
  return drafts.map(({ measure, models, most, window }) => {
    const patterns = models
      .split(',')
      .map((pattern) => pattern.trim())
      .filter((pattern) => pattern !== '')
    return {
      measure,
      ...(measure !== 'calls' && { window }),
      most: measure === 'micros' ? (microsOfText(most) ?? '0') : most.trim(),
      ...(patterns.length > 0 && { models: patterns }),
    }
  })
}

export function draftsFault(drafts: readonly LimitDraft[]): string | undefined {
  const seen = new Set<string>()
  for (const [at, draft] of drafts.entries()) {
    const fault = mostFault(draft)
    if (fault !== undefined) return `Limit ${at + 1}: ${fault}`
    const [limit] = limitsOfDrafts([draft])
    const name = limit === undefined ? '' : limitText(limit)
    if (seen.has(name)) return `Limit ${at + 1}: ${name} is already limited. Remove one of the two limits.`
    seen.add(name)
  }
  return undefined
}

function mostFault({ measure, most }: LimitDraft): string | undefined {
  if (measure === 'micros') return moneyFault(most)
  return /^\d{1,15}$/.test(most.trim()) ? undefined : 'Enter the maximum as a whole number.'
}
