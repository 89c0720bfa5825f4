import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { isWhole, textOf, type JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { conversationOf, type Said, type SimulatedRequest } from '#simulator/simulated-request-types.ts'
import { AnyObject, listOf, listOrText, read, type Issue, type Reading } from './read-by-schema.ts'

/** The rejection is Cohere's (docs/reference/wires.md "Cohere's chat"). */
export function readCohere(body: JsonObject): SimulatedRequest | Rejection {
  return read('cohere', body, Chat, cohereWords, (request) => reading(request, body))
}

const Document = z.looseObject({ data: z.union([z.string(), AnyObject]), id: z.string().optional() })
const Part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
  z.object({ type: z.literal('document'), document: Document }),
])
const content = listOrText('text', Part)
const Call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const Message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content }),
  z.object({ role: z.literal('user'), content }),
  z.object({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_plan: z.string().nullish(),
    tool_calls: listOf(Call).nullish(),
  }),
  z.object({ role: z.literal('tool'), content, tool_call_id: z.string() }),
])
const penalty = z.number().min(0).max(1).nullish()

const Chat = z.looseObject({
  model: z.string().min(1),
  messages: listOf(Message, { min: 1 }),
  max_tokens: z.int().min(0).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  p: z.number().min(0).max(0.99).nullish(),
  k: z.int().min(0).max(500).nullish(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  stop_sequences: listOf(z.string(), { max: 5 }).nullish(),
  response_format: z
    .looseObject({ type: z.enum(['text', 'json_object']), json_schema: AnyObject.nullish() })
    .nullish(),
  tools: listOf(
    z.object({
      type: z.literal('function'),
      function: z.looseObject({ name: z.string(), parameters: AnyObject }),
    }),
  ).nullish(),
  tool_choice: z.enum(['REQUIRED', 'NONE']).nullish(),
  documents: listOf(z.union([z.string(), Document])).nullish(),
  thinking: z.looseObject({ type: z.enum(['enabled', 'disabled']) }).nullish(),
})

type Request = z.output<typeof Chat>
type Turn = Request['messages'][number]

function cohereWords(issue: Issue): Rejection {
  const place = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return rejection(`invalid request: unknown field: parameter '${issue.keys[0]}' is not a valid field`)
  return rejection(`invalid request: the value of '${place}' is not valid`)
}

function* reading(request: Request, body: JsonObject): Reading<SimulatedRequest> {
  const { documents, messages, response_format: format, thinking } = request
  yield* turnFaults(messages)
  const tools = (request.tools ?? []).map(({ function: { name, parameters } }) => ({
    name,
    isCustom: false,
    parameters,
  }))
  if (format?.type === 'json_object' && (tools.length > 0 || (documents ?? []).length > 0))
    yield rejection('invalid request: response_format is not supported with tools or documents')
  const schema = format?.type === 'json_object' ? (format.json_schema ?? {}) : null
  const { seed } = body
  return {
    ...conversationOf(messages.map(saidIn), {
      values: [body['tools'], body['documents'], schema ?? undefined],
    }),
    model: request.model,
    isStream: body['stream'] === true,
    isUsageWanted: true,
    outputTokensMax: request.max_tokens || null,
    choices: 1,
    stops: request.stop_sequences ?? [],
    seed: isWhole(seed) ? String(seed) : null,
    tools: request.tool_choice === 'NONE' ? [] : tools,
    forcedTool: request.tool_choice === 'REQUIRED' ? (tools[0] ?? null) : null,
    mayCallSeveral: true,
    schema,
    reasoning: { isOff: thinking?.type === 'disabled', isShown: true, isSealed: false },
    body,
  }
}

function* turnFaults(messages: readonly Turn[]): Reading<void> {
  let open = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) continue
      yield rejection(`invalid request: no tool call has the id ${message.tool_call_id}`)
    }
    if (open.size > 0)
      yield rejection(`invalid request: the tool calls ${[...open].join(', ')} have no results`)
    if (message.role === 'assistant') open = new Set((message.tool_calls ?? []).map(({ id }) => id))
  }
  const last = messages.at(-1)?.role
  if (last !== 'user' && last !== 'tool')
    yield rejection('invalid request: the last message must be from the user or a tool')
}

function saidIn(message: Turn): Said {
  const parts = message.content ?? []
  const text = textOf(parts)
  const calls = message.role === 'assistant' ? (message.tool_calls ?? undefined) : undefined
  const plan = message.role === 'assistant' ? message.tool_plan : null
  return {
    userText: message.role === 'user' ? text : null,
    hasResults: message.role === 'tool',
    input: {
      texts: [text, plan],
      values: [calls, ...parts.map((part) => (part.type === 'document' ? part.document : undefined))],
      media: parts.filter(({ type }) => type === 'image_url').length,
    },
  }
}
