import { blocksOf, startsBlock, type Block } from '#simulator/write-answer-by-directives.ts'
import { anthropicError } from '#simulator/error-bodies-of-vendors.ts'
import { readMessages } from '#simulator/requests/read-messages-request.ts'
import { objectOf, objectsOf, stringOf } from '#simulator/read-values-of-any-shape.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'
import {
  claimed,
  type Frames,
  type Said,
  type SaidUsage,
  type Vendor,
} from '#simulator/wire-simulator-interface.ts'

/** Source: docs/reference/wires.md "Messages". */
export const messages: Vendor = {
  read: (body, { purpose }) => readMessages(body, purpose === 'count'),
  errorBody: anthropicError,
  hasRetryAfter: true,
  hasObjectArguments: true,
  countBody: (inputTokens) => JSON.stringify({ input_tokens: inputTokens }),
  frames,
  whole,
}

/** A message consists of the first choice, and its blocks never overlap. */
function frames(said: Said): Frames {
  const [choice] = said.choices
  const pieces = choice?.pieces ?? []
  const blocks = choice ? blocksOf(choice) : []
  let at = -1
  /** The blocks of the provider's tools come before all other blocks. */
  const index0 = (said.searches + said.runs) * 2
  const close = (): string[] => {
    const block = blocks[at]
    if (!block) return []
    const seal =
      block.kind === 'reasoning' && !said.isRedacted
        ? [delta(index0 + at, `{"type":"signature_delta","signature":"${sealOf('signature', block.text)}"}`)]
        : []
    return [...seal, frame('content_block_stop', `"index":${index0 + at}`)]
  }
  return {
    opening: () => [
      frame('message_start', `"message":${messageText(said, '', null, 1)}`),
      ...[...searchBlocks(said), ...runBlocks(said)].flatMap((block, place) => [
        frame('content_block_start', `"index":${place},"content_block":${JSON.stringify(block)}`),
        frame('content_block_stop', `"index":${place}`),
      ]),
    ],
    token(_, index, piece) {
      const list: string[] = []
      if (startsBlock(piece, pieces[index - 1])) {
        list.push(...close())
        at++
        const block = blocks[at]
        if (block)
          list.push(
            frame('content_block_start', `"index":${index0 + at},"content_block":${startOf(said, block)}`),
          )
        if (at === 0) list.push(frame('ping', ''))
        // In recorded streams, the first piece of a tool's input is always empty. If a tool has no input, this is the
        // only piece.
        if (piece.kind === 'tool')
          list.push(delta(index0 + at, '{"type":"input_json_delta","partial_json":""}'))
      }
      const quoted = JSON.stringify(piece.text)
      switch (piece.kind) {
        case 'content':
          list.push(delta(index0 + at, `{"type":"text_delta","text":${quoted}}`))
          break
        case 'reasoning':
          if (said.request.reasoning.isShown && !said.isRedacted) {
            list.push(delta(index0 + at, `{"type":"thinking_delta","thinking":${quoted}}`))
          }
          break
        case 'arguments':
          if (blocks[at]?.text !== '{}')
            list.push(delta(index0 + at, `{"type":"input_json_delta","partial_json":${quoted}}`))
      }
      return list
    },
    closing() {
      const stop = `"delta":${JSON.stringify(stopOf(said))}`
      const usage = said.usage === null ? '' : `,"usage":${endUsageOf(said.usage)}`
      return [...close(), frame('message_delta', stop + usage), frame('message_stop', '')]
    },
    broken: () =>
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","te\n\n',
    error: () => [`event: error\ndata: ${anthropicError(529, null, said.callId)}\n\n`],
  }
}

function frame(type: string, fields: string): string {
  return `event: ${type}\ndata: {"type":"${type}"${fields === '' ? '' : ','}${fields}}\n\n`
}

function delta(index: number, text: string): string {
  return frame('content_block_delta', `"index":${index},"delta":${text}`)
}

function startOf(said: Said, block: Block): string {
  if (block.kind === 'content') return '{"type":"text","text":""}'
  if (block.kind === 'tool') return toolText(said, block, '{}')
  return said.isRedacted ? redactedText(block) : '{"type":"thinking","thinking":"","signature":""}'
}

function whole(said: Said): string {
  const [choice] = said.choices
  const content = (choice ? blocksOf(choice) : []).map((block) => {
    if (block.kind === 'content') return JSON.stringify({ type: 'text', text: block.text })
    if (block.kind === 'tool') return toolText(said, block, inputOf(block.text))
    if (said.isRedacted) return redactedText(block)
    const thinking = said.request.reasoning.isShown ? block.text : ''
    return JSON.stringify({ type: 'thinking', thinking, signature: sealOf('signature', block.text) })
  })
  const searched = [...searchBlocks(said), ...runBlocks(said)].map((block) => JSON.stringify(block))
  return messageText(said, [...searched, ...content].join(','), stopOf(said), said.usage?.output ?? 0)
}

