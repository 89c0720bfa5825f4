import { openaiErrorBody } from '#wire/write-openai-error.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { resultOf } from '#wire/text/computation-with-pauses.ts'
import type { Wire } from '#wire/wire.ts'
import { TranscriptionFrameReader } from './frame-reader.ts'
import { readTranscription, settings, type TranscriptionName } from './request.ts'
import { readTranscript } from './response.ts'

/** No tokenizer counts these requests, because they are forms and not JSON. */
export const transcriptions: Wire = wireOf('transcriptions')

export const translations: Wire = wireOf('translations')

function wireOf(name: TranscriptionName): Wire {
  return {
    parseRequest: (body, path) => resultOf(readTranscription(name, body, path)),
    parseInSteps: (body, path) => readTranscription(name, body, path),
    readAnswer: readTranscript,
    openStream: (request) => new PassThroughStream(new TranscriptionFrameReader(request)),
    errorBody: openaiErrorBody,
    settings,
  }
}
