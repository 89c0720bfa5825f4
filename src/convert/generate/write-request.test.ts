import { printValue, type JsonObject } from '#wire/text/json-values.ts'
import type { Signature } from '#wire/tagged-reasoning-signatures.ts'
import { describe, expect, it } from 'vitest'
import type { RequestTarget } from '#convert/codec-interface.ts'
import type { NeutralRequest, Part, ReasoningWish, Turn } from '#convert/neutral-format.ts'
import { thinkingConfigOf } from './thinking-configuration.ts'
import { writeGenerateRequest } from './write-request.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'

const target: RequestTarget = {
  model: 'gemini-2.5-flash',
  outputTokensMax: null,
  outputTokensDefault: 8192,
  origin: 'acc1',
  dialect: 'compatible',
}

const text = (words: string): Part & { kind: 'text' } => ({ kind: 'text', text: words, cache: null })
const call = (id: string, name = 'f', args = '{}'): Part => ({
  kind: 'tool_call',
  id,
  name,
  arguments: args,
  isCustom: false,
})
const result = (callId: string, words: string, more: Partial<Part & { kind: 'tool_result' }> = {}): Part => ({
  kind: 'tool_result',
  callId,
  name: 'f',
  parts: words === '' ? [] : [text(words)],
  isError: false,
  isCustom: false,
  cache: null,
  ...more,
})
const reasoning = (words: string, signature: Partial<Signature> | null): Part => ({
  kind: 'reasoning',
  text: words,
  signature: signature && {
    wire: 'generate',
    origin: 'acc1',
    kind: 'thought_signature',
    data: 'sig',
    id: null,
    ...signature,
  },
})

const hello: Turn = { role: 'user', parts: [text('hello')] }

const plain = aRequest({
  turns: [hello],
  wantsUsage: true,
})

const write = (request: Partial<NeutralRequest>, to: Partial<RequestTarget> = {}): JsonObject =>
  writeGenerateRequest({ ...plain, ...request }, { ...target, ...to })

const contents = (parts: readonly Part[], to: Partial<RequestTarget> = {}): unknown =>
  write({ turns: [hello, { role: 'assistant', parts }] }, to).contents

const model = (...parts: readonly JsonObject[]): unknown => [
  { role: 'user', parts: [{ text: 'hello' }] },
  { role: 'model', parts },
]