function searchBlocks({ callId, searches }: Said): object[] {
  return Array.from({ length: searches }, (_, at) => {
    const id = `srvtoolu_${callId}${at}`
    const found = {
      type: 'web_search_result',
      url: `https://example.com/${at + 1}`,
      title: `Result ${at + 1}`,
      encrypted_content: 'c2ltLnNlYXJjaA==',
      page_age: null,
    }
    return [
      { type: 'server_tool_use', id, name: 'web_search', input: { query: `search ${at + 1}` } },
      { type: 'web_search_tool_result', tool_use_id: id, content: [found] },
    ]
  }).flat()
}

function runBlocks({ callId, request, runs }: Said): object[] {
  return Array.from({ length: runs }, (_, at) => {
    const text = `Result ${at + 1}`
    if (request.runs === 'mcp') {
      const id = `mcptoolu_${callId}${at}`
      const [server] = objectsOf(request.body['mcp_servers'])
      return [
        { type: 'mcp_tool_use', id, name: 'ask', server_name: stringOf(server?.['name']), input: {} },
        { type: 'mcp_tool_result', tool_use_id: id, is_error: false, content: [{ type: 'text', text }] },
      ]
    }
    const id = `srvtoolu_${callId}r${at}`
    const content = {
      type: 'bash_code_execution_result',
      stdout: text,
      stderr: '',
      return_code: 0,
      content: [],
    }
    return [
      { type: 'server_tool_use', id, name: 'bash_code_execution', input: { command: `echo ${text}` } },
      { type: 'bash_code_execution_tool_result', tool_use_id: id, content },
    ]
  }).flat()
}

/** A request can continue an earlier container. */
function containerOf({ callId, createdSeconds, request, runs }: Said): object {
  const { container } = request.body
  const given = stringOf(container) || stringOf(objectOf(container)['id'])
  if (request.runs !== 'code' || (runs === 0 && given === '')) return {}
  const expiresAt = new Date((createdSeconds + containerSeconds) * 1000).toISOString()
  return { container: { id: given || `container_${callId}`, expires_at: expiresAt } }
}

const containerSeconds = 300

function toolText({ callId, choices }: Said, { tool }: Block, input: string): string {
  const name = JSON.stringify(choices[0]?.calls[tool]?.name ?? '')
  return `{"type":"tool_use","id":"toolu_${callId}_0_${tool}","name":${name},"input":${input}}`
}

/** An empty input replaces arguments that the output maximum truncated. */
function inputOf(json: string): string {
  try {
    JSON.parse(json)
    return json
  } catch {
    return '{}'
  }
}

function redactedText({ text }: Block): string {
  return JSON.stringify({ type: 'redacted_thinking', data: sealOf('redacted', text) })
}

function messageText(
  said: Said,
  content: string,
  stop: ReturnType<typeof stopOf> | null,
  outputTokens: number,
): string {
  const { callId, request, usage } = said
  const head = JSON.stringify({
    id: `msg_${callId}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    ...(stop ?? { stop_reason: null, stop_sequence: null }),
  })
  const counted = usage === null ? '' : `,"usage":${usageOf(usage, stop === null, outputTokens)}`
  return `${head.slice(0, -1)},"content":[${content}]${counted}}`
}

function stopOf(said: Said) {
  const { choices } = said
  const { finish, stopSequence } = choices[0] ?? { finish: 'end', stopSequence: null }
  const stop = { stop_reason: stopReasons[finish], stop_sequence: stopSequence, ...containerOf(said) }
  const details = { type: 'refusal', category: null, explanation: null }
  return finish === 'refusal' ? { ...stop, stop_details: details } : stop
}

const stopReasons = {
  end: 'end_turn',
  stop_sequence: 'stop_sequence',
  max_output: 'max_tokens',
  tool_calls: 'tool_use',
  refusal: 'refusal',
} as const

function usageOf(usage: SaidUsage, isStart: boolean, outputTokens: number): string {
  const { written, reasoning } = usage
  const output = isStart ? String(outputTokens) : claimed(usage, outputTokens)
  const thinking =
    isStart || reasoning === 0 ? '' : `,"output_tokens_details":{"thinking_tokens":${reasoning}}`
  return (
    `{${inputUsage(usage, isStart)}${isStart ? '' : searchUsage(usage)},"cache_creation":{"ephemeral_5m_input_tokens":${written},"ephemeral_1h_input_tokens":0},` +
    `"output_tokens":${output}${thinking},"service_tier":"standard"}`
  )
}

/** The last event's usage has fewer fields, and replaces the usage of the first event. */
function endUsageOf(usage: SaidUsage): string {
  const { output, reasoning } = usage
  const thinking = reasoning === 0 ? '' : `,"output_tokens_details":{"thinking_tokens":${reasoning}}`
  return `{${inputUsage(usage, false)}${searchUsage(usage)},"output_tokens":${claimed(usage, output)}${thinking}}`
}

function searchUsage({ searches }: SaidUsage): string {
  return searches === 0 ? '' : `,"server_tool_use":{"web_search_requests":${searches}}`
}

/**
 * `input_tokens` excludes cache reads and writes. At the start of a response, no search has run yet, so no tokens of
 * searches are added.
 */
function inputUsage({ input, cached, addedTokens, written }: SaidUsage, isStart: boolean): string {
  const fresh = input - cached - written
  return (
    `"input_tokens":${isStart ? Math.max(0, fresh - addedTokens) : fresh},"cache_creation_input_tokens":${written},` +
    `"cache_read_input_tokens":${cached}`
  )
}
