import type { Signature } from '#wire/signatures.ts'
import fc from 'fast-check'
import type {
  CacheMark,
  Effort,
  ImagePart,
  NeutralRequest,
  Part,
  TextPart,
  Tool,
  ToolChoice,
  ToolResultPart,
  Turn,
} from '#convert/neutral.ts'

const seals: readonly Signature[] = [
  { wire: 'messages', origin: 'here', kind: 'signature', data: 'c2ln', id: null },
  { wire: 'messages', origin: 'elsewhere', kind: 'signature', data: 'c2ln', id: null },
  { wire: 'generate', origin: 'here', kind: 'thought_signature', data: 'c2ln', id: null },
  { wire: 'responses', origin: 'here', kind: 'encrypted', data: 'c2ln', id: 'rs_1' },
]

/** Requests as readers give them: whole conversations with answered calls. */
export const requests: fc.Arbitrary<NeutralRequest> = fc
  .record({
    instructions: fc.array(textPart(), { maxLength: 2 }),
    exchanges: fc.array(exchange(), { maxLength: 3 }),
    last: fc.array(userPart(), { minLength: 1, maxLength: 3 }),
    tools: fc.array(tool(), { maxLength: 3 }),
    toolChoice: orNull(fc.nat(5)),
    rest: rest(),
  })
  .map(({ instructions, exchanges, last, tools, toolChoice, rest: others }) => {
    const named = tools.map((each, i) => ({ ...each, name: `${each.name}${i}` }))
    return {
      ...others,
      instructions,
      turns: turnsOf(exchanges, last, named),
      tools: named,
      toolChoice: choiceOf(toolChoice, named),
      others: [],
    }
  })

interface Exchange {
  readonly said: readonly Part[]
  readonly answered: readonly Part[]
  readonly calls: readonly {
    readonly arguments: string
    readonly result: ToolResultPart['parts']
    readonly isError: boolean
    readonly cache: CacheMark | null
  }[]
  readonly system: string | null
}

function turnsOf(
  exchanges: readonly Exchange[],
  last: readonly Part[],
  tools: readonly Tool[],
): readonly Turn[] {
  const turns: Turn[] = []
  let results: ToolResultPart[] = []
  let calls = 0
  for (const { said, answered, calls: made, system } of exchanges) {
    turns.push({ role: 'user', parts: [...results, ...said] })
    results = []
    if (system !== null) turns.push({ role: 'system', parts: [{ kind: 'text', text: system, cache: null }] })
    const parts: Part[] = [...answered]
    for (const { arguments: text, result, isError, cache } of made) {
      const called = tools[calls % Math.max(tools.length, 1)]
      const isCustom = called !== undefined && called.custom !== null
      const id = `call_${calls++}`
      const name = called?.name ?? 'gone'
      parts.push({ kind: 'tool_call', id, name, arguments: text, isCustom })
      results.push({ kind: 'tool_result', callId: id, name, parts: result, isError, isCustom, cache })
    }
    turns.push({ role: 'assistant', parts })
  }
  return [...turns, { role: 'user', parts: [...results, ...last] }]
}

function exchange(): fc.Arbitrary<Exchange> {
  return fc.record({
    said: fc.array(userPart(), { minLength: 1, maxLength: 2 }),
    answered: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: textPart(fc.constant(null)) },
        { weight: 1, arbitrary: words().map((text): Part => ({ kind: 'refusal', text })) },
        { weight: 1, arbitrary: reasoning() },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    calls: fc.array(
      fc.record({
        arguments: fc.constantFrom(
          '{}',
          '{"a":1}',
          '{"n":9007199254740993,"f":1.0}',
          '{"s":"\\ud83d\\ude00"}',
        ),
        result: fc.array(fc.oneof({ weight: 4, arbitrary: textPart() }, { weight: 1, arbitrary: image() }), {
          maxLength: 2,
        }),
        isError: seldom(),
        cache: mark(),
      }),
      { maxLength: 2 },
    ),
    system: fc.option(words(), { freq: 8 }),
  })
}

function rest(): fc.Arbitrary<
  Omit<NeutralRequest, 'instructions' | 'turns' | 'tools' | 'toolChoice' | 'others'>
