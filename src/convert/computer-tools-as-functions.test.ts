import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { listOf, objectOf, parseObject, printValue, type JsonObject } from '#wire/text/json-values.ts'
import { SseSplitter } from '#wire/text/split-server-sent-events.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { isFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { actionsFor, bodyOf, computers, screen } from '#tests/fixtures/conversions/computer-tools.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import { mediaOf } from '#convert/capabilities/find-and-map-parts.ts'
import type { EncoderOptions } from './codec-interface.ts'
import { codecs } from './table-of-codecs.ts'
import { ConvertedStream } from './converted-stream.ts'
import { prepareConversion, type Conversion } from './prepare-conversion.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const destinations: readonly Destination[] = [
  { wire: 'chat', model: 'gpt-4.1', origin: 'here', dialect: 'openai' },
  { wire: 'chat', model: 'llama', origin: 'here', dialect: 'compatible' },
  { wire: 'messages', model: 'claude-opus-5', origin: 'here', dialect: 'openai' },
  { wire: 'generate', model: 'gemini-3-flash', origin: 'here', dialect: 'openai' },
  { wire: 'responses', model: 'gpt-6', origin: 'here', dialect: 'openai' },
]

const pairs = computers.flatMap((computer) =>
  destinations
    .filter(({ wire }) => wire !== computer.from)
    .map((to) => ({ ...computer, to, type: computer.tool.type, name: `${to.wire} (${to.model})` })),
)

function prepared(from: WireName, body: JsonObject, to: Destination): Conversion {
  const request = parsed(from, body)
  const conversion = prepareConversion(request, to)
  if (isFault(conversion)) throw new Error(`${conversion.param}: ${conversion.reason}`)
  return conversion
}

function parsed(wire: WireName, body: JsonObject, model: string | null = null) {
  const request = wires[wire].parseRequest(byteTextOf(printValue(body)), {
    model,
    isStream: false,
    isJsonArray: false,
  })
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  return request
}

function sent(conversion: Conversion): JsonObject {
  return parseObject(textOf(conversion.body({ outputTokensMax: 500, outputTokensDefault: 500 }))) ?? {}
}

/** The simulator of the wire also checks the request. */
function answered({ wire, model }: Destination, body: JsonObject, isStream: boolean): string {
  const inPath = wire === 'generate'
  const given = inPath ? body : { ...body, ...(isStream && { stream: true }) }
  const { status, text } = play(wire, given, { isStream, ...(inPath && { model }) })
  if (status !== 200) throw new Error(text)
  return text
}

const decoding = { origin: 'here', callIdPrefix: 'call_x' }

function encodingOf(conversion: Conversion): EncoderOptions {
  return encoderOptions({
    alias: 'the-alias',
    request: conversion.request,
  })
}

function wholeCalls(from: WireName, conversion: Conversion, text: string): readonly JsonObject[] {
  const events = conversion.decodeAnswer(parseObject(text) ?? {}, decoding)
  if (!events) throw new Error(text)
  const body = codecs[from].encodeAnswer(events, encodingOf(conversion))
  return listOf(from === 'responses' ? body.output : body.content)
    .map(objectOf)
    .filter(isCall)
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use' || (typeof type === 'string' && type.endsWith('_call'))
}

/** Assembles complete items, or blocks with their joined input, as a client does. */
function streamedCalls(from: WireName, conversion: Conversion, text: string): readonly JsonObject[] {
  const stream = new ConvertedStream(
    conversion.decoder(decoding),
    codecs[from].encoder(encodingOf(conversion)),
    null,
    1,
  )
  const out = stream.push(byteTextOf(text)) + stream.end() + stream.tail(zeroUsage)
  expect(stream.state).toBe('done')
  const frames = framesOf(out)
  if (from === 'responses')
    return frames
      .filter(({ type }) => type === 'response.output_item.done')
      .map(({ item }) => objectOf(item))
      .filter(isCall)
  return frames
    .map((frame) => ({ ...objectOf(frame.content_block), index: frame.index }))
    .filter(isCall)
    .map(({ index, ...block }) => ({
      ...block,
      input: parseObject(
        frames
          .filter((frame) => frame.type === 'content_block_delta' && frame.index === index)
          .map(({ delta }) => String(objectOf(delta).partial_json))
          .join(''),
      ),
    }))
}

