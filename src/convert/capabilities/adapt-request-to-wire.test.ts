import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { capabilities, fit, type Fitted } from './adapt-request-to-wire.ts'
import type { Destination } from './capability-type.ts'
import type { Effort, NeutralRequest, Part, TextPart, Turn } from '#convert/neutral-format.ts'
import { requests } from '#tests/fixtures/conversions/random-requests.ts'
import { isFault } from '#wire/wire-request.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'

const claude: Destination = { wire: 'messages', model: 'claude-opus-5', origin: 'here', dialect: 'openai' }
const sonnet: Destination = { ...claude, model: 'claude-sonnet-4-5' }
const gemini: Destination = { wire: 'generate', model: 'gemini-3-flash', origin: 'here', dialect: 'openai' }
const gpt: Destination = { wire: 'chat', model: 'gpt-6', origin: 'here', dialect: 'openai' }
const nova: Destination = { ...claude, wire: 'converse', model: 'us.amazon.nova-pro-v1:0' }
const llama: Destination = { wire: 'chat', model: 'llama', origin: 'here', dialect: 'compatible' }
const destinations = [claude, sonnet, gemini, gpt, llama, nova, { ...gpt, wire: 'responses' as const }]

const empty = aRequest()

const text = (value: string): TextPart => ({ kind: 'text', text: value, cache: null })
const user = (...parts: readonly Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: readonly Part[]): Turn => ({ role: 'assistant', parts })
const call: Part = { kind: 'tool_call', id: 'c', name: 'f', arguments: '{}', isCustom: false }
const aTool = { name: 'f', description: null, parameters: null, isStrict: null, custom: null, cache: null }
const image: Part & { kind: 'image' } = {
  kind: 'image',
  source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' },
  detail: null,
  cache: null,
}
const result = (
  fields: Partial<Extract<Part, { kind: 'tool_result' }>> = {},
): Extract<Part, { kind: 'tool_result' }> => ({
  kind: 'tool_result',
  callId: 'c',
  name: 'f',
  parts: [text('r')],
  isError: false,
  isCustom: false,
  cache: null,
  ...fields,
})

function fitted(turns: readonly Turn[], from: WireName, to: Destination): Fitted {
  const done = fit({ ...empty, turns }, from, to)
  if (isFault(done)) throw new Error(`${done.param}: ${done.reason}`)
  return done
}

describe('the table of capabilities', () => {
  it('each capability has its own short name in the table', () => {
    expect(new Set(capabilities.map(({ name }) => name)).size).toBe(capabilities.length)
    for (const { what, treatment, refusal } of capabilities) {
      expect(what).not.toMatch(/^[A-Z][a-z]|\.$|\|/)
      const treatments = typeof treatment === 'string' ? [treatment] : Object.values(treatment)
      expect(treatments.some((one) => one === 'refused')).toBe(refusal !== undefined)
    }
  })

  it.each([claude, gemini])(
    'if a message of the model starts the conversation, the message becomes marked text in the first user turn ($wire)',
    (to) => {
      const turns = [assistant(text('How can I help?')), user(text('hi'))]
      expect(fitted(turns, 'chat', to)).toMatchObject({
        request: { turns: [user(text('<assistant>\nHow can I help?\n</assistant>'), text('hi'))] },
        lost: ['messages'],
      })
    },
  )

  it.each([claude, gemini])(
    'if a tool call starts the conversation, the instructions become a user turn before the call ($wire)',
    (to) => {
      const turns = [assistant(call), user(result())]
      const instructed = fit({ ...empty, instructions: [text('be brief')], turns }, 'chat', to)
      expect(instructed).toMatchObject({
        request: { instructions: [], turns: [user(text('be brief')), ...turns] },
        lost: ['messages'],
      })
    },
  )

  it.each([claude, gemini])(
    'if a tool call starts a conversation without instructions, the call and its result become marked text ($wire)',
    (to) => {
      const other: Part = { ...call, id: 'd' }
      const turns = [
        assistant(text('I look'), call),
        user(result({ parts: [text('sunny'), image], isError: true }), text('thanks')),
        assistant(other),
        user(result({ callId: 'd' })),
      ]
      const { lost, request } = fitted(turns, 'responses', to)
      const name = call.kind === 'tool_call' ? `${call.name} ${call.arguments}` : ''
      expect(request.turns).toEqual([
        user(
          text('<assistant>\nI look\n</assistant>'),
          text(`<assistant>\n\`\`\`\n${name}\n\`\`\`\n</assistant>`),
          text('<tool_result>\n[tool error] sunny\n</tool_result>'),
          image,
          text('thanks'),
        ),
        ...turns.slice(2),
      ])
      expect(lost).toEqual(['input'])
    },
  )

  it('adapting a request a second time changes nothing in the request', () => {
    fc.assert(
      fc.property(requests, fc.constantFrom(...destinations), (request, to) => {
        const once = fit(request, 'chat', to)
        fc.pre(!isFault(once))
        const twice = fit(once.request, 'chat', to)
        expect(isFault(twice) ? twice : twice.request).toEqual(once.request)
      }),
      sampledRuns(2000),
    )
  })

  it('requested features that no other wire supports are reported', () => {
    const done = fit({ ...empty, turns: [user(text('x'))], others: ['safetySettings'] }, 'generate', claude)
    expect(done).toMatchObject({ lost: ['safetySettings'] })
  })
})

