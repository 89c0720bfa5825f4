import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { isAbsent, isObject, numberOrNull, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { Effort, NeutralRequest, OutputFormat, ReasoningWish, TextPart, Turn } from '#convert/neutral.ts'
import { bodyOf, fault, isFault, type RequestFault, type WireRequest } from '#wire/request.ts'
import { joinTurns } from '#convert/turns.ts'
import { readContent, readTexts, textsOf, type Reading } from './read-content.ts'
import { readToolChoice, readTools } from './read-tools.ts'

/** A messages request in no vendor's words, for a provider of another wire (wire.md 9.2, 9.7, 9.9). */
export function readMessagesRequest(request: WireRequest): NeutralRequest | RequestFault {
  const body = bodyOf(request)
  if (body === null) return fault('invalid_request', null, 'The body is nested too deep to be converted.')
  if (numberOrNull(body.max_tokens) === 0)
    return fault(
      'unsupported_for_route',
      'max_tokens',
      'a cache can be warmed without an answer at this wire’s own provider only; ask for 1 or more',
    )
  const reading: Reading = { callNames: new Map(), others: new Set(namesOfOthers(body)) }
  const instructions = readTexts(body.system, 'system', reading)
  if (isFault(instructions)) return instructions
  const turns = readTurns(body.messages, reading)
  if (isFault(turns)) return turns
  const tools = readTools(body.tools, reading.others)
  if (isFault(tools)) return tools
  const toolChoice = readToolChoice(body.tool_choice)
  if (toolChoice !== null && 'code' in toolChoice) return toolChoice
  const stop = textsOf(body.stop_sequences)
  if (stop === null)
    return fault('invalid_request', 'stop_sequences', 'The field stop_sequences must be a list of texts.')
  return {
    instructions: instructions.filter(isForModels),
    turns,
    tools,
    toolChoice,
    parallelTools: objectOf(body.tool_choice).disable_parallel_tool_use === true ? false : null,
    outputTokensMax: request.outputTokensMax,
    sampling: {
      temperature: numberOrNull(body.temperature),
      topP: numberOrNull(body.top_p),
      topK: numberOrNull(body.top_k),
      seed: null,
      frequencyPenalty: null,
      presencePenalty: null,
    },
    // An empty one matches everywhere, and is refused or ignored by all.
    stop: stop.filter((text) => text !== ''),
    output: readOutput(body),
    reasoning: readReasoning(body, reading),
    verbosity: null,
    choices: 1,
    logprobs: null,
    logitBias: null,
    serviceTier: request.serviceTier,
    metadata: null,
    userId: textOrNull(objectOf(body.metadata).user_id),
    cacheKey: null,
    isStream: request.isStream,
    wantsUsage: true,
    others: [...reading.others],
  }
}

function readTurns(messages: JsonValue, reading: Reading): readonly Turn[] | RequestFault {
  const turns: Turn[] = []
  for (const [i, item] of (Array.isArray(messages) ? messages : []).entries()) {
    const message = objectOf(item)
    const path = `messages.${i}`
    const { role } = message
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      return fault(
        'invalid_request',
        `${path}.role`,
        `The field ${path}.role must be user, assistant or system.`,
      )
    const read = role === 'system' ? readTexts : readContent
    const parts = read(message.content, `${path}.content`, reading)
    if (isFault(parts)) return parts
    turns.push({ role, parts })
  }
  return joinTurns(turns)
}

/**
 * Claude Code puts a line for its own vendor's billing before the instructions, which differs from call to
 * call: other vendors would never find the prompt in their caches again (wire.md 9.9).
 */
function isForModels({ text }: TextPart): boolean {
  return !text.startsWith('x-anthropic-billing-header:')
}

function readOutput(body: JsonObject): OutputFormat | null {
  const format = objectOf(objectOf(body.output_config).format ?? body.output_format)
  if (format.type !== 'json_schema' || !isObject(format.schema)) return null
  return { kind: 'schema', name: null, description: null, schema: format.schema, isStrict: null }
}

/** wire.md 5.3. */
function readReasoning(body: JsonObject, { others }: Reading): ReasoningWish | null {
  const thinking = objectOf(body.thinking)
  const asked = objectOf(body.output_config).effort
  const effort = efforts.find((one) => one === asked) ?? null
  const isShown = thinking.display === 'summarized' ? true : thinking.display === 'omitted' ? false : null
  switch (thinking.type) {
    case 'disabled':
      if (effort !== null) others.add('output_config.effort')
      return { effort: 'none', budgetTokens: null, isShown: null }
    case 'enabled':
      return { effort, budgetTokens: numberOrNull(thinking.budget_tokens), isShown }
    case undefined:
    case null:
      return effort === null ? null : { effort, budgetTokens: null, isShown }
    default:
      if (thinking.type !== 'adaptive') others.add('thinking.type')
      return { effort, budgetTokens: null, isShown }
  }
}

const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

/** Top-level fields that mean something on this wire only. */
function namesOfOthers(body: JsonObject): string[] {
  return Object.keys(body).filter((name) => !carried.has(name) && !isAbsent(body[name]))
}

const carried: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'speed',
  'svc',
])
