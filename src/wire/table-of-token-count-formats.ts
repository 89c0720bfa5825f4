import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { generateCountAnswer, parseGenerateCount, readGenerateCount } from '#wire/generate/count-tokens.ts'
import {
  countAnswer as messagesCountAnswer,
  parseCountRequest as parseMessagesCount,
} from '#wire/messages/parse-request.ts'
import { converseCountAnswer, parseConverseCount } from '#wire/converse/count-tokens.ts'
import type { WireName } from './names-of-wires-and-tasks.ts'
import { parseObject } from '#wire/text/json-values.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from './wire-request.ts'
import {
  countAnswer as responsesCountAnswer,
  parseCountRequest as parseResponsesCount,
} from '#wire/responses/parse-request.ts'

/** How a client requests the token count of another request, and the format of the response. */
export interface Counter {
  readonly parseRequest: (body: RequestBody, path: RequestPath) => WireRequest | RequestFault
  readonly answer: (tokens: number) => ByteText
  /**
   * `read` returns null if the provider's response has no number. `read` itself is null if no provider of the wire can
   * count tokens, so that the gateway always estimates.
   */
  readonly read: ((text: ByteText) => number | null) | null
}

/** Null for wires that have no path for counting tokens. */
export const counters: Readonly<Record<WireName, Counter | null>> = {
  chat: null,
  messages: { parseRequest: parseMessagesCount, answer: messagesCountAnswer, read: readInputTokens },
  generate: { parseRequest: parseGenerateCount, answer: generateCountAnswer, read: readGenerateCount },
  responses: { parseRequest: parseResponsesCount, answer: responsesCountAnswer, read: readInputTokens },
  converse: { parseRequest: parseConverseCount, answer: converseCountAnswer, read: null },
  cohere: null,
}

function readInputTokens(text: ByteText): number | null {
  const tokens = parseObject(textOf(text))?.input_tokens
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
}
