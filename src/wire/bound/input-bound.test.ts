import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import * as fc from 'fast-check'
import { countTokens as countOlder, countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens, countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { countTokens as p50k } from 'gpt-tokenizer/encoding/p50k_base'
import { countTokens as r50k } from 'gpt-tokenizer/encoding/r50k_base'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { wires } from '#wire/table-of-wires.ts'
import { longWords, shortWords } from './common-words.ts'
import { tokensAtMost } from './letter-pair-bound.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { anyCharacter } from '#tests/support/any-character.ts'

function read(wire: WireName, body: object | string): WireRequest {
  const text = byteTextOf(typeof body === 'string' ? body : JSON.stringify(body))
  const request = wires[wire].parseRequest(text, { model: 'm', isStream: false, isJsonArray: false })
  if ('kind' in request) throw new Error(request.reason)
  return request
}

interface Part {
  readonly text: string
}
interface Turn {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
}

const bodies: Readonly<Record<WireName, (turns: readonly Turn[]) => object>> = {
  chat: (turns) => ({
    model: 'm',
    messages: turns.map(({ role, parts }) => ({
      role,
      content: parts.length === 1 ? parts[0]?.text : parts.map(({ text }) => ({ type: 'text', text })),
    })),
    temperature: 0.5,
  }),
  messages: (turns) => ({
    model: 'm',
    max_tokens: 9,
    messages: turns.map(({ role, parts }) => ({
      role,
      content: parts.map(({ text }) => ({ type: 'text', text })),
    })),
  }),
  generate: (turns) => ({
    contents: turns.map(({ role, parts }) => ({ role: role === 'user' ? role : 'model', parts })),
    generationConfig: { temperature: 1 },
  }),
  responses: (turns) => ({
    model: 'm',
    input: turns.map(({ role, parts }) => ({
      type: 'message',
      role,
      content: parts.map(({ text }) => ({ type: role === 'user' ? 'input_text' : 'output_text', text })),
    })),
  }),
  converse: (turns) => ({
    messages: turns.map(({ role, parts }) => ({ role, content: parts })),
    inferenceConfig: { temperature: 1 },
  }),
  cohere: (turns) => ({
    model: 'm',
    messages: turns.map(({ role, parts }) => ({
      role,
      content: parts.map(({ text }) => ({ type: 'text', text })),
    })),
    p: 0.5,
  }),
}

const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/** Texts with many tokens in few bytes: characters outside every vocabulary, or changed by Unicode normalization. */
const dense = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.stringMatching(/^[A-Za-z0-9+/]{0,80}$/),
  fc.stringMatching(/^[ -~]{0,80}$/),
  fc
    .tuple(
      fc.constantFrom('\u{f8ff}', '\u{10fffd}', '\ufdfa', '\u0001', 'ꙮ', 'ﬃ', '𓂀', 'Ａ', '"', '\\', '\n'),
      fc.nat(60),
    )
    .map(([character, times]) => character.repeat(times)),
)
const turn = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  parts: fc.array(fc.record({ text: dense.map((text) => text.toWellFormed()) }), {
    minLength: 1,
    maxLength: 4,
  }),
})
const turns = fc.array(turn, { minLength: 1, maxLength: 5 })

describe.each(wireNames)('the bound of text on %s', (wire) => {
  it('the bound of text is at least the token count of two vocabularies, with or without Unicode normalization', () => {
    fc.assert(
      fc.property(turns, fc.boolean(), (conversation, isSpaced) => {
        const body = bodies[wire](conversation)
        const { textTokensMax, inputEstimate } = read(wire, isSpaced ? JSON.stringify(body, null, 4) : body)
        for (const count of [countTokens, countOlder]) {
          for (const form of ['NFC', 'NFKC'] as const) {
            let tokens = 3
            for (const { parts } of conversation) {
              tokens += 7
              for (const { text } of parts) tokens += 1 + count(text.normalize(form), plain)
            }
            expect(textTokensMax).toBeGreaterThanOrEqual(tokens)
          }
        }
        expect(inputEstimate).toBeLessThanOrEqual(textTokensMax)
      }),
      { numRuns: 300 },
    )
  })

  it('the bound grows with each byte of text, but not with white space between fields', () => {
    const alone = [{ role: 'user', parts: [{ text: 'a' }] }] as const
    const bound = read(wire, bodies[wire](alone)).textTokensMax
    expect(read(wire, JSON.stringify(bodies[wire](alone), null, 2)).textTokensMax).toBeLessThan(bound + 30)
    const longer = [{ role: 'user', parts: [{ text: 'a'.repeat(1001) }] }] as const
    expect(read(wire, bodies[wire](longer)).textTokensMax).toBe(bound + 1000)
    const unknown = { ...bodies[wire](alone), unheardOf: 'x'.repeat(1000) }
    expect(read(wire, unknown).textTokensMax).toBeGreaterThan(bound + 1000)
  })
})

