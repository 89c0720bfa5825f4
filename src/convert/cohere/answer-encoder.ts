import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { AnswerEncoder, EncoderOptions } from '#convert/codec-interface.ts'
import { AnswerBlocks, type Block, type Piece } from '#convert/messages/order-answer-into-blocks.ts'
import { showsThoughts } from '#convert/messages/message-object-and-stop-reason.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { cohereErrorFrame, cohereSpendFrame } from '#wire/cohere/errors.ts'
import { usageToCohere } from '#wire/cohere/usage.ts'
import { endFrames, frameOf } from '#wire/cohere/write-frames.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { cohereReasonOf } from './finish-reasons.ts'

export function cohereEncoder(options: EncoderOptions): AnswerEncoder {
  return new CohereEncoder(options)
}

/**
 * Texts, thoughts and tool calls follow each other, as on the messages wire (order-answer-into-blocks.ts). Texts and
 * thoughts share one sequence of indexes, and tool calls have another sequence. The last frames are written when `tail`
 * is called.
 */
class CohereEncoder implements AnswerEncoder {
  readonly #callId: string
  readonly #blocks: AnswerBlocks
  #finish: FinishReason = 'other'
  #hasBegun = false
  #contents = 0
  #calls = 0

  constructor({ callId, request }: EncoderOptions) {
    this.#callId = callId
    this.#blocks = new AnswerBlocks(showsThoughts(request), 'cohere')
  }

  write(event: NeutralEvent): ByteText {
    if ('choice' in event && event.choice !== 0) return ''
    if (event.kind === 'finish') this.#finish = event.reason
    let out = ''
    for (const piece of this.#blocks.take(event)) out += this.#frame(piece)
    return out
  }

  tail(usage: Usage): ByteText {
    return this.#begin() + endFrames(cohereReasonOf(this.#finish, this.#blocks.hasCalls), usage)
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return this.#begin() + cohereSpendFrame(usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return cohereErrorFrame(error, requestId)
  }

  /** Empty for encrypted thoughts, because the wire has no field for them. */
  #frame(piece: Piece): ByteText {
    const { block } = piece
    if (block.kind === 'redacted') return ''
    const [kind, index] = block.kind === 'tool' ? ['tool-call', this.#calls] : ['content', this.#contents]
    switch (piece.kind) {
      case 'open': {
        const delta = { message: startOf(block) }
        return this.#begin() + frameOf(`${kind}-start`, { index, delta })
      }
      case 'text':
        return frameOf(`${kind}-delta`, { index, delta: { message: partOf(block, piece.text) } })
      case 'close':
        if (block.kind === 'tool') this.#calls++
        else this.#contents++
        return frameOf(`${kind}-end`, { index })
      default:
        piece satisfies never
        return ''
    }
  }

  #begin(): ByteText {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
    return frameOf('message-start', { id: this.#callId, delta: { message } })
  }
}

type WrittenBlock = Exclude<Block, { readonly kind: 'redacted' }>

function startOf(block: WrittenBlock): JsonObject {
  switch (block.kind) {
    case 'text':
      return { content: { type: 'text', text: '' } }
    case 'thinking':
      return { content: { type: 'thinking', thinking: '' } }
    case 'tool':
      return { tool_calls: callOf(block, '') }
    default:
      return block satisfies never
  }
}

function partOf({ kind }: WrittenBlock, text: string): JsonObject {
  if (kind === 'tool') return { tool_calls: { function: { arguments: text } } }
  return { content: kind === 'text' ? { text } : { thinking: text } }
}

function callOf({ id, name }: { readonly id: string; readonly name: string }, text: string): JsonObject {
  return { id, type: 'function', function: { name, arguments: text } }
}

/** All texts and thoughts come before the tool calls. */
export function encodeCohereAnswer(events: readonly NeutralEvent[], options: EncoderOptions): JsonObject {
  const blocks = new AnswerBlocks(showsThoughts(options.request), 'cohere')
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
  const content = written.flatMap(({ block, text }): readonly JsonObject[] => {
    if (block.kind === 'text') return [{ type: 'text', text }]
    return block.kind === 'thinking' ? [{ type: 'thinking', thinking: text }] : []
  })
  const calls = written.flatMap(({ block, text }) => (block.kind === 'tool' ? [callOf(block, text)] : []))
  return {
    id: options.callId,
    finish_reason: cohereReasonOf(finish, blocks.hasCalls),
    message: {
      role: 'assistant',
      ...(content.length > 0 && { content }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    usage: usageToCohere(usage),
  }
}