function framesOf(text: ByteText): readonly JsonObject[] {
  const frames: JsonObject[] = []
  new SseSplitter().push(text, ({ text: whole, dataStart, dataEnd }) => {
    frames.push(parseObject(textOf(whole.slice(dataStart, dataEnd))) ?? {})
  })
  return frames
}

function callIn(from: WireName, action: JsonObject): JsonObject {
  return from === 'responses'
    ? { type: 'computer_call', status: 'completed', pending_safety_checks: [], ...action }
    : { type: 'tool_use', name: 'computer', input: action }
}

describe.each(pairs)(
  'the computer tool $type of the wire $from, sent to a provider of $name',
  ({ from, tool, choice, action, to }) => {
    it('a client’s computer tool becomes a function with the same actions and tool choice, and the change is reported', () => {
      const body = { ...bodyOf(from, [tool], []), tool_choice: choice }
      const conversion = prepared(from, body, to)
      expect(conversion.lost).toContain('tools.computer')
      const written = printValue(sent(conversion))
      expect(written).not.toContain(`"type":"${String(tool.type)}"`)
      expect(written).toContain('"required":["action')
      // The simulator calls the function with arguments that match the function's schema. In this test, the arguments
      // are the first action that the schema allows.
      const [call, ...others] = wholeCalls(from, conversion, answered(to, sent(conversion), false))
      expect(others).toEqual([])
      const click = { type: 'click', button: 'left', x: 0, y: 0 }
      const ofOpenai = 'action' in action ? { action: click } : { actions: [click] }
      expect(call).toMatchObject(callIn(from, from === 'messages' ? { action: 'key' } : ofOpenai))
    })

    it('a call of a computer tool is returned in the client’s own format, streaming and non-streaming', () => {
      const said = `[[tool=computer ${printValue(action)}]]`
      const conversion = prepared(from, bodyOf(from, [tool], [], said), to)
      const expected = [expect.objectContaining(callIn(from, action))]
      expect(wholeCalls(from, conversion, answered(to, sent(conversion), false))).toEqual(expected)
      expect(streamedCalls(from, conversion, answered(to, sent(conversion), true))).toEqual(expected)
    })

    it('earlier calls of a computer tool and their screenshots are kept, whatever their content is', () => {
      fc.assert(
        fc.property(fc.array(actionsFor(from, tool), { minLength: 1, maxLength: 3 }), (actions) => {
          const conversion = prepared(from, bodyOf(from, [tool], actions), to)
          const body = sent(conversion)
          answered(to, body, false)
          const arrived = codecs[to.wire].readRequest(
            parsed(to.wire, body, to.wire === 'generate' ? 'm' : null),
          )
          if (isFault(arrived)) throw new Error(arrived.reason)
          const parts = arrived.turns.flatMap((turn) => turn.parts)
          const calls = parts.filter((part) => part.kind === 'tool_call')
          expect(calls.map((call) => ({ name: call.name, input: parseObject(call.arguments) }))).toEqual(
            actions.map((input) => ({ name: 'computer', input })),
          )
          const images = mediaOf(arrived)
          expect(images.map(({ kind }) => kind)).toEqual(actions.map(() => 'image'))
        }),
        { numRuns: 30 },
      )
    })

    it('the hold covers the bytes of the function in addition to the bytes of the client’s own tool', () => {
      const [plain, full] = [[], [tool]].map((tools) => parsed(from, bodyOf(from, tools, [])).textTokensMax)
      const [without, withTool] = [[], [tool]].map(
        (tools) => byteTextOf(printValue(sent(prepared(from, bodyOf(from, tools, []), to)))).length,
      )
      expect((withTool ?? 0) - (without ?? 0)).toBeLessThanOrEqual((full ?? 0) - (plain ?? 0))
    })
  },
)

