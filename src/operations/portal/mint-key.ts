import { hasExpired, type KeyListed } from '#domain/end-user-keys.ts'
import * as z from 'zod'
import type { EndUserContext } from '#operations/kernel/operation-context.ts'
import { MintedKey, newKey } from '#operations/keys/shared/create-key.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import { Micros, Period, text, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { portalKeysUse } from '#operations/users/shared/total-spending-of-portal-keys.ts'
import { isMintedHere } from '#operations/portal/shared/portal-key-view.ts'

export const keysMax = 25

export default operation({
  id: 'portal.mintKey',
  method: 'POST',
  path: '/v1/portal/keys',
  scope: 'end_user',
  isExtension: true,
  summary: 'Create a portal key',
  description:
    "Creates an `ak_` key for the signed-in end user, in the mode of the session. The secret is returned once and cannot be retrieved again.\n\n- If `portal.configure` limits portal keys, the key's cap cannot exceed `keyCapMicros`. The caps of all portal keys together cannot exceed `keyCapsTotalMicros`.\n- Spending of revoked and expired keys in the current period counts toward `keyCapsTotalMicros`.\n- An end user can have 25 portal keys at a time.",
  body: z.strictObject({
    name: text(128).default('portal').meta({ description: 'Display name of the key. Defaults to `portal`.' }),
    capMicros: Micros.nullable().optional().meta({
      description:
        'Maximum spend per `capPeriod`, in micros. Defaults to the maximum that is allowed. Null means no cap.',
    }),
    capPeriod: Period.optional().meta({
      description:
        'Calendar period (UTC) after which the cap resets. Defaults to the period that the application has set, or `month`.',
    }),
    limits: RateLimits.optional().meta({
      description:
        'Limits of the key and the keys that replace it. At most one limit is allowed per measure, window and list of models. These limits apply in addition to the cap and to all other limits. Omitted means no limits.',
    }),
    expiresAt: Timestamp.nullable()
      .optional()
      .meta({ description: 'When the key expires. Must be in the future. Null or omitted means never.' }),
  }),
  output: MintedKey,
  errors: ['portal_keys_refused', 'too_many_keys'],
  answersSecret: true,
  changes: ['keys'],
  async run({ body }, context) {
    const { actor, application, endUser, mode, ports, store } = context
    const nowMs = modeTime(context)
    const settings = await store.portals.settings(application.id)
    if (!settings.endUsersMayMintKeys) return refused('portal_keys_refused')
    if (body.expiresAt !== undefined && body.expiresAt !== null && body.expiresAt <= nowMs) {
      return refused('invalid_request', { reason: 'expiresAt must be in the future.' }, 'expiresAt')
    }
    const { keyCapMicros, keyCapPeriod } = settings
    const use = await portalKeysUse(endUser, context)
    const mostMicros = least(keyCapMicros, use && use.leftForCapsMicros)
    const capPeriod = body.capPeriod ?? keyCapPeriod
    const capMicros = body.capMicros === undefined ? mostMicros : body.capMicros
    if (mostMicros !== null) {
      const isByTotal = use !== null && mostMicros !== keyCapMicros
      const why = isByTotal
        ? `the keys that you create here may spend ${use.totalMicros} micros together per ${use.period}`
        : `the application allows keys of at most ${keyCapMicros} micros per ${keyCapPeriod}`
      if (capPeriod !== keyCapPeriod) {
        return refused(
          'invalid_request',
          { reason: `capPeriod must be ${keyCapPeriod}: ${why}.` },
          'capPeriod',
        )
      }
      if (mostMicros === 0n && body.capMicros === undefined) {
        const reason = `No cap is left for another key: ${why}. Revoke a key, or wait for the next period.`
        return refused('invalid_request', { reason }, 'capMicros')
      }
      if (capMicros === null || capMicros > mostMicros) {
        return refused(
          'invalid_request',
          { reason: `capMicros must be at most ${mostMicros}: ${why}.` },
          'capMicros',
        )
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
        limits: body.limits ?? [],
        tags: [],
        expiresAtMs: body.expiresAt ?? null,
        actorType: actor.kind,
        actorLabel: actor.openedBy?.label ?? null,
        nowMs,
      },
      ports,
    )
    await store.keys.insert(key, hash)
    return minted
  },
})

function least(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

export async function keysMintedHere(
  { endUser, mode, store }: EndUserContext,
  nowMs: number,
): Promise<readonly KeyListed[]> {
  const held = await store.keys.held(endUser.id, mode)
  return held.filter((key) => isMintedHere(key) && !hasExpired(key, nowMs))
}
