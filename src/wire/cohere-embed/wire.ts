import { cohereErrorBody } from '#wire/cohere/errors.ts'
import { textOfInvoke } from '#wire/invoke-embeddings/request.ts'
import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import type { Wire } from '#wire/wire.ts'
import { readCohereEmbeddings } from './non-streaming-response.ts'
import { parseCohereEmbed, settings } from './request.ts'

export const cohereEmbed: Wire = {
  parseRequest: parseCohereEmbed,
  readAnswer: readCohereEmbeddings,
  openStream: openNoStream,
  taskText: textOfInvoke,
  errorBody: cohereErrorBody,
  settings,
}
