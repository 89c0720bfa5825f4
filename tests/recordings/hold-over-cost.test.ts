/**
 * The ratio of the hold for the input of recorded calls to their usage, which is never below 1.
 *
 * The client's maximum is held in full and does not concern the bound, and few recordings state one. So the output
 * counts as used on both sides. `hold over cost` is then (bound x input rate + output used x output rate) / (input used
 * x input rate + output used x output rate). The output rate is four times the input rate, as for most models. The
 * report also contains the bound alone.
 */
import { describe, expect, it } from 'vitest'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/served-name.ts'
import { wrappingTokens } from '#gateway/decide/wrapping-tokens.ts'
import { totalInput } from '#money/usage.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/wires.ts'
import type { WireName } from '#wire/wire-names.ts'
import { hasNoRecordings, recordingsOf, type Recording } from '../support/recordings.ts'

const kinds: Readonly<Record<WireName, ProviderKind>> = {
  chat: 'openai_compatible',
  messages: 'anthropic',
  generate: 'google',
  responses: 'openai',
}
const outputRate = 4

interface Measured {
  readonly name: string
  readonly boundTokens: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly isShortChat: boolean
}

/** Null: rejected, without usage, or the request was not kept. */
function measured({ wire, requestBody, isStream, bytes, name, status }: Recording): Measured | null {
  if (status !== 200 || typeof requestBody !== 'object' || requestBody === null) return null
  const path = { model: 'm', isStream, isJsonArray: false }
  const request = wires[wire].parseRequest(byteTextOf(JSON.stringify(requestBody)), path)
  if ('kind' in request) return null
  const usage = isStream ? usageOfStream() : (wires[wire].readAnswer(bytes, request)?.usage ?? null)
  if (usage === null) return null
  const model = 'model' in requestBody ? String(requestBody.model) : 'gemini'
  // The test reads no other part of a plan.
  const plan = { account: { kind: kinds[wire] }, target: { model } } as unknown as Plan
  const { textTokensMax, audioTokensMax, imageTokensMax, hasTools, hasSchema } = request
  return {
    name,
    boundTokens: textTokensMax + audioTokensMax + imageTokensMax + wrappingTokens(request, plan),
    inputTokens: totalInput(usage),
    outputTokens: usage.output,
    isShortChat: !hasTools && !hasSchema && request.text.length < 1000,
  }

  function usageOfStream() {
    if ('kind' in request) return null
    const stream = wires[wire].openStream(request)
    stream.push(bytes)
    stream.end()
    return stream.usage
  }
}

function holdOverCost({ boundTokens, inputTokens, outputTokens }: Measured): number {
  return (boundTokens + outputTokens * outputRate) / (inputTokens + outputTokens * outputRate)
}

/**
 * The same at one price for both, if its answer had been cut at 20 tokens, so that the input has its maximum weight.
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
  const calls = (['chat', 'messages', 'generate', 'responses'] as const)
    .flatMap((wire) => recordingsOf(wire).map(measured))
    .filter((call) => call !== null)
  const chats = calls.filter(({ isShortChat }) => isShortChat)

  it('exist, with tools and without', () => {
    expect(chats.length).toBeGreaterThanOrEqual(5)
    expect(calls.length - chats.length).toBeGreaterThanOrEqual(10)
  })

  it.each(calls)('$name: is covered by the hold', ({ boundTokens, inputTokens }) => {
    expect(boundTokens).toBeGreaterThanOrEqual(inputTokens)
  })

  it('for short chats is held at less than three times the cost of the call, at the median', () => {
    expect(median(chats.map(holdOverCost))).toBeLessThan(3)
    expect(median(chats.map(shortestOverCost))).toBeLessThan(3)
    // The bound alone. A greeting of six tokens is held with 40 around it, so this number is not small.
    expect(median(chats.map((call) => call.boundTokens / call.inputTokens))).toBeLessThan(7)
  })

  it('for all calls is held at less than four times the cost', () => {
    expect(median(calls.map(holdOverCost))).toBeLessThan(4)
  })

  it('for a greeting of nine tokens in and twenty out, at one price, is held at less than three times the cost', () => {
    const body =
      '{"model":"acme/smart","max_tokens":20,"messages":[{"role":"user","content":"Say hello in French."}]}'
    const path = { model: null, isStream: false, isJsonArray: false }
    const request = wires.chat.parseRequest(byteTextOf(body), path)
    if ('kind' in request) throw new Error(request.reason)
    expect(request.textTokensMax + 20).toBeLessThan(3 * (9 + 20))
  })
})
