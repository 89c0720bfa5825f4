import { refuseUncovered } from '#wire/chat/uncovered-cost-fields.ts'
import { InputBound } from '#wire/bound/input-bound.ts'
import {
  noOutput,
  placesWithoutMaximum,
  refuseStream,
  type TaskText,
} from '#wire/shared-parsing-of-tasks-without-output.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { endOf, kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { isObject, listOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import {
  countAt,
  detours,
  fieldsIn,
  isGiven,
  knownFields,
  mustBe,
  outputTokensLimit,
  requestIn,
  textAt,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'

/** Reads a request for a reranking (docs/reference/wires.md "Requests for rerankings"). */
export function parseRerank(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known, refuseUncovered)
  const model = modelAt(json, fields.model)
  refuseStream(json, fields.stream, 'Rerankings')
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  if (fields.query < 0 || kindOf(json, fields.query) !== kinds.string) mustBe('query', 'a string')
  const documents = documentsAt(json, fields.documents, bound)
  const input = bound.total(json, { messages: 0, hasTools: false, hasSchema: false })
  const { textTokensMax, inputEstimate } = input
  // The model reads the query, and every field that is not a setting, once for each document.
  const textBytes = documents.reduce((sum, bytes) => sum + bytes, 0)
  const others = documents.length - 1
  const repeatedMax = Math.max(0, textTokensMax - textBytes)
  const queryBytes = endOf(json, fields.query) - startOf(json, fields.query)
  return {
    ...noOutput,
    wire: 'rerank',
    text: json.text,
    model,
    ...svcAt(json, fields.svc),
    ...input,
    textTokensMax: textTokensMax + repeatedMax * others + templateTokensMax * documents.length,
    inputEstimate: inputEstimate + tokensOfQuery(queryBytes) * others,
    uses: { searchUnits: searchUnitsMax(documents, queryBytes, documentTokensMax(json, fields)) },
    places: placesWithoutMaximum(json, fields),
  }
}

const known = knownFields(
  ['model', 'query', 'documents', 'stream', 'svc', 'max_tokens_per_doc', 'max_chunks_per_doc'],
  detours,
)

export const settings = nameSet(`
  model svc stream top_n top_k return_documents max_tokens_per_doc max_chunks_per_doc rank_fields priority truncation
  user
`)

function documentsAt(json: Json, list: Node, bound: InputBound): readonly number[] {
  const items = list < 0 || kindOf(json, list) !== kinds.array ? [] : itemsOf(json, list)
  if (items.length === 0) wrongDocuments()
  return items.map((item) => {
    const kind = kindOf(json, item)
    if (kind !== kinds.string && kind !== kinds.object) wrongDocuments()
    const image = kind === kinds.object ? member(json, item, 'image') : -1
    const bytes = endOf(json, item) - startOf(json, item)
    if (!isGiven(json, image)) return bytes
    if (textAt(json, image) === null) wrongDocuments()
    bound.addImage(json, image, false)
    return bytes - (endOf(json, image) - startOf(json, image))
  })
}

function wrongDocuments(): never {
  return mustBe('documents', 'a list of strings, or of objects with a text or an image')
}

/** Maximum tokens that a template adds around a query and a document. */
const templateTokensMax = 64

/** Cohere counts a long document once for each part of this many tokens. Each part includes the query. */
const chunkTokens = 510
const chunksOfDocument = 10
const documentsOfUnit = 100

function documentTokensMax(
  json: Json,
  fields: { readonly max_tokens_per_doc: Node; readonly max_chunks_per_doc: Node },
): number {
  const tokens = countAt(json, 'max_tokens_per_doc', fields.max_tokens_per_doc, outputTokensLimit)
  const chunks = countAt(json, 'max_chunks_per_doc', fields.max_chunks_per_doc, documentTokensLimit)
  return tokens ?? (chunks ?? chunksOfDocument) * chunkTokens
}

const documentTokensLimit = 10_000

/**
 * Returns the maximum search units of a request (docs/reference/tokens.md "Search units"). Each byte of text counts as
 * one token, which is the maximum.
 */
function searchUnitsMax(documents: readonly number[], queryBytes: number, tokensMax: number): number {
  // Cohere shortens a long query so that at least half of each part is text of the document.
  const room = chunkTokens - Math.min(queryBytes, chunkTokens / 2)
  const chunks = documents.reduce(
    (sum, bytes) => sum + Math.max(1, Math.ceil(Math.min(bytes, tokensMax) / room)),
    0,
  )
  return Math.ceil(chunks / documentsOfUnit)
}

function tokensOfQuery(bytes: number): number {
  return Math.ceil(bytes / 3)
}

/** The query counts once for each document. */
export function textOfRerank({ documents, query }: JsonObject): TaskText {
  const texts = listOf(documents).map(textOfDocument)
  const asked = typeof query === 'string' ? query : ''
  const repeated = tokensOfQuery(Buffer.byteLength(asked)) * Math.max(0, texts.length - 1)
  return { text: [asked, ...texts].join('\n'), moreTokens: texts.length + repeated }
}

function textOfDocument(document: JsonValue): string {
  if (typeof document === 'string') return document
  if (!isObject(document)) return ''
  const texts = Object.entries(document).map(([name, value]) =>
    name !== 'image' && typeof value === 'string' ? value : '',
  )
  return texts.join('\n')
}
