import * as z from 'zod'
import type { EndUserLimit } from '#domain/records.ts'
import { Micros, Period } from '#operations/kernel/schemas.ts'

const measure = z
  .literal('micros', {
    error: 'must be `micros`: limits of end users can only count spend',
  })
  .meta({
    description: 'Measure of the limit. `micros` counts the charges of requests, whichever source pays.',
  })

const EndUserLimitView = z
  .strictObject({
    measure,
    window: Period.meta({
      description:
        'Calendar window (UTC) after which the limit resets. Weeks start on Monday. `total` never resets.',
    }),
    most: Micros.meta({ description: 'Maximum spend per window, in micros. 0 rejects every request.' }),
  })
  .meta({
    id: 'EndUserLimit',
    description: 'Maximum spend of an end user per window, over all keys and plans in one mode.',
  })

const windowsMax = 4

export const EndUserLimits = z
  .array(EndUserLimitView)
  .max(windowsMax)
  .refine((limits) => new Set(limits.map(({ window }) => window)).size === limits.length, {
    error: 'must name each window once',
  })

export function endUserLimitViews(limits: readonly EndUserLimit[] = []): z.output<typeof EndUserLimits> {
  return limits.map(({ micros, window }) => ({ measure: 'micros', window, most: micros }))
}
