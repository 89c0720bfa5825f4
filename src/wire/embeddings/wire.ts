import type { Wire } from '#wire/wire.ts'
import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { openaiErrorBody } from '#wire/write-openai-error.ts'
import { parseEmbeddings, settings, textOfEmbeddings } from './request.ts'
import { readTaskAnswer } from '#wire/read-task-response.ts'

export const embeddings: Wire = {
  parseRequest: parseEmbeddings,
  readAnswer: (text, { model }) => readTaskAnswer(text, model, ['data']),
  openStream: openNoStream,
  taskText: textOfEmbeddings,
  errorBody: openaiErrorBody,
  settings,
}
