import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { Micros, Period } from '#operations/schemas.ts'
import { KeySelector, KeyView, keyView, ownKey } from './key-view.ts'

export default operation({
  id: 'keys.cap',
  method: 'POST',
  path: '/v1/keys/{id}/cap',
  scope: 'application',
  summary: "Set a key's spend ceiling",
  description:
    'From the next call on. What the key has spent in the period counts; a ceiling below it stops the key until the period ends.',
  input: {
    path: { id: KeySelector },
    body: z.strictObject({
      capMicros: Micros.nullable().meta({
        description: 'What the key may spend per `capPeriod`; null: no cap.',
      }),
      capPeriod: Period.optional().meta({
        description: 'When the cap starts anew (UTC); left out: as it is.',
      }),
    }),
  },
  output: KeyView,
  errors: ['not_found', 'ambiguous_key'],
  async run({ body, path }, context) {
    const key = await ownKey(path.id, context)
    if (key instanceof Refused) return key
    const capPeriod = body.capPeriod ?? key.capPeriod
    await context.store.keys.setCap(key.id, body.capMicros, capPeriod)
    return keyView({ ...key, capMicros: body.capMicros, capPeriod })
  },
})
