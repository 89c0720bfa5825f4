import * as fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { countedText, type ReadThoughts } from './text-counted-by-tokenizer.ts'

const settings = new Set(['model', 'temperature'])

function read(body: string, readsTypes = false, thoughts: ReadThoughts = 'all') {
  const json = parseJson(byteTextOf(body))
  if (!('tape' in json)) throw new Error('the body is not JSON')
  return countedText(json, settings, { isCompact: readsTypes, thoughts })
}

describe('the text of a request that is counted', () => {
  it('the counted text contains turns, tools and unknown fields, but no settings, roles or types', () => {
    const body = {
      model: 'm',
      temperature: 1,
      other: { deep: ['kept'] },
      messages: [
        { role: 'user', content: 'Line one\nand "two"' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a part', cache: true },
            { type: 'image_url', image_url: { url: '' } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'f', strict: true } }],
    }
    expect(read(JSON.stringify(body)).text).toBe(
      [
        'other',
        '{"deep":["kept"]}',
        'Line one\nand "two"',
        'a part',
        'cache',
        'true',
        '{"type":"image_url","image_url":{"url":""}}',
        '[{"type":"function","function":{"name":"f","strict":true}}]',
      ].join('\n'),
    )
  })

  it('the counted text contains every value of a repeated key', () => {
    const { text } = read(
      '{"messages":[{"role":"user","content":"one","content":"two"}],"a":{"b":"three","b":"four"}}',
    )
    for (const word of ['one', 'two', 'three', 'four']) expect(text).toContain(word)
  })

  it('a role or a type with a long text is counted', () => {
    const text = 'words and more words that a model may read'
    expect(read(JSON.stringify({ messages: [{ role: text, content: '' }] })).text).toContain(text)
    expect(read(JSON.stringify({ messages: [{ id: text, content: '' }] }), true).text).toContain(text)
  })

  it('each four bytes of encrypted thoughts count as one token', () => {
    const thoughtSignature = 'QUJD'.repeat(100)
    const body = { contents: [{ parts: [{ text: 'hello', thoughtSignature }] }] }
    expect(read(JSON.stringify(body))).toMatchObject({ text: 'hello\n', thoughtTokens: 100 })
  })

  describe('for models that do not read all encrypted thoughts', () => {
    const sealed = (part: object, bytes: number) => ({ ...part, thoughtSignature: 'x'.repeat(bytes) })
    const gemini = {
      contents: [
        { role: 'user', parts: [{ text: 'one' }] },
        { role: 'model', parts: [sealed({ text: 'two' }, 400)] },
        { role: 'user', parts: [{ text: 'three' }] },
        { role: 'model', parts: [sealed({ functionCall: { name: 'f', args: {} } }, 40)] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'four' } } }] },
      ],
    }

    it.each([
      ['all', 110],
      ['current', 10],
      ['none', 0],
    ] as const)(
      'Gemini with the rule %s: only encrypted thoughts that the model reads count',
      (thoughts, tokens) => {
        const { text, thoughtTokens } = read(JSON.stringify(gemini), false, thoughts)
        expect(thoughtTokens).toBe(tokens)
        for (const word of ['one', 'two', 'three', 'four']) expect(text).toContain(word)
      },
    )

    const data = (bytes: number): string => 'x'.repeat(bytes)
    const openai = {
      input: [
        { role: 'user', content: 'one' },
        { type: 'compaction', encrypted_content: data(1_000) },
        { type: 'reasoning', summary: [{ text: 'old' }], encrypted_content: data(2_000) },
        { type: 'message', role: 'assistant', content: 'two' },
        { role: 'user', content: [{ type: 'input_text', text: 'three' }] },
        { type: 'reasoning', summary: [{ text: 'new' }], encrypted_content: data(4_000) },
        { type: 'function_call_output', call_id: 'c', output: 'four' },
      ],
    }

    it.each([
      ['all', 1_400, true],
      ['current', 1_000, false],
    ] as const)(
      'with the rule %s, encrypted thoughts count only if OpenAI’s models read them, and a compaction always counts',
      (thoughts, tokens, isOldRead) => {
        const { text, thoughtTokens } = read(JSON.stringify(openai), true, thoughts)
        expect(thoughtTokens).toBe(tokens)
        expect(text.includes('old')).toBe(isOldRead)
        for (const word of ['one', 'two', 'three', 'new', 'four']) expect(text).toContain(word)
      },
    )
  })

  it.each([
    [{ reasoning: { context: 'all_turns' } }, 400],
    [{ reasoning: { context: 'later_value' } }, 400],
    [{ reasoning: { context: 'current_turn' } }, 0],
    [{ reasoning: { context: null, effort: 'low' } }, 0],
    [{ context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }, 400],
  ])('with the settings %j, the earlier thoughts count %d tokens', (fields, tokens) => {
    const input = [
      { type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(2_000) },
      { role: 'user', content: 'one' },
    ]
    expect(read(JSON.stringify({ input, ...fields }), true, 'current').thoughtTokens).toBe(tokens)
  })

  it.each([
    ['messages', { type: 'thinking', thinking: 'old', signature: 'seal' }],
    ['messages', { type: 'redacted_thinking', data: 'old' }],
    ['converse', { reasoningContent: { reasoningText: { text: 'old', signature: 'seal' } } }],
  ])('Claude’s thoughts before the user’s last text are not counted (%s: %j)', (_format, thought) => {
    const isMessages = 'type' in thought
    const text = (words: string) => (isMessages ? { type: 'text', text: words } : { text: words })
    const result = isMessages ? { type: 'tool_result', content: 'four' } : { toolResult: { content: [] } }
    const recent = JSON.parse(JSON.stringify(thought).replace('old', 'new'))
    const messages = [
      { role: 'user', content: [text('one')] },
      { role: 'assistant', content: [thought, text('two')] },
      { role: 'user', content: [text('three')] },
      { role: 'assistant', content: [recent] },
      { role: 'user', content: [result] },
    ]
    const counted = read(JSON.stringify({ messages }), false, 'current').text
    expect(counted).not.toContain('old')
    for (const word of ['one', 'two', 'three', 'new']) expect(counted).toContain(word)
    expect(read(JSON.stringify({ messages })).text).toContain('old')
  })

  it('the tools of a request are counted, also in the form of Converse', () => {
    const tools = [{ name: 'f' }, { name: 'g' }]
    expect(read(JSON.stringify({ tools })).toolCount).toBe(2)
    expect(read(JSON.stringify({ toolConfig: { tools } })).toolCount).toBe(2)
    expect(read(JSON.stringify({ messages: [{ role: 'user', content: 'x' }] })).toolCount).toBe(0)
  })

  it('if a model reads tools, calls and schemas as types, the shorter text of these types is counted', () => {
    const body = {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city":"Rome"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            strict: true,
            parameters: {
              type: 'object',
              properties: { city: { type: 'string', enum: ['Rome', 'Paris'] } },
              additionalProperties: false,
            },
          },
        },
      ],
    }
    expect(read(JSON.stringify(body), true).text).toBe(
      [
        '[{"function":{"name":"f","arguments":"{"city":"Rome"}"}}]',
        'sunny',
        'function: name: f\nparameters: object\nproperties: city: string\nenum: "Rome" | "Paris"',
      ].join('\n'),
    )
  })

  it('the counted text contains any text of any body', () => {
    const text = fc.stringMatching(/^\w{3} \w{3}$/)
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(
        fc.constantFrom('messages', 'input', 'tools', 'system', 'other'),
        value,
        fc.boolean(),
        (name, content, readsTypes) => {
          const counted = read(JSON.stringify({ [name]: content }), readsTypes).text
          for (const [, one] of JSON.stringify(content).matchAll(/"(\w{3} \w{3})"/g))
            expect(counted).toContain(one)
        },
      ),
      sampledRuns(500),
    )
  })
})

