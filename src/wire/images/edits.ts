import { countedAlike, unknownImageTokens } from '#wire/bound/image-bounds.ts'
import { factsOfForm, formOf, isOn, valueOf, type Form } from '#wire/form/form-request.ts'
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
import { imageTokensMax } from './image-tokens.ts'
import { settings } from './request.ts'
import { refuseUnbounded } from './unbounded-images.ts'

/** Reads a form for edited images (docs/reference/wires.md "Edits of images"). */
export function parseImageEdits(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  const form = formOf(body, path, fileNames, { name: 'image', filename: 'image.png', value: '' })
  return isFault(form) ? form : unlessRefused(() => parse(form))
}

function parse(form: Form): WireRequest {
  const facts = factsOfForm(form, settings)
  if (valueOf(form, 'prompt') === null) mustBe('prompt', 'a text')
  if (!form.files.some(({ name }) => name.startsWith('image')))
    mustBe('image', 'a file, or several files with the name image[]')
  if (isOn(form, 'stream'))
    refuseForRoute('stream', 'streams of images are not served. Omit the field stream')
  const quality = valueOf(form, 'quality')
  refuseUnbounded({ quality, outputFormat: valueOf(form, 'output_format') })
  const images = imagesOf(valueOf(form, 'n') ?? '1')
  const files = form.files.length
  return {
    ...facts,
    wire: 'image_edits',
    audioTokensMax: 0,
    // OpenAI bills the input of each image.
    textTokensMax: facts.textTokensMax * images,
    images: countedAlike(files * unknownImageTokens * images),
    inputEstimate: facts.inputEstimate + files * usualImageTokens,
    mediaEstimate: files * usualImageTokens,
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

/** A usual image, if the provider reports no usage. */
const usualImageTokens = 2_000
