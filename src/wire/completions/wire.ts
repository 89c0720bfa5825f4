import { ChatFrameReader, type ChatVariant } from '#wire/chat/frame-reader.ts'
import { readChatResponse } from '#wire/chat/non-streaming-response.ts'
import { openaiErrorBody } from '#wire/write-openai-error.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { chunkTypes } from '#wire/names-of-wires-and-tasks.ts'
import type { Wire } from '#wire/wire.ts'
import { parseCompletions, settings, textOfCompletions } from './request.ts'

/** The text is a direct member of the choice, both in chunks and in non-streaming responses. */
export const completionChunks: ChatVariant = {
  texts: new Set(['text']),
  form: { object: chunkTypes.completions, nothing: { text: '', logprobs: null } },
}

/** Usage, errors and the end of a stream are the same as on the chat wire. */
export const completions: Wire = {
  parseRequest: parseCompletions,
  readAnswer: (text, { model }) => readChatResponse(text, model),
  openStream: ({ model, wantsReport, wantsUsage }) =>
    new PassThroughStream(new ChatFrameReader(model, wantsUsage, completionChunks, wantsReport)),
  taskText: textOfCompletions,
  errorBody: openaiErrorBody,
  settings,
}
