import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { Email, ExternalId, Micros, Period, Slug, text, Timestamp } from '#operations/schemas.ts'
import { mint } from '#operations/secrets.ts'
import { provision } from '#operations/users/provision.ts'

export default operation({
  id: 'keys.mint',
  method: 'POST',
  path: '/v1/keys',
  scope: 'application',
  summary: 'Mint a key',
  description:
    'Makes an `ak_` key that spends as one person. Its secret is in this answer and nowhere else: only its hash is kept. A person who is not there yet is made on the default bundle; `bundle` puts the person on that bundle, as users.subscribe does.',
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
  output: z.object({
    id: z.string().meta({ description: 'Id of the key, `key_…`.' }),
    key: z.string().meta({ description: 'The secret, shown once.' }),
    keyPrefix: z.string().meta({ description: 'First characters of the secret; safe to show.' }),
    lastFour: z.string().meta({ description: 'Last characters of the secret; safe to show.' }),
    name: z.string().meta({ description: 'Its label.' }),
    endUserId: z.string().meta({ description: "The service's own id of the person, `eu_…`." }),
    livemode: z.boolean().meta({ description: 'False: a test key, which never reaches a provider.' }),
    capMicros: Micros.nullable().meta({ description: 'What it may spend per `capPeriod`; null: no cap.' }),
    capPeriod: Period.meta({ description: 'When the cap starts anew (UTC).' }),
    expiresAt: Timestamp.nullable().meta({ description: 'When it expires; null: never.' }),
    createdAt: Timestamp.meta({ description: 'When it was minted.' }),
  }),
  errors: ['not_found', 'bundle_required'],
  answersSecret: true,
  async run({ body }, context) {
    const { application, ports, store, token } = context
    const isLive = body.livemode ?? context.mode === 'live'
    const mode = isLive ? ('live' as const) : ('test' as const)
    const nowMs = modeTime(context, mode)
    if (body.expiresAt !== undefined && body.expiresAt !== null && body.expiresAt <= nowMs) {
      return refused('invalid_request', { reason: 'expiresAt must be in the future.' }, 'expiresAt')
    }
    const known = await store.endUsers.byExternalId(application.id, body.endUserId)
    const email = known?.email ?? body.email
    const endUser = await provision({ externalId: body.endUserId, email, bundle: body.bundle }, context)
    if (endUser instanceof Refused) return endUser
    const { hash, lastFour, prefix, secret } = mint(
      { kind: 'ak', code: application.code, isTest: !isLive },
      ports,
    )
    const key = {
      id: idOf('key', ports.newId()),
      applicationId: application.id,
      endUserId: endUser.id,
      mode,
      name: body.name ?? body.endUserId.slice(0, 128),
      prefix,
      lastFour,
      capMicros: body.capMicros ?? null,
      capPeriod: body.capPeriod,
      actorType: 'token',
      actorLabel: token.label,
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      revokedAtMs: null,
      expiresAtMs: body.expiresAt ?? null,
    }
    await store.keys.insert(key, hash)
    return {
      id: key.id,
      key: secret,
      keyPrefix: prefix,
      lastFour,
      name: key.name,
      endUserId: endUser.id,
      livemode: isLive,
      capMicros: key.capMicros,
      capPeriod: key.capPeriod,
      expiresAt: key.expiresAtMs,
      createdAt: nowMs,
    }
  },
})
