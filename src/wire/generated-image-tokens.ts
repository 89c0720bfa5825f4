/** Computes the maximum output tokens of a generated image (docs/reference/tokens.md "Generated images"). */
import { refuseForRoute } from './wire-request.ts'

/**
 * Returns the maximum for any model of OpenAI.
 * @param size `WIDTHxHEIGHT`, or any other text for a size that the model chooses
 */
export function imageTokensMax(size: string | null, quality: string | null): number {
  const factor = factors.get(quality ?? 'auto') ?? highestFactor
  const pixels = pixelsOf(size)
  if (pixels === null) return Math.max(tokensOf(factor, squareOfAuto, squareOfAuto), olderTokens(factor))
  const [width, height] = pixels
  return Math.max(tokensOf(factor, width, height), olderTokens(factor))
}

/** Patches along the longer edge, for each quality. */
const factors: ReadonlyMap<string, number> = new Map([
  ['low', 16],
  ['medium', 48],
  ['high', 96],
  ['auto', 96],
])
const highestFactor = 96

/** Edge of the largest square that is not experimental, with as many pixels as 2560 x 1440. */
const squareOfAuto = 1920
/** The longest edge that any model draws. */
const edgeMax = 3840
const pixelsMax = 3840 * 2160

/** Null if the model chooses the size. If no model draws images of this size, the largest size counts. */
function pixelsOf(size: string | null): readonly [number, number] | null {
  const { height, width } = /^(?<width>\d{1,5})x(?<height>\d{1,5})$/.exec(size ?? '')?.groups ?? {}
  if (width === undefined || height === undefined) return null
  const edges = [Math.min(Number(width), edgeMax), Math.min(Number(height), edgeMax)] as const
  const isTooLarge = edges[0] * edges[1] > pixelsMax || edges[0] === 0 || edges[1] === 0
  return isTooLarge ? [largestSquare, largestSquare] : edges
}

const largestSquare = Math.floor(Math.sqrt(pixelsMax))

/** For gpt-image-2, the quality determines the number of patches, which is multiplied by a factor for the area. */
function tokensOf(factor: number, width: number, height: number): number {
  const short = Math.round((factor * Math.min(width, height)) / Math.max(width, height))
  return Math.ceil((factor * short * (2_000_000 + width * height)) / 4_000_000)
}

/** The maximum that gpt-image-1 and gpt-image-1.5 count for any size. */
function olderTokens(factor: number): number {
  if (factor === 16) return 408
  return factor === 48 ? 1_584 : 6_240
}

/** Rejects images whose number of tokens is not published. */
export function refuseUnbounded({
  outputFormat,
  quality,
}: {
  readonly quality: string | null
  readonly outputFormat: string | null
}): void {
  if (quality === 'xhigh' || quality === 'max')
    refuseForRoute(
      'quality',
      'the number of tokens of this quality is not published. Send high or a lower quality',
    )
  if (outputFormat === 'gif' || outputFormat === 'svg')
    refuseForRoute(
      'output_format',
      'the number of tokens of this format is not published. Send png, jpeg or webp',
    )
}
