import type { Signature } from '#wire/tagged-reasoning-signatures.ts'
import { describe, expect, it } from 'vitest'
import { fit } from '#convert/capabilities/adapt-request-to-wire.ts'
import { isFault } from '#wire/wire-request.ts'
import { ToolNames } from '#convert/replace-and-restore-tool-names.ts'
import type { NeutralRequest, Part, ToolResultPart, Turn } from '#convert/neutral-format.ts'
import { plainRequest, readBody, target } from '#tests/fixtures/requests-for-messages-wire-tests.ts'
import { abilitiesOf } from '#convert/known-restrictions-of-models.ts'
import { writeMessagesRequest } from './write-request.ts'

interface Written {
  readonly max_tokens: number
  readonly messages: readonly { readonly content: readonly Record<string, unknown>[] }[]
  readonly tools?: unknown
  readonly tool_choice?: unknown
  readonly stop_sequences?: unknown
  readonly thinking?: unknown
  readonly output_config?: { readonly effort?: unknown }
}

/** Prepares the request of a chat client as in production, with names and IDs that the wire accepts. */
const write = (request: Partial<NeutralRequest>, to: Partial<typeof target> = {}): Written => {
  const asked = { ...plainRequest, ...request }
  const there = { ...target, wire: 'messages', ...to } as const
  const fitted = fit(asked, 'chat', there)
  if (isFault(fitted)) throw new Error(`${fitted.param}: ${fitted.reason}`)
  const written = writeMessagesRequest(
    new ToolNames(asked, fitted.request, there).apply(fitted.request),
    there,
  )
  // The cast is safe, because the tests assert each member that they read.
  return written as unknown as Written
}

const text = (value: string): Part => ({ kind: 'text', text: value, cache: null })
const call = (id: string, name = 'n', args = '{}'): Part => ({
  kind: 'tool_call',
  id,
  name,
  arguments: args,
  isCustom: false,
})
const result = (callId: string, more: Partial<ToolResultPart> = {}): Part => ({
  kind: 'tool_result',
  callId,
  name: 'n',
  parts: [],
  isError: false,
  isCustom: false,
  cache: null,
  ...more,
})
/** Every wire requires that the first turn is a turn of the user. */
const conversation = (...turns: readonly Turn[]): readonly Turn[] => [...plainRequest.turns, ...turns]
const tool = { name: 'n', description: null, parameters: null, isStrict: null, custom: null, cache: null }
const wish = { effort: null, budgetTokens: null, isShown: null }

