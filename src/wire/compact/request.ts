import { parseCompactRequest } from '#wire/responses/parse-request.ts'
import { compactionTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import { noOutput } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { fault, isFault, type RequestBody, type RequestFault, type WireRequest } from '#wire/wire-request.ts'

/** Reads a request to compact a conversation (docs/reference/wires.md "Compactions"). */
export function parseCompact(body: RequestBody): WireRequest | RequestFault {
  const request = parseCompactRequest(body)
  if (isFault(request)) return request
  if (request.isStream)
    return fault('unsupported_for_route', 'stream', 'a compaction does not stream. Omit the field stream')
  const { serviceTier, textTokensMax } = request
  return {
    ...request,
    ...noOutput,
    textTokensMax: textTokensMax + promptTokensMax,
    serviceTier,
    wire: 'compact',
    uses: { output: compactionTokensMax },
  }
}

/**
 * Maximum tokens of the provider's own instructions. For a recorded request of 30 tokens, the provider counted 124
 * tokens.
 */
const promptTokensMax = 256