describe('writeGenerateRequest', () => {
  it('the writer adds no fields that the request does not have', () => {
    expect(write({})).toEqual({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] })
  })

  it('all fields of the request are written', () => {
    expect(
      write(
        {
          instructions: [text('Be brief.')],
          tools: [
            {
              name: 'f',
              description: 'd',
              parameters: { $schema: 's', type: 'object', propertyNames: {} },
              isStrict: null,
              custom: null,
              cache: null,
            },
            { name: 'g', description: null, parameters: {}, isStrict: null, custom: null, cache: null },
          ],
          toolChoice: { kind: 'one', name: 'f' },
          sampling: {
            temperature: 0.5,
            topP: 0.9,
            topK: 40,
            seed: 7,
            frequencyPenalty: -1,
            presencePenalty: 1,
          },
          stop: ['END'],
          output: {
            kind: 'schema',
            name: 'n',
            description: null,
            schema: { type: 'object' },
            isStrict: true,
          },
          choices: 2,
          logprobs: 3,
          reasoning: { effort: 'low', budgetTokens: null, isShown: true },
        },
        { outputTokensMax: 99 },
      ),
    ).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      // In a schema in its own dialect, Google would reject `$schema` and `propertyNames` (docs/reference/wires.md
      // "Requests on the generate wire").
      tools: [
        {
          functionDeclarations: [
            {
              name: 'f',
              description: 'd',
              parametersJsonSchema: { $schema: 's', type: 'object', propertyNames: {} },
            },
            { name: 'g' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        maxOutputTokens: 99,
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        seed: 7,
        frequencyPenalty: -1,
        presencePenalty: 1,
        stopSequences: ['END'],
        candidateCount: 2,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        responseLogprobs: true,
        logprobs: 3,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 98 },
      },
    })
  })

  it.each([
    [{ kind: 'auto' }, { mode: 'AUTO' }],
    [{ kind: 'none' }, { mode: 'NONE' }],
    [{ kind: 'required' }, { mode: 'ANY' }],
    [
      { kind: 'subset', names: ['a'], isRequired: true },
      { mode: 'ANY', allowedFunctionNames: ['a'] },
    ],
    [
      { kind: 'subset', names: ['a'], isRequired: false },
      { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
    ],
  ] as const)(
    'the tool choice %j is written as a mode of function calling',
    (toolChoice, functionCallingConfig) => {
      expect(write({ toolChoice }).toolConfig).toEqual({ functionCallingConfig })
    },
  )

  it('if tools are strict, the request requires that tool calls match the schema', () => {
    const tools = [
      { name: 'f', description: null, parameters: null, isStrict: true, custom: null, cache: null },
    ]
    expect(write({ tools }).toolConfig).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
  })

  it('all tool results of a turn are sent first, in the order of their calls', () => {
    const turns: Turn[] = [
      hello,
      { role: 'assistant', parts: [call('a'), call('b', 'g')] },
      { role: 'user', parts: [text('and?'), result('b', 'two', { name: 'g' }), result('a', 'one')] },
    ]
    expect(write({ turns }).contents).toMatchObject([
      {},
      {
        role: 'model',
        parts: [{ functionCall: { id: 'a', name: 'f', args: {} } }, { functionCall: { id: 'b', name: 'g' } }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'f', response: { output: 'one' } } },
          { functionResponse: { id: 'b', name: 'g', response: { output: 'two' } } },
          { text: 'and?' },
        ],
      },
    ])
  })

  it('failed tool results, empty tool results, and tool results with images are written', () => {
    const image: Part & { kind: 'image' } = {
      kind: 'image',
      source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' },
      detail: null,
      cache: null,
    }
    const parts = [
      result('a', 'no', { isError: true }),
      result('b', ''),
      result('c', '', { parts: [text('x'), image, text('y')] }),
    ]
    const turns: Turn[] = [{ role: 'user', parts }]
    expect(write({ turns }).contents).toMatchObject([
      {
        parts: [
          { functionResponse: { response: { error: 'no' } } },
          { functionResponse: { response: { output: '' } } },
          {
            functionResponse: {
              response: { output: 'x\n\ny' },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
            },
          },
        ],
      },
    ])
  })

  it('system text between turns is moved into the user’s message, and blank texts are omitted', () => {
    const turns: Turn[] = [
      hello,
      { role: 'system', parts: [text('Now in French.')] },
      { role: 'assistant', parts: [text('')] },
      { role: 'user', parts: [text('bye')] },
    ]
    expect(write({ turns }).contents).toEqual([
      { role: 'user', parts: [{ text: 'hello' }, { text: 'Now in French.' }] },
      { role: 'user', parts: [{ text: 'bye' }] },
    ])
  })

  it('numbers in tool arguments are kept exactly as written', () => {
    const args = '{"big":9007199254740993,"one":1.0,"far":1e400}'
    expect(printValue(contents([call('a', 'f', args)]))).toContain(`"args":${args}`)
  })

  it('a signature is sent with the tool call that follows it, or with an empty text part if no tool call follows', () => {
    const f = { functionCall: { id: 'a', name: 'f', args: {} } }
    expect(contents([reasoning('Hm.', {}), call('a'), call('b')])).toEqual(
      model(
        { text: 'Hm.', thought: true },
        { ...f, thoughtSignature: 'sig' },
        { functionCall: { id: 'b', name: 'f', args: {} } },
      ),
    )
    expect(contents([text('So.'), reasoning('', { origin: null })])).toEqual(
      model({ text: 'So.' }, { text: '', thoughtSignature: 'sig' }),
    )
    expect(contents([reasoning('', {}), text('So.'), call('a')])).toEqual(
      model({ text: '', thoughtSignature: 'sig' }, { text: 'So.' }, f),
    )
  })

  it('signatures of another wire or account, and untagged signatures, are never sent', () => {
    for (const signature of [{ wire: 'messages' }, { origin: 'acc2' }, null] as const)
      expect(contents([reasoning('secret', signature), text('So.')])).toEqual(model({ text: 'So.' }))
  })

  it('for Gemini 3 and later, a placeholder replaces a missing signature on the first tool call of a turn', () => {
    const parts = (to: string): unknown => {
      const written: unknown = contents([text('So.'), call('a'), call('b')], { model: to })
      return printValue(written).match(/skip_thought_signature_validator/g)?.length ?? 0
    }
    expect(parts('gemini-3-pro-preview')).toBe(1)
    expect(parts('gemini-3.5-flash')).toBe(1)
    expect(parts('gemini-flash-latest')).toBe(1)
    expect(parts('models/gemini-3.5-flash')).toBe(1)
    expect(parts('publishers/google/models/gemini-pro-latest')).toBe(1)
    expect(parts('gemini-2.5-pro')).toBe(0)
    expect(printValue(contents([reasoning('', {}), call('a')], { model: 'gemini-3-pro' }))).not.toContain(
      'skip_',
    )
  })
})

