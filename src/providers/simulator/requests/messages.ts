import { complaint, Complaints, type Complaint } from '#providers/simulator/complaints.ts'
import { foreignField } from '#providers/simulator/fields.ts'
import {
  isObject,
  isWhole,
  objectOf,
  objectsOf,
  stringOf,
  stringsOf,
  type JsonObject,
} from '#providers/simulator/loose.ts'
import { InputCount, type SimulatedRequest, type SimulatedTool } from '#providers/simulator/request.ts'
import { openSeal } from '#providers/simulator/seals.ts'

const budgetTokensMin = 1024

/** A messages request, or what Anthropic would refuse it for (wire.md 2.1). */
export function readMessages(body: JsonObject, isCount: boolean): SimulatedRequest | Complaint {
  const { model, messages, max_tokens: max = null, thinking, stop_sequences: stops = [] } = body
  if (typeof model !== 'string') return complaint('model: Field required')
  if (!Array.isArray(messages)) return complaint('messages: Field required')
  if (messages.length === 0) return complaint('messages: at least one message is required')
  if (max === null && !isCount) return complaint('max_tokens: Field required')
  if (max !== null && !isWhole(max, 0)) {
    return complaint('max_tokens: Input should be greater than or equal to 0')
  }
  const complaints = new Complaints()
  const foreign = foreignField('messages', body)
  complaints.unless(foreign === null, `${foreign}: Extra inputs are not permitted`)
  const tools = toolsOf(body, complaints)
  const forced = checkChoice(body, tools, complaints)
  checkThinking(body, max, complaints)
  checkRanges(body, complaints)
  complaints.unless(
    Array.isArray(stops) && stops.every((stop) => typeof stop === 'string' && stop.trim() !== ''),
    'stop_sequences: each stop sequence must contain non-whitespace',
  )
  const turns = mergedTurns(objectsOf(messages), complaints)
  checkTurns(turns, complaints)
  if (objectOf(thinking)['type'] === 'enabled') checkThoughtsOfTail(turns, complaints)
  if (complaints.first) return complaints.first

  const lastUser = turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ type }) => type === 'text'),
  )
  const format = objectOf(objectOf(body['output_config'])['format'])
  const { type, display } = objectOf(thinking)
  return {
    model,
    isStream: body['stream'] === true,
    isUsageWanted: true,
    outputTokensMax: max,
    choices: 1,
    stops: stringsOf(stops),
    inputTokens: inputTokensOf(body, turns),
    userText: textOf(turns[lastUser]?.blocks ?? []),
    isAfterTools: turns
      .slice(lastUser + 1)
      .some(({ blocks }) => blocks.some((block) => block['type'] === 'tool_result')),
    seed: null,
    tools,
    forcedTool: forced,
    mayCallSeveral: objectOf(body['tool_choice'])['disable_parallel_tool_use'] !== true,
    schema: format['type'] === 'json_schema' ? objectOf(format['schema']) : null,
    reasoning: { isOff: type === 'disabled', isShown: display !== 'omitted', isSealed: true },
    body,
  }
}

interface Turn {
  readonly role: string
  readonly blocks: readonly JsonObject[]
}

/** Turns of one role in a row are one to Anthropic; a text stands for one block of text. */
function mergedTurns(messages: readonly JsonObject[], complaints: Complaints): Turn[] {
  const turns: { role: string; blocks: JsonObject[] }[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const name = stringOf(role)
    complaints.unless(
      roles.has(name),
      `messages.${index}.role: Input should be 'user', 'assistant' or 'system'`,
    )
    complaints.unless(
      typeof content === 'string' || Array.isArray(content),
      `messages.${index}.content: Input should be a valid list`,
    )
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content)
    complaints.unless(
      blocks.length > 0 || (name === 'assistant' && index === messages.length - 1),
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
    const last = turns.at(-1)
    if (last?.role === name) last.blocks.push(...blocks)
    else turns.push({ role: name, blocks: [...blocks] })
  }
  complaints.unless(turns[0]?.role !== 'assistant', 'messages: first message must use the "user" role')
  return turns
}

const roles = new Set(['user', 'assistant', 'system'])

