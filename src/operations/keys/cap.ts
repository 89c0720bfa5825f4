import * as z from 'zod'
import { operationOn } from '#operations/kernel/operation.ts'
import { ownKey } from '#operations/kernel/own.ts'
import { Period } from '#operations/kernel/schemas.ts'
import { keyFields } from './key-fields.ts'
import { KeyView, keyView } from './key-view.ts'

export default operationOn(ownKey, {
  id: 'keys.cap',
  method: 'POST',
  path: '/v1/keys/{id}/cap',
  summary: "Change a key's cap",
  description:
    'Sets the spend cap of a key, starting with the next request. Spending of the key and the keys it replaced counts for the whole current period. A cap below that spending blocks the key until the period ends.',
  body: z.strictObject({
    capMicros: keyFields.capMicros,
    capPeriod: z.exactOptional(Period).meta({
      description: 'Calendar period (UTC) after which the cap resets. Omit to keep the current value.',
    }),
  }),
  output: KeyView,
  async run(key, context, { body }) {
    const capped = { ...key, ...body }
    await context.store.keys.setCap(key.id, capped.capMicros, capped.capPeriod)
    return keyView(capped, context)
  },
})
