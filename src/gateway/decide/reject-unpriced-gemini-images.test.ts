import { describe, expect, it } from 'vitest'
import { aQuote } from '#tests/fixtures/build-money-values.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Price } from '#money/price.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { unpricedImagesFault, usesAt } from './reject-unpriced-gemini-images.ts'

const text: Price = { input: 1_000_000n, output: 2_000_000n }
const images: Price = { ...text, imageOutput: 30_000_000n }

interface Priced {
  readonly kind?: ProviderKind
  readonly model?: string
  readonly cost?: Price
  readonly sell?: Price
}

function planOf({ cost = images, kind = 'google', model = 'gemini-3-pro-image', sell = cost }: Priced): Plan {
  const quote = aQuote({ cost, sell, basis: 'sell_price' })
  // The tested functions read only these fields of a plan.
  return { account: { kind }, target: { model }, quote } as unknown as Plan
}

function asking(responseModalities?: readonly string[]) {
  const body = { contents: [{ parts: [{ text: 'hello' }] }] }
  const request = wires.generate.parseRequest(
    byteTextOf(JSON.stringify({ ...body, generationConfig: { responseModalities, candidateCount: 2 } })),
    { model: 'm', isStream: false, isJsonArray: false },
  )
  if ('kind' in request) throw new Error(request.reason)
  return request
}

describe('the hold for images of Gemini', () => {
  it.each([
    [['TEXT', 'IMAGE'], {}, 5_040],
    [undefined, {}, 5_040],
    [undefined, { kind: 'vertex' }, 5_040],
    [['TEXT'], {}, undefined],
    [undefined, { model: 'gemini-3-pro' }, undefined],
    [undefined, { kind: 'openai_compatible' }, undefined],
  ] as const)(
    'if a request has the modalities %j and the target has the changed fields %j, the hold covers %s tokens of images',
    (modalities, at, tokens) => {
      expect(usesAt(asking(modalities), planOf(at))?.imageOutput).toBe(tokens)
    },
  )

  it('a request for images is rejected unless the account’s price and the price of the hold both have a rate for images', () => {
    const isRejected = (priced: Priced): boolean => unpricedImagesFault(asking(), planOf(priced)) !== null
    expect(isRejected({})).toBe(false)
    expect(isRejected({ cost: text })).toBe(true)
    expect(isRejected({ cost: text, sell: images })).toBe(true)
    expect(isRejected({ sell: text })).toBe(true)
    expect(isRejected({ cost: text, model: 'gemini-3-pro' })).toBe(false)
  })
})
