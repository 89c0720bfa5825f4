/**
 * Compares the hold for the input of recorded calls with their usage. The hold must always cover at least the used
 * input.
 *
 * The bound is the maximum number of input tokens that the hold covers. The client's maximum output does not affect the
 * bound. Few recordings state a maximum output, so the comparison counts the used output both in the hold and in the
 * cost. The ratio `hold over cost` is (bound x input rate + output used x output rate) / (input used x input rate +
 * output used x output rate). The output rate is four times the input rate, as for most models. The report also
 * contains the ratio of the bound to the input tokens.
 */
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/table-of-wires.ts'
import { measuredRecordings, type Measured } from '../support/measured-recordings.ts'
import { hasNoRecordings } from '../support/read-recordings.ts'

const outputRate = 4

function holdOverCost({ boundTokens, inputTokens, outputTokens }: Measured): number {
  return (boundTokens + outputTokens * outputRate) / (inputTokens + outputTokens * outputRate)
}

/**
 * For an answer of at most 20 tokens, with the same price for input and output. In a short answer, the input is most of
 * the cost.
 */
function shortestOverCost({ boundTokens, inputTokens, outputTokens }: Measured): number {
  const output = Math.min(outputTokens, 20)
  return (boundTokens + output) / (inputTokens + output)
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

describe.skipIf(hasNoRecordings)('the input of recorded calls', () => {
  const calls = measuredRecordings()
  const chats = calls.filter(({ isShortChat }) => isShortChat)

  it('recorded calls exist, with tools and without', () => {
    expect(chats.length).toBeGreaterThanOrEqual(5)
    expect(calls.length - chats.length).toBeGreaterThanOrEqual(10)
  })

  it.each(calls)('$name: the hold covers the recorded input', ({ boundTokens, inputTokens }) => {
    expect(boundTokens).toBeGreaterThanOrEqual(inputTokens)
  })

  it.each(calls)(
    '$name: if the gateway’s tokenizer counts the text, the hold still covers the recorded input',
    async ({ boundTokens, countedTokens, inputTokens }) => {
      const counted = await countedTokens()
      expect(counted ?? boundTokens).toBeGreaterThanOrEqual(inputTokens)
    },
  )

  it('the median hold for short chats is less than three times the cost of the call', () => {
    expect(median(chats.map(holdOverCost))).toBeLessThan(3)
    expect(median(chats.map(shortestOverCost))).toBeLessThan(3)
    // For a greeting of six tokens, the bound is 40 tokens larger, so this ratio is large for short chats.
    expect(median(chats.map((call) => call.boundTokens / call.inputTokens))).toBeLessThan(7)
  })

  it('the median hold for all recorded calls is less than four times the cost', () => {
    expect(median(calls.map(holdOverCost))).toBeLessThan(4)
  })

  it('the hold for a greeting with nine input and twenty output tokens, at the same price, is less than three times the cost', () => {
    const body =
      '{"model":"acme/smart","max_tokens":20,"messages":[{"role":"user","content":"Say hello in French."}]}'
    const path = { model: null, isStream: false, isJsonArray: false }
    const request = wires.chat.parseRequest(byteTextOf(body), path)
    if ('kind' in request) throw new Error(request.reason)
    expect(request.textTokensMax + 20).toBeLessThan(3 * (9 + 20))
  })
})
