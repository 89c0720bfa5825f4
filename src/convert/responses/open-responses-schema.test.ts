import { objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { FinishReason, NeutralEvent, NeutralRequest } from '#convert/neutral-format.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { isFault } from '#wire/wire-request.ts'
import { encodeResponsesAnswer, ResponsesEncoder } from './answer-encoder.ts'
import { faultsOfResponse } from '#tests/fixtures/check-open-responses-schema.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const tool = { description: null, parameters: null, isStrict: null, custom: null, cache: null }
const requests: Readonly<Record<string, NeutralRequest>> = {
  'asks for nothing': aRequest(),
  'asks for everything': aRequest({
    instructions: [{ kind: 'text', text: 'Be kind.', cache: null }],
    tools: [
      { ...tool, name: 'f' },
      { ...tool, name: 'g', description: 'Goes.' },
      { ...tool, name: 'h', custom: { format: null } },
    ],
    toolChoice: { kind: 'one', name: 'f' },
    parallelTools: false,
    outputTokensMax: 9,
    sampling: { ...aRequest().sampling, temperature: 0, topP: 0.5 },
    output: { kind: 'schema', name: null, description: null, schema: {}, isStrict: null },
    reasoning: { effort: 'low', budgetTokens: null, isShown: true },
    logprobs: 3,
    serviceTier: 'flex',
    metadata: { a: 'b' },
    userId: 'u',
    cacheKey: 'k',
  }),
}
const usage = { ...zeroUsage, input: 9, output: 3 }
const choice = 0
const said: readonly NeutralEvent[] = [
  { kind: 'start', id: 'x' },
  { kind: 'text', choice, text: 'Hello' },
  { kind: 'tool_call', choice, slot: 0, id: 'call_a', name: 'f', isCustom: false },
  { kind: 'arguments', choice, slot: 0, text: '{}' },
  { kind: 'tool_call_end', choice, slot: 0 },
  { kind: 'usage', usage },
]
const reasons: readonly FinishReason[] = ['end', 'max_output', 'filtered', 'pause', 'bad_tool_call', 'other']

function optionsOf(request: NeutralRequest): EncoderOptions {
  return encoderOptions({
    createdSeconds: 1_790_000_000,
    nowSeconds: () => 1_790_000_003,
    alias: 'acme/fast',
    request,
  })
}

function responsesIn(stream: string): JsonObject[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => objectOf(parseObject(line.slice(6))))
    .flatMap((frame) => ('response' in frame ? [objectOf(frame.response)] : []))
}

describe.each(Object.entries(requests))('an answer of another wire, for a request that %s', (_, request) => {
  it.each(reasons)(
    'a converted answer satisfies the schema of Open Responses, non-streaming and in every event: %s',
    (reason) => {
      const events: readonly NeutralEvent[] = [
        ...said,
        { kind: 'finish', choice, reason, stopSequence: null },
      ]
      expect(faultsOfResponse(encodeResponsesAnswer(events, optionsOf(request)))).toEqual([])

      const encoder = new ResponsesEncoder(optionsOf(request))
      const stream = events.map((event) => encoder.write(event)).join('') + encoder.tail(usage)
      expect(responsesIn(stream)).toHaveLength(3)
      expect(responsesIn(stream).flatMap(faultsOfResponse)).toEqual([])
    },
  )

  it('a converted answer satisfies the schema after the spend limit ended the stream and after a failure', () => {
    const error = { status: 402, code: 'spend_limit_exceeded', message: 'Spent.', param: null, details: {} }
    for (const end of ['spendTail', 'errorTail'] as const) {
      const encoder = new ResponsesEncoder(optionsOf(request))
      const begun = said.map((event) => encoder.write(event)).join('')
      const tail =
        end === 'spendTail' ? encoder.spendTail(usage, error, 'req_1') : encoder.errorTail(error, 'req_1')
      expect(responsesIn(begun + tail).at(-1)).toMatchObject({ status: 'failed', completed_at: null })
      expect(responsesIn(begun + tail).flatMap(faultsOfResponse)).toEqual([])
    }
  })
})

describe('the request fields that a response repeats', () => {
  const end: NeutralEvent = { kind: 'finish', choice, reason: 'end', stopSequence: null }
  const answerTo = (request: NeutralRequest, tier: string | null = null): JsonObject =>
    encodeResponsesAnswer(
      [{ kind: 'usage', usage: { ...usage, serviceTier: tier } }, end],
      optionsOf(request),
    )

  it('the response repeats the effective value of a request field: the requested value or the default', () => {
    const fields = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 }
    expect(answerTo(aRequest())).toMatchObject(fields)
    const sampling = { ...aRequest().sampling, temperature: 0, topP: 0.5 }
    expect(answerTo(aRequest({ sampling }))).toMatchObject({ temperature: 0, top_p: 0.5 })
  })

  it('the response repeats no temperature that the gateway did not send to the provider', () => {
    const body = byteTextOf(JSON.stringify({ model: 'm', input: 'x', temperature: 1.5 }))
    const request = wires.responses.parseRequest(body, { model: null, isStream: false, isJsonArray: false })
    if (isFault(request)) throw new Error(request.reason)
    const to = { wire: 'messages', model: 'claude-haiku-4-5', origin: 'o', dialect: 'compatible' } as const
    const conversion = prepareConversion(request, to)
    if (isFault(conversion)) throw new Error(conversion.reason)
    const sent = parseObject(conversion.body({ outputTokensMax: 9, outputTokensDefault: 9 }))
    expect(answerTo(conversion.request)).toMatchObject({ temperature: sent?.temperature ?? 1 })
  })

  it.each([
    [null, 'default'],
    ['standard', 'default'],
    ['on_demand', 'default'],
    ['priority', 'priority'],
    ['flex', 'flex'],
  ])('the provider’s service tier %s is reported as %s', (tier, told) => {
    expect(answerTo(aRequest(), tier)).toMatchObject({ service_tier: told })
  })

  it('a completed response contains its completion time, and an incomplete response contains null', () => {
    expect(answerTo(aRequest())).toMatchObject({ created_at: 1_790_000_000, completed_at: 1_790_000_003 })
    const cut: NeutralEvent = { ...end, reason: 'max_output' }
    expect(encodeResponsesAnswer([cut], optionsOf(aRequest()))).toMatchObject({
      status: 'incomplete',
      completed_at: null,
    })
  })
})
