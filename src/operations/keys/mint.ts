import * as z from 'zod'
import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { Email, ExternalId, Micros, Period, Slug, text, Timestamp } from '#operations/schemas.ts'
import { provision } from '#operations/users/provision-end-user.ts'
import { MintedKey, newKey } from './new-key.ts'

export default operation({
  id: 'keys.mint',
  method: 'POST',
  path: '/v1/keys',
  scope: 'application',
  summary: 'Mint a key',
  description:
    'Makes an `ak_` key that spends as one person. Its secret is in this answer and nowhere else: only its hash is kept. A person who is not there yet is made on the default bundle; `bundle` puts the end user on that bundle in the mode of the key, as users.subscribe does. The first live key of an end user who was created in test mode puts them on the default bundle.',
  body: z.strictObject({
    endUserId: ExternalId.meta({
      description: "The customer's own id of the person that the key spends as.",
    }),
    email: Email.optional().meta({ description: 'Recorded on the person if none is held.' }),
    bundle: Slug.optional().meta({ description: 'Slug of the bundle that the person is to be on.' }),
    name: text(128).optional().meta({ description: 'Label of the key; `endUserId` when left out.' }),
    livemode: z.boolean().optional().meta({
      description:
        'False: a test key. When left out, the mode of the request: live, unless `x-svc-mode` says test.',
    }),
    capMicros: Micros.nullable().optional().meta({ description: 'What the key may spend per `capPeriod`.' }),
    capPeriod: Period.default('month').meta({
      description: 'When the cap starts anew (UTC); `total`: never.',
    }),
    expiresAt: Timestamp.nullable().optional().meta({ description: 'When the key expires; in the future.' }),
  }),
  output: MintedKey,
  errors: ['not_found', 'bundle_required', 'already_exists'],
  answersSecret: true,
  async run({ body }, context) {
    const { actor, application, ports, store } = context
    const isLive = body.livemode ?? context.mode === 'live'
    const mode = isLive ? ('live' as const) : ('test' as const)
    const nowMs = modeTime(context, mode)
    if (body.expiresAt !== undefined && body.expiresAt !== null && body.expiresAt <= nowMs) {
      return refused('invalid_request', { reason: 'expiresAt must be in the future.' }, 'expiresAt')
    }
    const known = await store.endUsers.byExternalId(application.id, body.endUserId)
    const email = known?.email ?? body.email
    const endUser = await provision(
      { externalId: body.endUserId, email, bundle: body.bundle },
      { ...context, mode },
      'endUserId',
    )
    if (endUser instanceof Refused) return endUser
    const { hash, key, minted } = newKey(
      {
        application,
        endUser,
        mode,
        name: body.name ?? body.endUserId.slice(0, 128),
        capMicros: body.capMicros ?? null,
        capPeriod: body.capPeriod,
        expiresAtMs: body.expiresAt ?? null,
        actorType: actor.kind,
        actorLabel: actor.label,
        nowMs,
      },
      ports,
    )
    await store.keys.insert(key, hash)
    return minted
  },
})
