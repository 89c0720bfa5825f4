import * as z from 'zod'
import { operationOn } from '#operations/operation.ts'
import { ownKey } from '#operations/own.ts'
import { Micros, Period } from '#operations/schemas.ts'
import { KeyView, keyView } from './key-view.ts'

export default operationOn(ownKey, {
  id: 'keys.cap',
  method: 'POST',
  path: '/v1/keys/{id}/cap',
  summary: "Set a key's spend ceiling",
  description:
    'Takes effect with the next request. What the key and the keys it replaced have spent in the current period counts: a cap below it stops the key until the period ends.',
  body: z.strictObject({
    capMicros: Micros.nullable().meta({
      description:
        'Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced together. Null means no cap.',
    }),
    capPeriod: z
      .exactOptional(Period)
      .meta({ description: 'When the cap starts anew (UTC); left out: as it is.' }),
  }),
  output: KeyView,
  async run(key, context, { body }) {
    const capped = { ...key, ...body }
    await context.store.keys.setCap(key.id, capped.capMicros, capped.capPeriod)
    return keyView(capped, context)
  },
})
