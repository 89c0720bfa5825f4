import { converseErrorBody } from '#wire/converse/errors.ts'
import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import type { Wire } from '#wire/wire.ts'
import { parseInvokeEmbeddings, settings, textOfInvoke } from './request.ts'
import { readInvokeEmbeddings } from './non-streaming-response.ts'

export const invokeEmbeddings: Wire = {
  parseRequest: parseInvokeEmbeddings,
  readAnswer: readInvokeEmbeddings,
  openStream: openNoStream,
  taskText: textOfInvoke,
  errorBody: converseErrorBody,
  settings,
}
