import * as z from 'zod'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownKey } from '#operations/kernel/find-resources-of-caller.ts'
import { Period } from '#operations/kernel/value-and-page-schemas.ts'
import { keyFields } from '#operations/keys/shared/key-response-fields.ts'
import { KeyView, keyView } from '#operations/keys/shared/key-view.ts'

export default operationOn(ownKey, {
  id: 'keys.cap',
  method: 'POST',
  path: '/v1/keys/{id}/cap',
  summary: "Change a key's cap",
  description:
    'Sets the spend cap and the limits of a key, starting with the next request. Omitted fields keep their values.\n\n- If the key replaced another key, or another key replaced it, the cap and the limits apply to all these keys, except revoked keys.\n- All spending in the current period counts toward the cap, including spending of the keys that this key replaced. If this spending exceeds the cap, requests with the key are rejected until the period ends.\n- Limits start counting with the first request after they are set. A request that exceeds a limit returns 429 `rate_limited`. If the limit can never allow the request, or if the limit counts `micros` per day, week or month, the request returns 402 `spend_limit_exceeded`.',
  body: z
    .strictObject({
      capMicros: z.exactOptional(keyFields.capMicros),
      capPeriod: z.exactOptional(Period).meta({
        description: 'Calendar period (UTC) after which the cap resets. Omit to keep the current period.',
      }),
      limits: z.exactOptional(keyFields.limits).meta({
        description:
          'Limits of this key and of the keys that it replaced. At most one limit is allowed per measure, window and list of models. The list replaces the current limits. An empty list removes all limits.',
      }),
    })
    .refine(({ capMicros, limits }) => capMicros !== undefined || limits !== undefined, {
      path: ['capMicros'],
      error: 'is required, unless `limits` is sent',
    }),
  output: KeyView,
  async run(key, context, { body }) {
    const capped = { ...key, ...body }
    await context.store.keys.setCap(key, capped)
    return keyView(capped, context)
  },
})
