import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import {
  objectOf,
  objectsOf,
  stringOf,
  textOf,
  type JsonObject,
} from '#simulator/read-values-of-any-shape.ts'
import { conversationOf, type Said, type SimulatedRequest } from '#simulator/simulated-request-types.ts'
import { openSeal } from '#simulator/sign-simulated-thoughts.ts'
import { conversationIdOf } from '#simulator/conversations-in-memory.ts'
import type { KeptResponses } from '#simulator/responses-in-memory.ts'
import { byKind, listOf, read, type Reading } from './read-by-schema.ts'
import {
  contentOf,
  forcedTool,
  Format,
  openaiWords,
  schemaOf,
  Tools,
  toolsOf,
} from './fields-of-openai-wires.ts'

/** The rejection is OpenAI's (docs/reference/wires.md "Requests on the responses wire"). */
export function readResponses(body: JsonObject, kept: KeptResponses | null): SimulatedRequest | Rejection {
  const conversation = conversationIdOf(body['conversation'])
  if (conversation !== null) {
    const items = kept?.conversations.itemsOf(conversation) ?? null
    if (items === null) return rejection(`Conversation with id '${conversation}' not found.`, 'conversation')
    return readWhole({ ...body, input: [...items, ...inputItems(body)] })
  }
  const previous = body['previous_response_id']
  // The schema in `readWhole` rejects a field of another type.
  if (typeof previous !== 'string') return readWhole(body)
  const found = kept?.find(previous) ?? null
  if (found === null) {
    const fault = `Previous response with id '${previous}' not found.`
    return rejection(fault, 'previous_response_id', 'previous_response_not_found')
  }
  return readWhole({ ...body, input: [...found.items, ...inputItems(body)] })
}

function readWhole(body: JsonObject): SimulatedRequest | Rejection {
  return read('responses', body, Responses, openaiWords, (request) => reading(request, body))
}

export function inputItems({ input }: JsonObject): JsonObject[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input)
}

const call = { call_id: z.string().min(1).max(64), name: z.string().min(1) }
const result = { call_id: z.string(), output: z.unknown() }
/** An output without a call has the name of its tool. */
const LoneOutput = z.object({ kind: z.literal('lone_output'), name: z.string().min(1), output: z.unknown() })
const Item = byKind(
  [
    z.object({ kind: z.literal('answer'), content: contentOf('output_text', ['output_text', 'refusal']) }),
    z.object({
      kind: z.literal('message'),
      role: z.enum(['assistant', 'system', 'developer', 'user']),
      content: contentOf('input_text', ['input_text', 'input_image', 'input_file', 'input_audio']),
    }),
    z.object({ kind: z.literal('function_call'), ...call, arguments: z.string() }),
    z.object({ kind: z.literal('custom_tool_call'), ...call, input: z.string() }),
    z.object({ kind: z.literal('function_call_output'), ...result }),
    LoneOutput,
    z.object({ kind: z.literal('custom_tool_call_output'), ...result }),
    z.object({
      kind: z.literal('reasoning'),
      id: z.string().nullish(),
      summary: z.array(z.unknown()),
      encrypted_content: z.string().nullish(),
    }),
    z.object({ kind: z.literal('item_reference'), id: z.string() }),
  ],
  ({ type = 'message', role, call_id: id, name }) => {
    if (type === 'function_call_output' && (id ?? null) === null && typeof name === 'string')
      return 'lone_output'
    return type === 'message' && role === 'assistant' ? 'answer' : type
  },
)

type Item = z.output<typeof Item>

const maximumFault = "Invalid 'max_output_tokens': expected an integer of at least 1."

