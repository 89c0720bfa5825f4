import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import type { ProviderIds } from '#wire/types-of-replaced-ids.ts'
import { ResponsesFrameReader } from './frame-reader.ts'

/** Reads the events of a stored response, starting at any event. */
export function openStoredStream(alias: string, ids: ProviderIds): AnswerStream {
  return new PassThroughStream(new ResponsesFrameReader(alias, { ids, isBackground: true }))
}
