import { describe, expect, it } from 'vitest'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { listOf, objectOf, parseObject, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { wires } from '#wire/table-of-wires.ts'
import { isFault } from '#wire/wire-request.ts'
import type { EncoderOptions } from './codec-interface.ts'
import type { NeutralEvent } from './neutral-format.ts'
import { codecs } from './table-of-codecs.ts'
import { prepareConversion } from './prepare-conversion.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const deepseek = { wire: 'chat', model: 'deepseek-v4-pro', origin: 'o', dialect: 'compatible' } as const

function eventsOfAnswer(): readonly NeutralEvent[] {
  const message = {
    reasoning_content: 'Think hard.',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const body = { choices: [{ message, finish_reason: 'tool_calls' }] }
  return codecs.chat.decodeAnswer(body, { origin: 'o', callIdPrefix: 'c' }) ?? []
}

function encoding(reasoning: Parameters<typeof aRequest>[0]): EncoderOptions {
  return encoderOptions({
    alias: 'm',
    request: aRequest(reasoning),
  })
}

function answerFor(reasoning: Parameters<typeof aRequest>[0]): JsonObject {
  return codecs.messages.encodeAnswer(eventsOfAnswer(), encoding(reasoning))
}

/** The content of the answer for a client of generate, and its stream. */
function generateAnswerFor(reasoning: Parameters<typeof aRequest>[0]): readonly [JsonValue, string] {
  const { candidates } = codecs.generate.encodeAnswer(eventsOfAnswer(), encoding(reasoning))
  const encoder = codecs.generate.encoder(encoding(reasoning))
  const stream = eventsOfAnswer().map((event) => encoder.write(event))
  return [objectOf(listOf(candidates)[0]).content, textOf(stream.join(''))]
}

function partsIn(stream: string): readonly JsonValue[] {
  return stream
    .split('\r\n\r\n')
    .filter((frame) => frame !== '')
    .flatMap((frame) => {
      const [candidate] = listOf(parseObject(frame.slice('data: '.length))?.candidates)
      return listOf(objectOf(objectOf(candidate).content).parts)
    })
}

function sentNext({ content }: JsonObject, origin: string): JsonObject {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'r' }] },
  ]
  const path = { model: null, isStream: false, isJsonArray: false }
  const body = byteTextOf(JSON.stringify({ model: 'm', max_tokens: 9, messages }))
  const request = wires.messages.parseRequest(body, path)
  if (isFault(request)) throw new Error(request.reason)
  const conversion = prepareConversion(request, { ...deepseek, origin })
  if (isFault(conversion)) throw new Error(conversion.reason)
  return parseObject(textOf(conversion.body({ outputTokensMax: 9, outputTokensDefault: 9 }))) ?? {}
}

describe('reasoning of a chat server that requires its reasoning back', () => {
  it.each([
    ['the client requests no thinking', {}],
    [
      'the client hides the thoughts',
      { reasoning: { effort: 'high', budgetTokens: null, isShown: false } as const },
    ],
    [
      'the client shows the thoughts',
      { reasoning: { effort: 'high', budgetTokens: null, isShown: true } as const },
    ],
  ])('the server gets its reasoning back if %s', (_what, request) => {
    const answer = answerFor(request)
    expect(sentNext(answer, 'o').messages).toMatchObject([{}, { reasoning_content: 'Think hard.' }, {}])
    // Other accounts do not get the reasoning.
    expect(JSON.stringify(sentNext(answer, 'other'))).not.toContain('reasoning_content')
  })

  const shownOrHidden = [
    { does: 'hides the thoughts', isShown: false, keeps: true },
    // Gemini CLI does not send thoughts back.
    { does: 'shows the thoughts, but drops them', isShown: true, keeps: false },
    { does: 'shows the thoughts, and keeps them', isShown: true, keeps: true },
  ].flatMap((one) => [false, true].map((isStreamed) => ({ ...one, isStreamed })))

  it.each(shownOrHidden)(
    'the server gets its reasoning back from a client of generate that $does, streamed: $isStreamed',
    ({ isShown, isStreamed, keeps }) => {
      const [content, stream] = generateAnswerFor({
        reasoning: { effort: 'high', budgetTokens: null, isShown },
      })
      expect(JSON.stringify(content).includes('Think hard.')).toBe(isShown)
      const all = isStreamed ? partsIn(stream) : listOf(objectOf(content).parts)
      const parts = keeps ? all : all.filter((part) => objectOf(part).thought !== true)
      const contents = [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'f', id: 'call_1', response: { output: 'r' } } }],
        },
      ]
      const path = { model: 'm', isStream: false, isJsonArray: false }
      const request = wires.generate.parseRequest(byteTextOf(JSON.stringify({ contents })), path)
      if (isFault(request)) throw new Error(request.reason)
      const conversion = prepareConversion(request, deepseek)
      if (isFault(conversion)) throw new Error(conversion.reason)
      const sent = parseObject(textOf(conversion.body({ outputTokensMax: 9, outputTokensDefault: 9 })))
      expect(sent?.messages).toMatchObject([{}, { reasoning_content: 'Think hard.' }, {}])
    },
  )

  it('the client sees no thoughts unless it requests them', () => {
    expect(answerFor({}).content).toEqual([
      { type: 'redacted_thinking', data: expect.any(String) },
      { type: 'tool_use', id: 'call_1', name: 'f', input: {} },
    ])
  })
})
