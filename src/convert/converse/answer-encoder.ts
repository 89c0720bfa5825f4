import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { inputOf } from '#convert/parse-tool-input.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { converseErrorFrame, converseSpendFrames } from '#wire/converse/errors.ts'
import { usageToConverse } from '#wire/converse/usage.ts'
import { frameOf } from '#wire/converse/write-frames.ts'
import type { AnswerEncoder, EncoderOptions } from '#convert/codec-interface.ts'
import { AnswerBlocks, type Block, type Piece } from '#convert/messages/order-answer-into-blocks.ts'
import { showsThoughts } from '#convert/messages/message-object-and-stop-reason.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { stopReasonOf } from './finish-reasons.ts'

export function converseEncoder(options: EncoderOptions): AnswerEncoder {
  return new ConverseEncoder(options)
}

/**
 * On the Converse wire, blocks follow each other, as on the messages wire (order-answer-into-blocks.ts). The first
 * frame is written when the first piece of the answer arrives, and the last frames when `tail` is called.
 */
class ConverseEncoder implements AnswerEncoder {
  readonly #options: EncoderOptions
  readonly #blocks: AnswerBlocks
  #finish: FinishReason = 'other'
  #hasBegun = false
  #index = -1

  constructor(options: EncoderOptions) {
    this.#options = options
    this.#blocks = new AnswerBlocks(showsThoughts(options.request), 'converse')
  }

  write(event: NeutralEvent): ByteText {
    if ('choice' in event && event.choice !== 0) return ''
    if (event.kind === 'finish') this.#finish = event.reason
    let out = ''
    for (const piece of this.#blocks.take(event)) out += this.#frame(piece)
    return out
  }

  tail(usage: Usage): ByteText {
    return (
      this.#begin() +
      frameOf('messageStop', { stopReason: stopReasonOf(this.#finish, this.#blocks.hasCalls) }) +
      frameOf('metadata', { usage: usageToConverse(usage), metrics: metricsOf(this.#options) })
    )
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return this.#begin() + converseSpendFrames(usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return converseErrorFrame(error, requestId)
  }

  #frame(piece: Piece): ByteText {
    const { block } = piece
    switch (piece.kind) {
      case 'open': {
        this.#index++
        const begin = this.#begin()
        if (block.kind === 'redacted')
          return begin + this.#delta({ reasoningContent: { redactedContent: inBase64(block.signature) } })
        if (block.kind !== 'tool') return begin
        const toolUse = { toolUseId: block.id, name: block.name }
        return begin + frameOf('contentBlockStart', { contentBlockIndex: this.#index, start: { toolUse } })
      }
      case 'text':
        return this.#delta(partOf(block, piece.text))
      case 'close': {
        const signature = block.kind === 'thinking' ? block.signature : ''
        return (
          (signature === '' ? '' : this.#delta({ reasoningContent: { signature } })) +
          frameOf('contentBlockStop', { contentBlockIndex: this.#index })
        )
      }
      default:
        piece satisfies never
        return ''
    }
  }

  #delta(delta: JsonObject): ByteText {
    return frameOf('contentBlockDelta', { contentBlockIndex: this.#index, delta })
  }

  #begin(): ByteText {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    return frameOf('messageStart', { role: 'assistant' })
  }
}

/** A redacted block has no pieces. */
function partOf({ kind }: Block, text: string): JsonObject {
  if (kind === 'tool') return { toolUse: { input: text } }
  return kind === 'text' ? { text } : { reasoningContent: { text } }
}

/** The field `metrics` is always present, because clients read it without checking that it exists. */
function metricsOf({ createdSeconds, nowSeconds }: EncoderOptions): JsonObject {
  return { latencyMs: Math.max(0, nowSeconds() - createdSeconds) * 1000 }
}

export function encodeConverseAnswer(events: readonly NeutralEvent[], options: EncoderOptions): JsonObject {
  const blocks = new AnswerBlocks(showsThoughts(options.request), 'converse')
  const written: { block: Block; text: string }[] = []
  let finish: FinishReason = 'other'
  let usage: Usage = { ...zeroUsage, input: options.inputTokensEstimated }
  for (const event of events) {
    if ('choice' in event && event.choice !== 0) continue
    if (event.kind === 'usage' && event.usage) usage = event.usage
    if (event.kind === 'finish') finish = event.reason
    for (const piece of blocks.take(event)) {
      if (piece.kind === 'open') written.push({ block: piece.block, text: '' })
      const last = written.at(-1)
      if (piece.kind === 'text' && last) last.text += piece.text
    }
  }
  const content = written.map(({ block, text }) => blockOf(block, text))
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: stopReasonOf(finish, blocks.hasCalls),
    usage: usageToConverse(usage),
    metrics: metricsOf(options),
  }
}

function blockOf(block: Block, text: string): JsonObject {
  switch (block.kind) {
    case 'text':
      return { text }
    case 'thinking': {
      const { signature } = block
      return { reasoningContent: { reasoningText: { text, ...(signature !== '' && { signature }) } } }
    }
    case 'redacted':
      return { reasoningContent: { redactedContent: inBase64(block.signature) } }
    case 'tool':
      return { toolUse: { toolUseId: block.id, name: block.name, input: inputOf(text) } }
    default:
      return block satisfies never
  }
}

/** Clients decode standard base64, but the tag of a signature uses the URL alphabet. */
function inBase64(signature: string): string {
  return signature.replaceAll('-', '+').replaceAll('_', '/')
}
