import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { listOf, objectOf, parseObject, printValue, type JsonObject } from '#wire/text/json-values.ts'
import { isFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import { codecs } from '#convert/table-of-codecs.ts'
import { ConvertedStream } from '#convert/converted-stream.ts'
import { prepareConversion, type Conversion } from '#convert/prepare-conversion.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const destinations: readonly Destination[] = [
  { wire: 'chat', model: 'gpt-4.1', origin: 'here', dialect: 'openai' },
  { wire: 'messages', model: 'claude-opus-5', origin: 'here', dialect: 'openai' },
  { wire: 'generate', model: 'gemini-3-flash', origin: 'here', dialect: 'openai' },
]

const parameters = { type: 'object', properties: { goal: { type: 'string' } }, required: ['goal'] }
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters }
const rates = { type: 'function', name: 'rates', parameters: { type: 'object', properties: {} } }
const user = (content: string): JsonObject => ({ role: 'user', content })

function prepared(body: JsonObject, to: Destination): Conversion {
  const path = { model: null, isStream: false, isJsonArray: false }
  const request = wires.responses.parseRequest(byteTextOf(printValue({ model: 'm', ...body })), path)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  const conversion = prepareConversion(request, to)
  if (isFault(conversion)) throw new Error(`${conversion.param}: ${conversion.reason}`)
  return conversion
}

/** The simulator of the wire also checks the request. */
function answered(conversion: Conversion, { model, wire }: Destination, isStream: boolean): string {
  const body = objectOf(
    parseObject(textOf(conversion.body({ outputTokensMax: 500, outputTokensDefault: 500 }))),
  )
  const inPath = wire === 'generate'
  const { status, text } = play(wire, inPath ? body : { ...body, ...(isStream && { stream: true }) }, {
    isStream,
    ...(inPath && { model }),
  })
  if (status !== 200) throw new Error(text)
  return text
}

const decoding = { origin: 'here', callIdPrefix: 'call_x' }

function encodingOf({ request }: Conversion): EncoderOptions {
  return encoderOptions({ request })
}

describe.each(destinations)('a search for tools that the client runs, at a provider of $wire', (to) => {
  it('the search becomes a function, and a call of the function becomes a search again', () => {
    const input = [user('[[tool=tool_search {"goal":"rates"}]]')]
    const conversion = prepared({ input, tools: [search] }, to)
    expect(conversion.lost).toEqual(['tools.tool_search'])
    const call = {
      type: 'tool_search_call',
      execution: 'client',
      status: 'completed',
      arguments: { goal: 'rates' },
      call_id: expect.any(String),
    }
    const whole = conversion.decodeAnswer(objectOf(parseObject(answered(conversion, to, false))), decoding)
    const body = codecs.responses.encodeAnswer(whole ?? [], encodingOf(conversion))
    expect(listOf(body.output)).toContainEqual(expect.objectContaining(call))
    expect(body.tools).toEqual([search])
    const encoder = codecs.responses.encoder(encodingOf(conversion))
    const stream = new ConvertedStream(conversion.decoder(decoding), encoder, null, 1)
    const out =
      stream.push(byteTextOf(answered(conversion, to, true))) + stream.end() + stream.tail(zeroUsage)
    expect(out).toContain('"type":"tool_search_call"')
    expect(out).toContain('"arguments":{"goal":"rates"}')
    expect(out).not.toContain('function_call_arguments')
  })

  it('earlier searches, and the names of the tools that they found, remain in the conversation', () => {
    const call = {
      type: 'tool_search_call',
      execution: 'client',
      call_id: 'c1',
      arguments: { goal: 'rates' },
    }
    const found = { type: 'tool_search_output', execution: 'client', call_id: 'c1', tools: [rates] }
    const conversion = prepared({ input: [user('hi'), call, found, user('go on')], tools: [search] }, to)
    expect(conversion.request.turns.flatMap(({ parts }) => parts)).toMatchObject([
      { text: 'hi' },
      { kind: 'tool_call', id: 'c1', name: 'tool_search', arguments: '{"goal":"rates"}' },
      { kind: 'tool_result', callId: 'c1', name: 'tool_search', parts: [{ text: 'rates' }] },
      { text: 'go on' },
    ])
    expect(conversion.request.tools.map(({ name }) => name)).toEqual(['tool_search', 'rates'])
    answered(conversion, to, false)
  })
})

describe('a search for tools', () => {
  const [to] = destinations as readonly [Destination]

  it('the function that replaces the search has a name that no function of the client has', () => {
    const own = { ...rates, name: 'tool_search' }
    expect(prepared({ input: 'hi', tools: [search, own] }, to).request.tools.map(({ name }) => name)).toEqual(
      ['tool_search_', 'tool_search'],
    )
  })

  it('the result of a search is accepted as the result of a function', () => {
    const call = { type: 'tool_search_call', execution: 'client', call_id: 'c1', arguments: {} }
    const output = { type: 'function_call_output', call_id: 'c1', output: 'One tool.' }
    const { request } = prepared({ input: [user('hi'), call, output], tools: [rates] }, to)
    expect(request.turns[2]?.parts).toMatchObject([{ kind: 'tool_result', name: 'tool_search' }])
  })
})
