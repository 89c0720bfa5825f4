import { InputBound } from '#wire/bound/input-bound.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import {
  noOutput,
  placesWithoutMaximum,
  refuseStream,
  type TaskText,
} from '#wire/shared-parsing-of-tasks-without-output.ts'
import {
  detours,
  fieldsIn,
  knownFields,
  requestIn,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { aroundEachText, textOfTexts, textsOrTokens } from '#wire/read-texts-or-tokens.ts'

/** Reads a request for embeddings (docs/reference/wires.md "Requests for embeddings"). */
export function parseEmbeddings(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known)
  const model = modelAt(json, fields.model)
  refuseStream(json, fields.stream, 'Embeddings')
  const { texts, tokens } = textsOrTokens(json, 'input', fields.input)
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const input = bound.total(json, { messages: texts, hasTools: false, hasSchema: false })
  return {
    ...noOutput,
    wire: 'embeddings',
    text: json.text,
    model,
    ...svcAt(json, fields.svc),
    ...input,
    ...(tokens !== null && {
      textTokensMax: tokens + aroundEachText * texts,
      inputEstimate: tokens,
      prose: { tokensMax: 0, text: '' },
    }),
    places: placesWithoutMaximum(json, fields),
  }
}

const known = knownFields(['model', 'input', 'stream', 'svc'], detours)

export const settings = nameSet(`
  model svc stream user encoding_format dimensions input_type task truncate truncation output_dimension
  output_dtype embedding_type normalized late_chunking
`)

export function textOfEmbeddings({ input }: JsonObject): TaskText {
  return textOfTexts(input)
}
