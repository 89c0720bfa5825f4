import * as z from 'zod'
import { messageOf, Failure } from '#domain/errors.ts'
import { suffixOf } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/application-config.ts'
import { upstreamFormats } from '#domain/accounts/provider-kinds.ts'
import type { CallStory } from '#domain/calls/call-record.ts'
import type { RouteAsk, RoutePlan } from '#domain/route-preview-interface.ts'
import { traceOf } from '#explain/convert-trace-to-text.ts'
import type { StoredTrace } from '#explain/sections-of-trace.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { withVariants } from '#operations/kernel/openapi-annotations-of-schemas.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { bundleIdIn } from '#domain/billing/subscription-records.ts'
import { findIfNamed, ownBundle, ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { refused, Refused } from '#operations/kernel/returned-error.ts'
import { accountLabels } from '#operations/requests/shared/request-view.ts'
import {
  Count,
  ExternalId,
  MicrosSum,
  Slug,
  text,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'

const ms = (description: string, rest = '') =>
  Count.meta({ description: `${description}, in milliseconds.${rest}` })

const PlannedTarget = z
  .object({
    path: z.array(z.string()).meta({
      description: 'Names through which the target is reached, starting with the requested name.',
    }),
    provider: z.string().meta({ description: 'Label of the provider account.' }),
    model: z.string().meta({ description: "The provider's model ID." }),
    skip: z
      .object({
        code: z
          .string()
          .meta({ description: 'Code of the reason why the target is skipped.', examples: ['circuit_open'] }),
        reason: z
          .string()
          .meta({ description: 'Reason why the target is skipped, as a sentence with the compared values.' }),
      })
      .nullable()
      .meta({ description: 'Reason why the target is skipped. Null if the target is not skipped.' }),
    expectedMicros: MicrosSum.nullable().meta({
      description:
        'Expected provider cost of the request at this target, in micros. Null if the target has no price.',
    }),
    worstMicros: MicrosSum.nullable().meta({
      description:
        "Worst-case cost of the first hold at this target, in micros. If only the provider knows the length of stored content, the cost covers the model's context window. Null if the target has no price.",
    }),
    circuit: z
      .object({
        state: z.enum(['closed', 'open', 'half_open']).meta({
          description:
            '`closed`: requests are sent to the target. `open`: no request is sent. `half_open`: one real request tests the target.',
        }),
        until: Timestamp.nullable().meta({
          description: 'When one request may test the target. Null unless the circuit is open.',
        }),
        why: z
          .string()
          .nullable()
          .meta({ description: 'Reason why the circuit is not closed. Null if the circuit is closed.' }),
      })
      .meta({
        description:
          'Circuit breaker of the target, as seen by the server process that handles this request.',
      }),
    inFlight: Count.meta({
      description: 'Number of requests of this server process that are in flight at the target.',
    }),
    firstTokenMs: z.number().nullable().meta({
      description:
        'Recent time to the first token, in milliseconds, as measured by this server process. Null if unknown.',
    }),
    lost: z.array(z.string()).meta({
      description: "Request fields that the conversion to the target's wire format would omit or change.",
    }),
    deadlines: z
      .object({
        connectMs: ms('Maximum time until the connection is established'),
        firstByteMs: ms('Maximum time until the response headers are received'),
        firstTokenMs: ms(
          'Maximum time from the request to the first text of a streamed response',
          ' Omitted if unlimited.',
        ).optional(),
        idleMs: ms('Maximum time between two chunks of the response'),
        totalMs: ms('Maximum time for the whole attempt'),
      })
      .meta({ description: 'Deadlines of an attempt at this target.' }),
  })
  .meta({
    id: 'PlannedTarget',
    description: 'A target of the route. The targets are in the order in which they are tried.',
  })

export default operation({
  id: 'routers.plan',
  method: 'POST',
  path: '/v1/routers/{name}/plan',
  scope: 'application',
  leastRole: 'viewer',
  changesNothing: true,
  isExtension: true,
  summary: "Preview a request's route",
  description:
    'Returns the targets that a request for a router or model would try, in order, and why other targets would be skipped. Nothing is sent, held or stored.\n\n- The preview orders and skips targets like a real request, with the current configuration. Circuit breakers, latencies and requests in flight are those of this server process.\n- With a random policy such as `weighted`, the next request can get another order.',
  parameters: {
    name: text(128).meta({
      description: 'Name of a router or a model. `/` may be percent-encoded.',
    }),
  },
  body: withVariants(
    z.strictObject({
      wire: z.exactOptional(z.enum(upstreamFormats)).meta({
        description: 'Wire format of `request`. Defaults to `chat`.',
      }),
      request: z.exactOptional(z.record(z.string(), z.unknown())).meta({
        description: 'Request body as a client would send it. The `model` of this body is ignored.',
        examples: [{ messages: [{ role: 'user', content: 'Hello' }] }],
      }),
      stream: z.exactOptional(z.boolean()).meta({
        description:
          'Whether the response is streamed. Defaults to `stream` of `request`, or else to the setting of the past request.',
      }),
      requestId: z.exactOptional(text(64)).meta({
        description:
          'ID of a past request, `req_…`, to use instead of `request`. The preview uses the wire format, size, end user and bundle of this request. The content of a past request is not stored, so fields lost in a conversion are not reported.',
      }),
      endUserId: z.exactOptional(ExternalId).meta({
        description:
          'External ID of the end user. The `sticky` policy and the default of `bundle` depend on the end user. IDs of files, conversations and other stored objects in `request` must belong to the end user. Defaults to the end user of `requestId`, or else to no end user.',
      }),
      bundle: z.exactOptional(Slug).meta({
        description:
          'Slug of the bundle. Defaults to the bundle of the end user or of the past request, or else to the default bundle.',
      }),
      mode: z.exactOptional(z.enum(['live', 'test'])).meta({
        description: 'Mode of the previewed request. Defaults to the mode of this API request.',
      }),
    }),
    {
      by: null,
      of: [
        {
          name: 'PlanOfRequest',
          description: 'Previews the route of a request body.',
          required: ['request'],
          without: ['requestId'],
        },
        {
          name: 'PlanOfPastRequest',
          description: 'Previews the route of a past request.',
          required: ['requestId'],
          without: ['request'],
        },
      ],
    },
  ),
  output: z
    .object({
      name: z.string().meta({ description: 'Name of the requested router or model.' }),
      router: z.string().nullable().meta({ description: 'Name of the router. Null if `name` is a model.' }),
      policy: z.string().meta({ description: 'Policy that orders the targets.' }),
      inputTokens: Count.meta({ description: 'Input tokens, as estimated by the gateway.' }),
      targets: z.array(PlannedTarget).meta({ description: 'Targets in the order in which they are tried.' }),
      refusal: z
        .object({
          code: z.string().meta({ description: 'Error code.' }),
          message: z.string().meta({ description: 'Error message.' }),
        })
        .nullable()
        .meta({
          description:
            'Error that the request would return. The preview does not check balances and limits. Null if the request would be sent.',
        }),
    })
    .meta({ id: 'RoutePlan', description: 'Targets that a request would try, in order.' }),
  errors: ['not_found', 'bundle_required'],
  async run({ body, path: { name } }, context) {
    const { application, ports, store } = context
    const isKnown =
      (await store.routers.byName(application.id, name)) ?? (await store.aliases.byName(application.id, name))
    if (!isKnown) return refused('not_found', { resource: 'router or model', id: name }, 'name')
    if ((body.request === undefined) === (body.requestId === undefined)) {
      return refused(
        'invalid_request',
        { reason: 'Exactly one of request and requestId is required.' },
        'request',
      )
    }
    const ask = await askOf(name, body, context)
    if (ask instanceof Refused) return ask
    const plan = await ports.previewRoute(ask)
    const labels = await accountLabels(context)
    if (plan instanceof Failure) {
      return {
        name,
        router: null,
        policy: 'priority',
        inputTokens: 0,
        targets: [],
        refusal: refusalOf(plan),
      }
    }
    return {
      name,
      router: plan.router,
      policy: plan.policy,
      inputTokens: plan.inputTokens,
      targets: plan.targets.map((target) => targetView(target, labels)),
      refusal: plan.refusal && refusalOf(plan.refusal),
    }
  },
})

interface Asked {
  readonly wire?: RouteAsk['wire']
  readonly request?: Record<string, unknown>
  readonly stream?: boolean
  readonly requestId?: string
  readonly endUserId?: string
  readonly bundle?: string
  readonly mode?: Mode
}

async function askOf(
  name: string,
  { bundle: slug, endUserId, mode, request, requestId, stream, wire = 'chat' }: Asked,
  context: ApplicationContext,
): Promise<RouteAsk | Refused<'not_found' | 'bundle_required'>> {
  const { application } = context
  const person = await findIfNamed(ownEndUser, endUserId, context, 'endUserId')
  if (person instanceof Refused) return person
  const past = requestId === undefined ? null : await storyOf(requestId, context)
  if (past instanceof Refused) return past
  const trace = traceOf(past && past.trace)
  const ownSlug = person ? undefined : trace.policy?.bundle || undefined
  const bundle = await findIfNamed(
    ownBundle,
    slug ?? ownSlug,
    context,
    slug === undefined ? 'requestId' : 'bundle',
  )
  if (bundle instanceof Refused) return bundle
  const own =
    person && bundleIdIn(person, await context.store.subscriptions.of(person.id, mode ?? context.mode))
  const bundleId = bundle?.id ?? own ?? application.defaultBundleId
  if (bundleId === null) return refused('bundle_required', {}, 'bundle')
  const asked = {
    applicationId: application.id,
    name,
    mode: mode ?? context.mode,
    bundleId,
    endUserId: person?.id ?? past?.call.endUserId ?? '',
  }
  if (past === null) {
    const isStream = stream ?? request?.['stream'] === true
    return { ...asked, wire, isStream, body: request ?? {}, size: null }
  }
  const { call } = past
  return {
    ...asked,
    wire: upstreamFormats.find((known) => known === call.wire) ?? 'chat',
    isStream: stream ?? call.isStreamed ?? false,
    body: null,
    size: sizeOf(past, trace),
  }
}

async function storyOf(
  requestId: string,
  { application, mode, store }: ApplicationContext,
): Promise<CallStory | Refused<'not_found'>> {
  const callId = suffixOf('req', requestId)
  const story = callId === null ? null : await store.requests.story(application.id, mode, callId)
  return story ?? refused('not_found', { resource: 'request', id: requestId }, 'requestId')
}

function sizeOf({ call, hold }: CallStory, { quote }: StoredTrace): RouteAsk['size'] {
  const inputTokens = quote?.inputTokensEstimated ?? hold?.inputEstimate ?? call.inputTokens
  return {
    inputTokens,
    textTokensMax: quote?.textTokensMax ?? hold?.bound.textTokens ?? inputTokens,
    outputTokensMax: quote?.outputTokensAsked ?? null,
    choices: quote?.choices ?? 1,
  }
}

function targetView(
  { accountId, circuit, deadlines, lost, path, skip, ...rest }: RoutePlan['targets'][number],
  labels: ReadonlyMap<string, string>,
): z.output<typeof PlannedTarget> {
  return {
    path: [...path],
    provider: labels.get(accountId) ?? accountId,
    ...rest,
    skip: skip && { ...skip },
    circuit: {
      state: circuit.kind,
      until: circuit.kind === 'open' ? circuit.untilMs : null,
      why: circuit.kind === 'closed' ? null : circuit.why,
    },
    lost: [...lost],
    deadlines: { ...deadlines },
  }
}

function refusalOf({ code, details, param }: Failure): { code: string; message: string } {
  return { code, message: messageOf(code, { param, ...details }) }
}
