import type { Wire } from '#wire/wire.ts'
import { generateErrorBody } from '#wire/generate/errors.ts'
import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { parseBatchEmbedContents, parseEmbedContent, settings, textOfContents } from './request.ts'
import { readEmbedContent } from './non-streaming-response.ts'

export const embedContent: Wire = {
  parseRequest: parseEmbedContent,
  readAnswer: readEmbedContent,
  openStream: openNoStream,
  taskText: textOfContents,
  errorBody: generateErrorBody,
  settings,
}

export const batchEmbedContents: Wire = { ...embedContent, parseRequest: parseBatchEmbedContents }
