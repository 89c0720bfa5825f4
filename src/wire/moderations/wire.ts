import type { Wire } from '#wire/wire.ts'
import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { openaiErrorBody } from '#wire/write-openai-error.ts'
import { readTaskAnswer } from '#wire/read-task-response.ts'
import { parseModerations, settings, textOfModerations } from './request.ts'

export const moderations: Wire = {
  parseRequest: parseModerations,
  readAnswer: (text, { model }) => readTaskAnswer(text, model, ['results']),
  openStream: openNoStream,
  taskText: textOfModerations,
  errorBody: openaiErrorBody,
  settings,
}
