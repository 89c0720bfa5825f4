import { complaint, Complaints, type Complaint } from '#simulator/complaint.ts'
import { foreignField } from '#simulator/fields.ts'
import {
  isObject,
  isWhole,
  objectOf,
  objectsOf,
  stringOf,
  stringsOf,
  type JsonObject,
} from '#simulator/loose-json.ts'
import { InputCount, type SimulatedRequest } from '#simulator/request.ts'
import { checkRange, forcedTool, jsonWordFault, schemaOf, toolsOf } from './openai.ts'

const choicesMax = 128
const stopsMax = 4

/** A chat-completions request, or what OpenAI would refuse it for (wire.md 1.1). */
export function readChat(body: JsonObject): SimulatedRequest | Complaint {
  const { model, messages, n = 1, stop } = body
  if (typeof model !== 'string') return complaint('you must provide a model parameter')
  if (!Array.isArray(messages) || messages.length === 0) {
    return complaint("Invalid 'messages': expected a non-empty array.", { param: 'messages' })
  }
  if (!isWhole(n) || n > choicesMax) {
    return complaint(`Invalid 'n': expected an integer from 1 to ${choicesMax}.`, { param: 'n' })
  }
  const max = body['max_completion_tokens'] ?? body['max_tokens'] ?? null
  if (max !== null && !isWhole(max)) {
    return complaint("Invalid 'max_completion_tokens': expected an integer of at least 1.")
  }
  const complaints = new Complaints()
  const foreign = foreignField('chat', body)
  complaints.unless(foreign === null, `Unrecognized request argument supplied: ${foreign}`)
  complaints.unless(
    !Array.isArray(stop) || stop.length <= stopsMax,
    `Invalid 'stop': array too long. Expected an array with maximum length ${stopsMax}.`,
    { param: 'stop', code: 'array_above_max_length' },
  )
  checkRange(body, 'temperature', [0, 2], complaints)
  checkRange(body, 'top_p', [0, 1], complaints)
  checkTurns(objectsOf(messages), complaints)

  const format = objectOf(body['response_format'])
  const flatFormat = { ...objectOf(format['json_schema']), type: format['type'] }
  const schema = schemaOf(flatFormat, 'response_format.json_schema', complaints)
  if (format['type'] === 'json_object') {
    const fault = jsonWordFault(messages, 'messages')
    complaints.unless(fault === null, fault ?? '', { param: 'messages' })
  }
  const tools = toolsOf(objectsOf(body['tools']).map(flat), complaints)
  for (const name of ['tool_choice', 'parallel_tool_calls']) {
    const isAlone = (body[name] ?? null) !== null && body['tools'] === undefined
    complaints.unless(!isAlone, `'${name}' is only allowed when 'tools' are specified.`, { param: name })
  }
  const forced = forcedTool(flat(body['tool_choice']), tools, complaints)
  if (complaints.first) return complaints.first

  const list = objectsOf(messages)
  const lastUser = list.findLastIndex(({ role }) => role === 'user')
  return {
    model,
    isStream: body['stream'] === true,
    isUsageWanted: objectOf(body['stream_options'])['include_usage'] === true,
    outputTokensMax: max,
    choices: n,
    stops: stringsOf(stop),
    inputTokens: inputTokensOf(messages, body),
    userText: textOf(list[lastUser]?.['content']),
    isAfterTools: list.slice(lastUser + 1).some(({ role }) => role === 'tool' || role === 'function'),
    seed: isWhole(body['seed']) ? String(body['seed']) : null,
    tools,
    forcedTool: forced,
    mayCallSeveral: body['parallel_tool_calls'] !== false,
    schema,
    reasoning: { isOff: body['reasoning_effort'] === 'none', isShown: true, isSealed: false },
    body,
  }
}

/** `{type, function: {...}}`, and allowed_tools alike, as responses has them. */
function flat(value: unknown): unknown
function flat(value: JsonObject): JsonObject
function flat(value: unknown): unknown {
  if (!isObject(value)) return value
  const inner = value[stringOf(value['type'])]
  const { tools, ...rest } = objectOf(inner)
  return { ...rest, type: value['type'], ...(Array.isArray(tools) ? { tools: tools.map(flat) } : {}) }
}

/** Every call is answered, right behind the turn that made it, and nothing is answered that was not called. */
function checkTurns(messages: readonly JsonObject[], complaints: Complaints): void {
  let open = new Set<string>()
  const allAnswered = (): void =>
    complaints.unless(
      open.size === 0,
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      { param: 'messages' },
    )
  for (const [index, message] of messages.entries()) {
    const role = stringOf(message['role'])
    const param = `messages.[${index}].role`
    complaints.unless(
      roles.has(role),
      `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
      { param, code: 'invalid_value' },
    )
    checkContent(message, index, complaints)
    if (role === 'tool') {
      complaints.unless(
        open.delete(stringOf(message['tool_call_id'])),
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        { param },
      )
      continue
    }
    allAnswered()
    const calls = objectsOf(message['tool_calls'])
    for (const call of calls) checkCall(call, `messages[${index}].tool_calls`, complaints)
    open = new Set(calls.map(({ id }) => stringOf(id)))
    complaints.unless(open.size === calls.length, `Duplicate tool call ids in messages[${index}].`)
  }
  allAnswered()
}

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

function checkCall(call: JsonObject, param: string, complaints: Complaints): void {
  const { id, type } = call
  complaints.unless(
    typeof id === 'string' && id !== '' && id.length <= 40,
    `Invalid '${param}.id': expected a string with maximum length 40.`,
    { param, code: 'string_above_max_length' },
  )
  const inner = objectOf(call[stringOf(type)])
  const text = type === 'custom' ? inner['input'] : inner['arguments']
  complaints.unless(
    typeof inner['name'] === 'string' && typeof text === 'string',
    `Invalid type for '${param}.function.arguments': expected a string, but got ${typeof text} instead.`,
    { param, code: 'invalid_type' },
  )
}

/** Media are the user's; who else has a list has texts and refusals in it. */
function checkContent(
  { role, content, tool_calls }: JsonObject,
  index: number,
  complaints: Complaints,
): void {
  if (content === undefined || content === null) {
    complaints.unless(
      role === 'assistant' || role === undefined,
      `Invalid value for 'content': expected a string, got null.`,
      { param: `messages.[${index}].content` },
    )
    const hasCalls = tool_calls !== undefined
    complaints.unless(
      role !== 'assistant' || hasCalls || content === null,
      `Missing 'content' in messages[${index}].`,
    )
    return
  }
  const isList = Array.isArray(content)
  complaints.unless(
    typeof content === 'string' || isList,
    `Invalid type for 'messages[${index}].content': expected one of a string or array of objects.`,
    { param: `messages[${index}].content`, code: 'invalid_type' },
  )
  const allowed = partTypes[stringOf(role)] ?? textOnly
  for (const { type } of objectsOf(content)) {
    complaints.unless(
      allowed.includes(stringOf(type)),
      `Invalid value: '${String(type)}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(' and ')}.`,
      { param: `messages[${index}].content`, code: 'invalid_value' },
    )
  }
}

const textOnly: readonly string[] = ['text']
const partTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
}

function inputTokensOf(messages: readonly unknown[], body: JsonObject): number {
  const count = new InputCount()
  for (const message of messages) {
    const { content, tool_calls } = objectOf(message)
    count.message()
    count.text(textOf(content))
    for (const { type } of objectsOf(content)) if (type === 'image_url') count.image()
    count.json(tool_calls)
  }
  count.json(body['tools'])
  return count.tokens
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsOf(content)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}
