import * as z from 'zod'
import { hasExpired, type KeyListed } from '#domain/records.ts'
import type { EndUserContext } from '#operations/context.ts'
import { MintedKey, newKey } from '#operations/keys/new-key.ts'
import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { Micros, Period, text, Timestamp } from '#operations/schemas.ts'
import { isMintedHere } from './key-view.ts'

/** Keys of one person that were minted in the portal and have not ended. */
export const keysMax = 25

export default operation({
  id: 'portal.mintKey',
  method: 'POST',
  path: '/v1/portal/keys',
  scope: 'end_user',
  isExtension: true,
  summary: 'Mint a key of the signed-in end user',
  description:
    'Makes an `ak_` key that spends as the person who is signed in, in the mode of the session. Its secret is in this answer and nowhere else. Where the application bounds such keys (portal.configure), the key gets that cap, or a lower one of the same period. At most 25 of them are there at a time.',
  body: z.strictObject({
    name: text(128).default('portal').meta({ description: 'Label of the key; `portal` when left out.' }),
    capMicros: Micros.nullable()
      .optional()
      .meta({ description: 'What the key may spend per `capPeriod`; left out: as much as is allowed.' }),
    capPeriod: Period.optional().meta({
      description: 'When the cap starts anew (UTC); left out: as the application has set, else `month`.',
    }),
    expiresAt: Timestamp.nullable().optional().meta({ description: 'When the key expires; in the future.' }),
  }),
  output: MintedKey,
  errors: ['portal_keys_refused', 'too_many_keys'],
  answersSecret: true,
  async run({ body }, context) {
    const { actor, application, endUser, mode, ports, store } = context
    const nowMs = modeTime(context)
    const settings = await store.portals.settings(application.id)
    if (!settings.endUsersMayMintKeys) return refused('portal_keys_refused')
    if (body.expiresAt !== undefined && body.expiresAt !== null && body.expiresAt <= nowMs) {
      return refused('invalid_request', { reason: 'expiresAt must be in the future.' }, 'expiresAt')
    }
    const { keyCapMicros, keyCapPeriod } = settings
    const capPeriod = body.capPeriod ?? keyCapPeriod
    const capMicros = body.capMicros === undefined ? keyCapMicros : body.capMicros
    if (keyCapMicros !== null) {
      const bound = `${keyCapMicros} per ${keyCapPeriod}`
      if (capPeriod !== keyCapPeriod) {
        const reason = `capPeriod must be ${keyCapPeriod}: the application allows keys of at most ${bound}.`
        return refused('invalid_request', { reason }, 'capPeriod')
      }
      if (capMicros === null || capMicros > keyCapMicros) {
        const reason = `capMicros must be at most ${keyCapMicros}: the application allows keys of at most ${bound}.`
        return refused('invalid_request', { reason }, 'capMicros')
      }
    }
    const held = await keysMintedHere(context, nowMs)
    if (held.length >= keysMax) return refused('too_many_keys', { count: held.length })
    const { hash, key, minted } = newKey(
      {
        application,
        endUser,
        mode,
        name: body.name,
        capMicros,
        capPeriod,
        expiresAtMs: body.expiresAt ?? null,
        actorType: actor.kind,
        actorLabel: null,
        nowMs,
      },
      ports,
    )
    await store.keys.insert(key, hash)
    return minted
  },
})

/** Those of the person that were minted in the portal, and are neither revoked nor expired. */
export async function keysMintedHere(
  { endUser, mode, store }: EndUserContext,
  nowMs: number,
): Promise<readonly KeyListed[]> {
  const held = await store.keys.held(endUser.id, mode)
  return held.filter((key) => isMintedHere(key) && !hasExpired(key, nowMs))
}
