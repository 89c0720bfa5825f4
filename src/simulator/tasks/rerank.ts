import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { openaiErrorOf } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { listOf } from '#simulator/requests/read-by-schema.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import type { Task, TaskRequest } from './task-simulator-interface.ts'

/** Also reports usage in the format of Jina (docs/reference/wires.md "Rerankings"). */
export const rerank: Task = {
  read: readRerank,
  errorBody: (status, fault) => {
    const error = openaiErrorOf(status, fault)
    return JSON.stringify({ message: error.message, error })
  },
  hasRetryAfter: true,
}

const documentsMax = 10_000
/** Maximum number of tokens of a document chunk together with the query. */
const chunkTokens = 510
const chunksOfDocument = 10
const documentsOfUnit = 100
/** A fixed number of tokens, because the simulator does not read images. */
const imageTokens = 1_000

const count = z.int().min(1).nullish()
const Document = z.union([
  z.string(),
  z.looseObject({ text: z.string() }),
  z.strictObject({ image: z.string() }),
])
const Rerank = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: listOf(Document, { min: 1, max: documentsMax }),
  top_n: count,
  return_documents: z.boolean().nullish(),
  rank_fields: z.array(z.string()).nullish(),
  max_chunks_per_doc: count,
  max_tokens_per_doc: count,
  priority: z.int().nullish(),
  stream: z.literal(false).optional(),
})
type RerankRequest = z.output<typeof Rerank>
type RerankDocument = z.output<typeof Document>

function readRerank(body: JsonObject): TaskRequest | Rejection {
  const parsed = Rerank.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : (issue?.path.join('.') ?? '')
    return rejection(`invalid request: the field ${path} is not valid`, path)
  }
  const request = parsed.data
  const texts = request.documents.map(textOf)
  const queryTokens = countTokens(request.query)
  const tokens = request.documents.map((document, at) => tokensOf(document, texts[at] ?? ''))
  return {
    inputTokens: tokens.reduce((sum, each) => sum + each, 0) + queryTokens * tokens.length,
    userText: request.query,
    *pieces(usage) {
      yield `{"id":"rerank-simulator","model":${JSON.stringify(request.model)},"results":`
      yield JSON.stringify(resultsOf(request, texts))
      if (usage !== null) {
        const billed_units = { search_units: searchUnits(request, tokens, queryTokens) }
        const meta = { api_version: { version: '2' }, billed_units }
        yield `,"meta":${JSON.stringify(meta)},"usage":{"total_tokens":${usage}}`
      }
      yield '}'
    },
  }
}

function textOf(document: RerankDocument): string {
  if (typeof document === 'string') return document
  return 'text' in document && typeof document.text === 'string' ? document.text : ''
}

function tokensOf(document: RerankDocument, text: string): number {
  return typeof document !== 'string' && 'image' in document ? imageTokens : countTokens(text)
}

function searchUnits(request: RerankRequest, documents: readonly number[], queryTokens: number): number {
  const tokensMax =
    request.max_tokens_per_doc ?? (request.max_chunks_per_doc ?? chunksOfDocument) * chunkTokens
  const room = chunkTokens - Math.min(queryTokens, chunkTokens / 2)
  const chunks = documents.map((tokens) => Math.max(1, Math.ceil(Math.min(tokens, tokensMax) / room)))
  return Math.ceil(chunks.reduce((sum, each) => sum + each, 0) / documentsOfUnit)
}

/** The score of a document depends on how many words of the query it contains. */
function resultsOf(
  { documents, query, return_documents: isReturned, top_n: top }: RerankRequest,
  texts: readonly string[],
): readonly object[] {
  const asked = wordsOf(query)
  const results = texts.map((text, index) => {
    const words = new Set(wordsOf(text))
    const found = asked.filter((word) => words.has(word)).length
    const document = documents[index]
    return {
      index,
      relevance_score: Number(((found + 0.01) / (asked.length + 0.02)).toFixed(4)),
      ...(isReturned === true && { document: typeof document === 'string' ? { text: document } : document }),
    }
  })
  return results
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, top ?? undefined)
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}
