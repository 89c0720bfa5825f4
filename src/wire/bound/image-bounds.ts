import type { ImageTokens } from '#wire/media-token-types.ts'
import { imageSize, type ImageSize } from './image-size.ts'

/**
 * Adds up the maximum tokens of the images of a request, by the rules of each vendor (docs/reference/tokens.md
 * "Images").
 */
export class ImageBounds {
  readonly #tokens: { -readonly [counter in keyof ImageTokens]: number } = {
    any: 0,
    openai: 0,
    gpt4o: 0,
    gpt4oMini: 0,
    openaiSmall: 0,
    anthropic: 0,
    claude4: 0,
    google: 0,
    gemini2: 0,
    mistral: 0,
    llama4: 0,
  }
  #largeGoogleTokens = 0
  #estimate = 0

  /**
   * @param data base64 or a data URL; null if the image is only referenced
   * @param isLowDetail whether the request asks for a small version of the image
   */
  add(data: string | null, isLowDetail: boolean): void {
    this.addSize(data === null ? null : imageSize(data.slice(data.indexOf(',') + 1)), isLowDetail)
  }

  addSize(size: ImageSize | null, isLowDetail: boolean): void {
    this.#tokens.any += anyTokens(size)
    this.#tokens.openai += openaiTokens(size, isLowDetail)
    const tiles = isLowDetail ? 0 : tilesOf(size)
    this.#tokens.gpt4o += addedByResponses + 85 + 170 * tiles
    this.#tokens.gpt4oMini += addedByResponses + 2_833 + 5_667 * tiles
    this.#tokens.openaiSmall += openaiSmallTokens(size)
    const claude = anthropicTokens(size)
    this.#tokens.anthropic += claude
    this.#tokens.claude4 += Math.min(claude, claude4ImageTokens)
    this.#tokens.google += googleTokens(size, googleImageTokens)
    this.#tokens.gemini2 += googleTokens(size, tileTokens)
    this.#tokens.mistral += mistralTokens(size)
    this.#tokens.llama4 += llama4ImageTokens
    this.#largeGoogleTokens += googleTokens(size, googleLargeImageTokens)
    this.#estimate += estimateOf(size, isLowDetail)
  }

  /** @param isLarge whether the request may raise the resolution of its images at Google */
  total(isLarge: boolean): ImageTokens {
    const large = this.#largeGoogleTokens
    return isLarge ? { ...this.#tokens, google: large, gemini2: large } : this.#tokens
  }

  /** Returns the usual number of tokens of the images. */
  estimate(): number {
    return this.#estimate
  }
}

/** Returns the token bound for images that every model counts in the same way. */
export function countedAlike(tokens: number): ImageTokens {
  return eachCounter(() => tokens)
}

export function sumOfImages(some: ImageTokens | null, more: ImageTokens): ImageTokens {
  return some === null ? more : eachCounter((counter) => some[counter] + more[counter])
}

function eachCounter(tokensOf: (counter: keyof ImageTokens) => number): ImageTokens {
  return {
    any: tokensOf('any'),
    openai: tokensOf('openai'),
    gpt4o: tokensOf('gpt4o'),
    gpt4oMini: tokensOf('gpt4oMini'),
    openaiSmall: tokensOf('openaiSmall'),
    anthropic: tokensOf('anthropic'),
    claude4: tokensOf('claude4'),
    google: tokensOf('google'),
    gemini2: tokensOf('gemini2'),
    mistral: tokensOf('mistral'),
    llama4: tokensOf('llama4'),
  }
}

/**
 * Returns the highest number of tokens that any vendor counts, for a server of an unknown vendor. Servers of unknown
 * vendors often ignore `detail`. All known models count at most one token for each 14 x 14 pixels, or a fixed number
 * for each image.
 */
export function anyTokens(size: ImageSize | null): number {
  return size === null ? unknownImageTokens : clamp(patchesOf(size, 14), 6_400, unknownImageTokens)
}

