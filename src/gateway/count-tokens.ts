import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { counters } from '#wire/token-count-formats.ts'
import { upstreamBody } from '#wire/request.ts'
import type { WireRequest } from '#wire/request.ts'
import { admitBody } from '#gateway/arrive/admit-body.ts'
import { answerFailure, privateHeaders } from '#gateway/relay/response-head.ts'
import type { HeldBody } from '#gateway/arrive/body-intake.ts'
import type { Configuration, Plan } from '#gateway/decide/configuration.ts'
import { forwardedHeaders } from '#gateway/arrive/forwarded-headers.ts'
import { freshCaller } from '#gateway/arrive/fresh-caller.ts'
import type { GatewayPorts } from './ports.ts'
import { readBody } from '#gateway/arrive/parse-body.ts'
import { ClientGone, receive } from '#gateway/arrive/receive.ts'
import type { Route } from '#gateway/arrive/routes.ts'
import { wholeAnswer } from '#gateway/relay/ask-upstream.ts'

/**
 * How many tokens a request is. Costs nothing and holds nothing. A provider of the client's wire is asked
 * itself; for one of another wire the answer is our own count, which leans high, and says so.
 */
export async function countTokens(
  request: IncomingMessage,
  response: ServerResponse,
  applicationId: string,
  ports: GatewayPorts,
  configuration: Configuration,
  route: Route,
): Promise<void> {
  const requestId = idOf('req', ports.newId())
  let held: HeldBody | null = null
  try {
    const { snapshot, key, keyHash } = await freshCaller(request, applicationId, ports, configuration)
    const counter = counters[route.wire]
    if (counter === null) throw new Error(`the wire ${route.wire} has a path to count and no counter`)
    held = await admitBody(request, response, { key, keyHash, snapshot }, ports, configuration)
    const body = await receive(request, ports.bodies, held, ports.limits.requestBytesMax)
    const counted = await readBody(body, counter.parseRequest, route, null)
    const plan = configuration.plan(snapshot, counted.model, key.bundleId, key.mode)
    const isAsked = kindFacts(plan.account.kind).wires.includes(route.wire)
    const tokens = isAsked
      ? await askProvider(counted, plan, ports, route, forwardedHeaders(request, route), requestId, response)
      : counted.inputEstimate
    const text = counter.answer(tokens)
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': text.length,
      ...privateHeaders,
      'x-request-id': requestId,
      ...(route.wire === 'messages' ? { 'request-id': requestId } : {}),
      ...(isAsked ? {} : { 'x-svc-token-count': 'estimated' }),
    })
    response.end(text, 'latin1')
  } catch (cause) {
    if (cause instanceof ClientGone) {
      response.destroy()
      return
    }
    const failure = cause instanceof Failure ? cause : new Failure('internal', {}, { cause })
    if (failure.code === 'internal') ports.log.error({ requestId, err: cause }, 'counting tokens broke')
    answerFailure(response, failure, ports, route.wire)
  } finally {
    held?.giveBack()
  }
}

/** @throws Failure whatever the provider refuses or fails with, as for a call */
async function askProvider(
  request: WireRequest,
  plan: Plan,
  ports: GatewayPorts,
  route: Route,
  headers: readonly string[],
  requestId: string,
  response: ServerResponse,
): Promise<number> {
  const body = upstreamBody(request, plan.target.model, null)
  const text: ByteText = await wholeAnswer(
    ports,
    {
      account: plan.account,
      model: plan.target.model,
      wire: route.wire,
      purpose: 'count',
      body: Buffer.from(body, 'latin1'),
      isStream: false,
      headers,
      query: route.query,
      callId: requestId,
      deadlines: ports.limits.deadlines,
    },
    plan,
    response,
  )
  const tokens = counters[route.wire]?.read(text) ?? null
  if (tokens === null) throw new Failure('upstream_error', { reason: 'its answer cannot be read' })
  return tokens
}
