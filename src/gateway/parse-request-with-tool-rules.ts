import { Failure } from '#domain/errors.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Json } from '#wire/text/json-tape.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { parseBody } from '#gateway/arrive/parse-body.ts'
import { withWishesOfHeaders } from '#gateway/arrive/wishes-in-request-headers.ts'
import type { AuthenticatedCall, ParsedCall } from '#gateway/call/call-state-types.ts'
import { withOpenedCache, withOpenedCaching } from '#gateway/call/use-of-cached-contents.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { withOpenedContainers, withOpenedFiles } from '#gateway/call/use-of-stored-files.ts'
import { continueConversation } from './continue-conversation.ts'
import { continueResponse } from './continue-stored-response.ts'

/**
 * Parses the request with the caller's rules for provider-run tools. If the rules are outdated, the reserve parses the
 * body again.
 * @throws Failure
 */
export function readRequest(
  call: AuthenticatedCall,
  body: ByteText | Json,
): WireRequest | Promise<WireRequest> {
  try {
    const request = parseBody(call, call.caller, body)
    return request instanceof Promise
      ? request
          .catch((cause: unknown) => byStoredRules(call, body, cause))
          .then((read) => finished(call, read))
      : finished(call, request)
  } catch (cause) {
    return byStoredRules(call, body, cause).then((read) => finished(call, read))
  }
}

/** Null if the request has no provider-run tools, which are all that the rules affect. */
export function readingAgain(
  call: AuthenticatedCall,
  body: ByteText | Json,
  { lost, run }: WireRequest,
): ParsedCall['readAgain'] {
  return lost === undefined && run === undefined ? null : () => readRequest(call, body)
}

/**
 * If a request is rejected for its tools, parses it again with the stored rules. The cached rules may be outdated, and
 * the request does not reach the reserve, which would detect this.
 */
async function byStoredRules(
  call: AuthenticatedCall,
  body: ByteText | Json,
  cause: unknown,
): Promise<WireRequest> {
  const isOfTools = cause instanceof Failure && cause.param?.startsWith('tool') === true
  const config = isOfTools ? await call.configuration.current(call.applicationId) : null
  if (config === null || config === call.caller.config) throw cause
  call.caller = { ...call.caller, config }
  return parseBody(call, call.caller, body)
}

function finished(call: AuthenticatedCall, parsed: WireRequest): WireRequest | Promise<WireRequest> {
  const { headers } = call.response.req
  const { caller } = call
  const request = withOpenedIds(call, caller, parsed)
  if (request.caching !== undefined)
    return withOpenedCaching(call, caller, request, request.caching).then((read) =>
      withWishesOfHeaders(read, headers),
    )
  if (request.conversation !== undefined)
    return continueConversation(call, request, request.conversation)
      .then((read) => continueResponse(call, read))
      .then((read) => withWishesOfHeaders(read, headers))
  if (request.previous === undefined) return withWishesOfHeaders(request, headers)
  return Promise.resolve(continueResponse(call, request)).then((read) => withWishesOfHeaders(read, headers))
}

/**
 * Decrypts the IDs of files, containers and cached content in a request.
 * @throws Failure with the same error for an unknown ID as for an ID of another end user or application
 */
export function withOpenedIds(
  call: Pick<AuthenticatedCall, 'ports'>,
  caller: Caller,
  parsed: WireRequest,
): WireRequest {
  const filed = withOpenedContainers(call, caller, withOpenedFiles(call, caller, parsed))
  return withOpenedCache(call, caller, filed)
}
