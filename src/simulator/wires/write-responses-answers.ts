import { blocksOf, startsBlock, type Block } from '#simulator/write-answer-by-directives.ts'
import { openaiError, openaiErrorOf } from '#simulator/error-bodies-of-vendors.ts'
import { objectOf, objectsOf, stringOf } from '#simulator/read-values-of-any-shape.ts'
import { paddingFor } from '#simulator/padding-of-stream-chunks.ts'
import { pixel } from '#simulator/tasks/images.ts'
import { conversationIdOf } from '#simulator/conversations-in-memory.ts'
import { inputItems, readResponses } from '#simulator/requests/read-responses-request.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'
import type { KeptResponse } from '#simulator/responses-in-memory.ts'
import {
  claimed,
  type Frames,
  type Said,
  type SaidUsage,
  type Vendor,
} from '#simulator/wire-simulator-interface.ts'

/** Source: docs/reference/wires.md "Responses". */
export const responses: Vendor = {
  read: (body, _, kept) => readResponses(body, kept),
  errorBody: (status, rejection) => openaiError(status, rejection),
  hasRetryAfter: true,
  hasObjectArguments: false,
  countBody: (inputTokens) => JSON.stringify({ object: 'response.input_tokens', input_tokens: inputTokens }),
  frames,
  whole,
  keep,
  runInBackground: (said) => ({
    running: responseText(said, 'in_progress', []),
    canceled: responseText(said, 'cancelled', []),
    failed: responseText(said, 'failed', []),
  }),
}

type Status = 'in_progress' | 'completed' | 'incomplete'

interface Item {
  readonly id: string
  readonly [field: string]: unknown
}

/** Each block is an output item with its own first and last event. All events of the stream are numbered. */
function frames(said: Said): Frames {
  const [choice] = said.choices
  const pieces = choice?.pieces ?? []
  const blocks = choice ? blocksOf(choice) : []
  const padding = paddingFor(said)
  let sequence = 0
  let at = -1
  /** The items of the vendor's own tools come before all other items. */
  const index0 = said.searches + said.runs
  const frame = (type: string, fields: string): string =>
    `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence++},${fields}}\n\n`
  const event = (type: string, fields: object): string => frame(type, JSON.stringify(fields).slice(1, -1))
  const lifecycle = (type: string, status: string, output: readonly object[]): string =>
    frame(`response.${type}`, `"response":${responseText(said, status, output)}`)

  const open = (): string[] => {
    const block = blocks[at]
    if (!block) return []
    const item = itemOf(said, { ...block, text: '' }, 'in_progress')
    const added = event('response.output_item.added', { output_index: index0 + at, item })
    const where = { item_id: item.id, output_index: index0 + at }
    if (block.kind === 'content') {
      const part = { ...where, content_index: 0, part: textPart(said, '') }
      return [added, event('response.content_part.added', part)]
    }
    if (block.kind === 'reasoning' && said.request.reasoning.isShown) {
      const part = { ...where, summary_index: 0, part: { type: 'summary_text', text: '' } }
      return [added, event('response.reasoning_summary_part.added', part)]
    }
    return [added]
  }
  const close = (status: Status): string[] => {
    const block = blocks[at]
    if (!block) return []
    const item = itemOf(said, block, status)
    const where = { item_id: item.id, output_index: index0 + at }
    return [
      ...endsOf(said, block, where).map(([type, fields]) => event(type, fields)),
      event('response.output_item.done', { output_index: index0 + at, item }),
    ]
  }
  return {
    opening: () => [
      lifecycle('created', 'in_progress', []),
      lifecycle('in_progress', 'in_progress', []),
      ...toolItems(said).flatMap((item, output_index) => {
        const where = { output_index, item_id: item.id }
        const begun = { ...item, status: 'in_progress' }
        const type = `response.${item.type}`
        return [
          event('response.output_item.added', { output_index, item: begun }),
          event(`${type}.in_progress`, where),
          event(`${type}.${steps[item.type] ?? 'searching'}`, where),
          event(`${type}.completed`, where),
          event('response.output_item.done', { output_index, item }),
        ]
      }),
    ],
    token(_, index, piece) {
      const list: string[] = []
      if (startsBlock(piece, pieces[index - 1])) {
        list.push(...close('completed'))
        at++
        list.push(...open())
      }
      const block = blocks[at]
      const type = block ? deltaType(said, block, piece.kind) : null
      if (block && type !== null) {
        const where = { item_id: idOf(said, block), output_index: index0 + at }
        const more =
          isRefusal(said) && block.kind === 'content' ? { content_index: 0 } : deltaFields[block.kind]
        const padded = padding === null ? {} : { obfuscation: padding() }
        list.push(event(type, { ...where, ...more, delta: piece.text, ...padded }))
      }
      return list
    },
    closing() {
      const isCut = choice?.finish === 'max_output'
      const status = isCut ? 'incomplete' : 'completed'
      return [...close(status), lifecycle(status, status, itemsOf(said))]
    },
    broken: () =>
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":9,"del\n\n',
    error() {
      const { message, type, param } = openaiErrorOf(500, null)
      return [
        event('error', { error: { type, code: 'server_error', message, param } }),
        frame('response.failed', `"response":${responseText(said, 'failed', [])}`),
      ]
    },
  }
}

