import type { Wire } from '#wire/wire.ts'
import { openNoStream } from '#wire/no-output.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import { parseEmbeddings, settings, textOfEmbeddings } from './request.ts'
import { readEmbeddings } from './response.ts'

/** Embeddings of OpenAI and of compatible servers. */
export const embeddings: Wire = {
  parseRequest: parseEmbeddings,
  readAnswer: (text, { model }) => readEmbeddings(text, model),
  openStream: openNoStream,
  taskText: textOfEmbeddings,
  errorBody: openaiErrorBody,
  settings,
}
