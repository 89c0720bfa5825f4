import { blocksOf, startsBlock, type Block } from '#simulator/write-answer-by-directives.ts'
import { anthropicError, bedrockError } from '#simulator/error-bodies-of-vendors.ts'
import { readConverse } from '#simulator/requests/read-converse-request.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'
import {
  claimed,
  type Frames,
  type Said,
  type SaidUsage,
  type Vendor,
} from '#simulator/wire-simulator-interface.ts'

/**
 * The simulated stream consists of server-sent events (docs/reference/wires.md "Bedrock"). For real accounts,
 * providers/bedrock-stream-to-events.ts converts the stream of Bedrock to this form.
 */
export const converse: Vendor = {
  read: readConverse,
  errorBody: bedrockError,
  hasRetryAfter: false,
  hasObjectArguments: true,
  countBody: null,
  frames,
  whole,
}

/**
 * In a Converse stream, blocks follow each other and never overlap. Only the block of a tool call has an event for its
 * start.
 */
function frames(said: Said): Frames {
  const [choice] = said.choices
  const pieces = choice?.pieces ?? []
  const blocks = choice ? blocksOf(choice) : []
  let at = -1
  const close = (): string[] => {
    const block = blocks[at]
    if (!block) return []
    const seal = block.kind === 'reasoning' ? [delta(at, sealDelta(said, block))] : []
    return [...seal, frame('contentBlockStop', `"contentBlockIndex":${at}`)]
  }
  return {
    opening: () => [frame('messageStart', '"role":"assistant"')],
    token(_, index, piece) {
      const list: string[] = []
      if (startsBlock(piece, pieces[index - 1])) {
        list.push(...close())
        at++
        if (piece.kind === 'tool') list.push(startOf(said, at, piece.tool))
      }
      const quoted = JSON.stringify(piece.text)
      if (piece.kind === 'content') list.push(delta(at, `{"text":${quoted}}`))
      else if (piece.kind === 'arguments') list.push(delta(at, `{"toolUse":{"input":${quoted}}}`))
      else if (piece.kind === 'reasoning' && !said.isRedacted)
        list.push(delta(at, `{"reasoningContent":{"text":${quoted}}}`))
      return list
    },
    closing: () => [
      ...close(),
      frame('messageStop', `"stopReason":"${stopReasonOf(said)}"`),
      frame('metadata', said.usage === null ? metrics : `${usageOf(said.usage)},${metrics}`),
    ],
    broken: () => 'data: {"contentBlockDelta":{"contentBlockIndex":0,"delta":{"te\n\n',
    error: () => [`event: error\ndata: ${anthropicError(529, null, said.callId)}\n\n`],
  }
}

const metrics = '"metrics":{"latencyMs":1}'

function frame(type: string, fields: string): string {
  return `data: {"${type}":{${fields}}}\n\n`
}

function delta(index: number, part: string): string {
  return frame('contentBlockDelta', `"contentBlockIndex":${index},"delta":${part}`)
}

function startOf(said: Said, index: number, tool: number): string {
  const start = JSON.stringify({ toolUse: callOf(said, tool) })
  return frame('contentBlockStart', `"contentBlockIndex":${index},"start":${start}`)
}

function sealDelta({ isRedacted }: Said, { text }: Block): string {
  return isRedacted
    ? `{"reasoningContent":{"redactedContent":"${sealOf('redacted', text)}"}}`
    : `{"reasoningContent":{"signature":"${sealOf('signature', text)}"}}`
}

function whole(said: Said): string {
  const [choice] = said.choices
  const content = (choice ? blocksOf(choice) : []).map((block) => blockText(said, block))
  const usage = said.usage === null ? '' : `${usageOf(said.usage)},`
  return `{"output":{"message":{"role":"assistant","content":[${content.join(',')}]}},"stopReason":"${stopReasonOf(said)}",${usage}${metrics}}`
}

function blockText(said: Said, block: Block): string {
  const { kind, text, tool } = block
  if (kind === 'content') return JSON.stringify({ text })
  if (kind === 'tool')
    return `{"toolUse":${JSON.stringify(callOf(said, tool)).slice(0, -1)},"input":${inputOf(text)}}}`
  const reasoning = said.isRedacted
    ? { redactedContent: sealOf('redacted', text) }
    : { reasoningText: { text, signature: sealOf('signature', text) } }
  return JSON.stringify({ reasoningContent: reasoning })
}

function callOf({ callId, choices }: Said, tool: number): object {
  return { toolUseId: `tooluse_${callId}_${tool}`, name: choices[0]?.calls[tool]?.name ?? '' }
}

/** An empty object replaces arguments that the output maximum truncated. */
function inputOf(json: string): string {
  try {
    JSON.parse(json)
    return json
  } catch {
    return '{}'
  }
}

function stopReasonOf({ choices }: Said): string {
  return stopReasons[choices[0]?.finish ?? 'end']
}

const stopReasons = {
  end: 'end_turn',
  stop_sequence: 'stop_sequence',
  max_output: 'max_tokens',
  tool_calls: 'tool_use',
  refusal: 'content_filtered',
} as const

/** `inputTokens` excludes cache reads and writes. */
function usageOf(usage: SaidUsage): string {
  const { cached, input, output, written } = usage
  return (
    `"usage":{"inputTokens":${input - cached - written},"outputTokens":${claimed(usage, output)},` +
    `"totalTokens":${input + output},"cacheReadInputTokens":${cached},"cacheWriteInputTokens":${written}}`
  )
}