const deltaFields = {
  content: { content_index: 0, logprobs: [] },
  reasoning: { summary_index: 0 },
  tool: {},
} as const

/** Null if the token has no event. The name of a tool is in the item, and a hidden thought is not sent. */
function deltaType(said: Said, { kind, tool }: Block, piece: string): string | null {
  if (kind === 'content') return isRefusal(said) ? 'response.refusal.delta' : 'response.output_text.delta'
  if (kind === 'reasoning') {
    return said.request.reasoning.isShown ? 'response.reasoning_summary_text.delta' : null
  }
  if (piece === 'tool') return null
  return isCustom(said, tool)
    ? 'response.custom_tool_call_input.delta'
    : 'response.function_call_arguments.delta'
}

function endsOf(
  said: Said,
  { kind, text, tool }: Block,
  where: { item_id: string; output_index: number },
): (readonly [type: string, fields: object])[] {
  if (kind === 'content') {
    const place = { ...where, content_index: 0 }
    return [
      isRefusal(said)
        ? ['response.refusal.done', { ...place, refusal: text }]
        : ['response.output_text.done', { ...place, text, logprobs: [] }],
      ['response.content_part.done', { ...place, part: textPart(said, text) }],
    ]
  }
  if (kind === 'tool') {
    return isCustom(said, tool)
      ? [['response.custom_tool_call_input.done', { ...where, input: text }]]
      : [['response.function_call_arguments.done', { ...where, name: nameOf(said, tool), arguments: text }]]
  }
  if (!said.request.reasoning.isShown) return []
  const place = { ...where, summary_index: 0 }
  return [
    ['response.reasoning_summary_text.done', { ...place, text }],
    ['response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } }],
  ]
}

function itemsOf(said: Said): Item[] {
  const [choice] = said.choices
  if (!choice) return []
  const blocks = blocksOf(choice)
  const isCut = choice.finish === 'max_output'
  const items = blocks.map((block, index) =>
    itemOf(said, block, isCut && index === blocks.length - 1 ? 'incomplete' : 'completed'),
  )
  return [...toolItems(said), ...items]
}

interface ToolItem extends Item {
  readonly type: string
}

function toolItems({ callId, request, runs, searches }: Said): ToolItem[] {
  const tool = objectsOf(request.body['tools']).find(({ type }) => type === 'code_interpreter')
  const container_id = stringOf(tool?.['container']) || `cntr_${callId}`
  const include = request.body['include']
  const hasOutputs = Array.isArray(include) && include.includes(`${codeCall}.outputs`)
  return [
    ...Array.from({ length: searches }, (_, at) => ({
      id: `ws_${callId}_${at}`,
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: `search ${at + 1}` },
    })),
    ...Array.from({ length: runs }, (_, at) =>
      request.runs === 'image'
        ? { id: `ig_${callId}_${at}`, type: imageCall, status: 'completed', ...drawn }
        : {
            id: `ci_${callId}_${at}`,
            type: codeCall,
            status: 'completed',
            code: `print(${at + 1})`,
            container_id,
            outputs: hasOutputs ? [{ type: 'logs', logs: `${at + 1}\n` }] : null,
          },
    ),
  ]
}

const codeCall = 'code_interpreter_call'
const imageCall = 'image_generation_call'
const drawn = { size: '1024x1024', quality: 'low', output_format: 'png', result: pixel }
/** Output tokens of an image with the size and quality that the simulator reports. */
const drawnTokens = 272

/** The part of the event type between `in_progress` and `completed`, by tool. */
const steps: Readonly<Record<string, string>> = { [codeCall]: 'interpreting', [imageCall]: 'generating' }

