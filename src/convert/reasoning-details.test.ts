import { describe, expect, it } from 'vitest'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { listOf, objectOf, parseObject, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { wires } from '#wire/table-of-wires.ts'
import { isFault } from '#wire/wire-request.ts'
import type { NeutralEvent } from './neutral-format.ts'
import { codecs } from './table-of-codecs.ts'
import { prepareConversion } from './prepare-conversion.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const decoding = { origin: 'o', callIdPrefix: 'c' }
const clients = ['messages', 'responses', 'generate', 'converse'] as const
type Client = (typeof clients)[number]

const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const detailText = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
const ofClaude = [{ ...detailText, text: 'Think hard.', signature: 'sig' }]
const ofGemini = [
  { type: 'reasoning.text', text: 'Think.', format: 'google-gemini-v1', index: 0 },
  { type: 'reasoning.encrypted', data: 'seal', id: 'call_1', format: 'google-gemini-v1', index: 0 },
]

/** The field in which Google's own chat endpoint sends the signature of a tool call. */
const ofGoogle = { google: { thought_signature: 'c2ln' } }

function answered(message: JsonObject): readonly NeutralEvent[] {
  const body = { choices: [{ message: { content: null, tool_calls: [call], ...message } }] }
  return codecs.chat.decodeAnswer(body, decoding) ?? []
}

function streamed(...deltas: readonly JsonObject[]): readonly NeutralEvent[] {
  const decoder = codecs.chat.decoder(decoding)
  const frames = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'tool_calls' }]
  const events = frames.flatMap((choice) => [...decoder.push({ choices: [{ index: 0, ...choice }] })])
  return [...events, ...decoder.end(true)]
}

/** The messages of the next request, in which the client sends the answer and the result of its tool call. */
function sentNext(
  client: Client,
  events: readonly NeutralEvent[],
  {
    origin = 'o',
    isShown = true,
    dialect = 'compatible',
    model = 'a/b',
  }: { origin?: string; isShown?: boolean; dialect?: 'compatible' | 'mistral'; model?: string } = {},
): readonly JsonValue[] {
  const answer = codecs[client].encodeAnswer(
    events,
    encoderOptions({
      alias: 'm',
      request: aRequest({ reasoning: { effort: 'high', budgetTokens: null, isShown } }),
    }),
  )
  const request = wires[client].parseRequest(byteTextOf(JSON.stringify(nextBody(client, answer))), {
    model: 'm',
    isStream: false,
    isJsonArray: false,
  })
  if (isFault(request)) throw new Error(request.reason)
  const conversion = prepareConversion(request, { wire: 'chat', model, origin, dialect })
  if (isFault(conversion)) throw new Error(conversion.reason)
  const body = parseObject(textOf(conversion.body({ outputTokensMax: 9, outputTokensDefault: 9 })))
  return listOf(body?.messages)
}

function nextBody(client: Client, answer: JsonObject): object {
  switch (client) {
    case 'messages': {
      const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'r' }
      const messages = [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: answer.content },
        { role: 'user', content: [result] },
      ]
      return { model: 'm', max_tokens: 9, messages }
    }
    case 'responses': {
      const result = { type: 'function_call_output', call_id: 'call_1', output: 'r' }
      return { model: 'm', input: [{ role: 'user', content: 'hi' }, ...listOf(answer.output), result] }
    }
    case 'generate': {
      const response = { functionResponse: { name: 'f', id: 'call_1', response: { output: 'r' } } }
      return {
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          objectOf(listOf(answer.candidates)[0]).content,
          { role: 'user', parts: [response] },
        ],
      }
    }
    case 'converse': {
      const toolResult = { toolUseId: 'call_1', content: [{ text: 'r' }] }
      return {
        messages: [
          { role: 'user', content: [{ text: 'hi' }] },
          objectOf(answer.output).message,
          { role: 'user', content: [{ toolResult }] },
        ],
      }
    }
  }
}

