import { openaiErrorBody } from '#wire/write-openai-error.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Wire } from '#wire/wire.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { SpeechFrameReader } from './frame-reader.ts'
import { parseSpeech, settings, textOfSpeech } from './request.ts'
import { SoundStream } from './sound-stream.ts'

export const speech: Wire = {
  parseRequest: parseSpeech,
  readAnswer: readSpeech,
  openStream: (request) =>
    request.responseType === undefined
      ? new PassThroughStream(new SpeechFrameReader(request))
      : new SoundStream(request),
  taskText: textOfSpeech,
  errorBody: openaiErrorBody,
  settings,
}

/** Probes of accounts receive speech in full. */
function readSpeech(body: ByteText, request: WireRequest): WholeAnswer | null {
  if (body === '' || body.startsWith('{') || body.startsWith('<')) return null
  const sound = new SoundStream(request)
  sound.push(body)
  return { usage: sound.usage, hasReportedUsage: false, outputTokens: 0, hasNoOutput: true, body }
}