function itemOf(said: Said, block: Block, status: Status): Item {
  const { kind, text, tool } = block
  const id = idOf(said, block)
  if (kind === 'content') {
    const content = status === 'in_progress' ? [] : [textPart(said, text)]
    return { id, type: 'message', status, content, role: 'assistant' }
  }
  if (kind === 'tool') {
    const call = { status, call_id: `call_${said.callId}_0_${tool}`, name: nameOf(said, tool) }
    return isCustom(said, tool)
      ? { id, type: 'custom_tool_call', ...call, input: text }
      : { id, type: 'function_call', ...call, arguments: text }
  }
  const { isShown, isSealed } = said.request.reasoning
  return {
    id,
    type: 'reasoning',
    summary: isShown && status !== 'in_progress' ? [{ type: 'summary_text', text }] : [],
    // Only the value in the last event counts (docs/reference/wires.md "Streams on the responses wire").
    ...(isSealed ? { encrypted_content: sealOf('encrypted', text) } : {}),
  }
}

function idOf({ callId, choices }: Said, { kind, tool }: Block): string {
  if (kind === 'content') return `msg_${callId}`
  if (kind === 'reasoning') return `rs_${callId}`
  return `${choices[0]?.calls[tool]?.isCustom ? 'ctc' : 'fc'}_${callId}_${tool}`
}

function textPart(said: Said, text: string) {
  return isRefusal(said)
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', annotations: [], logprobs: [], text }
}

function isRefusal({ choices }: Said): boolean {
  return choices[0]?.isRefusal ?? false
}

function nameOf({ choices }: Said, tool: number): string {
  return choices[0]?.calls[tool]?.name ?? ''
}

function isCustom({ choices }: Said, tool: number): boolean {
  return choices[0]?.calls[tool]?.isCustom ?? false
}

function keep(said: Said): KeptResponse | null {
  const { callId, request } = said
  if (request.body['store'] === false) return null
  const input = inputItems(request.body)
  return {
    id: `resp_${callId}`,
    items: [...input, ...itemsOf(said)],
    inputCount: input.length,
    text: whole(said),
  }
}

function whole(said: Said): string {
  const isCut = said.choices[0]?.finish === 'max_output'
  return responseText(said, isCut ? 'incomplete' : 'completed', itemsOf(said))
}

function responseText(said: Said, status: string, output: readonly object[]): string {
  const { request, callId, createdSeconds, usage } = said
  const { body } = request
  const conversation = conversationIdOf(body['conversation'])
  const given = (name: string, otherwise: unknown): unknown => body[name] ?? otherwise
  const isOver = status === 'completed' || status === 'incomplete'
  const text = JSON.stringify({
    id: `resp_${callId}`,
    object: 'response',
    created_at: createdSeconds,
    completed_at: status === 'completed' ? createdSeconds : null,
    status,
    background: given('background', false),
    ...(conversation !== null && { conversation: { id: conversation } }),
    error: status === 'failed' ? { code: 'server_error', message: openaiErrorOf(500, null).message } : null,
    frequency_penalty: given('frequency_penalty', 0),
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    model: request.model,
    output,
    parallel_tool_calls: given('parallel_tool_calls', true),
    presence_penalty: given('presence_penalty', 0),
    previous_response_id: given('previous_response_id', null),
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: { effort: null, summary: null, ...objectOf(body['reasoning']) },
    safety_identifier: given('safety_identifier', null),
    service_tier: 'default',
    store: given('store', true),
    temperature: given('temperature', 1),
    text: { format: { type: 'text' }, verbosity: 'medium', ...objectOf(body['text']) },
    tool_choice: given('tool_choice', 'auto'),
    tools: objectsOf(body['tools']).map((tool) => ({ description: null, ...tool })),
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    user: given('user', null),
    metadata: given('metadata', {}),
  })
  const counted = usage === null || !isOver ? 'null' : usageOf(usage)
  const used = usage === null || !isOver ? {} : toolUsageOf(said)
  const tools = Object.keys(used).length === 0 ? '' : `,"tool_usage":${JSON.stringify(used)}`
  return `${text.slice(0, -1)},"usage":${counted}${tools}}`
}

function toolUsageOf({ request, runs, searches }: Said): object {
  const images = request.runs === 'image' ? runs : 0
  return {
    ...(images > 0 && { image_gen: { input_tokens: images * 10, output_tokens: images * drawnTokens } }),
    ...(searches > 0 && { web_search: { num_requests: searches } }),
  }
}

/**
 * Every count is present, even if it is 0, because Codex rejects a response that lacks a count (docs/reference/wires.md
 * "Usage on the responses wire").
 */
function usageOf(usage: SaidUsage): string {
  const { input, cached, written, output, reasoning } = usage
  return (
    `{"input_tokens":${input},"input_tokens_details":{"cached_tokens":${cached},"cache_write_tokens":${written}},` +
    `"output_tokens":${claimed(usage, output)},"output_tokens_details":{"reasoning_tokens":${reasoning}},` +
    `"total_tokens":${claimed(usage, input + output)}}`
  )
}