describe('a computer tool of responses', () => {
  const [claude] = destinations.filter(({ wire }) => wire === 'messages')
  const tool = { type: 'computer' }
  const to = claude ?? { wire: 'messages', model: 'm', origin: 'here', dialect: 'openai' }

  it('the function that replaces a computer tool gets a name that differs from the names of the client’s functions', () => {
    const own = { type: 'function', name: 'computer', parameters: { type: 'object' } }
    const action = { actions: [{ type: 'wait' }] }
    const said = `[[tool=computer {"x":1}]] [[tool=computer_ ${printValue(action)}]]`
    const conversion = prepared('responses', bodyOf('responses', [own, tool], [], said), to)
    expect(listOf(sent(conversion).tools)).toMatchObject([{ name: 'computer' }, { name: 'computer_' }])
    const text = answered(to, sent(conversion), false)
    expect(wholeCalls('responses', conversion, text)).toMatchObject([
      { type: 'function_call', name: 'computer', arguments: '{"x":1}' },
      callIn('responses', action),
    ])
  })

  it('safety checks, which only OpenAI supports, are reported as lost unless their list is empty', () => {
    const body = bodyOf('responses', [tool], [{ actions: [{ type: 'wait' }] }])
    expect(prepared('responses', body, to).lost).toEqual(['tools.computer'])
    const checks = [{ id: 'c', code: 'malicious_instructions', message: 'Look out.' }]
    const input = listOf(body.input).map((item) => {
      const { type } = objectOf(item)
      if (type === 'computer_call') return { ...objectOf(item), pending_safety_checks: checks }
      return type === 'computer_call_output'
        ? { ...objectOf(item), acknowledged_safety_checks: checks }
        : item
    })
    expect(prepared('responses', { ...body, input }, to).lost).toEqual([
      'tools.computer',
      'input.pending_safety_checks',
      'input.acknowledged_safety_checks',
    ])
  })

  it('in a list of allowed tools, a computer tool is named by its type', () => {
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'computer' }] }
    const own = { type: 'function', name: 'f', parameters: { type: 'object' } }
    const body = { ...bodyOf('responses', [own, tool], []), tool_choice: allowed }
    expect(sent(prepared('responses', body, to))).toMatchObject({
      tools: [{ name: 'computer' }],
      tool_choice: { type: 'any' },
    })
  })

  it('the response repeats the computer tool and the tool choice as the client defined them', () => {
    const body = { ...bodyOf('responses', [tool], []), tool_choice: { type: 'computer' } }
    const conversion = prepared('responses', body, to)
    const events = conversion.decodeAnswer(parseObject(answered(to, sent(conversion), false)) ?? {}, decoding)
    expect(codecs.responses.encodeAnswer(events ?? [], encodingOf(conversion))).toMatchObject({
      tools: [tool],
      tool_choice: { type: 'computer' },
    })
  })

  it.each(['{}', '{"actions":', 'no JSON'])(
    'a computer call without actions, such as %s, is returned without any action to run',
    (text) => {
      const conversion = prepared('responses', bodyOf('responses', [tool], []), to)
      const body = codecs.responses.encodeAnswer(
        [
          { kind: 'tool_call', choice: 0, slot: 0, id: 'c', name: 'computer', isCustom: false },
          { kind: 'arguments', choice: 0, slot: 0, text },
          { kind: 'tool_call_end', choice: 0, slot: 0 },
          { kind: 'finish', choice: 0, reason: 'tool_calls', stopSequence: null },
        ],
        encodingOf(conversion),
      )
      const [call] = listOf(body.output)
      expect(call).toEqual({
        id: 'cu_abc_0',
        type: 'computer_call',
        status: 'completed',
        call_id: 'c',
        pending_safety_checks: [],
      })
    },
  )

  it.each([
    ['without actions', { type: 'computer_call', call_id: 'c', pending_safety_checks: [] }, 'input.0'],
    ['without an ID', { type: 'computer_call', action: { type: 'wait' } }, 'input.0'],
  ])('a computer call %s is rejected', (_what, item, param) => {
    const conversion = prepareConversion(
      parsed('responses', { model: 'm', input: [item], tools: [tool] }),
      to,
    )
    expect(conversion).toMatchObject({ code: 'invalid_request', param })
  })
})

describe('a computer tool of the messages wire', () => {
  const to: Destination = { wire: 'responses', model: 'gpt-6', origin: 'here', dialect: 'openai' }

  it('a computer tool of the messages wire offers zoom only if the client enables zoom, and is never strict', () => {
    const tool = { ...screen, type: 'computer_20251124', name: 'computer', strict: true }
    const conversion = prepared('messages', bodyOf('messages', [tool], []), to)
    expect(conversion.lost).toEqual(['tools.computer', 'tools.strict'])
    const [written] = listOf(sent(conversion).tools)
    expect(written).toMatchObject({ name: 'computer', strict: false })
    expect(printValue(written)).not.toMatch(/zoom|region/)
  })
})
