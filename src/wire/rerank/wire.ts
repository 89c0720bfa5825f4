import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { openaiErrorOf } from '#wire/write-openai-error.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { Wire } from '#wire/wire.ts'
import { parseRerank, settings, textOfRerank } from './request.ts'
import { readRerank } from './non-streaming-response.ts'

export const rerank: Wire = {
  parseRequest: parseRerank,
  readAnswer: readRerank,
  openStream: openNoStream,
  taskText: textOfRerank,
  // Cohere's client reads `message`.
  errorBody: (error, requestId) =>
    byteTextOf(JSON.stringify({ message: error.message, error: openaiErrorOf(error, requestId) })),
  settings,
}
