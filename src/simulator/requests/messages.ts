import { complaint, Complaints, type Complaint } from '#simulator/complaint.ts'
import { foreignField } from '#simulator/fields.ts'
import { isWhole, objectOf, objectsOf, stringOf, stringsOf, type JsonObject } from '#simulator/loose-json.ts'
import { InputCount, type SimulatedRequest, type SimulatedTool } from '#simulator/request.ts'
import { checkThoughtsOfTail, checkTurns, mergedTurns, type Turn } from './message-turns.ts'

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
