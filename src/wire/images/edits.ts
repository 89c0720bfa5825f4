import { refuseUnheldName } from '#wire/chat/unheld-fields.ts'
import { countedAlike, unknownImageTokens } from '#wire/bound/image-bounds.ts'
import { countsOf, tokensFromThirds } from '#wire/bound/token-count.ts'
import { noOutput } from '#wire/no-output.ts'
import { nothingSaid, svcAt } from '#wire/svc-field.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { formParts, formType, type FormPart } from '#wire/text/form-parts.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import {
  choicesLimit,
  detours,
  fault,
  faultOfJson,
  isFault,
  modelLengthMax,
  mustBe,
  refuse,
  refuseForRoute,
  refuseTwice,
  textBytesMax,
  textTooLarge,
  unlessRefused,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { imageTokensMax } from './image-tokens.ts'
import { parseImages, settings } from './request.ts'
import { refuseUnbounded } from './unbounded-images.ts'

/**
 * Reads a form for edited images (docs/reference/wires.md "Edits of images"). A body without a form is read like a
 * request for images, for previews of routes.
 */
export function parseImageEdits(body: RequestBody, { boundary }: RequestPath): WireRequest | RequestFault {
  if (boundary === undefined || typeof body !== 'string') {
    const request = parseImages(body)
    return isFault(request) ? request : { ...request, wire: 'image_edits' }
  }
  const parts = formParts(body, boundary)
  if (parts === null)
    return fault(
      'invalid_request',
      null,
      'The body must be a form: parts with a name, separated by the boundary.',
    )
  return unlessRefused(() => parse(body, boundary, parts))
}

function parse(text: ByteText, boundary: string, parts: readonly FormPart[]): WireRequest {
  const fields = fieldsOf(text, parts)
  const valueOf = (name: string): string | null => {
    const field = fields.get(name)
    return field === undefined ? null : textOf(text.slice(field.start, field.end))
  }
  const model = valueOf('model') ?? ''
  if (model === '' || model.length > modelLengthMax)
    mustBe('model', `a text of at most ${modelLengthMax} characters: the name of a model of this application`)
  if (!fields.has('prompt')) mustBe('prompt', 'a text')
  if ((valueOf('stream') ?? 'false') !== 'false')
    refuseForRoute('stream', 'streams of images are not served. Omit the field stream')
  const quality = valueOf('quality')
  refuseUnbounded({ quality, outputFormat: valueOf('output_format') })
  const images = imagesOf(valueOf('n') ?? '1')
  const files = parts.filter(({ filename }) => filename !== null).length
  const input = boundOf(
    text,
    [...fields].filter(([name]) => !settings.has(name)).map(([, field]) => field),
  )
  const svc = fields.get('svc')
  return {
    ...noOutput,
    wire: 'image_edits',
    text,
    model,
    contentType: formType(boundary),
    ...svcOf(valueOf('svc')),
    hasTools: false,
    hasSchema: false,
    documents: null,
    media: [],
    audioTokensMax: 0,
    // OpenAI bills the input of each image.
    textTokensMax: input.tokensMax * images,
    images: countedAlike(files * unknownImageTokens * images),
    inputEstimate: input.estimate + files * usualImageTokens,
    mediaEstimate: files * usualImageTokens,
    prose: { tokensMax: 0, text: '' },
    uses: { images, imageOutput: images * imageTokensMax(valueOf('size'), quality) },
    places: {
      model: fields.get('model') ?? null,
      isForm: true,
      maxima: [],
      newMaximum: { at: 0, before: '', after: '' },
      always: svc === undefined ? [] : [{ start: svc.from, end: svc.to, text: '' }],
    },
  }
}

/** Returns the fields that are no files. Rejects repeated fields, and files in place of fields. */
function fieldsOf(text: ByteText, parts: readonly FormPart[]): ReadonlyMap<string, FormPart> {
  const fields = new Map<string, FormPart>()
  let hasImage = false
  for (const part of parts) {
    const { end, filename, name, start } = part
    if (fileNames.has(name) !== (filename !== null)) mustBe(name, filename === null ? 'a file' : 'no file')
    if (filename !== null) {
      hasImage ||= name !== 'mask' && name !== 'markup'
      continue
    }
    if (fields.has(name)) refuseTwice(name)
    if (Object.hasOwn(detours, name)) refuseForRoute(name, detours[name] ?? '')
    if (!['', 'false', 'null'].includes(text.slice(start, Math.min(end, start + 8)))) refuseUnheldName(name)
    fields.set(name, part)
  }
  if (!hasImage) mustBe('image', 'a file, or several files with the name image[]')
  return fields
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

/** Tokens that a provider may add to a prompt. */
const frameTokens = 64

function boundOf(text: ByteText, fields: readonly FormPart[]): { tokensMax: number; estimate: number } {
  const read = fields.map(({ end, start }) => text.slice(start, end)).join('\n')
  if (read.length > textBytesMax) refuse('request_text_too_large', null, textTooLarge)
  const { boundBytes, thirds } = countsOf(read)
  return { tokensMax: boundBytes + frameTokens, estimate: tokensFromThirds(thirds) }
}

function svcOf(svc: string | null): ReturnType<typeof svcAt> {
  if (svc === null) return nothingSaid
  const json = parseJson(Buffer.from(svc).toString('latin1'), { depthMax: 4, valuesMax: 64 })
  if ('reason' in json) {
    const { code, reason } = faultOfJson(json)
    return refuse(code, 'svc', reason)
  }
  return svcAt(json, 0)
}
