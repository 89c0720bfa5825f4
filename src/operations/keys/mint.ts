import * as z from 'zod'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import {
  Email,
  ExternalId,
  Micros,
  Period,
  Slug,
  text,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'
import { gatewaySettingsOf } from '#operations/gateway/shared/gateway-settings-view.ts'
import { provision } from '#operations/users/shared/create-or-change-end-user.ts'
import { capPeriodDescription, keyFields } from '#operations/keys/shared/key-response-fields.ts'
import { MintedKey, newKey } from '#operations/keys/shared/create-key.ts'

export default operation({
  id: 'keys.mint',
  method: 'POST',
  path: '/v1/keys',
  scope: 'application',
  summary: 'Create a key',
  description:
    'Creates an `ak_` key for an end user. The secret is returned once and cannot be retrieved again.\n\n- An end user who does not exist yet is created on the default bundle.\n- `bundle` moves the end user to that bundle in the mode of the key, as users.subscribe does.\n- If an end user was created in test mode, the first live key puts the end user on the default bundle.',
  body: z.strictObject({
    // URLs remove both texts from their paths, so no other operation could name the new end user.
    endUserId: ExternalId.refine((id) => id !== '.' && id !== '..', {
      error: 'must not be "." or ".."',
    }).meta({
      description: 'External ID of the end user that the key belongs to.',
    }),
    email: Email.optional().meta({
      description: 'Email address of the end user. Stored only if the end user has no email address yet.',
    }),
    bundle: Slug.optional().meta({
      description:
        'Slug of the bundle for the end user. Omit to keep the current bundle, or to put a new end user on the default bundle.',
    }),
    name: text(128).optional().meta({ description: 'Display name of the key. Defaults to `endUserId`.' }),
    livemode: z.boolean().optional().meta({
      description:
        'Whether to create a live key. Test keys never reach a provider. Defaults to the mode of the request.',
    }),
    capMicros: Micros.nullable()
      .optional()
      .meta({ description: 'Maximum spend per `capPeriod`, in micros. Null or omitted means no cap.' }),
    capPeriod: Period.default('month').meta({
      description: `${capPeriodDescription} Defaults to \`month\`.`,
    }),
    limits: RateLimits.optional().meta({
      description:
        'Limits of the key and the keys that replace it. At most one limit is allowed per measure, window and list of models. These limits apply in addition to the cap and to all other limits. Omitted means no limits.',
    }),
    tags: keyFields.tags.optional().meta({
      uniqueItems: true,
      description:
        'Slugs of the tags that are added to every request with the key, or with a key that replaces it. A request can add more tags with `svc.tags`. The application must declare the tags first (`tags.set`). The tags of a key cannot be changed. Omitted means no tags.',
    }),
    expiresAt: Timestamp.nullable()
      .optional()
      .meta({ description: 'When the key expires. Must be in the future. Null or omitted means never.' }),
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
    const tags = body.tags ?? []
    const declared = tags.length === 0 ? [] : (await gatewaySettingsOf(context)).tags
    const unknown = tags.find((tag) => !declared.some(({ slug }) => slug === tag))
    if (unknown !== undefined) return refused('not_found', { resource: 'tag', id: unknown }, 'tags')
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
        name: body.name ?? body.endUserId,
        capMicros: body.capMicros ?? null,
        capPeriod: body.capPeriod,
        limits: body.limits ?? [],
        tags,
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
