import { countedAlike } from '#wire/bound/image-bounds.ts'
import { anyTokens } from '#wire/bound/image-formulas.ts'
import { imageSizeOfFile } from '#wire/bound/image-size.ts'
import { factsOfForm, formOf, isOn, valueOf, type Form } from '#wire/form/request-in-form.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import {
  choicesLimit,
  isFault,
  mustBe,
  refuseForRoute,
  unlessRefused,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { imageTokensMax, refuseUnbounded } from '#wire/generated-image-tokens.ts'
import { settings } from './request.ts'

/** Reads a form for edited images (docs/reference/wires.md "Edits of images"). */
export function parseImageEdits(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  const form = formOf(body, path, fileNames, { name: 'image', filename: 'image.png', value: '' })
  return isFault(form) ? form : unlessRefused(() => parse(form))
}

function parse(form: Form): WireRequest {
  const facts = factsOfForm(form, settings)
  if (valueOf(form, 'prompt') === null) mustBe('prompt', 'a string')
  if (!form.files.some(({ name }) => name.startsWith('image')))
    mustBe('image', 'a file, or several files with the name image[]')
  if (isOn(form, 'stream'))
    refuseForRoute('stream', 'streams of images are not served. Omit the field stream')
  const quality = valueOf(form, 'quality')
  refuseUnbounded({ quality, outputFormat: valueOf(form, 'output_format') })
  const images = imagesOf(valueOf(form, 'n') ?? '1')
  const tokens = form.files.reduce((sum, { end, start }) => sum + tokensOf(form.text.slice(start, end)), 0)
  const estimate = form.files.length * usualImageTokens
  return {
    ...facts,
    wire: 'image_edits',
    audioTokensMax: 0,
    // OpenAI bills the input once for each generated image.
    textTokensMax: facts.textTokensMax * images,
    images: countedAlike(tokens * images),
    inputEstimate: facts.inputEstimate + estimate,
    mediaEstimate: estimate,
    uses: { images, imageOutput: images * imageTokensMax(valueOf(form, 'size'), quality) },
  }
}

const fileNames: ReadonlySet<string> = new Set(['image', 'image[]', 'mask', 'markup'])

function imagesOf(n: string): number {
  const images = /^\d{1,3}$/.test(n) ? Number(n) : 0
  return images >= 1 && images <= choicesLimit
    ? images
    : mustBe('n', `a whole number from 1 to ${choicesLimit}`)
}

/** The result covers a high-fidelity edit. */
function tokensOf(file: ByteText): number {
  return Math.max(faithfulTokens, anyTokens(imageSizeOfFile(file)))
}

/** `gpt-image-1` counts at most 65 tokens, four tiles of 129, and 6,240 more if the image is not square. */
const faithfulTokens = 6_821

/** Tokens of a usual image, for a response without a usage. */
const usualImageTokens = 2_000
