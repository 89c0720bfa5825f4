import { zeroUsage } from '#money/usage.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { DecoderOptions, EncoderOptions, RequestTarget } from '#convert/codec.ts'
import type { NeutralRequest } from '#convert/neutral.ts'
import { messages } from '#convert/messages/codec.ts'
import { parseMessagesRequest } from '#wire/messages/request-facts.ts'
import { aRequest } from './neutral.ts'

/** The request from which the tests of this folder start. */
export const plainRequest = aRequest({
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hello', cache: null }] }],
  outputTokensMax: 900,
  wantsUsage: true,
})

const thinkingRequest: NeutralRequest = {
  ...plainRequest,
  reasoning: { effort: 'high', budgetTokens: null, isShown: true },
}

export const target: RequestTarget = {
  model: 'claude-opus-4-6',
  outputTokensMax: 900,
  outputTokensDefault: 4096,
  origin: 'here',
  dialect: 'openai',
}

export const decoding: DecoderOptions = { origin: 'here', callIdPrefix: 'call_x' }

export const encoding: EncoderOptions = {
  alias: 'acme/fast',
  callId: 'abc',
  createdSeconds: 1,
  nowSeconds: () => 2,
  request: thinkingRequest,
  inputTokensEstimated: 42,
  isJsonArray: false,
}

export const someUsage = { ...zeroUsage, input: 9, cacheRead: 4, output: 7, reasoning: 2 }

/** @returns the request, or the field that was rejected */
export function readBody(body: object): NeutralRequest | string {
  const text = byteTextOf(JSON.stringify({ model: 'm', max_tokens: 900, messages: [], ...body }))
  const parsed = parseMessagesRequest(text)
  if ('kind' in parsed) return `${parsed.code} ${parsed.param}`
  const read = messages.readRequest(parsed)
  return 'kind' in read ? `${read.code} ${read.param}` : read
}
