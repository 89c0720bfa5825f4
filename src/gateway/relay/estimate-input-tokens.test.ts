import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun, withSeed } from '#tests/support/seeded-random.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { InputCount } from './estimate-input-tokens.ts'

function request(content: string): WireRequest {
  const body = byteTextOf(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }))
  const read = wires.chat.parseRequest(body, { model: null, isStream: false, isJsonArray: false })
  if ('kind' in read) throw new Error(read.reason)
  return read
}

// `InputCount` reads only these fields of a plan.
const plan = {
  account: { kind: 'openai', organizationId: 'org' },
  target: { model: 'gpt-4o' },
} as unknown as Plan

async function counted(content: string, isBusy: boolean, tokensMax = 10_000_000): Promise<number> {
  const count = new InputCount(request(content), plan, tokensMax, {
    count: async (text) => (isBusy ? null : countTokens(text)),
  })
  await count.count()
  return count.tokens
}

const random = randomFrom(seedOfRun())
const many = (make: () => string): string => Array.from({ length: 2_000 }, make).join('')
const textsOfDigits: readonly (readonly [string, () => string])[] = [
  ['digits', () => many(() => String(random.whole(0, 9)))],
  ['hex', () => many(() => random.whole(0, 15).toString(16))],
  ['numbers', () => many(() => `${random.whole(0, 10_000_000)}, `)],
  ['dates', () => many(() => new Date(random.whole(0, 2e12)).toISOString())],
]

describe.each(textsOfDigits)('the gateway’s own count of input that consists of %s', (name, make) => {
  it('the gateway’s own count comes from the tokenizer; if the tokenizer is busy, the count is a slightly high estimate', () =>
    withSeed(seedOfRun(), async () => {
      const text = make()
      const truth = countTokens(text)
      const exact = await counted(text, false)
      expect(exact).toBeGreaterThanOrEqual(truth)
      expect(exact).toBeLessThan(truth + 20)
      const estimated = await counted(text, true)
      // Allow a small difference for digits, because o200k puts up to three digits into one token.
      expect(estimated / truth, name).toBeGreaterThanOrEqual(0.99)
      expect(estimated / truth, name).toBeLessThan(2.5)
    }))

  it('the gateway’s own count never exceeds the maximum for the input', async () => {
    expect(await counted(make(), true, 100)).toBe(100)
    expect(await counted(make(), false, 100)).toBe(100)
  })
})
