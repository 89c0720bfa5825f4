import { objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { prepareConversion, type Conversion } from './prepare-conversion.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import type { NeutralEvent } from './neutral-format.ts'
import { isFault, type RequestFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'

const claude: Destination = { wire: 'messages', model: 'claude-opus-5', origin: 'o', dialect: 'openai' }
const gpt: Destination = { wire: 'responses', model: 'gpt-6', origin: 'o', dialect: 'openai' }
const llama: Destination = { wire: 'chat', model: 'llama', origin: 'o', dialect: 'compatible' }
const options = { origin: 'o', callIdPrefix: 'call_' }

function prepare(from: WireName, body: JsonObject, to: Destination): Conversion | RequestFault {
  const model = from === 'generate' || from === 'converse' ? 'm' : null
  const path = { model, isStream: false, isJsonArray: false }
  const request = wires[from].parseRequest(byteTextOf(JSON.stringify(body)), path)
  return isFault(request) ? request : prepareConversion(request, to)
}

function good(from: WireName, body: JsonObject, to: Destination): Conversion {
  const conversion = prepare(from, body, to)
  if ('code' in conversion) throw new Error(`${conversion.param}: ${conversion.reason}`)
  return conversion
}

function bodyOf(conversion: Conversion): JsonObject {
  return parseObject(textOf(conversion.body({ outputTokensMax: 9, outputTokensDefault: 99 }))) ?? {}
}

const hello = { role: 'user', content: 'hello' }

describe('prepareConversion', () => {
  it('a conversion reports each lost field once, by its name on the client’s wire, and converts the rest', () => {
    const conversion = good(
      'chat',
      {
        model: 'm',
        messages: [hello],
        seed: 1,
        logit_bias: { 1: 2 },
        x_new: 1,
        temperature: 0.5,
        store: true,
      },
      { ...claude, model: 'claude-sonnet-4-5' },
    )
    expect(conversion.lost).toEqual(['logit_bias', 'seed', 'x_new', 'store'])
    expect(bodyOf(conversion)).toMatchObject({ model: 'claude-sonnet-4-5', temperature: 0.5, max_tokens: 9 })
  })

  it.each<[string, WireName, JsonObject, Destination]>([
    ['empty metadata', 'chat', { model: 'm', messages: [hello], metadata: {} }, claude],
    ['an empty list', 'chat', { model: 'm', messages: [hello], x_new: [] }, claude],
    ['empty metadata', 'responses', { model: 'm', input: 'hello', metadata: {}, x_new: [] }, claude],
    ['an empty list', 'messages', { model: 'm', max_tokens: 50, messages: [hello], mcp_servers: [] }, gpt],
    [
      'empty labels and no safety settings',
      'generate',
      {
        contents: [{ parts: [{ text: 'hello' }] }],
        labels: {},
        safetySettings: [],
        generationConfig: { x: [] },
      },
      claude,
    ],
    [
      'empty metadata',
      'converse',
      { messages: [{ role: 'user', content: [{ text: 'hello' }] }], requestMetadata: {} },
      claude,
    ],
    ['an empty list', 'cohere', { model: 'm', messages: [hello], x_new: [] }, gpt],
    [
      'the function’s name in a tool message, as LangChain sends it',
      'chat',
      {
        model: 'm',
        messages: [
          hello,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'a', name: 'f', content: 'x' },
        ],
      },
      claude,
    ],
  ])('%s (%s) is not reported as lost, because nothing is lost', (_what, from, body, to) => {
    expect(good(from, body, to).lost).toEqual([])
  })

  it.each<[string, WireName, JsonObject, Destination, string]>([
    ['several choices', 'chat', { model: 'm', messages: [hello], n: 2 }, claude, 'n'],
    [
      'a result of no call',
      'chat',
      { model: 'm', messages: [hello, { role: 'tool', tool_call_id: 'a', content: 'x' }] },
      claude,
      'messages.tool_call_id',
    ],
    [
      'a beginning of the answer',
      'messages',
      { model: 'm', max_tokens: 5, messages: [hello, { role: 'assistant', content: 'Sure:' }] },
      llama,
      'messages',
    ],
    [
      'a message with nothing in it',
      'chat',
      { model: 'm', messages: [{ role: 'user', content: '  ' }] },
      claude,
      'messages',
    ],
  ])('%s is rejected, and the error names the field', (_what, from, body, to, param) => {
    expect(prepare(from, body, to)).toMatchObject({ kind: 'fault', code: 'unsupported_for_route', param })
  })

  it('Mistral gets the tool call IDs of other providers in the form that it accepts', () => {
    const content = [{ type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'f', input: {} }]
    const result = { type: 'tool_result', tool_use_id: 'toolu_01A09q90qw90lq917835lq9', content: 'r' }
    const messages = [hello, { role: 'assistant', content }, { role: 'user', content: [result] }]
    const mistral: Destination = { ...llama, model: 'mistral-large-latest', dialect: 'mistral' }
    const sent = bodyOf(good('messages', { model: 'm', max_tokens: 5, messages }, mistral))
    const ids = [...JSON.stringify(sent).matchAll(/"(?:id|tool_call_id)":"([^"]*)"/g)].map(([, id]) => id)
    expect(ids).toEqual([expect.stringMatching(/^[A-Za-z0-9]{9}$/), ids[0]])
  })

  it.each([
    [1, 16, ['max_tokens']],
    [15, 16, ['max_tokens']],
    [16, 16, []],
  ])(
    'a maximum output of %i tokens becomes %i tokens on the responses wire, and stays the same on other wires',
    (max_tokens, sent, lost) => {
      const body = { model: 'm', max_tokens, messages: [hello] }
      expect(good('messages', body, gpt)).toMatchObject({ outputTokensMax: sent, lost })
      expect(good('messages', body, llama)).toMatchObject({ outputTokensMax: max_tokens, lost: [] })
    },
  )

  it('the gateway applies stop sequences itself if the provider does not', () => {
    const body = { model: 'm', max_tokens: 50, messages: [hello], stop_sequences: ['a', 'b', '\n'] }
    expect(good('messages', body, gpt)).toMatchObject({ stops: ['a', 'b', '\n'], lost: [] })
    const kept = good('messages', body, llama)
    expect(kept.stops).toEqual([])
    expect(bodyOf(kept).stop).toEqual(['a', 'b', '\n'])
    const many = { model: 'm', messages: [hello], stop: ['a', ' '] }
    const mixed = good('chat', many, claude)
    expect(mixed.stops).toEqual([' '])
    expect(bodyOf(mixed).stop_sequences).toEqual(['a'])
  })

  it('a report of lost fields has at most 100 names with 128 characters', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}${'y'.repeat(200)}`, 1]))
    const { lost } = good('chat', { model: 'm', messages: [hello], seed: 1, ...unknown }, claude)
    expect(lost).toHaveLength(100)
    expect(lost[0]).toBe('seed')
    expect(lost[1]).toBe(`x0${'y'.repeat(126)}`)
  })

  it('the gateway applies at most 2,500 stop sequences with 65,536 characters in total', () => {
    const asked = (stop: readonly string[], to: Destination): Conversion | RequestFault =>
      prepare('chat', { model: 'm', messages: [hello], stop }, to)
    const numbered = Array.from({ length: 2500 }, (_, i) => `${i}`)
    const fault = { kind: 'fault', code: 'unsupported_for_route', param: 'stop' }
    expect(asked(numbered, gpt)).toMatchObject({ stops: { length: 2500 } })
    expect(asked([...numbered, 'x'], gpt)).toMatchObject(fault)
    expect(asked(['x'.repeat(65_535), 'y'], gpt)).toMatchObject({ stops: { length: 2 } })
    expect(asked(['x'.repeat(65_535), 'yz'], gpt)).toMatchObject(fault)
    // The provider itself applies these stop sequences.
    expect(asked([...numbered, 'x'], claude)).toMatchObject({ stops: [] })
  })

  it('the client gets its own tool names and call IDs back, even if they exceed the provider’s limits', () => {
    const name = `mcp__${'server'.repeat(12)}__read`
    const call = { type: 'tool_use', id: 'toolu_1', name, input: { n: 1 } }
    const conversion = good(
      'messages',
      {
        model: 'm',
        max_tokens: 5,
        tools: [{ name, input_schema: { type: 'object' } }],
        tool_choice: { type: 'tool', name },
        messages: [
          hello,
          { role: 'assistant', content: [call] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'r' }] },
        ],
      },
      llama,
    )
    const body = bodyOf(conversion)
    const [tool] = Array.isArray(body.tools) ? body.tools : []
    const short: unknown = tool.function.name
    expect(short).toMatch(/^[\w-]{1,64}$/)
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: short } })
    expect(JSON.stringify(body.messages)).toContain(`"name":${JSON.stringify(short)}`)
    const piece = { index: 0, id: 'c', function: { name: short, arguments: '{}' } }
    const events = conversion.decoder(options).push({ choices: [{ delta: { tool_calls: [piece] } }] })
    expect(events).toContainEqual(expect.objectContaining({ kind: 'tool_call', name }))
  })

  it('the ID of a tool call and the ID of its result are always shortened in the same way', () => {
    const id = `call_${'x'.repeat(70)}|fc_1`
    const history = (more: readonly JsonObject[]): JsonObject => ({
      model: 'm',
      input: [
        { role: 'user', content: 'x' },
        { type: 'function_call', call_id: id, name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: id, output: 'r' },
        ...more,
      ],
    })
    const bodies = [[], [{ role: 'user', content: 'y' }]].map((more) =>
      JSON.stringify(bodyOf(good('responses', history(more), claude)).messages),
    )
    const ids = bodies.map((body) =>
      [...body.matchAll(/"(?:id|tool_use_id)":"([^"]*)"/g)].map(([, each]) => each),
    )
    expect(new Set(ids.flat()).size).toBe(1)
    expect(ids.flat()[0]).toMatch(/^[\w-]+$/)
    expect(ids.flat()).toHaveLength(4)
  })

  it('an ID that is too long for the responses wire is shortened', () => {
    const id = `call_${'x'.repeat(70)}`
    const call = { id, type: 'function', function: { name: 'f', arguments: '{}' } }
    const history = [
      hello,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: 'r' },
    ]
    const { input } = bodyOf(good('chat', { model: 'm', messages: history }, gpt))
    const [, called, answered] = Array.isArray(input) ? input : []
    expect(called.call_id).toMatch(/^[\w-]{1,64}$/)
    expect(answered.call_id).toBe(called.call_id)
  })

  it('a custom tool is sent as a function, and its call is returned as a custom call', () => {
    const conversion = good(
      'responses',
      {
        model: 'm',
        input: [
          { role: 'user', content: 'x' },
          { type: 'custom_tool_call', call_id: 'c0', name: 'patch', input: '*** begin' },
          { type: 'custom_tool_call_output', call_id: 'c0', output: 'done' },
        ],
        tools: [
          {
            type: 'custom',
            name: 'patch',
            format: { type: 'grammar', syntax: 'lark', definition: 'start: "*"' },
          },
        ],
      },
      claude,
    )
    expect(conversion.lost).toEqual(['tools.format'])
    const body = bodyOf(conversion)
    const [tool] = Array.isArray(body.tools) ? body.tools : []
    expect(tool).toMatchObject({ name: 'patch', input_schema: { properties: { input: { type: 'string' } } } })
    expect(String(objectOf(tool).description)).toContain('start: "*"')
    expect(JSON.stringify(body.messages)).toContain('"input":{"input":"*** begin"}')

    const answer = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'patch', input: { input: '*** "end"' } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const events = conversion.decodeAnswer(answer, options) ?? []
    const wanted: readonly NeutralEvent[] = [
      { kind: 'tool_call', choice: 0, slot: 0, id: 'toolu_1', name: 'patch', isCustom: true },
      { kind: 'arguments', choice: 0, slot: 0, text: '*** "end"' },
      { kind: 'tool_call_end', choice: 0, slot: 0 },
    ]
    for (const event of wanted) expect(events).toContainEqual(event)
    expect(events.filter(({ kind }) => kind === 'arguments')).toHaveLength(1)
  })

  it('a provider gets back only its own signatures', () => {
    const thinking = (signature: string): JsonObject => ({ type: 'thinking', thinking: 'hm', signature })
    const conversion = good(
      'messages',
      {
        model: 'm',
        max_tokens: 50,
        messages: [
          hello,
          { role: 'assistant', content: [thinking('c2ln'), { type: 'text', text: 'a' }] },
          hello,
        ],
      },
      gpt,
    )
    expect(conversion.lost).toEqual(['messages.content.thinking'])
    expect(JSON.stringify(bodyOf(conversion).input)).not.toContain('hm')
  })
})

/** Tools that the client runs and that no other wire can express. */
const refused: readonly (readonly [from: WireName, type: string, body: JsonObject, param: string])[] = [
  ['responses', 'local_shell', { model: 'm', input: 'x', tools: [{ type: 'local_shell' }] }, 'tools.0'],
  ...['bash_20250124', 'computer_20990101', 'computer_toolset_20260801'].map(
    (type) =>
      [
        'messages',
        type,
        { model: 'm', max_tokens: 9, messages: [hello], tools: [{ type, name: 'computer' }] },
        'tools.0',
      ] as const,
  ),
  [
    'generate',
    'computerUse',
    {
      contents: [{ parts: [{ text: 'x' }] }],
      tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }],
    },
    'tools.0.computerUse',
  ],
]

describe.each(refused)('a tool of the %s format (%s)', (from, type, body, param) => {
  it.each<Destination>(
    [claude, gpt, llama, { ...claude, wire: 'generate' as const }].filter(({ wire }) => wire !== from),
  )(
    'for a provider of $wire, a tool that only its own vendor supports is rejected, and the error names the tool',
    (to) => {
      const fault = prepare(from, body, to)
      expect(fault).toMatchObject({ code: 'unsupported_for_route', param })
      expect(isFault(fault) && fault.reason).toContain(`${type}: `)
    },
  )
})

function listOf<Item>(count: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => item(i))
}

const longRequests: readonly (readonly [many: string, from: WireName, body: JsonObject, to: Destination])[] =
  [
    ['stop sequences', 'chat', { messages: [hello], stop: listOf(60_000, String) }, claude],
    [
      'results of functions',
      'chat',
      {
        messages: listOf(8_000, (i) =>
          i % 2 === 0
            ? { role: 'assistant', function_call: { name: 'f', arguments: '{}' } }
            : { role: 'function', name: 'f', content: '' },
        ),
      },
      llama,
    ],
    [
      'allowed functions',
      'generate',
      {
        contents: [{ parts: [{ text: 'x' }] }],
        tools: [{ functionDeclarations: listOf(36_000, (i) => ({ name: `a${i}` })) }],
        toolConfig: {
          functionCallingConfig: { mode: 'ANY', allowedFunctionNames: listOf(36_000, (i) => `b${i}`) },
        },
      },
      claude,
    ],
    [
      'custom tools',
      'responses',
      { input: 'hello', tools: listOf(28_000, (i) => ({ type: 'custom', name: `a${i}` })) },
      { ...gpt, wire: 'chat' },
    ],
  ]

it.each(longRequests)(
  'the work to convert a request with many %s (%s) grows with its size, not with the square of its size',
  (_, from, body, to) => {
    withinCpu(300, () => {
      bodyOf(good(from, { model: 'm', ...body }, to))
    })
  },
)