interface Schema {
  readonly type: string
  readonly description?: string | undefined
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Renders a schema like the template of OpenAI's models. */
function typeOf({ enum: values, items, properties = {}, required = [], type }: Schema, indent = 0): string {
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' | ')
  if (type === 'array') return `${items === undefined ? 'any' : typeOf(items, indent)}[]`
  if (type !== 'object') return type === 'integer' ? 'number' : type
  const lines = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description === undefined ? [] : [`// ${field.description}`]),
    `${name}${required.includes(name) ? '' : '?'}: ${typeOf(field, indent + 2)},`,
  ])
  return ['{', lines.map((line) => ' '.repeat(indent) + line).join('\n'), '}'].join('\n')
}

describe('tools that a model reads as TypeScript types instead of JSON', () => {
  const word = fc.constantFrom(
    'city',
    'unit',
    'userName',
    'order_id',
    'x',
    'temperature',
    'isActive',
    'größe',
  )
  const description = fc.option(fc.constantFrom('The name of the city', 'See "docs".\nSecond line', '数量'), {
    nil: undefined,
  })
  const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record({ type: fc.constantFrom('string', 'number', 'boolean', 'integer'), description }),
      fc.record({
        type: fc.constant('string'),
        enum: fc.array(word, { minLength: 1, maxLength: 5 }),
        description,
      }),
      fc.record({ type: fc.constant('array'), items: tie('schema'), description }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(word, tie('schema'), { maxKeys: 4 }),
        description,
      }),
    ),
  }))
  const tool = fc.record({
    name: word,
    description,
    parameters: fc.option(
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(word, schema, { maxKeys: 5 }),
        required: fc.array(word, { maxLength: 3 }),
      }),
      { nil: undefined },
    ),
  })

  it('the counted text has at least as many tokens as the template of OpenAI’s models', () => {
    const count = (text: string): number =>
      countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() })
    fc.assert(
      fc.property(fc.array(tool, { minLength: 1, maxLength: 8 }), fc.boolean(), (tools, isChat) => {
        const types = tools.map(
          ({ description: told, name, parameters }) =>
            `${told === undefined ? '' : `// ${told}\n`}type ${name} = (${parameters === undefined ? '' : `_: ${typeOf(parameters)}`}) => any;\n\n`,
        )
        const rendered = `# Tools\n\n## functions\n\nnamespace functions {\n\n${types.join('')}} // namespace functions`
        const definitions = tools.map((one) =>
          isChat ? { type: 'function', function: one } : { type: 'function', ...one },
        )
        // The allowance for tools covers the first and last lines of the rendered tools.
        expect(count(read(JSON.stringify({ tools: definitions }), true).text) + 24).toBeGreaterThanOrEqual(
          count(rendered),
        )
      }),
      sampledRuns(2000),
    )
  })
})