describe.each(clients)('for a client of %s, a server that sends `reasoning_details`', (client) => {
  it.each<[string, readonly NeutralEvent[], readonly JsonObject[]]>([
    ['of Claude', answered({ reasoning: 'Think hard.', reasoning_details: ofClaude }), ofClaude],
    ['of Gemini', answered({ reasoning: 'Think.', reasoning_details: ofGemini }), ofGemini],
    ['without text', answered({ reasoning_details: ofGemini.slice(1) }), ofGemini.slice(1)],
    [
      'of Claude in pieces',
      streamed(
        { reasoning: 'Think', reasoning_details: [{ ...detailText, text: 'Think' }] },
        { reasoning: ' hard.', reasoning_details: [{ ...detailText, text: ' hard.' }] },
        { content: '', reasoning_details: [{ ...detailText, signature: 'sig' }] },
        { tool_calls: [{ index: 0, ...call }] },
      ),
      ofClaude,
    ],
    [
      'of Gemini after the tool call',
      streamed(
        { reasoning: 'Think.', reasoning_details: ofGemini.slice(0, 1) },
        { tool_calls: [{ index: 0, ...call }] },
        { reasoning_details: ofGemini.slice(1) },
      ),
      ofGemini,
    ],
    [
      'of Gemini between the pieces of the tool call',
      streamed(
        { tool_calls: [{ index: 0, ...call, function: { name: 'f', arguments: '' } }] },
        { reasoning_details: ofGemini.slice(1) },
        { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      ),
      ofGemini.slice(1),
    ],
    [
      'with two signed texts',
      streamed(
        { reasoning_details: [{ type: 'reasoning.text', text: 'a' }] },
        { reasoning_details: [{ type: 'reasoning.text', signature: 's1' }] },
        { reasoning_details: [{ type: 'reasoning.text', text: 'b', signature: 's2' }] },
        { tool_calls: [{ index: 0, ...call }] },
      ),
      [
        { type: 'reasoning.text', text: 'a', signature: 's1' },
        { type: 'reasoning.text', text: 'b', signature: 's2' },
      ],
    ],
  ])('gets the details %s back in the same order', (_what, events, details) => {
    for (const isShown of [true, false]) {
      const messages = sentNext(client, events, { isShown })
      expect(messages).toMatchObject([{}, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool' }])
      expect(objectOf(messages[1]).reasoning_details).toEqual(details)
      expect(messages[1]).not.toHaveProperty('reasoning_content')
    }
  })

  it.each([
    ['anthropic/claude-opus-5', true],
    ['~anthropic/claude-sonnet-latest', true],
    ['openrouter/auto', true],
    ['google/gemini-3.1-pro', false],
    ['openai/gpt-5.5', false],
  ])('gets the details of Claude back for the model %s: %s', (model, isSent) => {
    const events = answered({ reasoning: 'Think hard.', reasoning_details: ofClaude })
    for (const isShown of [true, false]) {
      const sent = objectOf(sentNext(client, events, { model, isShown })[1])
      expect(sent.reasoning_details ?? null).toEqual(isSent ? ofClaude : null)
      expect(sent).not.toHaveProperty('reasoning_content')
    }
  })

  it('gets no reasoning back if it writes reasoning as parts of the content', () => {
    const summary = [{ type: 'summary_text', text: 'hm', signature: 's' }]
    const events = answered({ content: [{ type: 'reasoning', summary }] })
    for (const isShown of [true, false])
      expect(JSON.stringify(sentNext(client, events, { isShown }))).not.toContain('reasoning')
  })

  it.each<[string, readonly NeutralEvent[], string | undefined]>([
    ['in a response', answered({ tool_calls: [{ ...call, extra_content: ofGoogle }] }), undefined],
    [
      'in a response with thoughts',
      answered({ reasoning_content: 'hm', tool_calls: [{ ...call, extra_content: ofGoogle }] }),
      'hm',
    ],
    ['in a stream', streamed({ tool_calls: [{ index: 0, ...call, extra_content: ofGoogle }] }), undefined],
    [
      'before the arguments',
      streamed(
        {
          tool_calls: [
            { index: 0, ...call, function: { name: 'f', arguments: '' }, extra_content: ofGoogle },
          ],
        },
        { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      ),
      undefined,
    ],
  ])('gets the signature of a tool call of Gemini back, %s', (_what, events, thought) => {
    for (const isShown of [true, false]) {
      const sent = objectOf(sentNext(client, events, { isShown })[1])
      expect(sent.tool_calls).toMatchObject([{ id: 'call_1', extra_content: ofGoogle }])
      expect(sent.reasoning_content).toBe(thought)
      expect(sent).not.toHaveProperty('reasoning_details')
    }
    for (const more of [{ origin: 'other' }, { dialect: 'mistral' }] as const)
      expect(JSON.stringify(sentNext(client, events, more))).not.toContain('extra_content')
  })

  it('does not get the details of another account, and no server gets details if it rejects thoughts', () => {
    const events = answered({ reasoning: 'Think hard.', reasoning_details: ofClaude })
    expect(JSON.stringify(sentNext(client, events, { origin: 'other' }))).not.toContain('reasoning')
    expect(JSON.stringify(sentNext(client, events, { dialect: 'mistral' }))).not.toContain('reasoning')
  })
})

it('details that a client has changed to another shape are not sent', () => {
  for (const data of ['', 'text', '{}', '["a",{"type":"text"},{"type":"reasoning.text"}]']) {
    const signature = { wire: 'chat', origin: 'o', kind: 'encrypted', data, id: null } as const
    const events: NeutralEvent[] = [
      { kind: 'start', id: null },
      { kind: 'signature', choice: 0, signature },
      ...answered({}).slice(1),
    ]
    const details = objectOf(sentNext('messages', events)[1]).reasoning_details ?? null
    expect(details).toEqual(data.startsWith('[') ? [{ type: 'reasoning.text' }] : null)
  }
})