const Responses = z.object({
  model: z.string(),
  input: z.preprocess(
    (input) => (typeof input === 'string' ? [{ role: 'user', content: input }] : input),
    listOf(Item, { min: 1 }),
  ),
  instructions: z.string().nullish(),
  max_output_tokens: z.int(maximumFault).min(1).nullish(),
  previous_response_id: z.string().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  text: z.object({ format: Format.nullish() }).nullish(),
  tools: Tools,
  reasoning: z.object({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  include: listOf(z.string()).nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
})

function* reading(request: z.output<typeof Responses>, body: JsonObject): Reading<SimulatedRequest> {
  const { background, input, instructions, store } = request
  if (background === true && store === false)
    yield rejection("Background mode requires 'store' to be true.", 'background')
  yield* itemFaults(input)
  const place = { param: 'text.format', field: 'input', texts: [instructions, input] }
  const schema = yield* schemaOf(request.text?.format, place)
  const tools = yield* toolsOf(request.tools)
  const forced = yield* forcedTool(body['tool_choice'], tools)
  const { effort, summary } = request.reasoning ?? {}
  return {
    ...conversationOf(input.map(saidIn), {
      texts: [stringOf(instructions)],
      values: [body['tools'], objectOf(body['text'])['format']],
    }),
    model: request.model,
    isStream: body['stream'] === true,
    isUsageWanted: true,
    outputTokensMax: request.max_output_tokens ?? null,
    choices: 1,
    stops: [],
    seed: null,
    tools,
    forcedTool: forced,
    mayCallSeveral: body['parallel_tool_calls'] !== false,
    searchesMax: searchesMaxIn(body),
    ...runsIn(body),
    schema,
    reasoning: {
      isOff: effort === 'none',
      isShown: (summary ?? null) !== null,
      isSealed: request.include?.includes('reasoning.encrypted_content') ?? false,
    },
    body,
  }
}

function runsIn(body: JsonObject): Pick<SimulatedRequest, 'runs' | 'runsMax'> {
  const { max_tool_calls: max = null } = body
  const types = new Set(objectsOf(body['tools']).map(({ type }) => type))
  const runs = types.has('code_interpreter') ? 'code' : types.has('image_generation') ? 'image' : null
  return runs === null ? {} : { runs, ...(typeof max === 'number' && { runsMax: max }) }
}

function searchesMaxIn(body: JsonObject): number {
  const { max_tool_calls: max = null } = body
  if (!objectsOf(body['tools']).some(({ type }) => stringOf(type)?.startsWith('web_search'))) return 0
  return typeof max === 'number' ? max : Infinity
}

/** Thoughts must be encrypted by the simulator and precede the items to which they belong. */
function* itemFaults(items: readonly Item[]): Reading<void> {
  const open = new Set<string>()
  const ids = new Set<string>()
  for (const [index, item] of items.entries()) {
    switch (item.kind) {
      case 'function_call':
      case 'custom_tool_call':
        if (ids.has(item.call_id))
          yield rejection(`Duplicate call_id '${item.call_id}' found in input items.`)
        ids.add(item.call_id)
        open.add(item.call_id)
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (open.delete(item.call_id)) break
        yield rejection(`No tool call found for function call output with call_id ${item.call_id}.`, 'input')
        break
      case 'reasoning':
        yield* thoughtsFaults(item, items[index + 1])
        break
      case 'item_reference':
        yield rejection(`Item with id '${item.id}' not found.`, 'input')
    }
  }
  for (const id of open) yield rejection(`No tool output found for function call ${id}.`, 'input')
}

function* thoughtsFaults(
  { id, encrypted_content: seal }: Extract<Item, { kind: 'reasoning' }>,
  next: Item | undefined,
): Reading<void> {
  if (typeof seal === 'string' && openSeal('encrypted', seal) === null) {
    const fault = `The encrypted content for item ${id ?? ''} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
    yield rejection(fault, null, 'invalid_encrypted_content')
  }
  const kind = next === undefined ? '' : nameOf(next)
  if (kind === 'answer' || kind === 'reasoning' || kind.endsWith('_call')) return
  yield rejection(
    `Item '${id ?? ''}' of type 'reasoning' was provided without its required following item.`,
    'input',
  )
}

function nameOf(item: Item): string {
  return item.kind === 'other' ? item.type : item.kind
}

function saidIn(item: Item): Said {
  const { content, output, summary, arguments: json, input } = objectOf(item)
  const lists = [content, output, summary]
  const media = lists.flatMap(objectsOf).filter(({ type }) => type === 'input_image' || type === 'input_file')
  return {
    userText: item.kind === 'message' && item.role === 'user' ? textOf(content) : null,
    hasResults: nameOf(item).endsWith('_output'),
    input: { texts: [...lists.map(textOf), stringOf(json), stringOf(input)], media: media.length },
  }
}
