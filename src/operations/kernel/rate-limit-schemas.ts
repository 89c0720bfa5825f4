import * as z from 'zod'
import type { EndUserLimit } from '#domain/end-user-record.ts'
import type { Window } from '#money/periods-and-windows.ts'
import { rateMeasures, type RateRule, rateWindows } from '#money/decision-types.ts'
import { Micros, Pattern } from './value-and-page-schemas.ts'

export const limitFields = {
  measure: z.enum(rateMeasures).meta({
    description:
      'Measure of the limit:\n- `requests`: admitted requests, including requests that fail later.\n- `tokens`: input and output tokens together.\n- `inputTokens`: input tokens.\n- `outputTokens`: output tokens.\n- `micros`: charges of requests, whichever source pays.\n- `calls`: requests in flight.',
  }),
  window: z.exactOptional(z.enum(rateWindows)).meta({
    description:
      'Window of the limit. `5h` is rolling. All other windows are calendar windows (UTC). Weeks start on Monday. `total` never resets. Required unless `measure` is `calls`. A limit on `calls` limits the requests in flight at any time, so such a limit has no window.',
  }),
  most: Micros.meta({
    description: 'Maximum per window, in the unit of the measure. 0 rejects every request.',
  }),
  models: z.exactOptional(z.array(Pattern).min(1).max(50)).meta({
    description: 'Patterns of the model names that the limit counts. Omitted if the limit counts all models.',
  }),
}

const RateLimitView = z
  .strictObject(limitFields)
  .superRefine(({ measure, window }, context) => {
    if (measure === 'calls' && window !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['window'],
        message: 'must be omitted, because a limit on `calls` has no window',
      })
    if (measure !== 'calls' && window === undefined)
      context.addIssue({ code: 'custom', path: ['window'], message: 'is required, except for `calls`' })
  })
  .meta({
    id: 'RateLimit',
    description: 'A limit on requests, tokens, charges or requests in flight.',
  })

type LimitView = z.output<typeof RateLimitView>

const limitsMax = 12

export const RateLimits = z.codec(
  z
    .array(RateLimitView)
    .max(limitsMax)
    .refine((limits) => new Set(limits.map(nameOf)).size === limits.length, {
      error: 'must not contain two limits with the same measure, window and models',
    }),
  z.custom<readonly RateRule[]>(),
  { decode: (limits) => limits.map(ruleOf), encode: (rules) => rules.map(rateView) },
)

function nameOf({ measure, models, window }: LimitView): string {
  return JSON.stringify([measure, window, models])
}

function ruleOf({ measure, models, most, window }: LimitView): RateRule {
  return { measure, window: window ?? null, most, models: models ?? null }
}

export function rateView({ measure, models, most, window }: RateRule): LimitView {
  return {
    measure,
    ...(window !== null && { window }),
    most,
    ...(models !== null && { models: [...models] }),
  }
}

export interface StoredLimits {
  /** Charges from before the limit was set also count. */
  readonly spend: readonly EndUserLimit[]
  readonly rates: readonly RateRule[]
}

export function storedLimits(rules: readonly RateRule[]): StoredLimits {
  const spend: EndUserLimit[] = []
  const rates: RateRule[] = []
  for (const rule of rules) {
    const { measure, models, most, window } = rule
    if (measure === 'micros' && models === null && isSpendWindow(window)) spend.push({ window, micros: most })
    else rates.push(rule)
  }
  return { spend, rates }
}

function isSpendWindow(window: RateRule['window']): window is Window {
  return window === 'day' || window === 'week' || window === 'month' || window === 'total'
}

export function rulesOf(spend: readonly EndUserLimit[] = [], rates: readonly RateRule[] = []): RateRule[] {
  return [
    ...spend.map(({ micros, window }) => ({
      measure: 'micros' as const,
      window,
      most: micros,
      models: null,
    })),
    ...rates,
  ]
}
