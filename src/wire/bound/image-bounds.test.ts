import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ImageTokens } from '#wire/media-token-types.ts'
import { ImageBounds } from './image-bounds.ts'

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
  'openaiMini',
  'openaiNano',
  'anthropic',
  'claude4',
  'google',
  'gemini2',
  'gemini3',
  'mistral',
  'pixtral',
  'llama4',
  'grok',
  'cohere',
  'nova',
] as const
const side = fc.integer({ min: 1, max: 8_000 })

/**
 * Image tokens that vendors counted (docs/reference/tokens.md "Images"). The requests do not set a high resolution for
 * Google.
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
  // The numbers 1,349 and 663 are the recorded input tokens of requests to the responses API, minus the tokens of the
  // requests' texts.
  { width: 3_008, height: 2_000, counter: 'gpt4o', tokens: 1_335 },
  { width: 540, height: 360, counter: 'gpt4o', tokens: 655 },
  { width: 1_024, height: 1_024, counter: 'gpt4o', tokens: 765 },
  { width: 2_048, height: 4_096, counter: 'gpt4oMini', tokens: 2_833 + 6 * 5_667 },
  // GPT-4.1 nano ignores `detail`.
  { width: 1_248, height: 1_248, counter: 'openai', tokens: 3_742, isLow: true },
  { width: 1_248, height: 1_248, counter: 'openaiNano', tokens: 3_742, isLow: true },
  // The following numbers are the recorded input tokens of requests, minus the tokens of the requests' texts.
  { width: 597, height: 566, counter: 'openaiMini', tokens: 456 },
  { width: 400, height: 301, counter: 'openaiMini', tokens: 205 },
  { width: 597, height: 566, counter: 'gemini2', tokens: 258 },
  { width: 597, height: 566, counter: 'gemini3', tokens: 1_088 },
  { width: 400, height: 301, counter: 'gemini3', tokens: 1_102 },
  { width: 128, height: 128, counter: 'gemini3', tokens: 1_089 },
  { width: 597, height: 566, counter: 'mistral', tokens: 483 },
  { width: 400, height: 301, counter: 'mistral', tokens: 176 },
  { width: 597, height: 566, counter: 'pixtral', tokens: 1_404 },
  { width: 597, height: 566, counter: 'llama4', tokens: 725 },
  { width: 400, height: 301, counter: 'llama4', tokens: 440 },
  { width: 597, height: 566, counter: 'grok', tokens: 268 },
  { width: 128, height: 128, counter: 'cohere', tokens: 267 },
  { width: 597, height: 566, counter: 'nova', tokens: 481 },
  { width: 540, height: 360, counter: 'nova', tokens: 1_837 },
  { width: 3_008, height: 2_000, counter: 'nova', tokens: 1_839 },
  // Amazon's documentation lists these sizes of images.
  { width: 800, height: 400, counter: 'nova', tokens: 800 },
  { width: 900, height: 450, counter: 'nova', tokens: 800 },
  { width: 900, height: 900, counter: 'nova', tokens: 1_300 },
  { width: 1_400, height: 900, counter: 'nova', tokens: 1_800 },
  { width: 1_800, height: 900, counter: 'nova', tokens: 2_400 },
  { width: 1_300, height: 1_300, counter: 'nova', tokens: 2_600 },
]

/** The formulas that vendors publish (docs/reference/tokens.md "Images"), written as in their sources. */
const formulas: readonly (readonly [(typeof counters)[number], (width: number, height: number) => number])[] =
  [
    ['mistral', (width, height) => mistralFormula(width, height, { patch: 28, side: 1_540 })],
    ['pixtral', (width, height) => mistralFormula(width, height, { patch: 16, side: 1_024 })],
    ['llama4', llamaFormula],
    ['grok', (width, height) => 256 * (1 + Math.min(6, Math.ceil(width / 448) * Math.ceil(height / 448)))],
    ['cohere', cohereFormula],
    ['openaiMini', (width, height) => 1.72 * Math.min(1_536, Math.ceil(width / 32) * Math.ceil(height / 32))],
    ['openaiNano', (width, height) => 2.46 * Math.min(1_536, Math.ceil(width / 32) * Math.ceil(height / 32))],
    ['gemini3', () => 1_120],
  ]

