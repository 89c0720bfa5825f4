import type { ImageTokens } from '#wire/media-token-types.ts'
import { imageFormulas, type KnownImage } from './image-formulas.ts'
import { imageSize, type ImageSize } from './image-size.ts'

/**
 * Adds up the maximum tokens of the images of a request, by the rules of each vendor (docs/reference/tokens.md
 * "Images").
 */
export class ImageBounds {
  readonly #images: KnownImage[] = []

  add(data: string | null, isLowDetail: boolean): void {
    this.addSize(data === null ? null : imageSize(data.slice(data.indexOf(',') + 1)), isLowDetail)
  }

  addSize(size: ImageSize | null, isLowDetail: boolean): void {
    this.#images.push({ size, isLowDetail })
  }

  /** @param isLarge whether the request may raise the resolution of its images at Google */
  total(isLarge: boolean): ImageTokens {
    return eachCounter((counter) => this.#sum((image) => imageFormulas[counter](image, isLarge)))
  }

  estimate(): number {
    return this.#sum(estimateOf)
  }

  #sum(tokensOf: (image: KnownImage) => number): number {
    return this.#images.reduce((sum, image) => sum + tokensOf(image), 0)
  }
}

/** Returns the bound for images that every model counts as the same number of tokens. */
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
    openaiMini: tokensOf('openaiMini'),
    openaiNano: tokensOf('openaiNano'),
    anthropic: tokensOf('anthropic'),
    claude4: tokensOf('claude4'),
    google: tokensOf('google'),
    gemini2: tokensOf('gemini2'),
    gemini3: tokensOf('gemini3'),
    mistral: tokensOf('mistral'),
    pixtral: tokensOf('pixtral'),
    llama4: tokensOf('llama4'),
    grok: tokensOf('grok'),
    cohere: tokensOf('cohere'),
    nova: tokensOf('nova'),
  }
}

/** Many models count one token for 750 pixels, up to about 1,600 tokens. */
function estimateOf({ isLowDetail, size }: KnownImage): number {
  const most = isLowDetail ? 375 : 1_600
  return size === null ? most : Math.min(most, Math.ceil((size.width * size.height) / 750))
}
