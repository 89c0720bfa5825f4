import { parseValue, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { ZERO_USAGE } from '#money/usage.ts'
import type { EncoderOptions } from '#convert/codec.ts'
import type { NeutralEvent } from '#convert/neutral.ts'
import { AnswerBlocks, type Block } from './answer-blocks.ts'
import { answerEnd, messageOf, showsThoughts, type Finish } from './finish.ts'

/** A whole answer: the same blocks as its stream would have had. */
export function encodeMessagesAnswer(events: readonly NeutralEvent[], options: EncoderOptions): JsonObject {
  const blocks = new AnswerBlocks(showsThoughts(options.request))
  const written: { block: Block; text: string }[] = []
  let finish: Finish = { reason: 'other', stopSequence: null }
  let usage = { ...ZERO_USAGE, input: options.inputTokensEstimated }
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
  const content = written.map(({ block, text }) => contentBlock(block, text))
  return messageOf(options, content, answerEnd(finish, blocks.hasCalls), usage)
}

function contentBlock(block: Block, text: string): JsonObject {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text }
    case 'thinking':
      return { type: 'thinking', thinking: text, signature: block.signature }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.signature }
    case 'tool':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputOf(text) }
    default:
      block satisfies never
      return {}
  }
}

/** What is no JSON is given as it was written: it fits no tool's schema, so that none is run with it. */
function inputOf(text: string): JsonValue {
  if (text === '') return {}
  try {
    return parseValue(text)
  } catch {
    return text
  }
}
