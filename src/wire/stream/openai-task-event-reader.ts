import type { Usage } from '#money/usage-counts.ts'
import { openaiErrorFrame } from '#wire/write-openai-error.ts'
import { providerErrorOf } from '#wire/read-provider-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { member, valueAt, type Json } from '#wire/text/json-tape.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { isNull, textAt } from '#wire/wire-request.ts'
import type { FailedFrame, Frame, FrameReader } from './frame-reader-interface.ts'

/** Reads events of OpenAI's tasks, such as transcriptions. The type of an event shows whether the event is the last. */
export abstract class OpenaiEventReader implements FrameReader {
  hasReportedUsage = false
  readonly answeredBy = null
  protected reported: Usage | null = null

  abstract get usage(): Usage | null

  protected abstract readEvent(json: Json, type: string): Frame

  read(json: Json): Frame | FailedFrame {
    const type = textAt(json, member(json, 0, 'type')) ?? ''
    const error = member(json, 0, 'error')
    if (type === 'error' || (error >= 0 && !isNull(json, error)))
      return { place: 'failed', failure: providerErrorOf(valueAt(json, 0)) }
    return this.readEvent(json, type)
  }

  ending(): null {
    return null
  }

  spendTail(_usage: Usage, error: WireError, requestId: string): ByteText {
    return openaiErrorFrame(error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return openaiErrorFrame(error, requestId)
  }
}