function checkTurns(turns: readonly Turn[], complaints: Complaints): void {
  let called = new Set<string>()
  const everCalled = new Set<string>()
  for (const [index, { role, blocks }] of turns.entries()) {
    for (const [at, block] of blocks.entries()) {
      checkBlock(block, role, `messages.${index}.content.${at}`, complaints)
    }
    if (role === 'system') continue
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id'])
    for (const [at, id] of results.entries()) {
      complaints.unless(
        called.delete(stringOf(id)),
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stringOf(id)}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      )
    }
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result')
    const isResultLate =
      firstOther >= 0 && blocks.slice(firstOther).some(({ type }) => type === 'tool_result')
    // Whatever stands before the results hides them from Anthropic, which then misses them.
    const missing = isResultLate ? results.map(stringOf) : [...called]
    complaints.unless(
      missing.length === 0,
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. ` +
        'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    )
    const uses = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => stringOf(id))
    for (const id of uses) {
      complaints.unless(!everCalled.has(id), 'messages: `tool_use` ids must be unique')
      everCalled.add(id)
    }
    called = new Set(uses)
  }
  complaints.unless(
    called.size === 0,
    `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...called].join(', ')}.`,
  )
  const last = turns.at(-1)
  const lastText = last?.role === 'assistant' ? stringOf(last.blocks.at(-1)?.['text']) : ''
  complaints.unless(
    lastText === lastText.trimEnd(),
    'messages: final assistant content cannot end with trailing whitespace',
  )
}

function checkBlock(block: JsonObject, role: string, path: string, complaints: Complaints): void {
  const type = stringOf(block['type'])
  const isAllowed = (blockTypes[role] ?? []).includes(type)
  complaints.unless(
    isAllowed,
    `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
  )
  switch (type) {
    case 'text': {
      const text = block['text']
      complaints.unless(typeof text === 'string', `${path}.text.text: Input should be a valid string`)
      complaints.unless(text !== '', 'messages: text content blocks must be non-empty')
      complaints.unless(
        stringOf(text).trim() !== '',
        'messages: text content blocks must contain non-whitespace text',
      )
      return
    }
    case 'image':
      return checkImage(objectOf(block['source']), path, complaints)
    case 'thinking': {
      const thoughts = openSeal('signature', block['signature'])
      // With `display: omitted` the text is empty and the signature still good.
      const isOwn = thoughts !== null && (block['thinking'] === thoughts || block['thinking'] === '')
      complaints.unless(isOwn, `${path}: Invalid \`signature\` in \`thinking\` block`)
      return
    }
    case 'redacted_thinking':
      complaints.unless(
        openSeal('redacted', block['data']) !== null,
        `${path}: Invalid \`data\` in \`redacted_thinking\` block`,
      )
      return
    case 'tool_use':
      complaints.unless(
        /^[\w-]+$/.test(stringOf(block['id'])),
        `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
      )
      complaints.unless(
        isObject(block['input']),
        `${path}.tool_use.input: Input should be a valid dictionary`,
      )
      return
    case 'tool_result':
      for (const [at, part] of objectsOf(block['content']).entries()) {
        checkBlock(part, 'tool', `${path}.tool_result.content.${at}`, complaints)
      }
  }
}

const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text'],
  tool: ['text', 'image', 'document', 'search_result', 'tool_reference'],
}

function checkImage({ type, media_type, data, url }: JsonObject, path: string, complaints: Complaints): void {
  if (type === 'url')
    return complaints.unless(typeof url === 'string', `${path}.image.source.url: Field required`)
  complaints.unless(type === 'base64', `${path}.image.source: Input tag '${String(type)}' does not match`)
  complaints.unless(
    imageTypes.has(stringOf(media_type)),
    `${path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
  )
  complaints.unless(
    typeof data === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(data),
    `${path}.image.source.base64: invalid base64 data`,
  )
}

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function toolsOf({ tools = [] }: JsonObject, complaints: Complaints): SimulatedTool[] {
  complaints.unless(Array.isArray(tools), 'tools: Input should be a valid list')
  for (const [index, { type = 'custom' }] of objectsOf(tools).entries()) {
    // Its own tools carry the date of their version in their names.
    const isKnown = type === 'custom' || /_\d{8}$/.test(stringOf(type))
    complaints.unless(
      isKnown,
      `tools.${index}: Input tag '${stringOf(type)}' found using 'type' does not match any of the expected tags`,
    )
  }
  return objectsOf(tools)
    .filter(({ type = 'custom' }) => type === 'custom')
    .map((tool, index) => {
      const name = stringOf(tool['name'])
      const parameters = objectOf(tool['input_schema'])
      complaints.unless(
        /^[\w-]{1,128}$/.test(name),
        `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      )
      complaints.unless('input_schema' in tool, `tools.${index}.custom.input_schema: Field required`)
      complaints.unless(
        parameters['type'] === 'object',
        `tools.${index}.custom.input_schema.type: Input should be 'object'`,
      )
      return { name, isCustom: false, parameters }
    })
}

function checkChoice(
  body: JsonObject,
  tools: readonly SimulatedTool[],
  complaints: Complaints,
): SimulatedTool | null {
  const choice = objectOf(body['tool_choice'])
  const type = stringOf(choice['type'])
  if (body['tool_choice'] === undefined) return null
  complaints.unless(
    ['auto', 'any', 'tool', 'none'].includes(type),
    "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
  )
  complaints.unless(
    body['tools'] !== undefined || type === 'none',
    'tool_choice: may only be specified while providing tools',
  )
  if (type !== 'any' && type !== 'tool') return null
  complaints.unless(
    objectOf(body['thinking'])['type'] !== 'enabled',
    'Thinking may not be enabled when tool_choice forces tool use.',
  )
  if (type === 'any') return tools[0] ?? null
  const named = tools.find(({ name }) => name === choice['name'])
  complaints.unless(named !== undefined, `Tool '${stringOf(choice['name'])}' not found in provided tools`)
  return named ?? null
}

function checkThinking({ thinking }: JsonObject, max: number | null, complaints: Complaints): void {
  if (thinking === undefined) return
  const { type, budget_tokens: budget } = objectOf(thinking)
  complaints.unless(
    ['enabled', 'adaptive', 'between_tools', 'disabled'].includes(stringOf(type)),
    `thinking: Input tag '${String(type)}' does not match any of the expected tags`,
  )
  if (type !== 'enabled') return
  complaints.unless(
    isWhole(budget, budgetTokensMin),
    `thinking.enabled.budget_tokens: Input should be greater than or equal to ${budgetTokensMin}`,
  )
  complaints.unless(
    max === null || Number(budget) < max,
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
  )
}

function checkRanges(body: JsonObject, complaints: Complaints): void {
  const thinks = ['enabled', 'adaptive'].includes(stringOf(objectOf(body['thinking'])['type']))
  for (const name of ['temperature', 'top_p']) {
    const value = body[name]
    if (value === undefined) continue
    complaints.unless(typeof value === 'number' && value >= 0 && value <= 1, `${name}: range: 0..1`)
  }
  const { temperature } = body
  complaints.unless(
    !thinks || temperature === undefined || temperature === 1,
    '`temperature` may only be set to 1 when thinking is enabled.',
  )
}

/** A model that thinks wants its own thoughts back with the results of the tools that it called (wire.md 8). */
function checkThoughtsOfTail(turns: readonly Turn[], complaints: Complaints): void {
  const isTail = turns.at(-1)?.blocks.some(({ type }) => type === 'tool_result')
  const assistant = isTail === true ? turns.at(-2) : undefined
  if (assistant?.role !== 'assistant') return
  const first = stringOf(assistant.blocks[0]?.['type'])
  complaints.unless(
    first === 'thinking' || first === 'redacted_thinking',
    `messages.${turns.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
  )
}

function inputTokensOf(body: JsonObject, turns: readonly Turn[]): number {
  const count = new InputCount()
  const { system } = body
  count.text(typeof system === 'string' ? system : textOf(objectsOf(system)))
  for (const { blocks } of turns) {
    count.message()
    countBlocks(blocks, count)
  }
  count.json(body['tools'])
  count.json(objectOf(body['output_config'])['format'])
  return count.tokens
}

function countBlocks(blocks: readonly JsonObject[], count: InputCount): void {
  for (const block of blocks) {
    const { type, text, thinking, input, content } = block
    if (type === 'image' || type === 'document') count.image()
    count.text(stringOf(text))
    count.text(stringOf(thinking))
    count.json(input)
    if (typeof content === 'string') count.text(content)
    else countBlocks(objectsOf(content), count)
  }
}

function textOf(blocks: readonly JsonObject[]): string {
  return blocks
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}
