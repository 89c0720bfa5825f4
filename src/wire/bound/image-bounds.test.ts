import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ImageTokens } from '#wire/media-token-types.ts'
import { ImageBounds } from './image-bounds.ts'

/** The beginning of a PNG file of that size. */
function png(width: number, height: number): string {
  const head = Buffer.alloc(40)
  head.set(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return `data:image/png;base64,${head.toString('base64')}`
}

function tokensOf(data: string | null, { isLow = false, isLarge = false } = {}): ImageTokens {
  const bounds = new ImageBounds()
  bounds.add(data, isLow)
  return bounds.total(isLarge)
}

const counters = [
  'any',
  'openai',
  'gpt4o',
  'gpt4oMini',
  'openaiSmall',
  'anthropic',
  'claude4',
  'google',
  'gemini2',
  'mistral',
  'llama4',
] as const
const side = fc.integer({ min: 1, max: 8_000 })

/**
 * Image tokens that vendors counted (docs/reference/tokens.md "Images"). The request in this test does not set a high
 * resolution for Google.
 */
const counted: readonly {
  readonly width: number
  readonly height: number
  readonly counter: (typeof counters)[number]
  readonly tokens: number
  readonly isLow?: boolean
}[] = [
  { width: 1_024, height: 1_024, counter: 'anthropic', tokens: 1_446 },
  { width: 1_024, height: 1_024, counter: 'google', tokens: 1_090 },
  { width: 1_024, height: 1_024, counter: 'openai', tokens: 1_229 },
  { width: 4_032, height: 3_024, counter: 'anthropic', tokens: 4_005 },
  { width: 4_032, height: 3_024, counter: 'google', tokens: 1_065 },
  { width: 540, height: 360, counter: 'google', tokens: 1_806 },
  // Gemini 2.0 Flash counts the tokens of an image by its number of tiles.
  { width: 540, height: 360, counter: 'gemini2', tokens: 1_806 },
  { width: 3_008, height: 2_000, counter: 'gemini2', tokens: 3_354 },
  { width: 1_024, height: 1_024, counter: 'claude4', tokens: 1_446 },
  { width: 3_008, height: 2_000, counter: 'llama4', tokens: 2_324 },
  { width: 3_008, height: 2_000, counter: 'google', tokens: 3_354 },
  { width: 597, height: 566, counter: 'google', tokens: 1_102 },
  { width: 4_032, height: 3_024, counter: 'openai', tokens: 14_364 },
  { width: 1_600, height: 1_600, counter: 'openai', tokens: 3_008 },
  { width: 2_400, height: 1_800, counter: 'openai', tokens: 2_362 },
  { width: 128, height: 64, counter: 'gpt4o', tokens: 255 },
  { width: 128, height: 64, counter: 'gpt4o', tokens: 85, isLow: true },
  { width: 128, height: 64, counter: 'gpt4oMini', tokens: 8_500 },
  { width: 128, height: 64, counter: 'gpt4oMini', tokens: 2_833, isLow: true },
  { width: 2_048, height: 4_096, counter: 'gpt4o', tokens: 1_105 },
  // The numbers 1,349 and 663 are input tokens recorded with the responses API, without the tokens of the texts.
  { width: 3_008, height: 2_000, counter: 'gpt4o', tokens: 1_335 },
  { width: 540, height: 360, counter: 'gpt4o', tokens: 655 },
  { width: 1_024, height: 1_024, counter: 'gpt4o', tokens: 765 },
  { width: 2_048, height: 4_096, counter: 'gpt4oMini', tokens: 2_833 + 6 * 5_667 },
  // GPT-4.1 nano ignores `detail`.
  { width: 1_248, height: 1_248, counter: 'openai', tokens: 3_742, isLow: true },
  { width: 1_248, height: 1_248, counter: 'openaiSmall', tokens: 3_742, isLow: true },
]

describe('the bound of an image', () => {
  it.each(counted)(
    'an image bound covers $tokens tokens for $width x $height pixels at $counter (low detail: $isLow)',
    ({ counter, height, isLow = false, tokens, width }) => {
      const bound = tokensOf(png(width, height), { isLow })[counter]
      expect(bound).toBeGreaterThanOrEqual(tokens)
      // Skip the smallest images, which count as a fixed minimum.
      if (width >= 1_024 && !isLow) expect(bound).toBeLessThanOrEqual(tokens * 7)
    },
  )

  it('the bound of an image of unknown size is higher than that of an image of usual size', () => {
    const unknown = tokensOf(null)
    expect(unknown).toEqual({
      any: 16_000,
      openai: 16_000,
      gpt4o: 1_675,
      gpt4oMini: 48_399,
      openaiSmall: 3_779,
      anthropic: 4_800,
      claude4: 1_760,
      google: 16_000,
      gemini2: 16_000,
      mistral: 5_552,
      llama4: 2_560,
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 3_000 }), (width, height) => {
        const known = tokensOf(png(width, height))
        for (const counter of counters) expect(known[counter]).toBeLessThanOrEqual(unknown[counter])
      }),
    )
  })

  it('the bound of an image never falls when the image grows', () => {
    fc.assert(
      fc.property(side, side, fc.nat(500), fc.boolean(), (width, height, more, isLow) => {
        const small = tokensOf(png(width, height), { isLow })
        const large = tokensOf(png(width + more, height + more), { isLow })
        // Google is not in the list, because it may use larger tiles for a larger image.
        for (const counter of ['any', 'openai', 'openaiSmall', 'anthropic', 'claude4', 'mistral'] as const)
          expect(large[counter]).toBeGreaterThanOrEqual(small[counter])
      }),
    )
  })

  it('the bound of an image does not depend on its orientation', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        expect(tokensOf(png(width, height))).toEqual(tokensOf(png(height, width)))
      }),
    )
  })

  it('at Google, the bound of an image doubles if the request may raise the resolution', () => {
    expect(tokensOf(png(64, 64), { isLarge: true }).google).toBe(2 * tokensOf(png(64, 64)).google)
  })

  it('the bounds of all images are added up', () => {
    const image = fc.tuple(fc.option(fc.tuple(side, side)), fc.boolean())
    fc.assert(
      fc.property(fc.array(image, { maxLength: 5 }), (images) => {
        const bounds = new ImageBounds()
        const each = images.map(([size, isLow]) => {
          const data = size === null ? null : png(...size)
          bounds.add(data, isLow)
          return tokensOf(data, { isLow })
        })
        for (const counter of counters) {
          const sum = each.reduce((total, one) => total + one[counter], 0)
          expect(bounds.total(false)[counter]).toBe(sum)
        }
      }),
    )
  })
})
