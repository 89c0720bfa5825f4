import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import { earlierHops } from '#domain/network/detect-request-loops.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { traceParentOf } from '#domain/trace-context.ts'
import type { AuthenticatedCall } from '#gateway/call/call-state-types.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'

/**
 * Request headers that change how the provider interprets the body, by exact name. These headers are forwarded to a
 * provider of the same wire (docs/reference/wires.md "Unchanged bytes"). The client's own credential, cookies and
 * address are never forwarded.
 */
const allowed: Readonly<Partial<Record<FormatName, readonly string[]>>> = {
  messages: ['anthropic-version', 'anthropic-beta'],
}

/** Maximum length of a forwarded header value. */
const lengthMax = 2048

export function forwardedHeaders({ response, route }: Arrival): readonly string[] {
  const { headers } = response.req
  const names = allowed[route.wire]
  if (names === undefined) return none
  const forwarded: string[] = []
  for (const name of names) {
    const value = headers[name]
    // Forward only values of printable ASCII, because vendors define no other values.
    if (typeof value === 'string' && value.length <= lengthMax && /^[\x20-\x7e]+$/.test(value))
      forwarded.push(name, value)
  }
  return forwarded
}

/** Anthropic requires the header `anthropic-beta`, so it is added if the client omits it. */
export function fileHeaders(format: FileFormat, arrival: Arrival): readonly string[] {
  if (format === 'google') return googleUpload
  const own = forwardedHeaders(arrival)
  return format === 'anthropic' && !own.includes('anthropic-beta') ? [...own, ...filesBeta] : own
}

/** With this protocol, Google accepts the description and the content of a file in one request body. */
const googleUpload: readonly string[] = ['x-goog-upload-protocol', 'multipart']

export const filesBeta: readonly string[] = ['anthropic-beta', 'files-api-2025-04-14']

/** @param isSameWire whether the provider gets the client's wire; if false, the headers about the body are omitted */
export function providerHeaders(call: AuthenticatedCall, isSameWire: boolean): readonly string[] {
  const hops = hopHeaders(call)
  const trace = traceHeaders(call)
  const own = isSameWire ? wireHeaders(call) : none
  if (trace.length === 0 && hops.length === 0) return own
  return [...own, ...trace, ...hops]
}

/**
 * A body for Bedrock's `invoke` or Vertex AI's `rawPredict` may list beta features. These features are added to the
 * features in the header.
 */
function wireHeaders(call: AuthenticatedCall): readonly string[] {
  const betas = call.request?.betas
  const own = forwardedHeaders(call)
  if (betas === undefined) return own
  const at = own.indexOf('anthropic-beta')
  return ['anthropic-beta', at < 0 ? betas : `${own[at + 1]},${betas}`]
}

/**
 * Returns the W3C Trace Context headers unchanged, for a provider of any wire. The headers identify the client's trace
 * at the client's tracing vendor, so they are forwarded only if the application allows it.
 */
function traceHeaders({ caller, response }: AuthenticatedCall): readonly string[] {
  if (caller.config.gateway?.passTraceparent !== true) return none
  const { traceparent, tracestate } = response.req.headers
  if (typeof traceparent !== 'string' || traceParentOf(traceparent) === null) return none
  const isPassable =
    typeof tracestate === 'string' && tracestate.length <= 512 && /^[\x20-\x7e]+$/.test(tracestate)
  return ['traceparent', traceparent, ...(isPassable ? ['tracestate', tracestate] : [])]
}

/**
 * The header lists the gateways that the request has passed through. Two gateways that call each other detect the loop
 * only if both forward this header.
 */
function hopHeaders({ response }: Arrival): readonly string[] {
  const hops = earlierHops(response.req.headers['cdn-loop'])
  return hops === null ? none : ['cdn-loop', hops]
}

const none: readonly string[] = []
