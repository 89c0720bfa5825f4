import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { openaiErrorBody } from '#wire/write-openai-error.ts'
import type { Wire } from '#wire/wire.ts'
import { parseImageEdits } from './image-edits-request.ts'
import { parseImages, settings, textOfImages } from './request.ts'
import { readImages } from './non-streaming-response.ts'

export const images: Wire = {
  parseRequest: parseImages,
  readAnswer: readImages,
  openStream: openNoStream,
  taskText: textOfImages,
  errorBody: openaiErrorBody,
  settings,
}

/** No tokenizer counts these requests, because they are forms and not JSON. */
export const imageEdits: Wire = { ...images, parseRequest: parseImageEdits }