describe('the framing of a request does not count as text', () => {
  const hello = [{ role: 'user', content: 'Hello' }]
  const bound = (body: object): number => read('chat', body).textTokensMax
  const least = bound({ model: 'm', messages: hello })

  it('settings of any length count as framing, not as text that a model reads', () => {
    expect(bound({ model: 'm', messages: hello, user: 'u'.repeat(5000), seed: 1 })).toBeLessThan(least + 5)
  })

  it('a setting that Unicode normalization may shorten does not count as framing', () => {
    const wide = 'Ａ'.repeat(1000)
    const growing = '\ufdfa'.repeat(100)
    const body = { model: 'm', messages: [{ role: 'user', content: growing }], user: wide }
    expect(bound(body)).toBeGreaterThanOrEqual(Buffer.byteLength(growing.normalize('NFKC')))
  })

  it('a known role counts as framing, and a long text in the field `role` counts as text', () => {
    expect(bound({ model: 'm', messages: [{ role: 'developer', content: 'Hello' }] })).toBe(least)
    const long = bound({ model: 'm', messages: [{ role: 'r'.repeat(1000), content: 'Hello' }] })
    expect(long).toBeGreaterThan(least + 1000)
  })

  it('tools, tool calls and names never count as framing, because models read them', () => {
    const call = { id: '7'.repeat(100), type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
    const bounded = (message: object): number => bound({ model: 'm', messages: [...hello, message] })
    const bare = bounded({ role: 'assistant', content: '' })
    const tokensIn = (json: string): number => tokensAtMost(byteTextOf(json), 0, json.length)
    expect(bounded({ role: 'assistant', content: '', tool_calls: [call] })).toBe(
      bare + tokensIn(`"tool_calls":${JSON.stringify([call])}`),
    )
    expect(tokensIn(JSON.stringify(call))).toBeGreaterThan(100)
    expect(bounded({ role: 'assistant', content: '', name: 'ada' })).toBe(bare + tokensIn('"name":"ada"'))
  })

  it('the bound of tools covers the counts of four vocabularies, even if a template adds spaces to the JSON', () => {
    const word = fc.constantFrom(
      ...shortWords,
      ...longWords,
      'getWeather',
      'x_1',
      'Ünïcode',
      '日本',
      'qzx',
      '\n',
    )
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))
    const names = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'))
    const types = fc.constantFrom('string', 'integer', 'boolean', 'number')
    const fields = fc.dictionary(names, fc.record({ type: types, description: text }), { maxKeys: 6 })
    const tool = fc.tuple(names, text, fields).map(([name, description, properties]) => ({
      type: 'function',
      function: {
        name,
        description,
        parameters: {
          type: 'object',
          properties,
          required: Object.keys(properties),
          additionalProperties: false,
        },
      },
    }))
    fc.assert(
      fc.property(fc.array(tool, { minLength: 1, maxLength: 3 }), (tools) => {
        const held = bound({ model: 'm', messages: hello, tools })
        const spaced = JSON.stringify(tools, null, 1).replaceAll(/\n */g, ' ')
        for (const count of [o200k, cl100k, p50k, r50k])
          for (const json of [JSON.stringify(tools), spaced])
            expect(held).toBeGreaterThanOrEqual(count(json, plain))
      }),
      sampledRuns(400),
    )
  })

  it('the bound of tools covers the counts of two vocabularies, even if a template indents the JSON', () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    ]
    const held = bound({ model: 'm', messages: hello, tools })
    for (const count of [o200k, cl100k]) expect(held).toBeGreaterThan(count(JSON.stringify(tools, null, 4)))
  })
})