/** GPT-6 counts up to 14,364 tokens for 12 megapixels. */
const unknownImageTokens = 16_000

/**
 * OpenAI's newer models count patches of 32 pixels, and the older ones count tiles. Per patch, models that read every
 * patch count at most 1.2 tokens, and models that read at most 1,536 patches count at most 2.46. Models that read at
 * most 1,536 patches ignore `detail`.
 */
function openaiTokens(size: ImageSize | null, isLowDetail: boolean): number {
  const patches = size === null ? unknownImageTokens / 1.2 : patchesOf(size, 32)
  const read = isLowDetail ? Math.min(patches, reducedPatchesMax) : patches
  return Math.ceil(Math.max(read * 1.2, Math.min(patches, smallPatchesMax) * 2.46, tiledTokensMin))
}

/** OpenAI's small models ignore `detail`. The minimum covers the tokens around an image. */
function openaiSmallTokens(size: ImageSize | null): number {
  const patches = size === null ? smallPatchesMax : Math.min(patchesOf(size, 32), smallPatchesMax)
  return Math.max(64, Math.ceil(patches * 2.46))
}

const smallPatchesMax = 1_536
const reducedPatchesMax = 2_500
/** The minimum tokens of an image for models that count tiles. */
const tiledTokensMin = 255

/**
 * OpenAI's responses API adds these tokens to an image, in addition to the tokens of its tiles. The chat completions
 * API adds no tokens to an image.
 */
const addedByResponses = 230

/**
 * Returns the number of tiles of 512 pixels, after the image is reduced to 2,048 pixels and its shorter side to 768.
 */
function tilesOf(size: ImageSize | null): number {
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
 * around the image.
 */
function anthropicTokens(size: ImageSize | null): number {
  return size === null ? claudeImageTokens : Math.min(claudeImageTokens, Math.ceil(patchesOf(size, 28) * 1.1))
}

const claudeImageTokens = 4_800
/** Claude's models up to 4.6 reduce an image to about 1,600 tokens. The bound is 10 % higher than 1,600 tokens. */
export const claude4ImageTokens = 1_760

/**
 * Mistral's Pixtral reduces an image to 1,024 pixels along its longer side. At Mistral, the patches of an image have 14
 * pixels or more. Mistral counts one more token at the end of each row of patches. The bound does not depend on the
 * orientation of the image.
 */
function mistralTokens(size: ImageSize | null): number {
  if (size === null) return mistralImageTokens
  return Math.min(
    mistralImageTokens,
    patchesOf(size, 14) + Math.ceil(Math.max(size.width, size.height) / 14) + 1,
  )
}

/** The tokens of 74 rows, each with 74 patches and one token at its end. */
const mistralImageTokens = 5_552

/** Llama 4 counts 144 tokens for each of 16 tiles and for the whole image, and a few tokens between the tiles. */
const llama4ImageTokens = 2_560

/**
 * Gemini's older models count tiles, and one more tile for the whole image. The side of a tile is at most two thirds of
 * the image's shorter side.
 * @param fixed the tokens of an image for models that count the same number for every image
 */
function googleTokens(size: ImageSize | null, fixed: number): number {
  if (size === null) return unknownImageTokens
  const side = clamp(Math.floor(Math.min(size.width, size.height) / 1.5), 256, 768)
  return clamp(tileTokens * (patchesOf(size, side) + 1), fixed, unknownImageTokens)
}

const tileTokens = 258
const googleImageTokens = 1_120
const googleLargeImageTokens = 2_240

/** Many models count one token for 750 pixels, up to about 1,600 tokens. */
function estimateOf(size: ImageSize | null, isLowDetail: boolean): number {
  const most = isLowDetail ? 375 : 1_600
  return size === null ? most : Math.min(most, Math.ceil((size.width * size.height) / 750))
}

/** Returns the number of squares that cover the image. */
function patchesOf({ height, width }: ImageSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side)
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
