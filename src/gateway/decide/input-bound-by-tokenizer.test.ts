import * as fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { tokenizerBound, wordsIn } from './input-bound-by-tokenizer.ts'
import { providerAddedTokens } from './tokens-that-provider-adds.ts'

function request(content: string): WireRequest {
  const body = byteTextOf(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }))
  const read = wires.chat.parseRequest(body, { model: null, isStream: false, isJsonArray: false })
  if ('kind' in read) throw new Error(read.reason)
  return read
}

// `tokenizerBound` reads only these fields of a plan.
const plan = { account: { kind: 'openai_compatible' }, target: { model: 'm' } } as unknown as Plan

function counter(tokens: number | null) {
  const asked: string[] = []
  return {
    asked,
    count: async (text: string) => {
      asked.push(text)
      return tokens
    },
  }
}

const prose = 'The service meters every call that passes it. '.repeat(20)

describe('the exact token count of a text', () => {
  it('the token count plus a margin replaces the number of bytes as the maximum of a text', async () => {
    const asked = request(prose)
    const around = asked.textTokensMax - asked.prose.tokensMax
    expect(await tokenizerBound(asked, [plan], counter(200), () => true)).toBe(around + 300)
    expect(await tokenizerBound(asked, [plan], counter(null), () => true)).toBeNull()
    expect(await tokenizerBound(asked, [plan], counter(100_000), () => true)).toBeNull()
  })

  it('Claude has an allowance for each tool after the first', async () => {
    const claude = {
      account: { kind: 'anthropic' },
      target: { model: 'claude-sonnet-4-5' },
    } as unknown as Plan
    const counted = async (tools: number): Promise<number> => {
      const definitions = Array.from({ length: tools }, () => ({ name: prose, input_schema: {} }))
      const body = {
        model: 'm',
        max_tokens: 9,
        tools: definitions,
        messages: [{ role: 'user', content: 'x' }],
      }
      const path = { model: null, isStream: false, isJsonArray: false }
      const asked = wires.messages.parseRequest(byteTextOf(JSON.stringify(body)), path)
      if ('kind' in asked) throw new Error(asked.reason)
      return (await tokenizerBound(asked, [claude], counter(100), () => true)) ?? 0
    }
    expect((await counted(3)) - (await counted(1))).toBe(2 * 32)
  })

  it('if the tokenizer counts a rare word that Claude splits, the hold still covers the input', async () => {
    const claude = {
      account: { kind: 'anthropic' },
      target: { model: 'claude-sonnet-4-20250514' },
    } as unknown as Plan
    const asked = request('farewell '.repeat(1024))
    const o200k = { count: async (text: string) => countTokens(text) }
    const bound = await tokenizerBound(asked, [claude], o200k, () => true)
    // Anthropic reported this input for a request with the same words. o200k counts one token for each word.
    expect((bound ?? 0) + providerAddedTokens(asked, claude)).toBeGreaterThanOrEqual(2_066)
  })

  it('the thoughts of earlier turns of Claude are counted only if the request keeps them', async () => {
    const claude = {
      account: { kind: 'anthropic' },
      target: { model: 'claude-sonnet-4-5' },
    } as unknown as Plan
    const countedFor = async (fields: object): Promise<string> => {
      const messages = [
        { role: 'user', content: prose },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'earlier', signature: 's' }] },
        { role: 'user', content: 'x' },
      ]
      const body = { model: 'm', max_tokens: 9, messages, ...fields }
      const path = { model: null, isStream: false, isJsonArray: false }
      const asked = wires.messages.parseRequest(byteTextOf(JSON.stringify(body)), path)
      if ('kind' in asked) throw new Error(asked.reason)
      const tokens = counter(100)
      await tokenizerBound(asked, [claude], tokens, () => true)
      return tokens.asked[0] ?? ''
    }
    const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }]
    expect(await countedFor({})).not.toContain('earlier')
    expect(await countedFor({ context_management: { edits } })).toContain('earlier')
  })

  it('the tokenizer is not used if the balance could not cover even the minimum token count of the text', async () => {
    const asked = request(prose)
    const least = Math.ceil(wordsIn(asked.prose.text) * 1.5)
    const around = asked.textTokensMax - asked.prose.tokensMax
    for (const [room, times] of [
      [0, 0],
      [around + least - 1, 0],
      [around + least, 1],
    ] as const) {
      const tokens = counter(200)
      await tokenizerBound(asked, [plan], tokens, (textTokens) => textTokens <= room)
      expect(tokens.asked).toHaveLength(times)
    }
  })

  it('only a limited part of the text is sent to the tokenizer, and the rest counts as one token per byte', async () => {
    const asked = request('éa'.repeat(150_000))
    const tokens = counter(1000)
    const tokensMax = await tokenizerBound(asked, [plan], tokens, () => true)
    const [sent = ''] = tokens.asked
    const sentBytes = Buffer.byteLength(sent)
    expect(sentBytes).toBeLessThanOrEqual(256 * 1024)
    expect(sent).not.toContain('�')
    const around = asked.textTokensMax - asked.prose.tokensMax
    // A vocabulary may have few tokens for text that is not ASCII, so half of its bytes are added.
    const surplus = sent.match(/é/g)?.length ?? 0
    expect(tokensMax).toBe(around + 1500 + surplus + asked.prose.text.length - sentBytes)
  })
})

describe('the number of words in a text', () => {
  it('the number of words in a text never exceeds the tokenizer’s count', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.stringMatching(/^[ a-zA-Z0-9.,;:/'"\n\r\t-]{0,40}$/),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('').toWellFormed()
        const count = countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() })
        expect(wordsIn(byteTextOf(text))).toBeLessThanOrEqual(count)
      }),
      sampledRuns(2000),
    )
  })
})
