import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import { modelLimits, type ModelLimits } from '#domain/model-limits.ts'
import type { KeyRecord, ApplicationConfig } from '#domain/application-config.ts'
import type { WireName } from '#wire/names.ts'
import { answerFailure, privateHeaders } from '#gateway/relay/response-head.ts'
import type { Configuration } from '#gateway/decide/configuration.ts'
import { freshCaller } from '#gateway/arrive/fresh-caller.ts'
import type { GatewayPorts } from './ports.ts'
import type { Route } from '#gateway/arrive/routes.ts'

/**
 * The names this key can call, or one of them, and nothing of who answers them. `GET /v1/models` is a path
 * of three wires; the route has the one that the client can read.
 */
export async function listModels(
  request: IncomingMessage,
  response: ServerResponse,
  applicationId: string,
  ports: GatewayPorts,
  configuration: Configuration,
  { path, wire }: Route,
): Promise<void> {
  try {
    const { config, key } = await freshCaller(request, applicationId, ports, configuration)
    const nowMs = ports.clock.nowMs()
    const shown =
      path.model === null
        ? pageIn[wire](servedNames(configuration, config, key, nowMs), queryOf(request), config)
        : modelIn[wire](servedName(configuration, config, path.model, key, nowMs), config)
    const body = Buffer.from(JSON.stringify(shown))
    const requestId = idOf('req', ports.newId())
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': body.length,
      ...privateHeaders,
      'x-request-id': requestId,
      ...(wire === 'messages' ? { 'request-id': requestId } : {}),
    })
    response.end(body)
  } catch (cause) {
    const failure = cause instanceof Failure ? cause : new Failure('internal', {}, { cause })
    if (failure.code === 'internal') ports.log.error({ err: cause }, 'listing the models broke')
    answerFailure(response, failure, ports, wire)
  }
}

/** A name as a client may know it. */
interface ServedName {
  readonly name: string
  readonly createdAtMs: number
  readonly limits: ModelLimits
}

/** Newest first would move under a client that turns pages, so they stand by their names. */
function servedNames(
  configuration: Configuration,
  config: ApplicationConfig,
  key: KeyRecord,
  nowMs: number,
): readonly ServedName[] {
  return [...config.aliases.keys()]
    .toSorted()
    .flatMap((name) => servedOrNull(configuration, config, name, key, nowMs) ?? [])
}

/** Google's clients write `models/` before a name, also where the path has it already. */
function servedName(
  configuration: Configuration,
  config: ApplicationConfig,
  name: string,
  key: KeyRecord,
  nowMs: number,
): ServedName {
  const found =
    servedOrNull(configuration, config, name, key, nowMs) ??
    servedOrNull(configuration, config, name.replace(/^models\//, ''), key, nowMs)
  // A name that exists and that this key may not call is none to whoever has the key.
  if (!found) throw new Failure('model_not_found', { model: name.slice(0, 200) }, { param: 'model' })
  return found
}

/** Allowed, enabled and priced: what a call of this name would be refused for is not listed. */
function servedOrNull(
  configuration: Configuration,
  config: ApplicationConfig,
  name: string,
  { bundleId, mode }: KeyRecord,
  nowMs: number,
): ServedName | null {
  try {
    const { alias, source } = configuration.plan(config, name, bundleId, mode)
    return { name, createdAtMs: alias.createdAtMs, limits: modelLimits(source.account, source.model, nowMs) }
  } catch (cause) {
    if (cause instanceof Failure) return null
    throw cause
  }
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const end = url.indexOf('?')
  return new URLSearchParams(end < 0 ? '' : url.slice(end + 1))
}

type Shape = (served: ServedName, config: ApplicationConfig) => object

/**
 * Each wire's own model (wire.md 1, 2, 3). OpenAI's has no limits; the names for them are those of Groq and
 * of OpenRouter, which clients that size their prompts by a list look for.
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

type Page = (all: readonly ServedName[], query: URLSearchParams, config: ApplicationConfig) => object

const chatPage: Page = (all, _, config) => ({
  object: 'list',
  data: all.map((served) => chatModel(served, config)),
})

/** Each wire's own list. All names are on one page unless the client asks for fewer, in its vendor's way. */
const pageIn: Readonly<Record<WireName, Page>> = {
  chat: chatPage,
  responses: chatPage,
  messages(all, query, config) {
    const limit = countOf(query, 'limit')
    const after = query.get('after_id')
    const before = query.get('before_id')
    const rest = all.filter(
      ({ name }) => (after === null || name > after) && (before === null || name < before),
    )
    // Before a name come those nearest to it.
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

/** @throws Failure where it is no count that a page can have */
function countOf(query: URLSearchParams, name: string): number {
  const text = query.get(name)
  if (text === null) return 1_000
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1_000) return Number(text)
  throw new Failure(
    'invalid_request',
    { reason: `The query's ${name} must be a whole number from 1 to 1000.` },
    { param: name },
  )
}
