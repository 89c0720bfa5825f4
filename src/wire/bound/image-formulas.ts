/**
 * The maximum tokens of an image, for each way in which models count image tokens (docs/reference/tokens.md "Images").
 * Most vendors first reduce a large image, and then count the squares that cover the image.
 */
import type { ImageTokens } from '#wire/media-token-types.ts'
import type { ImageSize } from './image-size.ts'

export interface KnownImage {
  readonly size: ImageSize | null
  readonly isLowDetail: boolean
}

/** @param isLarge whether the request may raise the resolution of its images at Google */
type ImageFormula = (image: KnownImage, isLarge: boolean) => number

export const imageFormulas: Readonly<Record<keyof ImageTokens, ImageFormula>> = {
  any: ({ size }) => anyTokens(size),
  openai: openaiTokens,
  gpt4o: (image) => addedByResponses + 85 + 170 * tilesOf(image),
  gpt4oMini: (image) => addedByResponses + 2_833 + 5_667 * tilesOf(image),
  // GPT-4.1 mini and GPT-5 mini count 1.62 tokens for a patch, and o4-mini counts 1.72.
  openaiMini: ({ size }) => openaiSmallTokens(size, 1.72),
  openaiNano: ({ size }) => openaiSmallTokens(size, 2.46),
  anthropic: ({ size }) => anthropicTokens(size, 4_800),
  claude4: ({ size }) => anthropicTokens(size, 1_760),
  google: ({ size }, isLarge) => googleTokens(size, isLarge ? 2_240 : 1_120),
  gemini2: ({ size }, isLarge) => googleTokens(size, isLarge ? 2_240 : googleTileTokens),
  gemini3: (_, isLarge) => (isLarge ? 2_240 : 1_120),
  mistral: ({ size }) => mistralTokens(size, { patch: 28, side: 1_540 }),
  pixtral: ({ size }) => mistralTokens(size, { patch: 16, side: 1_024 }),
  llama4: ({ size }) => 150 * (1 + squaresAtMost(size, { side: 336, most: 16 })),
  grok: ({ size }) => 256 * (1 + squaresAtMost(size, { side: 448, most: 6 })),
  cohere: ({ size, isLowDetail }) =>
    258 * (isLowDetail ? 1 : 1 + squaresAtMost(size, { side: 512, most: 12 })),
  nova: ({ size }) => novaTokens(size),
}

/**
 * Returns the highest number of tokens that any vendor counts, for a server of an unknown vendor. Servers of unknown
 * vendors often ignore `detail`. All known models count at most one token for each 14 x 14 pixels, or a fixed number
 * for each image.
 */
export function anyTokens(size: ImageSize | null): number {
  return size === null ? unknownImageTokens : clamp(squaresOf(size, 14), 6_400, unknownImageTokens)
}

/** GPT-6 counts up to 14,364 tokens for 12 megapixels. */
const unknownImageTokens = 16_000

/**
 * OpenAI's newer models count patches of 32 pixels, and the older ones count tiles. Models that read every patch count
 * at most 1.2 tokens per patch. Models that read at most 1,536 patches count at most 2.46 tokens per patch, and ignore
 * `detail`.
 */
function openaiTokens({ isLowDetail, size }: KnownImage): number {
  const patches = size === null ? unknownImageTokens / 1.2 : squaresOf(size, 32)
  const read = isLowDetail ? Math.min(patches, reducedPatchesMax) : patches
  return Math.ceil(Math.max(read * 1.2, Math.min(patches, smallPatchesMax) * 2.46, tiledTokensMin))
}

/** OpenAI's small models ignore `detail`. The minimum covers the tokens around an image. */
function openaiSmallTokens(size: ImageSize | null, tokensPerPatch: number): number {
  return Math.max(64, Math.ceil(squaresAtMost(size, { side: 32, most: smallPatchesMax }) * tokensPerPatch))
}

const smallPatchesMax = 1_536
const reducedPatchesMax = 2_500
const tiledTokensMin = 255

/** OpenAI's responses API adds these tokens to an image, in addition to the tokens of its tiles. */
const addedByResponses = 230

/**
 * Returns the number of 512-pixel tiles, after reducing the longer side to 2,048 pixels and the shorter side to 768.
 */
function tilesOf({ isLowDetail, size }: KnownImage): number {
  if (isLowDetail) return 0
  if (size === null) return tilesMax
  const { height, width } = size
  const toSquare = Math.min(1, 2_048 / Math.max(width, height))
  const scale = toSquare * Math.min(1, 768 / (Math.min(width, height) * toSquare))
  const along = (side: number): number => Math.ceil(Math.ceil(side * scale) / 512)
  return Math.min(tilesMax, along(width) * along(height))
}

const tilesMax = 8

/**
 * Claude may reduce an image, and then counts the image's patches of 28 pixels. The bound adds 10 % for the tokens
 * around the image. Models up to 4.6 reduce an image to about 1,600 tokens.
 */
function anthropicTokens(size: ImageSize | null, most: number): number {
  return size === null ? most : Math.min(most, Math.ceil(squaresOf(size, 28) * 1.1))
}

/**
 * Mistral's models reduce the longer side to `side` pixels, and count one more token at the end of each row of patches.
 * The bound assumes a portrait image, which has more rows than a landscape image. Later models than Pixtral merge four
 * patches of 14 pixels into one token.
 */
function mistralTokens(size: ImageSize | null, { patch, side }: { patch: number; side: number }): number {
  const rowsMax = side / patch
  const most = rowsMax * (rowsMax + 1)
  if (size === null) return most
  return Math.min(most, squaresOf(size, patch) + Math.ceil(Math.max(size.width, size.height) / patch))
}

/**
 * Nova enlarges a small image, and reduces a large one. Amazon's documentation lists images with at most 2,600 tokens,
 * but states no maximum. The larger listed images have at most 1.2 tokens for each 28 x 28 pixels.
 */
function novaTokens(size: ImageSize | null): number {
  return size === null
    ? unknownImageTokens
    : clamp(Math.ceil(squaresOf(size, 28) * 1.2), 3_072, unknownImageTokens)
}

/**
 * Gemini's older models count tiles, and one more tile for the whole image. The side of a tile is at most two thirds of
 * the image's shorter side.
 * @param fixed tokens of every image, for models that count a fixed number
 */
function googleTokens(size: ImageSize | null, fixed: number): number {
  if (size === null) return unknownImageTokens
  const side = clamp(Math.floor(Math.min(size.width, size.height) / 1.5), 256, 768)
  return clamp(googleTileTokens * (squaresOf(size, side) + 1), fixed, unknownImageTokens)
}

const googleTileTokens = 258

/** Returns the number of squares that cover the image, at most `most`. If the size is unknown, returns `most`. */
function squaresAtMost(size: ImageSize | null, { most, side }: { most: number; side: number }): number {
  return size === null ? most : Math.min(most, squaresOf(size, side))
}

function squaresOf({ height, width }: ImageSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side)
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
