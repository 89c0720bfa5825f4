import { InputBound } from '#wire/bound/input-bound.ts'
import { kindOf, kinds, numberAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/object-members.ts'
import { nameSet } from '#wire/text/name-set.ts'
import { listOf, type JsonObject } from '#wire/text/json-values.ts'
import { noMaximum, noOutput, type TaskText } from '#wire/no-output.ts'
import {
  detours,
  fieldsIn,
  flagAt,
  knownFields,
  modelAt,
  mustBe,
  placesIn,
  refuse,
  requestIn,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { svcAt } from '#wire/svc-field.ts'

/** Reads a request for embeddings (docs/reference/wires.md "Requests for embeddings"). */
export function parseEmbeddings(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known)
  const model = modelAt(json, fields.model)
  if (flagAt(json, 'stream', fields.stream))
    refuse('invalid_request', 'stream', 'Embeddings do not stream. Omit the field stream.')
  const { texts, tokens } = inputAt(json, fields.input)
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
    places: { ...placesIn(json, fields, [], '', []), newMaximum: noMaximum(json) },
  }
}

const known = knownFields(['model', 'input', 'stream', 'svc'], detours)

/** Maximum number of tokens that a tokenizer may add to a text. */
const aroundEachText = 8

/** Fields that no model reads. */
export const settings = nameSet(`
  model svc stream user encoding_format dimensions input_type task truncate truncation output_dimension
  output_dtype embedding_type normalized late_chunking
`)

/** @returns the number of texts, and the number of tokens if the client sent tokens instead of text */
function inputAt(json: Json, input: Node): { readonly texts: number; readonly tokens: number | null } {
  const kind = input < 0 ? kinds.null : kindOf(json, input)
  if (kind === kinds.string) return { texts: 1, tokens: null }
  const items = itemsOf(json, input)
  const [first] = items
  if (first === undefined) return wrongInput()
  switch (kindOf(json, first)) {
    case kinds.string:
      if (items.some((item) => kindOf(json, item) !== kinds.string)) wrongInput()
      return { texts: items.length, tokens: null }
    case kinds.number:
      return { texts: 1, tokens: tokensIn(json, items) }
    case kinds.array: {
      const counts = items.map((item) => tokensIn(json, itemsOf(json, item)))
      return { texts: items.length, tokens: counts.reduce((sum, count) => sum + count, 0) }
    }
    default:
      return wrongInput()
  }
}

function tokensIn(json: Json, items: readonly Node[]): number {
  const isToken = (item: Node): boolean =>
    kindOf(json, item) === kinds.number && Number.isSafeInteger(numberAt(json, item))
  return items.length > 0 && items.every(isToken) ? items.length : wrongInput()
}

function wrongInput(): never {
  return mustBe('input', 'a text, a list of texts, a list of tokens, or a list of lists of tokens')
}

/** Returns the text of a request that was accepted. */
export function textOfEmbeddings({ input }: JsonObject): TaskText {
  const inputs = typeof input === 'string' ? [input] : listOf(input)
  if (typeof inputs[0] === 'number') return { text: '', moreTokens: inputs.length }
  const texts: string[] = []
  let moreTokens = 0
  for (const one of inputs) {
    if (typeof one === 'string') {
      texts.push(one)
      // Most tokenizers end a text with a token of their own.
      moreTokens++
    } else moreTokens += listOf(one).length
  }
  return { text: texts.join('\n'), moreTokens }
}
