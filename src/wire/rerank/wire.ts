import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { openaiErrorOf } from '#wire/write-openai-error.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { Wire } from '#wire/wire.ts'
import { parseRerank, settings, textOfRerank } from './request.ts'
import { readRerank } from './non-streaming-response.ts'

/** The wire of rerankings at Cohere, Jina, Voyage and compatible servers. */
export const rerank: Wire = {
  parseRequest: parseRerank,
  readAnswer: readRerank,
  openStream: openNoStream,
  taskText: textOfRerank,
  // Cohere's client reads `message`. The other members of an error are the same as for other tasks.
  errorBody: (error, requestId) =>
    byteTextOf(JSON.stringify({ message: error.message, error: openaiErrorOf(error, requestId) })),
  settings,
}
