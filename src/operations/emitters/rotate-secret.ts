import * as z from 'zod'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { EmitterView, emitterView } from '#operations/emitters/shared/emitter-view.ts'
import { newSigningSecret } from '#operations/emitters/shared/new-signing-secret.ts'
import { emitterWithEtag } from '#operations/emitters/shared/emitter-with-etag.ts'

const graceSecondsMax = 86_400

export default operationOn(emitterWithEtag, {
  id: 'emitters.rotateSecret',
  method: 'POST',
  path: '/v1/emitters/{id}/rotate-secret',
  isExtension: true,
  leastRole: 'admin',
  summary: 'Rotate a signing secret',
  description:
    'Creates a new signing secret for a webhook, starting with the next batch. The secret is returned once and cannot be retrieved again, so a repeated request with the same Idempotency-Key is rejected.\n\n- Until the grace period ends, every delivery is signed with the new and the previous secret. A receiver can accept either signature.\n- If the secret is rotated again during the grace period, deliveries are no longer signed with the oldest secret.',
  body: z.strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(graceSecondsMax)
      .meta({
        description:
          'Grace period during which deliveries are signed with both secrets, in seconds (max 86,400). 0 replaces the previous secret immediately.',
        examples: [3_600],
      }),
  }),
  output: EmitterView.extend({
    signingSecret: z.string().meta({
      description:
        'New signing secret, `whsec_…`. The secret is returned once and cannot be retrieved again.',
    }),
  }).meta({ id: 'RotatedSecret', description: 'A webhook emitter with its new signing secret.' }),
  answersSecret: true,
  async run(emitter, context, { body: { graceSeconds } }) {
    if (emitter.kind !== 'webhook') {
      const reason = `An emitter of kind ${emitter.kind} has no signing secret. Replace its credential with emitters.update.`
      return refused('invalid_request', { reason }, 'id')
    }
    const { nowMs, organization, ports, store } = context
    const signingSecret = newSigningSecret(ports)
    const rotated = {
      ...emitter,
      sealedSecret: ports.seal(signingSecret, { organizationId: organization.id, id: emitter.id }),
      lastFour: signingSecret.slice(-4),
      formerSealedSecret: graceSeconds === 0 ? null : emitter.sealedSecret,
      formerSecretEndsAtMs: nowMs + graceSeconds * 1_000,
    }
    await store.emitters.update(rotated)
    context.afterCommit(() => ports.emitters.changed())
    return { ...(await emitterView(rotated, context)), signingSecret }
  },
})
