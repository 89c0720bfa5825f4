import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import {
  objectOf,
  objectsOf,
  stringOf,
  textOf,
  type JsonObject,
} from '#simulator/read-values-of-any-shape.ts'
import {
  conversationOf,
  type Said,
  type SimulatedRequest,
  type SimulatedTool,
} from '#simulator/simulated-request-types.ts'
import { openSeal } from '#simulator/sign-simulated-thoughts.ts'
import { AnyObject, byKind, listOf, listOrText, read, type Issue, type Reading } from './read-by-schema.ts'

/** The rejection is Anthropic's (docs/reference/wires.md "Requests on the messages wire"). */
export function readMessages(body: JsonObject, isCount: boolean): SimulatedRequest | Rejection {
  return read('messages', body, isCount ? Count : Messages, anthropicWords, (request) =>
    reading(request, body),
  )
}

const Text = z.object({ type: z.literal('text'), text: z.string() })
const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/
const Image = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('file'), file_id: z.string() }),
    z.object({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string().regex(isBase64, 'invalid base64 data'),
    }),
  ]),
})
const media = [
  Text,
  Image,
  z.looseObject({ type: z.literal('document') }),
  z.looseObject({ type: z.literal('search_result') }),
] as const

function contentOf<
  const Blocks extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(...blocks: Blocks) {
  return listOrText('text', z.discriminatedUnion('type', blocks))
}

const ToolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: contentOf(...media, z.looseObject({ type: z.literal('tool_reference') })).nullish(),
})
const Thinking = z
  .object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() })
  .refine(({ signature, thinking }) => {
    const thoughts = openSeal('signature', signature)
    // With `display: omitted`, the text of a thought is empty, but its signature is valid.
    return thoughts !== null && (thinking === thoughts || thinking === '')
  }, 'Invalid `signature` in `thinking` block')
const RedactedThinking = z
  .object({ type: z.literal('redacted_thinking'), data: z.string() })
  .refine(({ data }) => openSeal('redacted', data) !== null, 'Invalid `data` in `redacted_thinking` block')
const ToolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  input: AnyObject,
})

const ServerToolUse = z.looseObject({
  type: z.literal('server_tool_use'),
  id: z.string().regex(/^srvtoolu_[a-zA-Z0-9_]+$/),
})
const SearchResult = z.looseObject({ type: z.literal('web_search_tool_result'), tool_use_id: z.string() })

/** The simulator accepts steps of the provider's own tools, and summaries, without checks. */
const Run = z.looseObject({
  type: z.enum([
    'code_execution_tool_result',
    'bash_code_execution_tool_result',
    'text_editor_code_execution_tool_result',
    'web_fetch_tool_result',
    'tool_search_tool_result',
    'mcp_tool_use',
    'mcp_tool_result',
    'mcp_tool_listing',
    'advisor_tool_result',
    'fallback',
    'compaction',
  ]),
})
/** Tools that join or leave the conversation. */
const ToolChange = z.looseObject({ type: z.enum(['tool_addition', 'tool_removal']) })
const Upload = z.object({ type: z.literal('container_upload'), file_id: z.string() })

const Message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: contentOf(...media, ToolResult, Upload, ToolChange) }),
  z.object({
    role: z.literal('assistant'),
    content: contentOf(Text, Thinking, RedactedThinking, ToolUse, ServerToolUse, SearchResult, Run),
  }),
  z.object({
    role: z.literal('system'),
    content: contentOf(Text, ToolChange).default([]),
    output_config: z.looseObject({}).nullish(),
  }),
])

type Block = z.output<typeof Message>['content'][number]

const Tool = byKind(
  [
    z.object({
      kind: z.literal('custom'),
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
      input_schema: z.looseObject({ type: z.literal('object') }),
    }),
  ],
  ({ type = 'custom' }) => type,
)

const ratio = z.number('range: 0..1').min(0).max(1).optional()

const fields = {
  model: z.string(),
  messages: listOf(Message, {
    fault: ({ input }) => (Array.isArray(input) ? 'at least one message is required' : undefined),
    min: 1,
  }),
  system: listOrText('text', z.looseObject({ text: z.string() })).nullish(),
  tools: listOf(Tool).optional(),
  tool_choice: z
    .object(
      {
        type: z.enum(['auto', 'any', 'tool', 'none']),
        name: z.string().optional(),
        disable_parallel_tool_use: z.boolean().optional(),
      },
      "Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
    )
    .optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.object({
        type: z.literal('enabled'),
        budget_tokens: z.int().min(1024),
        display: z.string().nullish(),
      }),
      z.object({ type: z.enum(['adaptive', 'between_tools', 'disabled']), display: z.string().nullish() }),
    ])
    .optional(),
  output_config: z.object({ format: AnyObject.nullish() }).nullish(),
  stop_sequences: listOf(z.string())
    .refine(
      (stops) => stops.every((stop) => /\S/.test(stop)),
      'each stop sequence must contain non-whitespace',
    )
    .default([]),
  temperature: ratio,
  top_p: ratio,
}
const maximum = z.int().min(0)
const Messages = z.object({ ...fields, max_tokens: maximum })
const Count = z.object({ ...fields, max_tokens: maximum.nullish() })

