import { InputBound } from '#wire/bound/input-bound.ts'
import { promptText } from '#wire/bound/prompt-as-text-for-tokenizer.ts'
import { kindOf, kinds, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { isObject, listOf, type JsonObject } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import type { TaskName } from '#wire/names-of-wires-and-tasks.ts'
import { boundParts } from '#wire/generate/content-bound.ts'
import { camelCase, Fields } from '#wire/generate/fields-in-either-spelling.ts'
import { noMaximum, noOutput, type TaskText } from '#wire/shared-parsing-of-tasks-without-output.ts'
import {
  detours,
  isGiven,
  mustBe,
  refuse,
  refuseForRoute,
  requestIn,
  spanOf,
  textAt,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type Span,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelLengthMax } from '#wire/model-name.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'

/** Reads a request for the embedding of one content (docs/reference/wires.md "Embeddings of Gemini"). */
export function parseEmbedContent(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  return requestIn(body, (json) =>
    parse(json, path.model ?? '', 'embed_content', () => [{ node: 0, param: '' }]),
  )
}

export function parseBatchEmbedContents(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  return requestIn(body, (json) =>
    parse(json, path.model ?? '', 'batch_embed_contents', (fields) => {
      const requests = itemsOf(json, fields.at('requests'))
      if (requests.length === 0) mustBe('requests', 'a list with at least one request')
      return requests.map((node, index) => ({ node, param: `requests.${index}` }))
    }),
  )
}

interface Entry {
  readonly node: Node
  /** Path of the request in error messages; empty if the request is the body itself. */
  readonly param: string
}

function parse(
  json: Json,
  model: string,
  wire: TaskName,
  entriesOf: (fields: Fields) => readonly Entry[],
): WireRequest {
  if (model === '' || model.length > modelLengthMax)
    refuse(
      'invalid_request',
      'model',
      `The path must name a model of this application, of at most ${modelLengthMax} characters.`,
    )
  const root = new Fields(json, 0)
  for (const [name, reason] of refusedFields) if (isGiven(json, root.at(name))) refuseForRoute(name, reason)
  const entries = entriesOf(root)
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const models: Span[] = []
  for (const { node, param } of entries) {
    const fields = node === 0 ? root : new Fields(json, node, param)
    const within = (name: string): string => (param === '' ? name : `${param}.${name}`)
    if (node !== 0) bound.addSettings(json, node, settings)
    const named = fields.at('model')
    if (isGiven(json, named)) models.push(ownModel(json, named, model, within('model')))
    const content = fields.at('content')
    if (content < 0 || kindOf(json, content) !== kinds.object)
      mustBe(within('content'), 'an object with parts')
    bound.addTurn(json, content)
    boundParts(
      { json, bound, acceptsVideo: false },
      new Fields(json, content, within('content')),
      within('content'),
    )
  }
  const [first, ...others] = models
  const svc = root.keys.get('svc')
  return {
    ...noOutput,
    wire,
    text: json.text,
    model,
    ...svcAt(json, root.at('svc')),
    ...bound.total(json, { messages: entries.length, hasTools: false, hasSchema: false }),
    places: {
      model: first ?? null,
      moreModels: others,
      modelPrefix: 'models/',
      maxima: [],
      newMaximum: noMaximum(json),
      always: svc === undefined ? [] : removals(json, 0, [svc]),
    },
  }
}

/**
 * Typed clients repeat in the body the model that the path names. Reject a body that names another model, because the
 * provider would run that model, but the path's model would be charged.
 */
function ownModel(json: Json, node: Node, model: string, param: string): Span {
  const named = textAt(json, node)
  if (named !== model && named !== `models/${model}`)
    refuse('invalid_request', param, `The field ${param} and the path name different models. Omit the field.`)
  return spanOf(json, node)
}

const refusedFields: ReadonlyMap<string, string> = new Map(
  Object.entries(detours).map(([name, reason]) => [camelCase(name), reason]),
)

/**
 * No model reads these settings as text. A task type selects a prompt of a few tokens, which the turn's allowance
 * covers.
 */
export const settings = nameSet(`
  model svc taskType task_type outputDimensionality output_dimensionality embedContentConfig embed_content_config
`)

export function textOfContents(body: JsonObject): TaskText {
  const entries = Array.isArray(body.requests) ? listOf(body.requests).filter(isObject) : [body]
  const texts = entries.map(({ content, title }) => {
    const { text } = promptText({ contents: content }, settings)
    return typeof title === 'string' ? `${title}\n${text}` : text
  })
  return { text: texts.join('\n'), moreTokens: entries.length }
}
