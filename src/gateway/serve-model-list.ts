import { Failure } from '#domain/errors.ts'
import { modelLimits, type ModelLimits } from '#domain/accounts/published-model-limits.ts'
import type { ApplicationConfig } from '#domain/application-config.ts'
import { wireOf, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { isMistralClient } from '#gateway/arrive/recognize-mistral-client.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/**
 * Never names the providers. Three wires have the path `GET /v1/models`, so the list has the format of the client's
 * wire (`route.wire`).
 */
export function listModels(arrival: Arrival): Promise<void> {
  const { path } = arrival.route
  const wire = wireOf(arrival.route.wire)
  return serveFreeRequest(arrival, (caller) => {
    const { config } = caller
    const shown =
      path.model === null
        ? pageIn[wire](servedNames(arrival, caller), queryOf(arrival), config, shapeOf(arrival))
        : shapeOf(arrival)(servedName(arrival, caller, path.model), config)
    return { body: Buffer.from(JSON.stringify(shown)) }
  })
}

interface ServedName {
  readonly name: string
  readonly createdAtMs: number
  readonly limits: ModelLimits
}

/** Sorted by name, so that a new model name does not shift the pages of a client that is paginating. */
function servedNames(arrival: Arrival, caller: Caller): readonly ServedName[] {
  const { aliases, routers } = caller.config
  return [...aliases.keys(), ...routers.keys()]
    .toSorted()
    .flatMap((name) => servedOrNull(arrival, caller, name) ?? [])
}

/** Google's clients add `models/` before a model name, even if the path already contains `models/`. */
function servedName(arrival: Arrival, caller: Caller, name: string): ServedName {
  const found =
    servedOrNull(arrival, caller, name) ?? servedOrNull(arrival, caller, name.replace(/^models\//, ''))
  // A model name that this key may not call counts as not found.
  if (!found) throw new Failure('model_not_found', { model: name.slice(0, 200) }, { param: 'model' })
  return found
}

/** Null if a call with this model name would be rejected. */
function servedOrNull({ configuration, ports }: Arrival, caller: Caller, name: string): ServedName | null {
  const served = configuration.served(caller, name)
  if (served instanceof Failure) return null
  const { createdAtMs, first, leaves, router } = served
  // Show the limits of the largest target, because the router sends large requests to a target that accepts them.
  const plans = router === null ? [first] : leaves.flatMap(({ plan }) => plan ?? [])
  const nowMs = ports.clock.nowMs()
  const limits = plans.map(({ source: { account, model } }) => modelLimits(account, model, nowMs))
  return {
    name,
    createdAtMs,
    limits: {
      contextTokens: largest(limits.map(({ contextTokens }) => contextTokens)),
      outputTokens: largest(limits.map(({ outputTokens }) => outputTokens)),
    },
  }
}

function largest(limits: readonly (number | null)[]): number | null {
  const known = limits.filter((limit) => limit !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function queryOf({ response }: Arrival): URLSearchParams {
  const { url = '' } = response.req
  const end = url.indexOf('?')
  return new URLSearchParams(end < 0 ? '' : url.slice(end + 1))
}

type Shape = (served: ServedName, config: ApplicationConfig) => object

/**
 * In the format of each wire (docs/reference/wires.md "Chat completions", "Messages", "Generate"). OpenAI's format has
 * no fields for limits, so the names of Groq and OpenRouter are used. Some clients read these fields to fit their
 * prompts to the context window.
 */
const chatModel: Shape = ({ name, createdAtMs, limits }, { slug }) => ({
  id: name,
  object: 'model',
  created: Math.floor(createdAtMs / 1000),
  owned_by: slug,
  ...(limits.contextTokens !== null && {
    context_window: limits.contextTokens,
    context_length: limits.contextTokens,
  }),
  ...(limits.outputTokens !== null && { max_completion_tokens: limits.outputTokens }),
})

const modelIn: Readonly<Record<WireName, Shape>> = {
  chat: chatModel,
  // Bedrock's runtime has no path that lists models. Cohere lists models at the same path as OpenAI.
  converse: chatModel,
  cohere: chatModel,
  responses: chatModel,
  messages: ({ name, createdAtMs, limits }) => ({
    type: 'model',
    id: name,
    display_name: name,
    created_at: new Date(createdAtMs).toISOString(),
    max_input_tokens: limits.contextTokens,
    max_tokens: limits.outputTokens,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  }),
  generate: ({ name, limits }) => ({
    name: `models/${name}`,
    baseModelId: name,
    version: '001',
    displayName: name,
    ...(limits.contextTokens !== null && { inputTokenLimit: limits.contextTokens }),
    ...(limits.outputTokens !== null && { outputTokenLimit: limits.outputTokens }),
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }),
}

/** Mistral's clients reject a model without these fields. The gateway does not know the capabilities of models. */
const mistralModel: Shape = (served, config) => ({
  ...chatModel(served, config),
  type: 'base',
  capabilities: { completion_chat: true },
  ...(served.limits.contextTokens !== null && { max_context_length: served.limits.contextTokens }),
})

function shapeOf({ response, route }: Arrival): Shape {
  const shape = modelIn[wireOf(route.wire)]
  return shape === chatModel && isMistralClient(response.req.headers) ? mistralModel : shape
}

type Page = (
  all: readonly ServedName[],
  query: URLSearchParams,
  config: ApplicationConfig,
  shape: Shape,
) => object

const chatPage: Page = (all, _, config, shape) => ({
  object: 'list',
  data: all.map((served) => shape(served, config)),
})

/**
 * All model names are on one page, unless the client requests a smaller page with the parameters of the wire's vendor.
 */
const pageIn: Readonly<Record<WireName, Page>> = {
  chat: chatPage,
  converse: chatPage,
  cohere: chatPage,
  responses: chatPage,
  messages(all, query, config) {
    const limit = countOf(query, 'limit')
    const after = query.get('after_id')
    const before = query.get('before_id')
    const rest = all.filter(
      ({ name }) => (after === null || name > after) && (before === null || name < before),
    )
    // With `before_id`, the page ends directly before that model name.
    const page = before === null ? rest.slice(0, limit) : rest.slice(-limit)
    return {
      data: page.map((served) => modelIn.messages(served, config)),
      has_more: page.length < rest.length,
      first_id: page[0]?.name ?? null,
      last_id: page.at(-1)?.name ?? null,
    }
  },
  generate(all, query, config) {
    const after = query.get('pageToken') ?? ''
    const rest = all.filter(({ name }) => after === '' || name > after)
    const page = rest.slice(0, countOf(query, 'pageSize'))
    return {
      models: page.map((served) => modelIn.generate(served, config)),
      ...(page.length < rest.length && { nextPageToken: page.at(-1)?.name }),
    }
  },
}

/** @throws Failure if the value is not a valid page size */
function countOf(query: URLSearchParams, name: string): number {
  const text = query.get(name)
  if (text === null) return 1_000
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1_000) return Number(text)
  throw new Failure(
    'invalid_request',
    { reason: `The query parameter ${name} must be a whole number from 1 to 1000.` },
    { param: name },
  )
}
