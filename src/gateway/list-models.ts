import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import type { KeyRecord, Snapshot } from '#domain/snapshot.ts'
import type { WireName } from '#wire/neutral.ts'
import { answerFailure } from './answer.ts'
import type { Configuration } from './configuration.ts'
import { freshCaller } from './fresh-caller.ts'
import type { GatewayPorts } from './ports.ts'
import type { Route } from './routes.ts'

/**
 * The names this key can call, and nothing of who answers them. `GET /v1/models` is a path of three
 * wires: the headers that a client of the other two always sends tell which list it can read.
 */
export async function listModels(
  request: IncomingMessage,
  response: ServerResponse,
  applicationId: string,
  ports: GatewayPorts,
  configuration: Configuration,
  route: Route,
): Promise<void> {
  const wire = wireOfList(request, route)
  try {
    const { snapshot, key } = await freshCaller(request, applicationId, ports, configuration)
    const names = [...snapshot.aliases.keys()].filter((name) => isServed(configuration, snapshot, name, key))
    const body = Buffer.from(JSON.stringify(listIn[wire](names, snapshot)))
    const requestId = idOf('req', ports.newId())
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': body.length,
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

function wireOfList({ headers, url = '' }: IncomingMessage, { wire }: Route): WireName {
  if (wire !== 'chat') return wire
  if (headers['anthropic-version'] !== undefined) return 'messages'
  return headers['x-goog-api-key'] !== undefined || url.includes('key=') ? 'generate' : 'chat'
}

/** A name has no date of its own; the list of messages wants one. */
const noDate = '1970-01-01T00:00:00Z'

function chatList(names: readonly string[], { slug }: Snapshot): object {
  return { object: 'list', data: names.map((id) => ({ id, object: 'model', created: 0, owned_by: slug })) }
}

/** Each wire's own list (wire.md 1, 2, 3), on one page. */
const listIn: Readonly<Record<WireName, (names: readonly string[], snapshot: Snapshot) => object>> = {
  chat: chatList,
  responses: chatList,
  messages: (names) => ({
    data: names.map((id) => ({ type: 'model', id, display_name: id, created_at: noDate })),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }),
  generate: (names) => ({
    models: names.map((name) => ({
      name: `models/${name}`,
      displayName: name,
      supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    })),
  }),
}

/** Allowed, enabled and priced: what a call of this name would be refused for is not listed. */
function isServed(
  configuration: Configuration,
  snapshot: Snapshot,
  name: string,
  { bundleId, mode }: KeyRecord,
): boolean {
  try {
    configuration.plan(snapshot, name, bundleId, mode)
    return true
  } catch (cause) {
    if (cause instanceof Failure) return false
    throw cause
  }
}
