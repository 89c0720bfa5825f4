import { blocksOf, startsBlock, type Block, type Piece } from '#simulator/write-answer-by-directives.ts'
import { cohereError } from '#simulator/error-bodies-of-vendors.ts'
import { readCohere } from '#simulator/requests/read-cohere-request.ts'
import {
  claimed,
  type Frames,
  type Said,
  type SaidUsage,
  type Vendor,
} from '#simulator/wire-simulator-interface.ts'

/** Version 2 of Cohere's chat (docs/reference/wires.md "Cohere's chat"). */
export const cohere: Vendor = {
  read: readCohere,
  errorBody: cohereError,
  hasRetryAfter: false,
  hasObjectArguments: false,
  countBody: null,
  frames,
  whole,
}

/** In a stream of Cohere, blocks follow each other. Contents and tool calls have separate indexes. */
function frames(said: Said): Frames {
  const [choice] = said.choices
  const pieces = choice?.pieces ?? []
  const blocks = choice ? blocksOf(choice) : []
  const indexes = indexesOf(blocks)
  let at = -1
  const close = (): string[] => {
    const block = blocks[at]
    return block ? [frame(`${nameOf(block)}-end`, `"index":${indexes[at]}`)] : []
  }
  return {
    opening: () => {
      const message = '{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}'
      return [frame('message-start', `"id":"${said.callId}","delta":{"message":${message}}`)]
    },
    token(_, index, piece) {
      const list: string[] = []
      if (startsBlock(piece, pieces[index - 1])) {
        list.push(...close())
        at++
        list.push(part('start', indexes[at] ?? 0, piece.kind, startOf(said, piece)))
      }
      const text = JSON.stringify(piece.text)
      if (piece.kind === 'content') list.push(part('delta', indexes[at] ?? 0, piece.kind, `{"text":${text}}`))
      else if (piece.kind === 'reasoning')
        list.push(part('delta', indexes[at] ?? 0, piece.kind, `{"thinking":${text}}`))
      else if (piece.kind === 'arguments')
        list.push(part('delta', indexes[at] ?? 0, piece.kind, `{"function":{"arguments":${text}}}`))
      return list
    },
    closing: () => [
      ...close(),
      frame('message-end', `"delta":{"finish_reason":"${finishReasonOf(said)}"${usageMember(said)}}`),
      'data: [DONE]\n\n',
    ],
    broken: () => 'event: content-delta\ndata: {"type":"content-delta","index":0,"delta":{"mess\n\n',
    error: () => [
      frame('message-end', '"delta":{"finish_reason":"ERROR","error":"internal server error (simulated)"}'),
    ],
  }
}

function frame(type: string, fields: string): string {
  return `event: ${type}\ndata: {"type":"${type}",${fields}}\n\n`
}

function part(step: 'start' | 'delta', index: number, kind: Piece['kind'], inner: string): string {
  const isCall = kind === 'tool' || kind === 'arguments'
  const message = `{"${isCall ? 'tool_calls' : 'content'}":${inner}}`
  return frame(
    `${isCall ? 'tool-call' : 'content'}-${step}`,
    `"index":${index},"delta":{"message":${message}}`,
  )
}

function startOf(said: Said, { kind, tool }: Piece): string {
  if (kind === 'tool') return JSON.stringify(callOf(said, tool, ''))
  return kind === 'reasoning' ? '{"type":"thinking","thinking":""}' : '{"type":"text","text":""}'
}

function nameOf({ kind }: Block): string {
  return kind === 'tool' ? 'tool-call' : 'content'
}

function indexesOf(blocks: readonly Block[]): readonly number[] {
  return blocks.map((block, at) => blocks.slice(0, at).filter((one) => nameOf(one) === nameOf(block)).length)
}

function whole(said: Said): string {
  const [choice] = said.choices
  const blocks = choice ? blocksOf(choice) : []
  const content = blocks
    .filter(({ kind }) => kind !== 'tool')
    .map(({ kind, text }) =>
      kind === 'content' ? { type: 'text', text } : { type: 'thinking', thinking: text },
    )
  const calls = blocks.filter(({ kind }) => kind === 'tool').map(({ text, tool }) => callOf(said, tool, text))
  const message = {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return `{"id":"${said.callId}","message":${JSON.stringify(message)},"finish_reason":"${finishReasonOf(said)}"${usageMember(said)}}`
}

function callOf({ callId, choices }: Said, tool: number, text: string): object {
  const name = choices[0]?.calls[tool]?.name ?? ''
  return { id: `${name}_${callId}_${tool}`, type: 'function', function: { name, arguments: text } }
}

function finishReasonOf({ choices }: Said): string {
  return finishReasons[choices[0]?.finish ?? 'end']
}

const finishReasons = {
  end: 'COMPLETE',
  stop_sequence: 'STOP_SEQUENCE',
  max_output: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  refusal: 'COMPLETE',
} as const

function usageMember({ usage }: Said): string {
  return usage === null ? '' : `,"usage":${usageOf(usage)}`
}

/** Cohere bills fewer tokens than its models read, because Cohere's own instructions are not billed. */
function usageOf(usage: SaidUsage): string {
  const { cached, input, output, reasoning } = usage
  const counts = `"input_tokens":${input},"output_tokens":${claimed(usage, output)}`
  const read = `"input_tokens":${input + instructionTokens},"output_tokens":${claimed(usage, output)}`
  return (
    `{"billed_units":{${counts}},"tokens":{${read},"reasoning_tokens":${reasoning}},` +
    `"cached_tokens":${cached}}`
  )
}

/** In recorded responses of a Command model, the prompt has about 500 more tokens than are billed. */
const instructionTokens = 500
