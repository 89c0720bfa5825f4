import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import {
  isObject,
  objectOf,
  objectsOf,
  stringOf,
  isWhole,
  stringsOf,
  textOf,
  type JsonObject,
} from '#simulator/read-values-of-any-shape.ts'
import { conversationOf, type Said, type SimulatedRequest } from '#simulator/simulated-request-types.ts'
import { listOf, read, type Issue, type Reading } from './read-by-schema.ts'
import {
  contentOf,
  forcedTool,
  Format,
  openaiWords,
  schemaOf,
  Tools,
  toolsOf,
} from './fields-of-openai-wires.ts'

/** The rejection is OpenAI's (docs/reference/wires.md "Requests on the chat wire"). */
export function readChat(body: JsonObject): SimulatedRequest | Rejection {
  return read('chat', body, Chat, chatWords, (request) => reading(request, body))
}

const callId = z.string().min(1).max(40)
const Call = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    id: callId,
    function: z.object({ name: z.string(), arguments: z.string() }),
  }),
  z.object({
    type: z.literal('custom'),
    id: callId,
    custom: z.object({ name: z.string(), input: z.string() }),
  }),
])

/** Only user messages may contain media, and only messages of the model may contain refusals. */
const texts = contentOf('text', ['text'])
const Message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer', 'function']), content: texts }),
  z.object({
    role: z.literal('user'),
    content: contentOf('text', ['text', 'image_url', 'input_audio', 'file']),
  }),
  z.object({
    role: z.literal('assistant'),
    content: contentOf('text', ['text', 'refusal']).nullish(),
    tool_calls: listOf(Call).nullish(),
  }),
  z.object({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
])

const choicesMax = 128
const choicesFault = `Invalid 'n': expected an integer from 1 to ${choicesMax}.`
const messagesFault = "Invalid 'messages': expected a non-empty array."
const maximum = z.int("Invalid 'max_completion_tokens': expected an integer of at least 1.").min(1).nullish()

const Chat = z.object({
  model: z.string('you must provide a model parameter'),
  messages: listOf(Message, { fault: messagesFault, min: 1 }),
  n: z.int(choicesFault).min(1).max(choicesMax).default(1),
  max_completion_tokens: maximum,
  max_tokens: maximum,
  stop: z
    .preprocess((stop) => (typeof stop === 'string' ? [stop] : stop), listOf(z.string(), { max: 4 }))
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  response_format: z.preprocess(flatFormat, z.object({ json_schema: Format })).nullish(),
  tools: z.preprocess((tools) => (Array.isArray(tools) ? tools.map(flat) : tools), Tools).optional(),
  tool_choice: z.unknown().transform(flat).optional(),
})

/** The responses wire has the schema next to the type, and not inside `json_schema`. */
function flatFormat(value: unknown): unknown {
  return isObject(value) ? { json_schema: { ...objectOf(value['json_schema']), type: value['type'] } } : value
}

/** Converts `{type, function: {...}}` to the format of the responses wire. */
function flat(value: unknown): unknown {
  if (!isObject(value)) return value
  const { tools, ...inner } = objectOf(value[stringOf(value['type'])])
  return { ...inner, type: value['type'], ...(Array.isArray(tools) ? { tools: tools.map(flat) } : {}) }
}

function chatWords(issue: Issue): Rejection {
  if (issue.code === 'unrecognized_keys') {
    return rejection(`Unrecognized request argument supplied: ${issue.keys[0]}`)
  }
  const { param, ...said } = openaiWords(issue)
  // OpenAI reports only the field of the message, even if the error is nested more deeply.
  const [, place, field] = /^messages(?<place>\[\d+\])\.(?<field>\w+)/.exec(param ?? '') ?? []
  if (place === undefined) return { ...said, param }
  return { ...said, param: `messages${field === 'role' || said.code === null ? '.' : ''}${place}.${field}` }
}

function* reading(request: z.output<typeof Chat>, body: JsonObject): Reading<SimulatedRequest> {
  const { messages, response_format: format } = request
  yield* turnFaults(messages)
  const place = { param: 'response_format.json_schema', field: 'messages', texts: messages }
  const schema = yield* schemaOf(format?.json_schema, place)
  const tools = yield* toolsOf(request.tools)
  for (const name of ['tool_choice', 'parallel_tool_calls']) {
    if ((body[name] ?? null) === null || body['tools'] !== undefined) continue
    yield rejection(`'${name}' is only allowed when 'tools' are specified.`, name)
  }
  const forced = yield* forcedTool(request.tool_choice, tools)
  const { seed } = body
  return {
    ...conversationOf(messages.map(saidIn), {
      // Keep the tools unchanged, because the tokens of their JSON text are counted.
      values: [...objectsOf(body['messages']).map(({ tool_calls }) => tool_calls), body['tools']],
    }),
    model: request.model,
    isStream: body['stream'] === true,
    isUsageWanted: objectOf(body['stream_options'])['include_usage'] === true,
    outputTokensMax: request.max_completion_tokens ?? request.max_tokens ?? null,
    choices: request.n,
    stops: stringsOf(request.stop),
    seed: isWhole(seed) ? String(seed) : null,
    tools,
    forcedTool: forced,
    mayCallSeveral: body['parallel_tool_calls'] !== false,
    searchesMax: searchesMaxIn(body),
    schema,
    reasoning: { isOff: body['reasoning_effort'] === 'none', isShown: true, isSealed: false },
    body,
  }
}

/** OpenRouter's plugin `web` searches once for each request. */
function searchesMaxIn(body: JsonObject): number {
  if (objectsOf(body['plugins']).length > 0) return 1
  const search = objectsOf(body['tools']).find(({ type }) => type === 'openrouter:web_search')
  const { max_uses: max } = search === undefined ? { max_uses: 0 } : objectOf(search['parameters'])
  return typeof max === 'number' ? max : Infinity
}

type Messages = z.output<typeof Chat>['messages']

function* turnFaults(messages: Messages): Reading<void> {
  let open = new Set<string>()
  // The null after the last turn makes the loop check the last turn's calls too.
  for (const [index, message] of [...messages, null].entries()) {
    if (message?.role === 'tool') {
      if (open.delete(message.tool_call_id)) continue
      const fault =
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
      yield rejection(fault, `messages.[${index}].role`)
    }
    if (open.size > 0) {
      const fault =
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`
      yield rejection(fault, 'messages')
    }
    if (message?.role !== 'assistant') continue
    const { content, tool_calls: calls } = message
    if (content === undefined && calls === undefined)
      yield rejection(`Missing 'content' in messages[${index}].`)
    open = new Set(calls?.map(({ id }) => id))
    if (open.size < (calls ?? []).length) yield rejection(`Duplicate tool call ids in messages[${index}].`)
  }
}

function saidIn({ role, content }: Messages[number]): Said {
  const text = textOf(content)
  return {
    userText: role === 'user' ? text : null,
    hasResults: role === 'tool' || role === 'function',
    input: { texts: [text], media: (content ?? []).filter(({ type }) => type === 'image_url').length },
  }
}