> {
  const sampling = fc.record({
    temperature: orNull(fc.constantFrom(0, 0.5, 1, 1.7)),
    topP: orNull(fc.constantFrom(0.25, 1)),
    topK: orNull(fc.integer({ min: 1, max: 50 })),
    seed: orNull(fc.integer()),
    frequencyPenalty: orNull(fc.constantFrom(-1, 0.5)),
    presencePenalty: orNull(fc.constantFrom(-1, 0.5)),
  })
  return fc.record({
    parallelTools: orNull(fc.boolean()),
    outputTokensMax: orNull(fc.integer({ min: 1, max: 9999 })),
    sampling,
    stop: fc.array(fc.constantFrom('a', 'END', '\n', '###', 'x', 'y'), { maxLength: 6 }),
    output: orNull(
      fc.oneof(
        fc.constant({ kind: 'json' as const }),
        fc.record({
          kind: fc.constant('schema' as const),
          name: orNull(fc.constant('shape')),
          description: orNull(words()),
          schema: fc.constant({ type: 'object', properties: { a: { type: 'string' } } }),
          isStrict: orNull(fc.boolean()),
        }),
      ),
    ),
    reasoning: orNull(
      fc
        .record({
          effort: orNull(fc.constantFrom<Effort>('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
          budgetTokens: orNull(fc.integer({ min: 1024, max: 40_000 })),
          isShown: orNull(fc.boolean()),
        })
        .filter(
          ({ effort, budgetTokens, isShown }) => effort !== null || budgetTokens !== null || isShown !== null,
        ),
    ),
    verbosity: orNull(fc.constantFrom('low' as const, 'medium' as const, 'high' as const)),
    choices: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(3) }),
    logprobs: orNull(fc.integer({ min: 0, max: 20 })),
    logitBias: orNull(fc.constant({ '50256': -100 })),
    serviceTier: orNull(fc.constantFrom('auto', 'flex')),
    metadata: orNull(fc.constant({ a: 'b' })),
    userId: orNull(fc.constantFrom('u1', 'u'.repeat(70))),
    cacheKey: orNull(fc.constant('k')),
    isStream: fc.boolean(),
    wantsUsage: fc.constant(true),
  })
}

function userPart(): fc.Arbitrary<Part> {
  return fc.oneof(
    { weight: 8, arbitrary: textPart() },
    { weight: 2, arbitrary: image() },
    { weight: 1, arbitrary: file() },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Part>(
        { kind: 'audio', data: 'AAAA', mediaType: 'audio/wav' },
        { kind: 'audio', data: 'AAAA', mediaType: 'audio/mpeg' },
      ),
    },
  )
}

function textPart(marks: fc.Arbitrary<CacheMark | null> = mark()): fc.Arbitrary<TextPart> {
  return fc.record({ kind: fc.constant('text' as const), text: words(), cache: marks })
}

function image(): fc.Arbitrary<ImagePart> {
  return fc.record({
    kind: fc.constant('image' as const),
    source: fc.oneof(
      { weight: 6, arbitrary: data('image/png') },
      { weight: 1, arbitrary: data('image/heic') },
      { weight: 1, arbitrary: fc.constant({ kind: 'url' as const, url: 'https://x.test/a.png' }) },
    ),
    detail: orNull(fc.constantFrom('low' as const, 'high' as const, 'auto' as const)),
    cache: mark(),
  })
}

function file(): fc.Arbitrary<Part> {
  return fc.record({
    kind: fc.constant('file' as const),
    source: fc.oneof(
      data('application/pdf'),
      words().map((text) => ({ kind: 'text' as const, text })),
      fc.constant({ kind: 'data' as const, mediaType: 'text/plain', data: 'aGVsbG8=' }),
    ),
    name: orNull(fc.constant('a.pdf')),
    cache: mark(),
  })
}

function data(mediaType: string): fc.Arbitrary<{ kind: 'data'; mediaType: string; data: string }> {
  return fc.constant({ kind: 'data', mediaType, data: 'iVBORw0KGgo=' })
}

/** Sealed by each of the accounts that receive requests, by others, or not at all. */
function reasoning(): fc.Arbitrary<Part> {
  return fc.record({
    kind: fc.constant('reasoning' as const),
    text: words(),
    signature: orNull(fc.constantFrom<Signature>(...seals)),
  })
}

function tool(): fc.Arbitrary<Tool> {
  const name = fc.constantFrom('read_file', 'run', 'mcp__server__a-tool')
  const described = { name, description: orNull(words()), cache: mark() }
  const parameters = fc.constant({
    type: 'object',
    properties: { path: { type: 'string' } },
    additionalProperties: false,
  })
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        ...described,
        parameters: orNull(parameters),
        isStrict: orNull(fc.boolean()),
        custom: fc.constant(null),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...described,
        parameters: fc.constant(null),
        isStrict: fc.constant(null),
        custom: fc.record({
          format: orNull(
            fc.constant({ type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } }),
          ),
        }),
      }),
    },
  )
}

function choiceOf(which: number | null, tools: readonly Tool[]): ToolChoice | null {
  const [first] = tools
  if (which === null || first === undefined) return null
  const names = tools.slice(0, 2).map(({ name }) => name)
  const choices: readonly ToolChoice[] = [
    { kind: 'auto' },
    { kind: 'none' },
    { kind: 'required' },
    { kind: 'one', name: first.name },
    { kind: 'subset', names, isRequired: true },
    { kind: 'subset', names, isRequired: false },
  ]
  return choices[which] ?? null
}

function words(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('hello', 'a b', '  padded ', 'ünï😀', 'line\nline'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== ''),
  )
}

function mark(): fc.Arbitrary<CacheMark | null> {
  return fc.option(fc.constantFrom<CacheMark>('short', 'long'), { freq: 3 })
}

function seldom(): fc.Arbitrary<boolean> {
  return fc.nat(4).map((n) => n === 0)
}

function orNull<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(value, { freq: 2 })
}
