import { openNoStream } from '#wire/tasks-without-output.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import type { Wire } from '#wire/wire.ts'
import { parseImageEdits } from './image-edits-request.ts'
import { parseImages, settings, textOfImages } from './request.ts'
import { readImages } from './non-streaming-response.ts'

/** Images of OpenAI and compatible servers. */
export const images: Wire = {
  parseRequest: parseImages,
  readAnswer: readImages,
  openStream: openNoStream,
  taskText: textOfImages,
  errorBody: openaiErrorBody,
  settings,
}

/** Edits of images. A form is never counted by a tokenizer. */
export const imageEdits: Wire = { ...images, parseRequest: parseImageEdits }