describe('thinkingConfigOf', () => {
  const wish = (more: Partial<ReasoningWish>): ReasoningWish => ({
    effort: null,
    budgetTokens: null,
    isShown: null,
    ...more,
  })

  it.each([
    ['gemini-3.1-flash', wish({ effort: 'none' }), null, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-flash-preview', wish({ effort: 'minimal' }), null, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.6-flash', wish({ effort: 'none' }), null, { thinkingLevel: 'MINIMAL' }],
    // Later Flash models reject MINIMAL.
    ['gemini-3.7-flash', wish({ effort: 'none' }), null, { thinkingLevel: 'LOW' }],
    ['gemini-3.8-flash', wish({ effort: 'minimal' }), null, { thinkingLevel: 'LOW' }],
    ['gemini-flash-latest', wish({ budgetTokens: 0 }), null, { thinkingLevel: 'LOW' }],
    ['gemini-pro-latest', wish({ effort: 'none' }), null, { thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro', wish({ effort: 'minimal' }), null, { thinkingLevel: 'LOW' }],
    ['gemini-3-pro-preview', wish({ effort: 'medium' }), null, { thinkingLevel: 'HIGH' }],
    ['gemini-3.1-pro', wish({ effort: 'medium' }), null, { thinkingLevel: 'MEDIUM' }],
    [
      'gemini-4-carbon',
      wish({ effort: 'max', isShown: true }),
      null,
      { includeThoughts: true, thinkingLevel: 'HIGH' },
    ],
    ['gemini-3.1-flash', wish({ budgetTokens: 4096 }), null, { thinkingLevel: 'LOW' }],
    ['gemini-2.5-flash', wish({ effort: 'none' }), null, { thinkingBudget: 0 }],
    ['gemini-2.5-pro', wish({ effort: 'none' }), null, { thinkingBudget: 128 }],
    ['gemini-2.5-flash-lite', wish({ budgetTokens: 100 }), null, { thinkingBudget: 512 }],
    ['gemini-2.5-flash', wish({ effort: 'max' }), null, { thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', wish({ effort: 'max' }), null, { thinkingBudget: 32_768 }],
    ['gemini-2.5-flash', wish({ effort: 'high' }), 2000, { thinkingBudget: 1999 }],
    ['models/gemini-3-pro-preview', wish({ effort: 'medium' }), null, { thinkingLevel: 'HIGH' }],
    ['models/gemini-3-flash', wish({ effort: 'none' }), null, { thinkingLevel: 'MINIMAL' }],
    ['models/gemini-2.5-pro', wish({ effort: 'none' }), null, { thinkingBudget: 128 }],
    ['gemini-2.5-flash', wish({ isShown: false }), null, { includeThoughts: false }],
    ['gemini-2.5-flash', wish({}), null, null],
    ['gemini-2.0-flash', wish({ effort: 'high', isShown: true }), null, null],
    ['gemma-3', wish({ effort: 'high' }), null, null],
  ])(
    'for the model %s with effort %j and at most %s tokens, the thinking settings are %j',
    (to, reason, outputTokensMax, config) => {
      expect(thinkingConfigOf(reason, to, outputTokensMax)).toEqual(config)
    },
  )
})