type Request = z.output<typeof Count>

/** Anthropic's messages have the wording of pydantic. */
function anthropicWords(issue: Issue, body: JsonObject): Rejection {
  const isTag = issue.code === 'invalid_union' && issue.path.at(-1) === 'type'
  const place = placeOf(isTag ? issue.path.slice(0, -1) : issue.path, body)
  return rejection(`${place}: ${issue.message === '' ? wordsOf(issue) : issue.message}`)
}

function wordsOf(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') return 'Extra inputs are not permitted'
  if (issue.input === undefined) return 'Field required'
  switch (issue.code) {
    case 'invalid_type':
      return `Input should be a valid ${nouns[issue.expected] ?? issue.expected}`
    case 'too_small':
      return `Input should be greater than or equal to ${issue.minimum}`
    case 'invalid_format':
      return `String should match pattern '${issue.pattern?.slice(1, -1)}'`
    case 'invalid_union':
      if (issue.path.at(-1) !== 'type') return shouldBe('options' in issue ? issue.options : [])
      return `Input tag '${String(objectOf(issue.input)['type'])}' found using 'type' does not match any of the expected tags`
    case 'invalid_value':
      return shouldBe(issue.values)
    default:
      return 'Input is not valid'
  }
}

const nouns: Readonly<Record<string, string>> = {
  array: 'list',
  object: 'dictionary',
  int: 'integer',
}

const list = new Intl.ListFormat('en-GB', { type: 'disjunction' })

function shouldBe(values: readonly unknown[] = []): string {
  return `Input should be ${list.format(values.map((value) => `'${String(value)}'`))}`
}

/** Such as `messages.0.content.1.image.source`, which names the type `image` of the element 1. */
function placeOf(path: readonly PropertyKey[], body: JsonObject): string {
  const steps: PropertyKey[] = []
  let at: unknown = body
  for (const [depth, step] of path.entries()) {
    const { type = depth === 2 && path[0] === 'tools' ? 'custom' : null } = objectOf(at)
    if (typeof type === 'string' && step !== 'type') steps.push(type)
    steps.push(step)
    at = Array.isArray(at) ? at[Number(step)] : objectOf(at)[String(step)]
  }
  return steps.join('.')
}

