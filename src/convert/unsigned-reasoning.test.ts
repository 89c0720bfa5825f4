import { describe, expect, it } from 'vitest'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { wires } from '#wire/table-of-wires.ts'
import { isFault, upstreamBody } from '#wire/wire-request.ts'
import type { EncoderOptions } from './codec-interface.ts'
import type { NeutralEvent } from './neutral-format.ts'
import { prepareConversion } from './prepare-conversion.ts'
import { codecs } from './table-of-codecs.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const clients = ['messages', 'responses', 'converse'] as const
type Client = (typeof clients)[number]

const options: EncoderOptions = encoderOptions({
  alias: 'm',
  request: aRequest({ reasoning: { effort: 'high', budgetTokens: null, isShown: true } }),
})
const decoding = { origin: 'o', callIdPrefix: 'c' }

const ofGemini = {
  candidates: [
    { content: { parts: [{ text: 'Hm.', thought: true }, { text: 'So.' }] }, finishReason: 'STOP' },
  ],
}
const ofNova = {
  output: {
    message: {
      role: 'assistant',
      content: [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } }, { text: 'So.' }],
    },
  },
  stopReason: 'end_turn',
}

const providers: readonly (readonly [string, readonly NeutralEvent[] | null])[] = [
  ['Gemini', codecs.generate.decodeAnswer(ofGemini, decoding)],
  ['a model at Converse', codecs.converse.decodeAnswer(ofNova, decoding)],
]

/** The request in which the client sends the answer back, to a provider of the client's own format. */
function next(client: Client, answer: JsonObject): object {
  switch (client) {
    case 'messages': {
      const messages = [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: answer.content },
        { role: 'user', content: 'go on' },
      ]
      return { model: 'm', max_tokens: 9, messages }
    }
    case 'responses': {
      const input = [{ role: 'user', content: 'hi' }, ...listOf(answer.output)]
      return { model: 'm', input: [...input, { role: 'user', content: 'go on' }] }
    }
    case 'converse':
      return {
        messages: [
          { role: 'user', content: [{ text: 'hi' }] },
          objectOf(answer.output).message,
          { role: 'user', content: [{ text: 'go on' }] },
        ],
      }
  }
}

function passedOn(client: Client | 'generate', body: object): string {
  const request = wires[client].parseRequest(byteTextOf(JSON.stringify(body)), {
    model: 'm',
    isStream: false,
    isJsonArray: false,
  })
  if (isFault(request)) throw new Error(request.reason)
  return textOf(upstreamBody(request, 'm', null))
}

function streamed(client: Client | 'generate', events: readonly NeutralEvent[]): string {
  const encoder = codecs[client].encoder(options)
  return textOf(events.map((event) => encoder.write(event)).join(''))
}

describe.each(clients)('for a client of %s', (client) => {
  it.each(providers)(
    'thoughts that %s did not sign are removed before another provider gets them',
    (_, read) => {
      const events = read ?? []
      expect(events).toContainEqual({ kind: 'reasoning', choice: 0, text: 'Hm.' })
      expect(events.map(({ kind }) => kind)).not.toContain('signature')
      const answer = codecs[client].encodeAnswer(events, options)
      const sent = passedOn(client, next(client, answer))
      expect(JSON.stringify(answer)).toContain('Hm.')
      expect(sent).toContain('So.')
      expect(sent).not.toContain('Hm.')
      const tag = signatureIn(answer)
      expect(tag).toBeTruthy()
      expect(streamed(client, events)).toContain(tag)
    },
  )
})

function signatureIn(value: JsonValue): string {
  const found = /"(?:signature|encrypted_content)":"([^"]+)"/.exec(JSON.stringify(value))
  return found?.[1] ?? ''
}

describe('for a client of generate, tool calls of a provider without signatures', () => {
  const called = (id: string): JsonObject => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  })
  const events =
    codecs.chat.decodeAnswer(
      { choices: [{ message: { content: null, tool_calls: [called('a'), called('b')] } }] },
      decoding,
    ) ?? []
  const answer = codecs.generate.encodeAnswer(events, options)
  const result = (id: string): JsonObject => ({
    functionResponse: { name: 'f', id, response: { output: 'r' } },
  })
  const body = {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      objectOf(listOf(answer.candidates)[0]).content,
      { role: 'user', parts: [result('a'), result('b')] },
    ],
  }

  it('get the placeholder for a missing signature before Gemini gets them', () => {
    const placeholder = '"thoughtSignature":"skip_thought_signature_validator"'
    const sent = passedOn('generate', body)
    expect(sent).toContain(`{"functionCall":{"id":"a","name":"f","args":{}},${placeholder}}`)
    expect(sent).toContain('{"functionCall":{"id":"b","name":"f","args":{}}}')
    expect(sent.match(/skip_/g)).toHaveLength(1)
    expect(streamed('generate', events).match(/"thoughtSignature":"[\w+/]+"/g)).toHaveLength(1)
  })

  it('are converted without a loss', () => {
    const request = wires.generate.parseRequest(byteTextOf(JSON.stringify(body)), {
      model: 'm',
      isStream: false,
      isJsonArray: false,
    })
    if (isFault(request)) throw new Error(request.reason)
    for (const wire of ['chat', 'messages', 'responses', 'converse'] as const) {
      const to = { wire, model: 'm', origin: 'o', dialect: 'compatible' } as const
      expect(prepareConversion(request, to)).toMatchObject({ lost: [] })
    }
  })
})