describe('fit', () => {
  it('system text in the middle of a conversation is marked and moved into the user’s message, after tool results', () => {
    const turns = [
      user(text('a')),
      assistant(call),
      { role: 'system', parts: [text('be brief')] } as const,
      user(result(), text('b')),
    ]
    // A tool call and its result remain adjacent, even if the system text is between them.
    const { request, lost } = fitted(turns, 'chat', claude)
    expect(request.turns.at(-1)?.parts).toEqual([result(), text('<system>\nbe brief\n</system>'), text('b')])
    expect(lost).toEqual(['messages.role'])
  })

  it('if a provider accepts only text in tool results, the images of the results are sent after all results', () => {
    const other: Part = { ...call, id: 'd' }
    const turns = [
      user(text('a')),
      assistant(call, other),
      user(result({ parts: [text('r'), image] }), result({ callId: 'd' }), text('b')),
    ]
    const { request, lost } = fitted(turns, 'messages', gpt)
    expect(request.turns[2]?.parts).toEqual([result(), result({ callId: 'd' }), image, text('b')])
    expect(lost).toEqual(['messages.content.tool_result.content'])
    expect(fitted(turns, 'responses', claude).request.turns).toEqual(turns)
  })

  it('if the wire has no field for failed tools, the text of the tool result states the failure', () => {
    const turns = [user(text('a')), assistant(call), user(result({ isError: true }))]
    expect(fitted(turns, 'messages', gpt).request.turns[2]?.parts).toEqual([
      result({ parts: [text('[tool error] r')] }),
    ])
    expect(fitted(turns, 'messages', gemini).request.turns).toEqual(turns)
  })

  it('Mistral gets a short assistant message between tool results and the next user or system message', () => {
    const mistral: Destination = { ...llama, dialect: 'mistral', model: 'mistral-medium-latest' }
    const ok = assistant(text('OK.'))
    const called = [user(text('a')), assistant(call)]
    const { request, lost } = fitted([...called, user(result(), text('b'))], 'messages', mistral)
    expect(request.turns).toEqual([...called, user(result()), ok, user(text('b'))])
    expect(lost).toEqual(['messages'])
    const told: Turn = { role: 'system', parts: [text('be brief')] }
    const instructed = fitted([...called, user(result()), told], 'responses', mistral).request.turns
    expect(instructed).toEqual([...called, user(result()), ok, told])
    for (const turns of [
      [...called, user(result())],
      [...called, user(result()), assistant(text('b')), user(text('c'))],
    ])
      expect(fitted(turns, 'messages', mistral)).toMatchObject({ request: { turns }, lost: [] })
    const turns = [...called, user(result(), text('b'))]
    expect(fitted(turns, 'messages', llama).request.turns).toEqual(turns)
  })

  it('models before Gemini 3 get the images of tool results after the results', () => {
    const turns = [user(text('a')), assistant(call), user(result({ parts: [text('r'), image] }))]
    const moved = [...turns.slice(0, 2), user(result(), image)]
    for (const model of ['gemini-2.5-flash', 'gemini-2.0-flash', 'gemini-1.5-pro'])
      expect(fitted(turns, 'messages', { ...gemini, model })).toMatchObject({
        request: { turns: moved },
        lost: ['messages.content.tool_result.content'],
      })
    for (const model of ['gemini-3-flash-preview', 'gemini-flash-latest', 'tuned'])
      expect(fitted(turns, 'messages', { ...gemini, model })).toMatchObject({ request: { turns }, lost: [] })
  })

  it('a tool result without text can be sent on every wire', () => {
    const turns = [user(text('a')), assistant(call), user(result({ parts: [] }))]
    for (const to of destinations)
      expect(fitted(turns, 'messages', to)).toMatchObject({ request: { turns }, lost: [] })
  })

  it('signatures are returned only to the account that created them', () => {
    const sealed = (wire: WireName, origin: string | null): Part => ({
      kind: 'reasoning',
      text: 'hm',
      signature: { wire, origin, kind: 'signature', data: 's', id: null },
    })
    const unsealed: Part = { kind: 'reasoning', text: 'hm', signature: null }
    const kept = [sealed('messages', 'here'), sealed('messages', null)]
    const dropped = [sealed('messages', 'there'), sealed('generate', 'here'), unsealed]
    const said = text('so')
    const turns = [user(text('a')), assistant(...kept, ...dropped, said), user(text('b'))]
    const { request, lost } = fitted(turns, 'responses', claude)
    expect(request.turns[1]?.parts).toEqual([...kept, said])
    expect(lost).toEqual(['input.reasoning'])
  })

  it('for a Claude model with a thinking budget, thinking is disabled if the unanswered tool calls were made without thinking', () => {
    const turns = [user(text('a')), assistant(call), user(result())]
    const reasoning = { effort: 'high', budgetTokens: null, isShown: null } as const
    const asked = { ...empty, turns, reasoning }
    expect(fit(asked, 'chat', sonnet)).toMatchObject({
      request: { reasoning: null },
      lost: ['reasoning_effort'],
    })
    expect(fit(asked, 'chat', claude)).toMatchObject({ request: { reasoning }, lost: [] })
  })

  it.each<[string, Destination, number | null, readonly string[]]>([
    ['a temperature within the range is kept', sonnet, 0.3, []],
    ['a temperature above the range is reduced and reported', sonnet, 1.7, ['temperature']],
    ['a temperature is dropped and reported for a model that accepts none', claude, 0.3, ['temperature']],
    ['the default temperature is not reported as lost', claude, 1, []],
    ['a temperature is dropped and reported for a model that reasons', gpt, 0.3, ['temperature']],
    ['a temperature is kept for an unknown model', llama, 1.7, []],
  ])('%s', (_what, to, temperature, lost) => {
    const asked = { ...empty, turns: [user(text('a'))], sampling: { ...empty.sampling, temperature } }
    expect(fit(asked, 'generate', to)).toMatchObject({
      lost: lost.map((name) => `generationConfig.${name}`),
    })
  })

  it('if a request has only system text and the wire requires a message, the text becomes a message of the user', () => {
    const done = fit({ ...empty, instructions: [text('Say hi.')] }, 'chat', claude)
    expect(done).toMatchObject({
      lost: ['messages.role'],
      request: { instructions: [], turns: [{ role: 'user', parts: [text('Say hi.')] }] },
    })
    expect(fit({ ...empty, instructions: [text('Say hi.')] }, 'messages', gpt)).toMatchObject({ lost: [] })
    expect(fit(empty, 'chat', claude)).toMatchObject({ kind: 'fault', param: 'messages' })
  })

  it('if the model cannot continue an answer, a last assistant message is moved into a user turn, between marks', () => {
    const own: Part = {
      kind: 'reasoning',
      text: 'hm',
      signature: { wire: 'messages', origin: 'here', kind: 'signature', data: 's', id: null },
    }
    const turns = [user(text('a')), assistant(call), user(result()), assistant(text('b'), text('c '))]
    const marked = [text('<assistant>\nb\n</assistant>'), text('<assistant>\nc \n</assistant>')]
    for (const to of [claude, nova])
      expect(fitted(turns, 'chat', to)).toEqual({
        request: expect.objectContaining({ turns: [...turns.slice(0, 2), user(result(), ...marked)] }),
        lost: ['messages'],
      })
    expect(fitted([user(text('a')), assistant(own, text('b'))], 'chat', claude).request.turns).toEqual([
      user(text('a'), text('<assistant>\nb\n</assistant>')),
    ])
    expect(fitted(turns, 'responses', sonnet)).toMatchObject({
      request: { turns: [...turns.slice(0, 3), assistant(text('b'), text('c'))] },
      lost: ['input'],
    })
    expect(fitted(turns, 'chat', gemini)).toMatchObject({ request: { turns }, lost: ['messages'] })
  })

  it('a prefilled answer and pending tool calls are rejected, if the model cannot continue an answer', () => {
    const prefilled = { ...empty, turns: [user(text('a')), assistant(text('b'))] }
    const pending = { ...empty, turns: [user(text('a')), assistant(text('b'), call)] }
    const fault = expect.objectContaining({ reason: expect.stringMatching(/cannot continue an answer/) })
    for (const to of [claude, nova]) {
      expect(fit(prefilled, 'generate', to)).toEqual(fault)
      expect(fit(pending, 'chat', to)).toEqual(fault)
    }
    for (const to of [gpt, llama]) expect(fit(prefilled, 'messages', to)).toEqual(fault)
    expect(fit(prefilled, 'generate', sonnet)).toMatchObject({ request: { turns: prefilled.turns } })
    expect(fit(prefilled, 'messages', gemini)).toMatchObject({
      request: { turns: prefilled.turns },
      lost: [],
    })
  })

  it.each([
    ['', '{}'],
    [' null ', '{}'],
    ['[ ]', '{}'],
    ['15 * 4', '{"input":"15 * 4"}'],
    ['[1]', '{"input":"[1]"}'],
    ['{"city": "Par', String.raw`{"input":"{\"city\": \"Par"}`],
  ])('the tool arguments %j are sent as the object %s if the wire requires an object', (given, sent) => {
    const turns = (written: string): readonly Turn[] => [
      user(text('a')),
      assistant({ ...call, arguments: written }),
      user(result()),
    ]
    for (const to of [claude, gemini, nova])
      expect(fitted(turns(given), 'chat', to)).toMatchObject({
        request: { turns: turns(sent) },
        lost: ['messages.tool_calls.function.arguments'],
      })
    for (const to of [gpt, llama])
      expect(fitted(turns(given), 'responses', to).request.turns).toEqual(turns(given))
  })

  it('Claude gets strict tools only if it can enforce their schemas', () => {
    const closed = { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } }
    const strict = (parameters: JsonObject, count = 1): NeutralRequest => ({
      ...empty,
      turns: [user(text('a'))],
      tools: Array.from({ length: count }, (_, i) => ({
        ...aTool,
        name: `f${i}`,
        parameters,
        isStrict: true,
      })),
    })
    expect(fit(strict(closed, 5), 'chat', claude)).toMatchObject({ request: strict(closed, 5), lost: [] })
    const limited = { ...closed, properties: { a: { type: 'string', maxLength: 3 } } }
    for (const asked of [strict(limited), strict({ type: 'object' }), strict(closed, 6)]) {
      const done = fit(asked, 'chat', claude)
      expect(done).toMatchObject({ lost: ['tools.function.strict'] })
      expect(isFault(done) ? [] : done.request.tools).toEqual(
        asked.tools.map((tool) => ({ ...tool, isStrict: null })),
      )
    }
    expect(fit(strict(limited), 'chat', { ...gpt, wire: 'responses' })).toMatchObject({ lost: [] })
  })

  it('alternatives at the root of a tool’s schema are merged for models that reject them', () => {
    const parameters = {
      type: 'object',
      oneOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } } }],
    }
    const asked = { ...empty, turns: [user(text('a'))], tools: [{ ...aTool, parameters }] }
    const merged = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }
    const responses = { ...gpt, wire: 'responses' } as const
    for (const to of [claude, nova, { ...gpt, model: 'gpt-4.1' }, { ...responses, model: 'o4-mini' }])
      expect(fit(asked, 'generate', to)).toMatchObject({
        request: { tools: [{ parameters: merged }] },
        lost: ['tools.functionDeclarations.parameters'],
      })
    for (const to of [gemini, { ...gpt, model: 'gpt-5' }, responses, llama])
      expect(fit(asked, 'messages', to)).toMatchObject({ request: { tools: [{ parameters }] }, lost: [] })
  })

  it('Claude gets a response schema in the form that it accepts, or else in the prompt', () => {
    const asked = (schema: JsonObject): NeutralRequest => ({
      ...empty,
      turns: [user(text('a'))],
      output: { kind: 'schema', name: null, description: null, schema, isStrict: null },
    })
    const schema = { type: 'object', properties: { a: { type: 'integer' } } }
    expect(fit(asked(schema), 'chat', claude)).toMatchObject({
      request: { output: { schema: { ...schema, additionalProperties: false } }, instructions: [] },
      lost: [],
    })
    const limited = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }
    expect(fit(asked(limited), 'generate', claude)).toMatchObject({
      request: { output: { schema: { properties: { a: { description: '{"minimum":1}' } } } } },
      lost: ['generationConfig.responseSchema'],
    })
    const map = { type: 'object', additionalProperties: { type: 'integer' } }
    const inPrompt = {
      request: { output: null, instructions: [{ text: expect.stringContaining(JSON.stringify(map)) }] },
      lost: ['text.format.schema'],
    }
    expect(fit(asked(map), 'responses', claude)).toMatchObject(inPrompt)
    expect(fit(asked(schema), 'responses', { ...claude, model: 'claude-sonnet-4-20250514' })).toMatchObject({
      request: { output: null },
    })
    expect(fit(asked(map), 'responses', gemini)).toMatchObject({
      request: { output: { schema: map } },
      lost: [],
    })
  })

  it('if the wire has no parameter for JSON answers, the prompt requests JSON', () => {
    const done = fit({ ...empty, turns: [user(text('a'))], output: { kind: 'json' } }, 'chat', claude)
    expect(done).toMatchObject({ lost: ['response_format'], request: { output: null } })
    expect(isFault(done) ? '' : done.request.instructions[0]?.text).toContain('JSON')
  })

  it.each<[string, Effort, Effort]>([
    ['gpt-5', 'none', 'minimal'],
    ['gpt-5-mini-2025-08-07', 'max', 'high'],
    ['gpt-5-codex', 'minimal', 'low'],
    ['gpt-5-pro', 'low', 'high'],
    ['gpt-5.1', 'minimal', 'low'],
    ['gpt-5.1', 'xhigh', 'high'],
    ['gpt-5.1-codex-max', 'max', 'xhigh'],
    ['gpt-5.2-pro', 'none', 'medium'],
    ['gpt-5.5', 'max', 'xhigh'],
    ['gpt-5.3-codex', 'none', 'low'],
    ['gpt-5.6-sol', 'minimal', 'low'],
    ['gpt-6-astra', 'none', 'low'],
    ['o4-mini', 'minimal', 'low'],
  ])(
    '%s gets the effort %s as %s, because the model rejects efforts that it does not know',
    (model, effort, sent) => {
      const reasoning = (one: Effort): NeutralRequest['reasoning'] => ({
        effort: one,
        budgetTokens: null,
        isShown: null,
      })
      const asked = { ...empty, turns: [user(text('a'))], reasoning: reasoning(effort) }
      const there = { ...gpt, model, wire: 'responses' as const }
      expect(fit(asked, 'messages', there)).toMatchObject({
        request: { reasoning: reasoning(sent) },
        lost: ['output_config.effort'],
      })
      expect(fit(asked, 'responses', { ...there, wire: 'chat' })).toMatchObject({
        request: { reasoning: reasoning(sent) },
      })
      expect(fit({ ...asked, reasoning: reasoning(sent) }, 'messages', there)).toMatchObject({
        request: { reasoning: reasoning(sent) },
        lost: [],
      })
    },
  )

  it.each(['gpt-5.6-luna', 'gpt-7', 'my-deployment'])('%s gets the highest effort unchanged', (model) => {
    const reasoning = { effort: 'max', budgetTokens: null, isShown: null } as const
    const asked = { ...empty, turns: [user(text('a'))], reasoning }
    expect(fit(asked, 'messages', { ...gpt, model })).toMatchObject({ request: { reasoning }, lost: [] })
  })

  it.each<[string, Effort | null, Effort | null, readonly string[]]>([
    ['gpt-5.3', 'high', 'high', []],
    ['gpt-5.4', 'high', 'none', ['output_config.effort']],
    ['gpt-5.4-mini', 'none', 'none', []],
    ['gpt-5.4', null, null, []],
    ['gpt-5.5', null, 'none', ['tools']],
    ['gpt-5.6-sol', 'max', 'none', ['output_config.effort']],
    ['gpt-6', null, 'none', ['tools']],
    // These models do not accept `none`, or their names show no model.
    ['gpt-6-astra', 'high', 'high', []],
    ['gpt-5.4-pro', 'high', 'high', []],
    ['my-deployment', 'high', 'high', []],
  ])('in chat completions with tools, %s gets the effort %s as %s', (model, effort, sent, lost) => {
    const wish = (one: Effort | null): NeutralRequest['reasoning'] =>
      one === null ? null : { effort: one, budgetTokens: null, isShown: null }
    const asked = { ...empty, turns: [user(text('a'))], reasoning: wish(effort) }
    const withTools = { ...asked, tools: [aTool] }
    const at = { ...gpt, model }
    expect(fit(withTools, 'messages', at)).toMatchObject({ request: { reasoning: wish(sent) }, lost })
    for (const [request, to] of [
      [asked, at],
      [withTools, { ...at, dialect: 'compatible' as const }],
      [withTools, { ...at, wire: 'responses' as const }],
    ] as const) {
      const done = fit(request, 'messages', to)
      expect(isFault(done) ? done : done.request.reasoning?.effort === 'none').toBe(effort === 'none')
    }
  })

  it('if the ID of a user is too long for the provider, the ID is always shortened in the same way', () => {
    const userId = 'user_'.repeat(30)
    const once = fit({ ...empty, turns: [user(text('a'))], userId }, 'messages', gpt)
    expect(once).toEqual(fit({ ...empty, turns: [user(text('a'))], userId }, 'messages', gpt))
    expect(isFault(once) ? '' : once.request.userId).toMatch(/^user_[\da-z]{24}$/)
  })

  it.each<[string, readonly Turn[]]>([
    ['an answer missing', [user(text('a')), assistant(call), user(text('b'))]],
    ['a result without a call', [user(result())]],
    [
      'a result that comes late',
      [user(text('a')), assistant(call), user(text('b')), assistant(text('c')), user(result())],
    ],
    ['a result twice', [user(text('a')), assistant(call), user(result(), result())]],
  ])('a conversation with %s is rejected', (_what, turns) => {
    for (const to of destinations)
      expect(fit({ ...empty, turns }, 'chat', to)).toMatchObject({
        kind: 'fault',
        param: 'messages.tool_call_id',
      })
  })
})
