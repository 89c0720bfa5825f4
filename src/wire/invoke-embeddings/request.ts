import { InputBound } from '#wire/bound/input-bound.ts'
import { isDataUrl } from '#wire/bound/recognize-media-addresses.ts'
import { modelInPath } from '#wire/model-name.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { noMaximum, noOutput, type TaskText } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { keyBefore, kindOf, kinds, member, stringAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { isObject, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import {
  detours,
  fieldsIn,
  isGiven,
  knownFields,
  mustBe,
  refuse,
  refuseForRoute,
  requestIn,
  textAt,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { familyFields, type InvokeFamily } from './formats-by-embedding-family.ts'

/** Reads a body of an embedding model at Bedrock's `invoke` (docs/reference/wires.md "Embeddings of Bedrock"). */
export function parseInvokeEmbeddings(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  return requestIn(body, (json) => parse(json, path))
}

function parse(json: Json, path: RequestPath): WireRequest {
  const model = modelInPath(path.model, '/model/<model>/invoke')
  const fields = fieldsIn(json, known)
  const [family, ...others] = new Set(
    familyFields.filter(([field]) => member(json, 0, field) >= 0).map(([, own]) => own),
  )
  // Reject a body with fields of two families, because the model would decide which fields are read.
  if (family === undefined || others.length > 0) return refuse('invalid_request', null, otherFamily)
  if (path.isStream)
    refuse('invalid_request', null, 'Embeddings do not stream. Send the request to /model/<model>/invoke.')
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const messages = inputsOf[family](json, bound)
  const { svc } = fields
  return {
    ...noOutput,
    wire: 'invoke_embeddings',
    text: json.text,
    model,
    ...svcAt(json, svc),
    ...bound.total(json, { messages, hasTools: false, hasSchema: false }),
    places: {
      model: null,
      maxima: [],
      newMaximum: noMaximum(json),
      always: svc < 0 ? [] : removals(json, 0, [keyBefore(svc)]),
    },
  }
}

const known = knownFields(['svc'], detours)

const otherFamily =
  'This path accepts bodies of Claude, with anthropic_version and messages, and bodies of Titan, Cohere and Nova for embeddings. Send requests for other models to /model/<model>/converse.'

/**
 * Settings that no model of any family reads as text. Settings such as `input_type` select a prompt of a few tokens,
 * which the allowance for each input covers.
 */
export const settings = nameSet(`
  svc dimensions normalize embeddingTypes embeddingConfig
  input_type truncate embedding_types output_dimension max_tokens
  schemaVersion taskType embeddingPurpose embeddingDimension truncationMode
`)

/** Checks the inputs, adds the inputs to the bound, and returns the number of inputs. */
const inputsOf: Readonly<Record<InvokeFamily, (json: Json, bound: InputBound) => number>> = {
  titan(json) {
    if (isGiven(json, member(json, 0, 'inputImage'))) refuseForRoute('inputImage', onlyText)
    if (textAt(json, member(json, 0, 'inputText')) === null) mustBe('inputText', 'a string')
    return 1
  },
  cohere: addCohereInputs,
  nova(json, bound) {
    if (isGiven(json, member(json, 0, 'segmentedEmbeddingParams')))
      refuseForRoute(
        'segmentedEmbeddingParams',
        'the provider would store the response as an object in S3. Send singleEmbeddingParams',
      )
    const params = addNovaObject(json, 0, 'singleEmbeddingParams', ['text'], bound)
    const text = addNovaObject(json, params, 'text', ['value'], bound)
    if (textAt(json, member(json, text, 'value')) === null)
      mustBe('singleEmbeddingParams.text.value', 'a string')
    return 1
  },
}

/** Returns the number of inputs. */
export function addCohereInputs(json: Json, bound: InputBound): number {
  const texts = listAt(json, 'texts')
  if (texts.some((text) => kindOf(json, text) !== kinds.string)) mustBe('texts', 'a list of strings')
  const images = listAt(json, 'images')
  for (const image of images) addImage(json, image, 'images', bound)
  const inputs = listAt(json, 'inputs')
  for (const [index, input] of inputs.entries()) addContent(json, input, `inputs.${index}`, bound)
  const count = texts.length + images.length + inputs.length
  return count > 0 ? count : mustBe('texts', 'a list with at least one string')
}

const onlyText = 'Bedrock bills media of this model in units that Bedrock does not report. Send text'

/**
 * Rejects members that are neither settings nor in `members`. The rejected members are media, or objects in S3, which
 * Bedrock would read with the rights of the gateway's operator.
 */
function addNovaObject(
  json: Json,
  parent: Node,
  name: string,
  members: readonly string[],
  bound: InputBound,
): Node {
  const object = member(json, parent, name)
  const param = parent === 0 ? name : `singleEmbeddingParams.${name}`
  if (object < 0 || kindOf(json, object) !== kinds.object) return mustBe(param, 'an object')
  bound.addSettings(json, object, settings)
  for (const key of keysOf(json, object)) {
    const given = stringAt(json, key)
    if (!settings.has(given) && !members.includes(given)) refuseForRoute(`${param}.${given}`, onlyText)
  }
  return object
}

function listAt(json: Json, name: string): readonly Node[] {
  const list = member(json, 0, name)
  if (!isGiven(json, list)) return []
  return kindOf(json, list) === kinds.array ? itemsOf(json, list) : mustBe(name, 'a list')
}

function addImage(json: Json, image: Node, param: string, bound: InputBound): void {
  if (!isDataUrl(json, image)) mustBe(param, 'a list with images as data URLs')
  bound.addImage(json, image, false)
}

function addContent(json: Json, input: Node, param: string, bound: InputBound): void {
  const parts = itemsOf(json, within(json, input, 'content'))
  if (parts.length === 0) mustBe(`${param}.content`, 'a list with at least one part')
  for (const part of parts) {
    const type = textAt(json, within(json, part, 'type'))
    if (type === 'text') continue
    if (type !== 'image_url') mustBe(`${param}.content`, 'a list of parts of the type text or image_url')
    addImage(json, within(json, within(json, part, 'image_url'), 'url'), `${param}.content`, bound)
  }
}

function within(json: Json, node: Node, name: string): Node {
  return node < 0 ? -1 : member(json, node, name)
}

export function textOfInvoke(body: JsonObject): TaskText {
  const { inputText, inputs, singleEmbeddingParams, texts } = body
  const { value } = objectOf(objectOf(singleEmbeddingParams)['text'])
  const parts = listOf(inputs).flatMap((input) => listOf(objectOf(input)['content']).map(textOfPart))
  const all = [inputText, value, ...listOf(texts), ...parts].filter((text) => typeof text === 'string')
  return { text: all.join('\n'), moreTokens: all.length }
}

function textOfPart(part: JsonValue): JsonValue {
  return isObject(part) ? part['text'] : null
}
