import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '#domain/errors.ts'
import { modelFacts } from '#domain/accounts/provider-kinds.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { BodyReading } from '#wire/large-body-to-values.ts'
import type { KeepTools } from '#wire/remove-provider-tools.ts'
import { formWithModelInPath, withModelInPath } from '#wire/model-of-azure-deployment.ts'
import { parseCohereV1 } from '#wire/cohere-v1/parse-request.ts'
import { parseInvoke } from '#wire/parse-invoke-request-of-bedrock.ts'
import { isForm, isTask, type FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { wires } from '#wire/table-of-wires.ts'
import { boundaryOf } from '#wire/text/form-parts.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { JsonParser } from '#wire/text/json-parser.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { faultOfJson, isFault, requestLimits } from '#wire/wire-request.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from '#wire/wire-request.ts'
import { TextCounting } from '#wire/bound/count-large-body-in-steps.ts'
import type { Arrival, Route } from '#gateway/call/arrived-request-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import { keepTools } from '#gateway/call/apply-provider-tool-rules.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'

/** Parsing up to this many bytes in one step takes 1 to 2 ms. */
export const wholeBytesMax = 256 * 1024
/** Parsing this many bytes takes a few milliseconds. */
const stepBytes = 1024 * 1024

const stepValues = 5_000

type Parse = (body: RequestBody, path: RequestPath, keep?: KeepTools) => WireRequest | RequestFault

/**
 * Returns synchronously for nearly all bodies. A large body is parsed in steps, and other calls are served between the
 * steps.
 * @param caller determines whether the body is converted, and which provider-run tools remain in the request; null if
 *   the body is never converted and contains no such tools
 * @throws Failure with the name of the invalid field
 */
export function parseBody(
  arrival: Arrival,
  caller: Caller | null,
  body: ByteText | Json,
  parse: Parse = parserOf(arrival.route),
): WireRequest | Promise<WireRequest> {
  if (isForm(arrival.route.wire)) return parseForm(arrival, body, parse)
  if (typeof body !== 'string') return parseLarge(arrival, caller, body, parse)
  if (body.length > wholeBytesMax) return parseInSteps(arrival, caller, body, parse)
  return requestOf(parse(body, arrival.route.path, keepOf(arrival.configuration, arrival.route.wire, caller)))
}

/** Bedrock's `invoke` has several body formats, and Cohere's chat has two versions. */
export function parserOf({ isCohereV1, isDeployment, path, wire }: Route): Parse {
  if (path.isInvoke === true) return parseInvoke
  if (isCohereV1 === true) return parseCohereV1
  const { parseRequest } = wires[wire]
  return isDeployment === true && !isForm(wire) ? withModelInPath(parseRequest) : parseRequest
}

function parseForm(
  arrival: Arrival,
  body: ByteText | Json,
  parse: Parse,
): WireRequest | Promise<WireRequest> {
  const { isDeployment, wire } = arrival.route
  const path = formPath(arrival)
  const form = isDeployment === true && typeof body === 'string' ? formWithModelInPath(body, path) : body
  const steps = wires[wire].parseInSteps?.(form, path)
  if (steps === undefined) return requestOf(parse(form, path))
  const { done, value } = steps.next()
  return done === true ? requestOf(value) : lastOf(steps).then(requestOf)
}

export async function lastOf<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- other calls are served between two steps
    await nextTurn()
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

function formPath({ response, route }: Arrival): RequestPath {
  const boundary = boundaryOf(response.req.headers['content-type'] ?? '')
  return boundary === null ? route.path : { ...route.path, boundary }
}

async function parseInSteps(
  arrival: Arrival,
  caller: Caller | null,
  body: ByteText,
  parse: Parse,
): Promise<WireRequest> {
  const parser = new JsonParser(body, requestLimits)
  // oxlint-disable-next-line no-await-in-loop -- other calls are served between two steps
  while (!parser.step(stepBytes)) await nextTurn()
  const json = parser.result()
  if ('reason' in json) throw failureOfFault(faultOfJson(json))
  return parseLarge(arrival, caller, json, parse)
}

async function parseLarge(
  arrival: Arrival,
  caller: Caller | null,
  json: Json,
  parse: Parse,
): Promise<WireRequest> {
  const counting = new TextCounting(json)
  do {
    // oxlint-disable-next-line no-await-in-loop -- as above
    await nextTurn()
  } while (!counting.step(stepBytes))
  json.counts = counting.counts
  await nextTurn()
  const found = parse(json, arrival.route.path, keepOf(arrival.configuration, arrival.route.wire, caller))
  await nextTurn()
  if (isFault(found) && found.instead) {
    const { parse: parseInstead = parse, text: written, ...lost } = found.instead
    const text = typeof written === 'string' ? written : await lastOf(written)
    if (typeof text !== 'string') throw failureOfFault(text)
    return { ...(await parseInSteps(arrival, caller, text, parseInstead)), ...lost }
  }
  const request = requestOf(found)
  if (caller === null || !isConverted(arrival, caller, request)) return request
  // The sender of the body cannot predict these letters and digits.
  const mark = `medium${arrival.id.replaceAll(/[^A-Za-z0-9]/g, '')}x`
  const values = new BodyReading(json, request.media, mark)
  // oxlint-disable-next-line no-await-in-loop -- as above
  while (!values.step(stepValues, stepBytes)) await nextTurn()
  await nextTurn()
  return { ...request, values: values.values }
}

/**
 * Whether a provider of another wire may serve the request. False for an unknown model name, which the reserve rejects.
 */
function isConverted({ configuration }: Arrival, caller: Caller, { model, wire }: WireRequest): boolean {
  // A task, such as embeddings, has a converter that parses the whole body itself.
  if (isTask(wire)) return false
  const served = configuration.served(caller, model)
  if (served instanceof Failure) return false
  return served.leaves.some(
    ({ plan }) => plan !== null && !modelFacts(plan.account.kind, plan.target.model).wires.includes(wire),
  )
}

/** Undefined if the format has no provider-run tools, or if `caller` is null. */
export function keepOf(
  configuration: Configuration,
  wire: FormatName,
  caller: Caller | null,
): KeepTools | undefined {
  return caller === null || !formatsWithTools.has(wire) ? undefined : keepTools(configuration, wire, caller)
}

const formatsWithTools: ReadonlySet<FormatName> = new Set(['chat', 'messages', 'responses', 'generate'])

function requestOf(parsed: WireRequest | RequestFault): WireRequest {
  if (isFault(parsed)) throw failureOfFault(parsed)
  return parsed
}
