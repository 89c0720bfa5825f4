import * as z from 'zod'
import type { SharedScope } from '#domain/limits/shared-limit-slices-interface.ts'
import type { RateRule } from '#money/decision-types.ts'
import { amountOf, resetsAt } from '#money/rate-limit.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { limitFields, rateView } from '#operations/kernel/rate-limit-schemas.ts'
import { MicrosSum, SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const SharedLimitUse = z
  .object({
    ...limitFields,
    tag: z.string().nullable().meta({
      description:
        'Slug of the tag that the limit is set on. Null for a limit of the application or of a team.',
    }),
    used: MicrosSum.meta({
      description:
        'Amount counted in the window, including amounts held by requests in flight. For the measure `calls`, the number of requests in flight. The value includes small amounts that server processes have reserved in advance and return within seconds.',
    }),
    available: SignedMicros.meta({ description: 'Remaining amount. Negative if the limit was lowered.' }),
    resetsAt: Timestamp.nullable().meta({
      description:
        'When the first counted amount leaves the window. Null if nothing is counted, or if the limit never resets.',
    }),
  })
  .meta({
    id: 'SharedLimitUse',
    description: 'A limit that end users share, with its usage in all server processes.',
  })

/** In the order of the rules. */
export async function sharedLimitUses(
  { rules, tag, team }: Pick<SharedScope, 'tag' | 'team'> & { readonly rules: readonly RateRule[] },
  context: InApplication,
): Promise<z.output<typeof SharedLimitUse>[]> {
  if (rules.length === 0) return []
  const { application, mode, store } = context
  const scope = { applicationId: application.id, mode, tag, ...(team !== undefined && { team }) }
  const taken = await store.sharedUses.of(scope, rules, modeTime(context))
  return rules.map((rule, at) => {
    const slots = taken[at] ?? []
    const used = amountOf(slots)
    return {
      ...rateView(rule),
      tag,
      used,
      available: rule.most - used,
      resetsAt: resetsAt({ slots, window: rule.window }),
    }
  })
}
