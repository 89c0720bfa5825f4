import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import type { KeyRecord, Snapshot } from '#domain/snapshot.ts'
import { authenticate } from './authenticate.ts'
import { loaded } from './open-call.ts'
import type { Configuration } from './configuration.ts'
import { answerFailure } from './answer.ts'
import type { GatewayPorts } from './ports.ts'

/** `GET /v1/models`: the names this key can call, and nothing of who answers them. */
export async function listModels(
  request: IncomingMessage,
  response: ServerResponse,
  applicationId: string,
  ports: GatewayPorts,
  configuration: Configuration,
): Promise<void> {
  try {
    const remembered = await loaded(configuration, applicationId)
    const { keyHash } = await authenticate(request, remembered, configuration)
    // No reserve follows that would notice what has changed since, so it is all read anew.
    configuration.forget(applicationId, keyHash)
    const snapshot = await loaded(configuration, applicationId)
    const key = await configuration.key(applicationId, keyHash)
    if (!key) throw new Failure('invalid_key')
    const names = [...snapshot.aliases.keys()]
      .filter((name) => isServed(configuration, snapshot, name, key))
      .map((name) => ({ id: name, object: 'model', created: 0, owned_by: snapshot.slug }))
    const body = Buffer.from(JSON.stringify({ object: 'list', data: names }))
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': body.length,
      'x-request-id': idOf('req', ports.newId()),
    })
    response.end(body)
  } catch (cause) {
    const failure = cause instanceof Failure ? cause : new Failure('internal', {}, { cause })
    if (failure.code === 'internal') ports.log.error({ err: cause }, 'listing the models broke')
    answerFailure(response, failure, ports)
  }
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