function* reading(request: Request, body: JsonObject): Reading<SimulatedRequest> {
  const { messages, thinking, tool_choice: choice, max_tokens: max = null } = request
  const tools = yield* toolsOf(request)
  const forced = yield* forcedTool(request, tools)
  if (thinking?.type === 'enabled' && max !== null && max <= thinking.budget_tokens) {
    yield rejection('`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive'
  if (thinks && (request.temperature ?? 1) !== 1) {
    yield rejection('`temperature` may only be set to 1 when thinking is enabled.')
  }
  const turns = yield* turnsOf(messages)
  yield* turnFaults(turns)
  if (thinking?.type === 'enabled') yield* tailFaults(turns)
  const format = objectOf(request.output_config?.format)
  return {
    ...conversationOf(turns.map(saidIn), {
      texts: [textOf(request.system)],
      values: [body['tools'], request.output_config?.format],
    }),
    model: request.model,
    isStream: body['stream'] === true,
    isUsageWanted: true,
    outputTokensMax: max,
    choices: 1,
    stops: request.stop_sequences,
    seed: null,
    tools,
    forcedTool: forced,
    mayCallSeveral: choice?.disable_parallel_tool_use !== true,
    searchesMax: searchesMaxIn(body),
    ...runsIn(body),
    schema: format['type'] === 'json_schema' ? objectOf(format['schema']) : null,
    reasoning: {
      isOff: thinking?.type === 'disabled',
      isShown: thinking?.display !== 'omitted',
      isSealed: true,
    },
    body,
  }
}

function searchesMaxIn(body: JsonObject): number {
  const search = objectsOf(body['tools']).find(({ type }) => stringOf(type)?.startsWith('web_search_'))
  const { max_uses: max } = search ?? { max_uses: 0 }
  return typeof max === 'number' ? max : Infinity
}

function runsIn(body: JsonObject): Pick<SimulatedRequest, 'runs'> {
  if (objectsOf(body['tools']).some(({ type }) => stringOf(type)?.startsWith('code_execution_')))
    return { runs: 'code' }
  return objectsOf(body['mcp_servers']).length > 0 ? { runs: 'mcp' } : {}
}

function* toolsOf({ tools: definitions = [] }: Request): Reading<SimulatedTool[]> {
  const tools: SimulatedTool[] = []
  for (const [index, tool] of definitions.entries()) {
    if (tool.kind === 'custom')
      tools.push({ name: tool.name, isCustom: false, parameters: tool.input_schema })
    // The type names of Anthropic's own tools contain a version date.
    else if (!/_\d{8}$|^mcp_toolset$/.test(tool.type)) {
      const fault = `Input tag '${tool.type}' found using 'type' does not match any of the expected tags`
      yield rejection(`tools.${index}: ${fault}`)
    }
  }
  return tools
}

function* forcedTool(
  { tool_choice: choice, tools: definitions, thinking }: Request,
  tools: readonly SimulatedTool[],
): Reading<SimulatedTool | null> {
  const { type = 'auto', name = '' } = choice ?? {}
  if (choice !== undefined && definitions === undefined && type !== 'none') {
    yield rejection('tool_choice: may only be specified while providing tools')
  }
  if (type !== 'any' && type !== 'tool') return null
  if (thinking?.type === 'enabled') {
    yield rejection('Thinking may not be enabled when tool_choice forces tool use.')
  }
  const tool = type === 'any' ? tools[0] : tools.find((one) => one.name === name)
  if (tool === undefined && type === 'tool') yield rejection(`Tool '${name}' not found in provided tools`)
  return tool ?? null
}

interface Turn {
  readonly role: string
  readonly blocks: Block[]
}

function* turnsOf(messages: Request['messages']): Reading<Turn[]> {
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const { role, content } = message
    // A system message without content may change the effort.
    const isUpdate = role === 'system' && Object.keys(message.output_config ?? {}).length > 0
    if (content.length === 0 && !isUpdate && (role !== 'assistant' || index < messages.length - 1)) {
      const fault = 'all messages must have non-empty content except for the optional final assistant message'
      yield rejection(`messages.${index}: ${fault}`)
    }
    const last = turns.at(-1)
    if (last?.role === role) for (const block of content) last.blocks.push(block)
    else turns.push({ role, blocks: [...content] })
  }
  return turns
}

function* turnFaults(turns: readonly Turn[]): Reading<void> {
  if (turns[0]?.role === 'assistant') yield rejection('messages: first message must use the "user" role')
  let called = new Set<string>()
  const everCalled = new Set<string>()
  const missing = (ids: Iterable<string>, index: number): Rejection =>
    rejection(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...ids].join(', ')}. ` +
        'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    )
  for (const [index, { role, blocks }] of turns.entries()) {
    for (const block of blocks) {
      if (block.type !== 'text' || /\S/.test(block.text)) continue
      const need = block.text === '' ? 'be non-empty' : 'contain non-whitespace text'
      yield rejection(`messages: text content blocks must ${need}`)
    }
    if (role === 'system') continue
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : []))
    for (const [at, id] of results.entries()) {
      if (called.delete(id)) continue
      yield rejection(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      )
    }
    if (called.size > 0) yield missing(called, index)
    // If another block precedes the results, Anthropic ignores the results and reports them as missing.
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result')
    if (firstOther >= 0 && firstOther < results.length) {
      yield missing(results, index)
    }
    const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? block.id : []))
    for (const id of uses) {
      if (everCalled.has(id)) yield rejection('messages: `tool_use` ids must be unique')
      everCalled.add(id)
    }
    called = new Set(uses)
  }
  if (called.size > 0) yield missing(called, turns.length - 1)
  const last = turns.at(-1)
  const lastBlock = last?.role === 'assistant' ? last.blocks.at(-1) : undefined
  if (lastBlock?.type === 'text' && lastBlock.text !== lastBlock.text.trimEnd()) {
    yield rejection('messages: final assistant content cannot end with trailing whitespace')
  }
}

/**
 * A model that thinks requires its own thoughts back together with the results of its tools
 * (docs/reference/conversions.md "Sealed reasoning").
 */
function* tailFaults(turns: readonly Turn[]): Reading<void> {
  const [assistant, tail] = turns.slice(-2)
  if (assistant?.role !== 'assistant' || !tail?.blocks.some(({ type }) => type === 'tool_result')) return
  const first = assistant.blocks[0]?.type
  if (first === 'thinking' || first === 'redacted_thinking') return
  yield rejection(
    `messages.${turns.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
  )
}

function saidIn({ role, blocks }: Turn): Said {
  const own = blocks.filter(({ type }) => type === 'text')
  const all = withInner(blocks)
  return {
    userText: role === 'user' && own.length > 0 ? textOf(own) : null,
    hasResults: blocks.some(({ type }) => type === 'tool_result'),
    input: {
      texts: all.flatMap(({ text, thinking, content }) => [text, thinking, content].map(stringOf)),
      values: all.map(({ input }) => input),
      media: all.filter(({ type }) => type === 'image' || type === 'document').length,
    },
  }
}

/** Results of tools and searches contain further blocks. */
function withInner(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks.flatMap((block) => [block, ...withInner(objectsOf(block['content']))])
}
