import { InputBound } from '#wire/bound/input-bound.ts'
import { addCohereInputs } from '#wire/invoke-embeddings/request.ts'
import { modelAt } from '#wire/model-name.ts'
import { noOutput, placesWithoutMaximum, refuseStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import {
  detours,
  fieldsIn,
  knownFields,
  requestIn,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'

/** Reads a request for Cohere's embeddings (docs/reference/wires.md "Embeddings of Cohere"). */
export function parseCohereEmbed(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  return requestIn(body, (json) => parse(json, path))
}

function parse(json: Json, { version }: RequestPath): WireRequest {
  const fields = fieldsIn(json, known)
  const model = modelAt(json, fields.model)
  refuseStream(json, fields.stream, 'Embeddings')
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const messages = addCohereInputs(json, bound)
  return {
    ...noOutput,
    wire: 'cohere_embed',
    text: json.text,
    model,
    ...svcAt(json, fields.svc),
    ...bound.total(json, { messages, hasTools: false, hasSchema: false }),
    ...(version && { version }),
    places: placesWithoutMaximum(json, fields),
  }
}

const known = knownFields(['model', 'stream', 'svc'], detours)

/** `input_type` selects a prompt of a few tokens, which the allowance of each text covers. */
export const settings = nameSet(`
  model stream svc input_type truncate embedding_types output_dimension max_tokens priority
`)
