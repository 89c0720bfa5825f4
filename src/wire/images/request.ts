import { refuseUncovered } from '#wire/chat/uncovered-cost-fields.ts'
import { InputBound } from '#wire/bound/input-bound.ts'
import {
  noOutput,
  placesWithoutMaximum,
  type TaskText,
} from '#wire/shared-parsing-of-tasks-without-output.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { kindOf, kinds, type Json } from '#wire/text/json-tape.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import {
  choicesLimit,
  countAt,
  detours,
  fieldsIn,
  flagAt,
  isGiven,
  knownFields,
  mustBe,
  refuseForRoute,
  requestIn,
  textAt,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'
import { imageTokensMax, refuseUnbounded } from '#wire/generated-image-tokens.ts'

/** Reads a request for images (docs/reference/wires.md "Requests for images"). */
export function parseImages(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known, refuseUncovered)
  const model = modelAt(json, fields.model)
  if (flagAt(json, 'stream', fields.stream))
    refuseForRoute('stream', 'streams of images are not served. Omit the field stream')
  if (fields.prompt < 0 || kindOf(json, fields.prompt) !== kinds.string) mustBe('prompt', 'a string')
  if (isGiven(json, fields.svg)) refuseForRoute('svg', 'another model would write the image. Omit the field')
  const quality = textAt(json, fields.quality)
  refuseUnbounded({ quality, outputFormat: textAt(json, fields.output_format) })
  const images = countAt(json, 'n', fields.n, choicesLimit) ?? 1
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const input = bound.total(json, { messages: 1, hasTools: false, hasSchema: false })
  return {
    ...noOutput,
    wire: 'images',
    text: json.text,
    model,
    ...svcAt(json, fields.svc),
    ...input,
    // OpenAI bills the prompt once for each generated image.
    textTokensMax: input.textTokensMax * images,
    uses: { images, imageOutput: images * imageTokensMax(textAt(json, fields.size), quality) },
    places: placesWithoutMaximum(json, fields),
  }
}

const known = knownFields(
  ['model', 'prompt', 'n', 'size', 'quality', 'output_format', 'stream', 'svc', 'svg'],
  detours,
)

export const settings = nameSet(`
  model svc stream n size quality output_format output_compression partial_images response_format background moderation
  style user safety_identifier
`)

export function textOfImages({ prompt }: JsonObject): TaskText {
  return { text: typeof prompt === 'string' ? prompt : '', moreTokens: 1 }
}