/** `ImageEncoder` of mistral-common reduces the longer side of the image, and adds a token for each row. */
function mistralFormula(
  width: number,
  height: number,
  { patch, side: most }: { patch: number; side: number },
): number {
  const ratio = Math.max(1, width / most, height / most)
  const along = (pixels: number): number => Math.floor((Math.round(pixels / ratio) - 1) / patch) + 1
  return (along(width) + 1) * along(height)
}

/** `Llama4Processor` of transformers chooses the canvas of at most 16 tiles that enlarges the image least. */
function llamaFormula(width: number, height: number): number {
  let best = { scale: 0, tiles: 0 }
  for (let across = 1; across <= 16; across++)
    for (let down = 1; across * down <= 16; down++) {
      const scale = Math.min((336 * across) / width, (336 * down) / height)
      const tiles = across * down
      const isBetter = best.scale >= 1 ? scale >= 1 && scale < best.scale : scale > best.scale
      if (isBetter || (scale === best.scale && tiles < best.tiles)) best = { scale, tiles }
    }
  return (best.tiles === 1 ? 0 : 145 * best.tiles) + 144 + 3
}

/** Cohere's documented formula fits the image into 1,536 x 2,048 pixels, and adds a preview to the tiles. */
function cohereFormula(width: number, height: number): number {
  const [short, long] = width < height ? [width, height] : [height, width]
  const scale = Math.min(1, 1_536 / short, 2_048 / long)
  return 256 * (1 + Math.ceil(Math.floor(short * scale) / 512) * Math.ceil(Math.floor(long * scale) / 512))
}

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

  it('an image of unknown size has a higher bound than an image of usual size', () => {
    const unknown = tokensOf(null)
    expect(unknown).toEqual({
      any: 16_000,
      openai: 16_000,
      gpt4o: 1_675,
      gpt4oMini: 48_399,
      openaiMini: 2_642,
      openaiNano: 3_779,
      anthropic: 4_800,
      claude4: 1_760,
      google: 16_000,
      gemini2: 16_000,
      gemini3: 1_120,
      mistral: 3_080,
      pixtral: 4_160,
      llama4: 2_550,
      grok: 1_792,
      cohere: 3_354,
      nova: 16_000,
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 3_000 }), (width, height) => {
        const known = tokensOf(png(width, height))
        for (const counter of counters) expect(known[counter]).toBeLessThanOrEqual(unknown[counter])
      }),
    )
  })

  it('the bound of an image never decreases when the image grows', () => {
    fc.assert(
      fc.property(side, side, fc.nat(500), fc.boolean(), (width, height, more, isLow) => {
        const small = tokensOf(png(width, height), { isLow })
        const large = tokensOf(png(width + more, height + more), { isLow })
        // Gemini may use larger tiles for a larger image, and GPT-4o may reduce a larger image to fewer tiles.
        for (const counter of counters.filter((name) => !/^(?:google|gemini2|gpt)/.test(name)))
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
    for (const counter of ['google', 'gemini3'] as const)
      expect(tokensOf(png(64, 64), { isLarge: true })[counter]).toBe(2 * tokensOf(png(64, 64))[counter])
  })

  it.each(formulas)(
    'for images of any size, the bound of %s is at least the result of its published formula',
    (counter, tokens) => {
      fc.assert(
        fc.property(side, side, (width, height) => {
          expect(tokensOf(png(width, height))[counter]).toBeGreaterThanOrEqual(tokens(width, height))
        }),
      )
    },
  )

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
