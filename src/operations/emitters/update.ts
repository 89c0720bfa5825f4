import * as z from 'zod'
import { emitterKindFacts } from '#domain/emitters/emitter-kinds.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import {
  CustomerIdSchema,
  EmitterAmountSchema,
  EmitterCredential,
  EmitterEvents,
  EmitterName,
  EmitterView,
  emitterView,
  unknownEvent,
  VendorEventName,
} from '#operations/emitters/shared/emitter-view.ts'
import { emitterWithEtag } from '#operations/emitters/shared/emitter-with-etag.ts'

export default operationOn(emitterWithEtag, {
  id: 'emitters.update',
  method: 'PATCH',
  path: '/v1/emitters/{id}',
  leastRole: 'admin',
  summary: 'Change an emitter',
  description:
    'Changes only the fields of the request body. The changes apply from the next batch of events. Omitted fields keep their values.\n\n- Disabling an emitter keeps its configuration and discards its waiting events. After the emitter is enabled again, it receives the events of requests that settle from then on. `emitters.replay` sends missed events.\n- `emitters.rotateSecret` replaces the signing secret of a webhook. The URL cannot be changed. Add another emitter instead.',
  body: z.strictObject({
    enabled: z.boolean().optional().meta({ description: 'Whether usage is delivered.' }),
    name: EmitterName.optional(),
    events: EmitterEvents.optional(),
    customerId: CustomerIdSchema.optional(),
    amount: EmitterAmountSchema.optional(),
    apiToken: EmitterCredential.optional().meta({
      description: 'New API token, for `vendor_a` and `openmeter`. The old token is deleted.',
    }),
    apiKey: EmitterCredential.optional().meta({
      description: 'New API key, for `vendor_b` and `stripe`. The old key is deleted.',
    }),
    eventType: VendorEventName.optional().meta({
      description: 'Event type at the vendor, for `vendor_a` and `openmeter`.',
    }),
    eventName: VendorEventName.optional().meta({
      description: 'Event name at the vendor, for `vendor_b` and `stripe`.',
    }),
  }),
  output: EmitterView,
  errors: ['unknown_event'],
  async run(emitter, context, { body }) {
    const { nowMs, organization, ports, store } = context
    const unknown = unknownEvent(body.events)
    if (unknown !== undefined) return refused('unknown_event', { event: unknown }, 'events')
    const { credential, eventName } = emitterKindFacts(emitter.kind)
    for (const param of ['apiToken', 'apiKey', 'eventType', 'eventName'] as const) {
      if (body[param] !== undefined && param !== credential && param !== eventName) {
        const reason = `An emitter of kind ${emitter.kind} does not accept ${param}.`
        return refused('invalid_request', { reason }, param)
      }
    }
    const secret = credential === null ? undefined : body[credential]
    const isEnabled = body.enabled ?? emitter.isEnabled
    const changed = {
      ...emitter,
      isEnabled,
      sinceMs: isEnabled && !emitter.isEnabled ? nowMs : emitter.sinceMs,
      name: body.name ?? emitter.name,
      customerId: body.customerId ?? emitter.customerId,
      amount: body.amount ?? emitter.amount,
      eventName: (eventName === null ? undefined : body[eventName]) ?? emitter.eventName,
      ...(secret !== undefined && {
        sealedSecret: ports.seal(secret, { organizationId: organization.id, id: emitter.id }),
        lastFour: secret.slice(-4),
      }),
    }
    await store.emitters.update(changed)
    context.afterCommit(() => ports.emitters.changed())
    return emitterView(changed, context)
  },
})
