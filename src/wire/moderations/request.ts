import { InputBound } from '#wire/bound/input-bound.ts'
import { kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { listOf, objectOf, type JsonObject } from '#wire/text/json-values.ts'
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
  mustBe,
  requestIn,
  textAt,
  type Fields,
  type Places,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'

/** Reads a request for moderation (docs/reference/wires.md "Requests for moderation"). */
export function parseModerations(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known)
  const model = fields.model < 0 ? defaultModel : modelAt(json, fields.model)
  refuseStream(json, fields.stream, 'Moderations')
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const inputs = addInputs(json, fields.input, bound)
  return {
    ...noOutput,
    wire: 'moderations',
    text: json.text,
    model,
    ...svcAt(json, fields.svc),
    ...bound.total(json, { messages: inputs, hasTools: false, hasSchema: false }),
    places: placesOf(json, fields),
  }
}

/** OpenAI's default, which its clients expect if they omit the model. */
const defaultModel = 'omni-moderation-latest'

function placesOf(json: Json, fields: Fields<'model' | 'svc'>): Places {
  const places = placesWithoutMaximum(json, fields)
  const newModel = { at: startOf(json, 0) + 1, before: '"model":', after: ',' }
  return fields.model < 0 ? { ...places, model: null, newModel } : places
}

const known = knownFields(['model', 'input', 'stream', 'svc'], detours)

export const settings = nameSet('model svc stream user metadata')

function addInputs(json: Json, input: Node, bound: InputBound): number {
  if (textAt(json, input) !== null) return 1
  const items = input < 0 || kindOf(json, input) !== kinds.array ? [] : itemsOf(json, input)
  if (items.length === 0) wrongInput()
  const areTexts = textAt(json, items[0] ?? -1) !== null
  for (const item of items) {
    if (areTexts ? textAt(json, item) === null : kindOf(json, item) !== kinds.object) wrongInput()
    if (!areTexts) addPart(json, item, bound)
  }
  return items.length
}

function addPart(json: Json, part: Node, bound: InputBound): void {
  const type = textAt(json, member(json, part, 'type'))
  if (type === 'text' && textAt(json, member(json, part, 'text')) !== null) return
  const image = type === 'image_url' ? member(json, part, 'image_url') : -1
  const url = image >= 0 && kindOf(json, image) === kinds.object ? member(json, image, 'url') : -1
  if (textAt(json, url) === null) wrongInput()
  bound.addImage(json, url, false)
}

function wrongInput(): never {
  return mustBe('input', 'a string, a list of strings, or a list of parts of type text or image_url')
}

export function textOfModerations({ input }: JsonObject): TaskText {
  const inputs = typeof input === 'string' ? [input] : listOf(input)
  const texts = inputs.map((one) => {
    const text = typeof one === 'string' ? one : objectOf(one)['text']
    return typeof text === 'string' ? text : ''
  })
  // Most tokenizers add a token at the end of a text.
  return { text: texts.join('\n'), moreTokens: texts.length }
}
