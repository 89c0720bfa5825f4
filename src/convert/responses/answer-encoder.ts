import type { JsonObject } from '#wire/text/json-values.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { AnswerEncoder, EncoderOptions } from '#convert/codec-interface.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { EncodedItems, type ItemFrame } from './item-encoder.ts'
import { failureFrames } from '#wire/responses/errors.ts'
import { frameOf } from '#wire/responses/write-frames.ts'
import { responseOf, tierInForce } from './response-with-request-fields.ts'
import { usageToResponses } from '#wire/responses/usage.ts'

/** The first events are written when the first piece arrives, and the last events when `tail` is called. */
export class ResponsesEncoder implements AnswerEncoder {
  readonly #nowSeconds: () => number
  readonly #items: EncodedItems
  readonly #response: JsonObject
  #sequenceNumber = 0
  #hasBegun = false
  #reason: FinishReason | null = null

  constructor(options: EncoderOptions) {
    this.#nowSeconds = options.nowSeconds
    this.#items = new EncodedItems(options.callId, options.request.tools)
    this.#response = responseOf(options)
  }

  write(event: NeutralEvent): ByteText {
    if (this.#reason !== null) return ''
    if (event.kind === 'finish') {
      // Ignore all choices except the first, because the responses wire has only one choice.
      if (event.choice !== 0) return ''
      this.#reason = event.reason
      return this.#framed(this.#items.close(isCut(event.reason)))
    }
    return this.#framed(this.#items.add(event))
  }

  tail(usage: Usage): ByteText {
    const response = this.response(usage)
    return this.#begun() + this.#frame(`response.${String(response.status)}`, { response })
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return this.#failedEnd(usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return this.#failedEnd(null, error, requestId)
  }

  response(usage: Usage): JsonObject {
    const reason = this.#reason
    const end = (reason === null ? null : ends[reason]) ?? {
      status: 'completed',
      completed_at: this.#nowSeconds(),
    }
    return {
      ...this.#response,
      ...end,
      output: this.#items.output(),
      service_tier: tierInForce(usage.serviceTier),
      usage: usageToResponses(usage),
    }
  }

  #failedEnd(usage: Usage | null, error: WireError, requestId: string): ByteText {
    const begun = this.#begun()
    // Only finished items are repeated, so that clients do not treat an incomplete item as a message or a tool call.
    const response = { ...this.#response, output: this.#items.doneOnly() }
    return begun + failureFrames({ response, usage, error, requestId, sequenceNumber: this.#sequenceNumber })
  }

  #framed(frames: readonly ItemFrame[]): ByteText {
    if (frames.length === 0) return ''
    let out = this.#begun()
    for (const [type, fields] of frames) out += this.#frame(type, fields)
    return out
  }

  /** Returns an empty text on all calls except the first. */
  #begun(): ByteText {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    const response = this.#response
    return this.#frame('response.created', { response }) + this.#frame('response.in_progress', { response })
  }

  #frame(type: string, fields: ItemFrame[1]): ByteText {
    return frameOf(type, this.#sequenceNumber++, fields)
  }
}

export function encodeResponsesAnswer(events: readonly NeutralEvent[], options: EncoderOptions): JsonObject {
  const encoder = new ResponsesEncoder(options)
  let usage: Usage | null = null
  for (const event of events) {
    encoder.write(event)
    if (event.kind === 'usage') usage = event.usage
  }
  return encoder.response(usage ?? { ...zeroUsage, input: options.inputTokensEstimated })
}

/** An item that may be incomplete is not marked as completed. */
function isCut(reason: FinishReason): boolean {
  return reason === 'max_output' || reason === 'context_full' || reason === 'filtered'
}

const tooLong: JsonObject = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }

/**
 * The reasons for an incomplete response (docs/reference/conversions.md "Finish reasons"). With any finish reason that
 * is not listed, the response is completed.
 */
const ends: Readonly<Partial<Record<FinishReason, JsonObject>>> = {
  max_output: tooLong,
  context_full: tooLong,
  filtered: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
  pause: { status: 'incomplete', incomplete_details: { reason: 'max_messages' } },
}
