import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { responses } from '#wire/responses/wire.ts'
import type { Wire } from '#wire/wire.ts'
import { parseCompact } from './request.ts'
import { readCompacted } from './non-streaming-response.ts'

/** Compactions have the settings and errors of the wire `responses`. */
export const compact: Wire = {
  parseRequest: parseCompact,
  readAnswer: readCompacted,
  openStream: openNoStream,
  errorBody: responses.errorBody,
  settings: responses.settings,
}
