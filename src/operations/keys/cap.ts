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
    'From the next call on. What the key has spent in the period counts; a ceiling below it stops the key until the period ends.',
  body: z.strictObject({
    capMicros: Micros.nullable().meta({
      description: 'What the key may spend per `capPeriod`; null: no cap.',
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
