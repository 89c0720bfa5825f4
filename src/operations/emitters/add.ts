import * as z from 'zod'
import { type EmitterKind, emitterKindFacts, emitterKindNames } from '#domain/emitters/emitter-kinds.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { outboundFault } from '#domain/network/check-outbound-address.ts'
import { withVariants } from '#operations/kernel/openapi-annotations-of-schemas.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import {
  CustomerIdSchema,
  EmitterAmountOrAll,
  EmitterCredential,
  EmitterEvents,
  EmitterKindSchema,
  EmitterName,
  EmitterView,
  emitterView,
  unknownEvent,
  VendorEventName,
} from '#operations/emitters/shared/emitter-view.ts'
import { newSigningSecret } from '#operations/emitters/shared/new-signing-secret.ts'

/** Each emitter has its own connection and queue. */
export const emittersMax = 16

const kindFields = ['url', 'apiToken', 'apiKey', 'eventType', 'eventName'] as const
type KindField = (typeof kindFields)[number]

const AddedEmitter = EmitterView.extend({
  signingSecret: z.string().nullable().meta({
    description:
      'Signing secret of a webhook, `whsec_…`. The secret is returned once and cannot be retrieved again. `emitters.rotateSecret` replaces the secret. Null for other kinds.',
  }),
}).meta({ id: 'AddedEmitter', description: 'A new emitter, with its signing secret.' })

export default operation({
  id: 'emitters.add',
  method: 'POST',
  path: '/v1/emitters',
  scope: 'application',
  leastRole: 'admin',
  summary: 'Add a usage emitter',
  description:
    'Adds a destination for usage events. The destination receives an event for each request that settles from now on, in the mode that `livemode` sets.\n\n- Events are delivered after the charge is recorded. An unreachable destination neither delays requests nor changes their cost.\n- The host of a URL is resolved and checked at each delivery, not by this request. `emitters.test` delivers a sample.',
  body: withVariants(
    z.strictObject({
      kind: EmitterKindSchema,
      url: z
        .string()
        .max(2_000)
        .optional()
        .meta({
          description:
            'URL that events are posted to, for `webhook` and for a self-hosted `openmeter`. The URL must use https, port 443 or 8443, and a public host.',
          examples: ['https://billing.example.com/usage'],
        }),
      apiToken: EmitterCredential.optional().meta({
        description:
          'API token, for `vendor_a` and `openmeter`. The credential is stored encrypted and sent only to the vendor.',
      }),
      apiKey: EmitterCredential.optional().meta({
        description:
          'API key, for `vendor_b` and `stripe`. The credential is stored encrypted and sent only to the vendor.',
      }),
      eventType: VendorEventName.optional().meta({
        description: 'Event type at the vendor, for `vendor_a` and `openmeter`.',
      }),
      eventName: VendorEventName.optional().meta({
        description: 'Event name at the vendor, for `vendor_b` and `stripe`.',
      }),
      name: EmitterName.optional().meta({
        description:
          'Label of the emitter. For a webhook, defaults to the URL. For other kinds, defaults to the kind.',
      }),
      enabled: z.boolean().default(true).meta({
        description:
          'Whether usage is delivered. If false, nothing is delivered until the emitter is enabled. Defaults to `true`.',
      }),
      events: EmitterEvents.optional(),
      customerId: CustomerIdSchema.optional().meta({
        description:
          'ID under which the destination records usage. Defaults to `external_id` for `stripe`, because Stripe knows only its own customers, and to `end_user_id` for other kinds.',
      }),
      amount: EmitterAmountOrAll,
      livemode: z.boolean().optional().meta({
        description:
          'Whether the emitter receives live requests. False means test requests. Defaults to the mode of this request.',
      }),
    }),
    {
      by: 'kind',
      of: emitterKindNames.map((kind) => {
        const { required, without } = fieldsOf(kind)
        return {
          name: `Add${pascal(kind)}Emitter`,
          description: `An emitter of kind \`${kind}\`.`,
          values: [kind],
          required,
          without,
        }
      }),
    },
  ),
  output: AddedEmitter,
  errors: ['unknown_event'],
  answersSecret: true,
  async run({ body }, context) {
    const { application, nowMs, organization, ports, store } = context
    const unknown = unknownEvent(body.events)
    if (unknown !== undefined) return refused('unknown_event', { event: unknown }, 'events')
    const fault = fieldFault(body)
    if (fault !== null) return refused('invalid_request', { reason: fault.reason }, fault.param)
    const facts = emitterKindFacts(body.kind)
    const destination = body.url ?? facts.url ?? ''
    const urlFault = ports.isOwnUrl(destination)
      ? 'it is an address of this server'
      : outboundFault(destination, { allowPrivate: false })
    if (urlFault !== null) {
      return refused('invalid_request', { reason: `url cannot be used: ${urlFault}.` }, 'url')
    }
    const mode = (body.livemode ?? context.mode === 'live') ? 'live' : 'test'
    if ((await store.emitters.all(application.id, mode)).length >= emittersMax) {
      const reason = `The application already has ${emittersMax} emitters in this mode, which is the maximum. Delete an emitter first.`
      return refused('invalid_request', { reason })
    }
    const signingSecret = facts.credential === null ? newSigningSecret(ports) : null
    const secret = signingSecret ?? (facts.credential === null ? '' : (body[facts.credential] ?? ''))
    const id = idOf('emt', ports.newId())
    const emitter = {
      id,
      applicationId: application.id,
      mode,
      kind: body.kind,
      name: body.name ?? (body.kind === 'webhook' ? destination : body.kind),
      destination,
      eventName: facts.eventName === null ? null : (body[facts.eventName] ?? ''),
      customerId: body.customerId ?? facts.customerId,
      amount: body.amount,
      isEnabled: body.enabled,
      sealedSecret: ports.seal(secret, { organizationId: organization.id, id }),
      lastFour: secret.slice(-4),
      formerSealedSecret: null,
      formerSecretEndsAtMs: null,
      sinceMs: nowMs,
      createdAtMs: nowMs,
    } as const
    await store.emitters.insert(emitter)
    context.afterCommit(() => ports.emitters.changed())
    return { ...(await emitterView(emitter, context)), signingSecret }
  },
})

function fieldsOf(kind: EmitterKind): {
  readonly required: readonly KindField[]
  readonly without: readonly KindField[]
} {
  const { credential, eventName, mayNameUrl, url } = emitterKindFacts(kind)
  const required = kindFields.filter(
    (field) => field === credential || field === eventName || (field === 'url' && url === null),
  )
  const without = kindFields.filter((field) => !required.includes(field) && !(field === 'url' && mayNameUrl))
  return { required, without }
}

function pascal(kind: EmitterKind): string {
  return kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function fieldFault(body: {
  readonly kind: EmitterKind
  readonly url?: string | undefined
  readonly apiToken?: string | undefined
  readonly apiKey?: string | undefined
  readonly eventType?: string | undefined
  readonly eventName?: string | undefined
}): { readonly param: string; readonly reason: string } | null {
  const { required, without } = fieldsOf(body.kind)
  for (const param of kindFields) {
    if (body[param] === undefined && required.includes(param))
      return { param, reason: `${param} is required.` }
    if (body[param] !== undefined && without.includes(param)) {
      return { param, reason: `An emitter of kind ${body.kind} does not accept ${param}.` }
    }
  }
  return null
}
