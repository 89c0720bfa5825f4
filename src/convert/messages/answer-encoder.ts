import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { inputOf } from '#convert/parse-tool-input.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { AnswerEncoder, EncoderOptions } from '#convert/codec-interface.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { AnswerBlocks, type Block, type Piece } from './order-answer-into-blocks.ts'
import { answerEnd, messageOf, showsThoughts, type Finish } from './message-object-and-stop-reason.ts'
import { messagesErrorFrame, messagesSpendFrames } from '#wire/messages/errors.ts'
import { frameOf, stopFrame } from '#wire/messages/write-frames.ts'
import { usageToMessages } from '#wire/messages/usage.ts'

export function messagesEncoder(options: EncoderOptions): AnswerEncoder {
  return new MessagesEncoder(options)
}

/**
 * If an answer has several parallel tool calls, the first call is written as it arrives, and the other calls wait
 * (order-answer-into-blocks.ts). The first frame is written when the first piece of the answer arrives, and the last
 * frames when `tail` is called.
 */
class MessagesEncoder implements AnswerEncoder {
  readonly #options: EncoderOptions
  readonly #blocks: AnswerBlocks
  #usage: Usage | null = null
  #finish: Finish | null = null
  #hasBegun = false
  #index = -1
  #open: Block | null = null

  constructor(options: EncoderOptions) {
    this.#options = options
    this.#blocks = new AnswerBlocks(showsThoughts(options.request))
  }

  write(event: NeutralEvent): ByteText {
    if (event.kind === 'usage') this.#usage = event.usage ?? this.#usage
    if ('choice' in event && event.choice !== 0) return ''
    if (event.kind === 'finish') this.#finish = event
    let out = ''
    for (const piece of this.#blocks.take(event)) out += this.#frame(piece)
    return out
  }

  tail(usage: Usage): ByteText {
    const finish = this.#finish ?? { reason: 'other', stopSequence: null }
    const begin = this.#begin()
    const end = answerEnd(finish, this.#blocks.hasCalls)
    return begin + frameOf('message_delta', { delta: end, usage: usageToMessages(usage) }) + stopFrame
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    const openText = this.#open !== null && this.#open.kind !== 'tool' ? this.#index : null
    return this.#begin() + messagesSpendFrames(openText, usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return messagesErrorFrame(error, requestId)
  }

  #frame(piece: Piece): ByteText {
    switch (piece.kind) {
      case 'open':
        this.#index++
        this.#open = piece.block
        return (
          this.#begin() +
          frameOf('content_block_start', { index: this.#index, content_block: emptyBlock(piece.block) })
        )
      case 'text':
        return this.#delta(piece.block, piece.text)
      case 'close': {
        const { block } = piece
        const signature =
          block.kind === 'thinking' && block.signature !== ''
            ? this.#deltaFrame('signature_delta', 'signature', block.signature)
            : ''
        return signature + this.#stop()
      }
      default:
        piece satisfies never
        return ''
    }
  }

  #delta(block: Block, text: string): ByteText {
    switch (block.kind) {
      case 'text':
        return this.#deltaFrame('text_delta', 'text', text)
      case 'thinking':
        return this.#deltaFrame('thinking_delta', 'thinking', text)
      case 'tool':
        return this.#deltaFrame('input_json_delta', 'partial_json', text)
      case 'redacted':
        return ''
      default:
        block satisfies never
        return ''
    }
  }

  /** Delta frames are built as strings, because a response has thousands of them. */
  #deltaFrame(type: string, name: string, text: string): ByteText {
    const written = byteTextOf(JSON.stringify(text))
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":{"type":"${type}","${name}":${written}}}\n\n`
  }

  #stop(): ByteText {
    this.#open = null
    return frameOf('content_block_stop', { index: this.#index })
  }

  /**
   * If the usage is unknown, the first frame has an estimate. Clients use the last frame, which contains the actual
   * usage.
   */
  #begin(): ByteText {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    const usage = { ...(this.#usage ?? estimated(this.#options)), output: 0 }
    const message = messageOf(this.#options, [], { stop_reason: null, stop_sequence: null }, usage)
    return frameOf('message_start', { message })
  }
}

function estimated({ inputTokensEstimated }: EncoderOptions): Usage {
  return { ...zeroUsage, input: inputTokensEstimated }
}

export function encodeMessagesAnswer(events: readonly NeutralEvent[], options: EncoderOptions): JsonObject {
  const blocks = new AnswerBlocks(showsThoughts(options.request))
  const written: { block: Block; text: string }[] = []
  let finish: Finish = { reason: 'other', stopSequence: null }
  let usage = { ...zeroUsage, input: options.inputTokensEstimated }
  for (const event of events) {
    if ('choice' in event && event.choice !== 0) continue
    if (event.kind === 'usage' && event.usage) usage = event.usage
    if (event.kind === 'finish') finish = event
    for (const piece of blocks.take(event)) {
      if (piece.kind === 'open') written.push({ block: piece.block, text: '' })
      const last = written.at(-1)
      if (piece.kind === 'text' && last) last.text += piece.text
    }
  }
  const content = written.map(({ block, text }) =>
    blockOf(block, block.kind === 'tool' ? inputOf(text) : text),
  )
  return messageOf(options, content, answerEnd(finish, blocks.hasCalls), usage)
}

/** The signature of a thought is written at the end of the thought. */
function emptyBlock(block: Block): JsonObject {
  return blockOf(
    block.kind === 'thinking' ? { ...block, signature: '' } : block,
    block.kind === 'tool' ? {} : '',
  )
}

/** @param content the text of the block, or the input of a tool call */
function blockOf(block: Block, content: JsonValue): JsonObject {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: content }
    case 'thinking':
      return { type: 'thinking', thinking: content, signature: block.signature }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.signature }
    case 'tool':
      return { type: 'tool_use', id: block.id, name: block.name, input: content }
    default:
      return block satisfies never
  }
}