describe('writeMessagesRequest', () => {
  it('the smallest request that the wire accepts is written', () => {
    expect(write({})).toEqual({
      model: 'claude-opus-4-6',
      max_tokens: 900,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    })
  })

  it('the default maximum is sent if neither the client nor the gateway sets a maximum', () => {
    expect(write({}, { outputTokensMax: null }).max_tokens).toBe(4096)
  })

  it('tool results come first, regardless of texts before or between them', () => {
    const turns = conversation(
      { role: 'assistant', parts: [call('a'), call('b')] },
      { role: 'system', parts: [text('s')] },
      { role: 'user', parts: [result('b'), text('x'), result('a')] },
    )
    expect(write({ turns }).messages.slice(2)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b' },
          { type: 'tool_result', tool_use_id: 'a' },
          { type: 'text', text: '<system>\ns\n</system>' },
          { type: 'text', text: 'x' },
        ],
      },
    ])
  })

  it('empty texts are dropped, and so are turns without other content', () => {
    const turns = [
      { role: 'user', parts: [text('a'), text(' ')] },
      { role: 'assistant', parts: [text(''), call('c')] },
      { role: 'user', parts: [result('c'), text('')] },
      { role: 'assistant', parts: [text('d \n')] },
    ] as const
    const instructions = [{ kind: 'text', text: ' ', cache: null }] as const
    // Only models before Claude 4.6 continue an answer.
    const written = write({ turns, instructions }, { model: 'claude-sonnet-4-5' })
    expect(written).not.toHaveProperty('system')
    expect(written.messages.map(({ content }) => content)).toMatchObject([
      [{ text: 'a' }],
      [{ type: 'tool_use' }],
      [{ type: 'tool_result' }],
      [{ text: 'd' }],
    ])
  })

  it('tool results are written: texts, images, documents, errors, and empty results', () => {
    const image = {
      kind: 'image',
      source: { kind: 'data', mediaType: 'image/png', data: 'AA==' },
      detail: null,
      cache: null,
    } as const
    const parts = [
      result('a', {
        parts: [{ kind: 'text', text: 'x', cache: null }, image],
        isError: true,
        cache: 'short',
      }),
      result('b', { parts: [{ kind: 'text', text: '', cache: null }] }),
    ]
    const turns = conversation({ role: 'assistant', parts: [call('a'), call('b')] }, { role: 'user', parts })
    expect(write({ turns }).messages[2]?.content).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        ],
        is_error: true,
        cache_control: { type: 'ephemeral' },
      },
      { type: 'tool_result', tool_use_id: 'b' },
    ])
  })

  it('the wire accepts the generated IDs, and a tool call and its result have the same ID', () => {
    const turns = conversation(
      { role: 'assistant', parts: [call('call_1|fc_2'), call('Bash:12'), call('toolu_1')] },
      { role: 'user', parts: [result('Bash:12'), result('call_1|fc_2'), result('toolu_1')] },
    )
    const [, calls, results] = write({ turns }).messages
    const ids = calls?.content.map(({ id }) => String(id)) ?? []
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(new Set(ids).size).toBe(3)
    expect(ids[2]).toBe('toolu_1')
    expect(results?.content.map((one) => one.tool_use_id)).toEqual([ids[1], ids[0], ids[2]])
  })

  it('numbers in tool arguments are kept exactly as written, also in arguments that are not an object', () => {
    const withCall = (args: string): Written =>
      write({
        turns: conversation(
          { role: 'assistant', parts: [call('a', 'n', args)] },
          { role: 'user', parts: [result('a')] },
        ),
      })
    const numbers = '{"a":9007199254740993,"b":1.0,"c":1e400}'
    expect(JSON.stringify(withCall(numbers))).toContain(`"input":${numbers}`)
    expect(JSON.stringify(withCall('[1e400]'))).toContain('"input":{"input":"[1e400]"}')
  })

  it('thoughts are sent only to the account that signed them, and the gateway creates no signatures of its own', () => {
    const seal = (more: Partial<Signature>): Signature => ({
      wire: 'messages',
      origin: null,
      kind: 'signature',
      data: 'sig',
      id: null,
      ...more,
    })
    const parts: Part[] = [
      { kind: 'reasoning', text: 'own', signature: seal({}) },
      { kind: 'reasoning', text: 'same', signature: seal({ origin: 'here' }) },
      { kind: 'reasoning', text: '', signature: seal({ kind: 'redacted' }) },
      { kind: 'reasoning', text: 'elsewhere', signature: seal({ origin: 'there' }) },
      {
        kind: 'reasoning',
        text: 'foreign',
        signature: seal({ wire: 'generate', kind: 'thought_signature' }),
      },
      { kind: 'reasoning', text: 'unsealed', signature: null },
      text('x'),
    ]
    const turns = conversation({ role: 'assistant', parts }, { role: 'user', parts: [text('y')] })
    expect(write({ turns }).messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'own', signature: 'sig' },
      { type: 'thinking', thinking: 'same', signature: 'sig' },
      { type: 'redacted_thinking', data: 'sig' },
      { type: 'text', text: 'x' },
    ])
  })

  it('documents are written with their media type', () => {
    const file = { kind: 'file', name: 'T', cache: null } as const
    const parts: Part[] = [
      { ...file, source: { kind: 'data', mediaType: 'application/pdf', data: 'AA==' } },
      { ...file, source: { kind: 'data', mediaType: 'text/csv', data: btoa('a,b') } },
      { ...file, name: null, source: { kind: 'text', text: 'abc' } },
    ]
    expect(write({ turns: [{ role: 'user', parts }] }).messages[0]?.content).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
        title: 'T',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' }, title: 'T' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'abc' } },
    ])
  })

  it('cache marks are written in system text, tools and turns', () => {
    const marked = { kind: 'text', text: 'a', cache: 'long' } as const
    const written = write({
      instructions: [marked],
      tools: [{ ...tool, cache: 'long' }],
      turns: [{ role: 'user', parts: [{ ...marked, cache: 'short' }] }],
    })
    const long = { type: 'ephemeral', ttl: '1h' }
    expect(written).toMatchObject({
      system: [{ cache_control: long }],
      tools: [{ cache_control: long }],
      messages: [{ content: [{ cache_control: { type: 'ephemeral' } }] }],
    })
  })

  it('every tool is written with an object schema, regardless of the client’s schema', () => {
    const parameters = { properties: { a: { anyOf: [{ $ref: '#/$defs/b' }, true] } }, $defs: { b: {} } }
    const closed = { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } }
    const strict = { name: 'k', parameters: closed, isStrict: true }
    expect(
      write({ tools: [tool, { ...tool, name: 'm', description: 'd', parameters }, { ...tool, ...strict }] })
        .tools,
    ).toEqual([
      { name: 'n', input_schema: { type: 'object', properties: {} } },
      { name: 'm', description: 'd', input_schema: { type: 'object', ...parameters } },
      { name: 'k', input_schema: closed, strict: true },
    ])
  })

  it.each([
    [null, null, undefined],
    [null, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ kind: 'none' }, false, { type: 'none' }],
    [{ kind: 'required' }, true, { type: 'any' }],
    [{ kind: 'one', name: 'n' }, false, { type: 'tool', name: 'n', disable_parallel_tool_use: true }],
    [{ kind: 'subset', names: ['n'], isRequired: true }, null, { type: 'any' }],
  ] as const)(
    'the tool choice %j with `parallelTools` %j is written in Anthropic’s format',
    (toolChoice, parallelTools, expected) => {
      const written = write({ toolChoice, parallelTools, tools: [tool, { ...tool, name: 'm' }] })
      expect(written.tool_choice).toEqual(expected)
      expect(written.tools).toHaveLength(toolChoice?.kind === 'subset' ? 1 : 2)
    },
  )

  it('the tools of earlier calls are defined even if the client no longer sends their definitions', () => {
    const turns = conversation(
      { role: 'assistant', parts: [call('a', 'look'), call('b', 'look')] },
      { role: 'user', parts: [result('a'), result('b')] },
    )
    expect(write({ turns })).toMatchObject({ tools: [{ name: 'look' }], tool_choice: { type: 'none' } })
  })

  it('temperatures are limited to the wire’s range, and omitted for models that accept none', () => {
    const sampling = { ...plainRequest.sampling, temperature: 1.7, topP: 0.5, topK: 3 }
    expect(write({ sampling })).toMatchObject({ temperature: 1, top_k: 3 })
    expect(write({ sampling })).not.toHaveProperty('top_p')
    expect(write({ sampling: { ...sampling, temperature: null } })).toMatchObject({ top_p: 0.5 })
    expect(write({ sampling: { ...sampling, temperature: 0 } })).toMatchObject({ temperature: 0 })
    for (const written of [
      write({ sampling }, { model: 'claude-opus-4-7' }),
      write({ sampling, reasoning: { ...wish, effort: 'low' } }),
    ])
      for (const name of ['temperature', 'top_p', 'top_k']) expect(written).not.toHaveProperty(name)
  })

  it('stop sequences that consist of white space are dropped', () => {
    expect(write({ stop: ['a', '', ' '] }).stop_sequences).toEqual(['a'])
    expect(write({ stop: [' '] })).not.toHaveProperty('stop_sequences')
  })

  it('the fields for the schema, the user and the stream are written', () => {
    const output = {
      kind: 'schema',
      name: 's',
      description: null,
      schema: { type: 'object', additionalProperties: false },
      isStrict: true,
    } as const
    expect(write({ output, userId: 'u', isStream: true })).toMatchObject({
      output_config: { format: { type: 'json_schema', schema: output.schema } },
      metadata: { user_id: 'u' },
      stream: true,
    })
  })

  it.each([
    ['claude-opus-4-6', { effort: 'low' }, { type: 'adaptive' }, 'low'],
    ['claude-opus-4-6', { effort: 'minimal' }, { type: 'adaptive' }, 'low'],
    ['claude-opus-4-6', { effort: 'xhigh' }, { type: 'adaptive' }, 'high'],
    ['claude-opus-4-6', { effort: 'max' }, { type: 'adaptive' }, 'max'],
    [
      'claude-opus-4-7',
      { effort: 'xhigh', isShown: true },
      { type: 'adaptive', display: 'summarized' },
      'xhigh',
    ],
    ['claude-opus-4-7', { isShown: false }, undefined, undefined],
    ['claude-opus-4-7', { effort: 'low', isShown: false }, { type: 'adaptive', display: 'omitted' }, 'low'],
    ['claude-opus-4-7', { budgetTokens: 8000 }, { type: 'adaptive' }, 'medium'],
    ['claude-opus-4-7', { effort: 'none' }, { type: 'disabled' }, undefined],
    ['claude-sonnet-4-5-20250929', { effort: 'low' }, { type: 'enabled', budget_tokens: 4096 }, undefined],
    ['claude-sonnet-4-5-20250929', { effort: 'max' }, { type: 'enabled', budget_tokens: 7952 }, undefined],
    ['claude-sonnet-4-5-20250929', { budgetTokens: 5 }, { type: 'enabled', budget_tokens: 1024 }, undefined],
    ['claude-sonnet-4-5-20250929', { isShown: true }, undefined, undefined],
    ['claude-3-5-haiku-latest', { effort: 'high' }, undefined, undefined],
  ] as const)('the thinking settings for %s are %j', (model, reasoning, thinking, effort) => {
    const written = write({ reasoning: { ...wish, ...reasoning } }, { model, outputTokensMax: 10_000 })
    expect(written.thinking).toEqual(thinking)
    expect(written.output_config?.effort).toBe(effort)
  })

  it.each([8_192, 2_000, 1_025])(
    'a thinking budget leaves room for an answer within a maximum of %d tokens',
    (outputTokensMax) => {
      const at = { model: 'claude-sonnet-4-5', outputTokensMax }
      const { thinking } = write({ reasoning: { ...wish, effort: 'high' } }, at)
      const left = Math.min(2_048, outputTokensMax / 2)
      const budget = Math.max(1_024, outputTokensMax - Math.ceil(left))
      expect(thinking).toEqual({ type: 'enabled', budget_tokens: budget })
      // A thinking budget that the client sets is not reduced.
      const stated = write({ reasoning: { ...wish, budgetTokens: 9_000 } }, at)
      expect(stated.thinking).toEqual({
        type: 'enabled',
        budget_tokens: Math.min(9_000, outputTokensMax - 1),
      })
    },
  )

  it('no thoughts are requested if the provider would reject them', () => {
    const reasoning = { ...wish, effort: 'high' } as const
    const budget = { model: 'claude-sonnet-4-5', outputTokensMax: 10_000 }
    expect(write({ reasoning }, { ...budget, outputTokensMax: 1024 })).not.toHaveProperty('thinking')
    const forced = { reasoning, tools: [tool], toolChoice: { kind: 'required' } } as const
    expect(write(forced, budget)).not.toHaveProperty('thinking')
    expect(write(forced)).not.toHaveProperty('thinking')
    const parts = [call('a')]
    const answered = { role: 'user', parts: [result('a')] } as const
    expect(
      write({ reasoning, turns: conversation({ role: 'assistant', parts }, answered) }, budget),
    ).not.toHaveProperty('thinking')
    const signature = { wire: 'messages', origin: null, kind: 'signature', data: 's', id: null } as const
    const signed = {
      role: 'assistant',
      parts: [{ kind: 'reasoning', text: 'x', signature }, ...parts],
    } as const
    expect(write({ reasoning, turns: conversation(signed, answered) }, budget)).toHaveProperty('thinking')
  })

  it('reading a written request returns the same request', () => {
    const body = {
      max_tokens: 900,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x' } }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 'sig' },
            { type: 'tool_use', id: 'toolu_1', name: 'n', input: { a: [1, null] } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'r' }] }],
        },
      ],
      tools: [{ name: 'n', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
      stop_sequences: ['x'],
      metadata: { user_id: 'u' },
      stream: true,
    }
    const request = readBody(body)
    if (typeof request === 'string') throw new Error(request)
    expect(writeMessagesRequest(request, target)).toEqual({ model: 'claude-opus-4-6', ...body })
  })
})

describe('abilitiesOf', () => {
  it.each([
    ['claude-2.1', 'none', true],
    ['claude-instant-1.2', 'none', true],
    ['claude-3-haiku-20240307', 'none', true],
    ['claude-3-5-sonnet-20241022', 'none', true],
    ['claude-3-7-sonnet-20250219', 'budget', true],
    ['claude-sonnet-4-20250514', 'budget', true],
    ['claude-opus-4-1-20250805', 'budget', true],
    ['claude-haiku-4-5', 'budget', true],
    ['claude-opus-4-6', 'adaptive', true],
    ['claude-opus-4-7', 'adaptive', false],
    ['claude-sonnet-5', 'adaptive', false],
    ['claude-fable-5-2', 'adaptive', false],
    ['claude-next', 'adaptive', false],
    ['MiniMax-M2', 'budget', true],
  ])('the thinking and sampling options of the model %s are known', (model, thinking, takesSampling) => {
    expect(abilitiesOf(model)).toMatchObject({ thinking, takesSampling })
  })
})
