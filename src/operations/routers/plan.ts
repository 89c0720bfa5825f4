import * as z from 'zod'
import { messageOf, Failure } from '#domain/errors.ts'
import { suffixOf } from '#domain/id.ts'
import type { Mode } from '#domain/application-config.ts'
import { upstreamWires } from '#domain/provider-kinds.ts'
import type { CallStory } from '#domain/records.ts'
import type { RouteAsk, RoutePlan } from '#domain/route-preview.ts'
import { sectionsOfTrace } from '#domain/trace-format.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { withVariants } from '#operations/documented.ts'
import { operation } from '#operations/operation.ts'
import { bundleIdIn } from '#domain/subscriptions.ts'
import { findIfNamed, ownBundle, ownEndUser } from '#operations/own.ts'
import { refused, Refused } from '#operations/refused.ts'
import { accountLabels } from '#operations/requests/request-view.ts'
import { sectionOf, textOf } from '#operations/requests/trace-section.ts'
import { Count, ExternalId, MicrosSum, Slug, text, Timestamp } from '#operations/schemas.ts'

const ms = (description: string) => Count.meta({ description: `${description}, in milliseconds.` })

const PlannedTarget = z
  .object({
    path: z.array(z.string()).meta({
      description: 'The names through which it is reached, the one asked for first.',
    }),
    provider: z.string().meta({ description: 'Label of the provider account.' }),
    model: z.string().meta({ description: "The provider's model id." }),
    skip: z
      .object({
        code: z.string().meta({ description: 'Kind of the reason.', examples: ['circuit_open'] }),
        reason: z.string().meta({ description: 'What is so, with its numbers.' }),
      })
      .nullable()
      .meta({ description: 'Why it is passed over; null: it is taken when its turn comes.' }),
    expectedMicros: MicrosSum.nullable().meta({
      description: 'What the call is expected to cost the account, in micros; null: it has no price.',
    }),
    worstMicros: MicrosSum.nullable().meta({
      description: 'The most that it is held for there at first, in micros; null: it has no price.',
    }),
    circuit: z
      .object({
        state: z.enum(['closed', 'open', 'half_open']).meta({
          description: '`open`: no call is sent there; `half_open`: one real call tries it.',
        }),
        until: Timestamp.nullable().meta({ description: 'When one call may try again; null: now.' }),
        why: z.string().nullable().meta({ description: 'What was found; null: it is closed.' }),
      })
      .meta({ description: 'As the one server process sees it that answers this request.' }),
    inFlight: Count.meta({ description: 'Calls in flight there, in that process.' }),
    firstTokenMs: z.number().nullable().meta({
      description:
        'Time to the first token lately, in milliseconds, in that process; null: nothing is known.',
    }),
    lost: z.array(z.string()).meta({
      description: 'Fields of the request that a conversion to its wire would leave out or change.',
    }),
    deadlines: z
      .object({
        connectMs: ms('To a connection'),
        firstByteMs: ms('To the head of the answer'),
        firstTokenMs: ms('To the first text of a streamed answer; absent: no limit').optional(),
        idleMs: ms('Between two pieces of it'),
        totalMs: ms('For the whole attempt'),
      })
      .meta({ description: 'Deadlines of an attempt there.' }),
  })
  .meta({ id: 'PlannedTarget', description: 'One way to answer a call, where it stands in the order.' })

export default operation({
  id: 'routers.plan',
  method: 'POST',
  path: '/v1/routers/{name}/plan',
  scope: 'application',
  leastRole: 'viewer',
  changesNothing: true,
  isExtension: true,
  summary: 'Plan a call without making it',
  description:
    'Who would be asked for a call of the name, a router or a model, in which order and why the others are passed over: decided by what decides calls, on the present configuration and what this server process knows of its targets. Nothing is sent, nothing is held, and nothing of the request is kept. Under a policy of chance the next call may be ordered otherwise.',
  parameters: {
    name: text(128).meta({
      description: 'Name of a router or a model; `/` may stand as it is or as `%2F`.',
    }),
  },
  body: withVariants(
    z.strictObject({
      wire: z.exactOptional(z.enum(upstreamWires)).meta({
        description: 'The wire of `request`; `chat` when left out.',
      }),
      request: z.exactOptional(z.record(z.string(), z.unknown())).meta({
        description: 'The body that a client would send; its `model` does not matter.',
        examples: [{ messages: [{ role: 'user', content: 'Hello' }] }],
      }),
      stream: z.exactOptional(z.boolean()).meta({
        description: 'Whether the answer is streamed; left out: what `request` says, or the past call.',
      }),
      requestId: z.exactOptional(text(64)).meta({
        description:
          'In place of `request` a past call, `req_…`: its wire, size, person and bundle. What it said is not kept, so what a conversion would lose is not told.',
      }),
      endUserId: z.exactOptional(ExternalId).meta({
        description: 'Who calls, for `sticky` and for the bundle; left out: nobody in particular.',
      }),
      bundle: z.exactOptional(Slug).meta({
        description: "The bundle of the caller; left out: the person's, else the default one.",
      }),
      mode: z.exactOptional(z.enum(['live', 'test'])).meta({
        description: 'Mode of the key; left out: that of this request.',
      }),
    }),
    {
      by: null,
      of: [
        {
          name: 'PlanOfRequest',
          description: 'The route of a request body.',
          required: ['request'],
          without: ['requestId'],
        },
        {
          name: 'PlanOfPastRequest',
          description: 'The route of a request that was already made.',
          required: ['requestId'],
          without: ['request'],
        },
      ],
    },
  ),
  output: z
    .object({
      name: z.string().meta({ description: 'The name that is asked for.' }),
      router: z.string().nullable().meta({ description: 'The router; null: the name is a model.' }),
      policy: z.string().meta({ description: 'How targets are put in order.' }),
      inputTokens: Count.meta({ description: 'Tokens of input, as the gateway estimates them.' }),
      targets: z.array(PlannedTarget).meta({ description: 'In the order in which they are tried.' }),
      refusal: z
        .object({
          code: z.string().meta({ description: 'Code of the error.' }),
          message: z.string().meta({ description: 'The sentence.' }),
        })
        .nullable()
        .meta({
          description:
            'Why such a call would be refused, whatever the money of the caller; null: it would be sent.',
        }),
    })
    .meta({ id: 'RoutePlan', description: 'Who would be asked, in which order.' }),
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
  const trace = past === null || past.trace === null ? {} : sectionsOfTrace(past.trace)
  const ownSlug = person ? undefined : textOf(sectionOf(trace['policy'])?.['bundle']) || undefined
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
    wire: upstreamWires.find((known) => known === call.wire) ?? 'chat',
    isStream: stream ?? call.isStreamed ?? false,
    body: null,
    size: sizeOf(past, sectionOf(trace['quote']) ?? {}),
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

function sizeOf({ call, hold }: CallStory, quote: Readonly<Record<string, unknown>>): RouteAsk['size'] {
  const numberOf = (field: string): number | null => {
    const value = quote[field]
    return typeof value === 'number' ? value : null
  }
  const inputTokens = numberOf('inputTokensEstimated') ?? hold?.inputEstimate ?? call.inputTokens
  return {
    inputTokens,
    textTokensMax: numberOf('textTokensMax') ?? hold?.bound.textTokens ?? inputTokens,
    outputTokensMax: numberOf('outputTokensAsked'),
    choices: numberOf('choices') ?? 1,
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
