import type { JsonObject } from '#wire/text/json-values.ts'
import {
  flagOrNull,
  isAbsent,
  isObject,
  listOf,
  numberOrNull,
  objectOf,
  textOrNull,
} from '#wire/text/json-values.ts'
import type { Effort, NeutralRequest, OutputFormat, ReasoningWish, Sampling } from '#convert/neutral.ts'
import { bodyOf, fault, isFault, type RequestFault, type WireRequest } from '#wire/request.ts'
import { readMessages } from './read-messages.ts'
import { readToolChoice, readTools } from './read-tools.ts'

/** A chat-completions request -> the neutral form (wire.md 1.1). Its size and its costs are checked before. */
export function readChatRequest(request: WireRequest): NeutralRequest | RequestFault {
  const body = bodyOf(request)
  if (body === null) return fault('invalid_json', null, 'The body must be a JSON object.')
  for (const [field, reason] of Object.entries(refused))
    if (isAsked(body[field])) return fault('unsupported_for_route', field, reason)
  if (listOf(body.modalities).some((modality) => modality !== 'text'))
    return fault('unsupported_for_route', 'modalities', 'this model answers in text only')

  const messages = readMessages(body.messages)
  if (isFault(messages)) return messages
  const tools = readTools(body.tools)
  if (isFault(tools)) return tools
  const toolChoice = readToolChoice(body.tool_choice)
  if (toolChoice && isFault(toolChoice)) return toolChoice
  const sampling = readSampling(body)
  if (isFault(sampling)) return sampling
  const stop = readStop(body)
  if (isFault(stop)) return stop
  const output = readOutput(body)
  if (output && isFault(output)) return output
  const logprobs = readLogprobs(body)
  if (logprobs !== null && typeof logprobs === 'object') return logprobs
  const reasoning = readReasoning(body)
  const verbosity = body.verbosity

  return {
    instructions: messages.instructions,
    turns: messages.turns,
    tools,
    toolChoice,
    parallelTools: flagOrNull(body.parallel_tool_calls),
    outputTokensMax: request.outputTokensMax,
    sampling,
    stop,
    output,
    reasoning,
    verbosity: verbosity === 'low' || verbosity === 'medium' || verbosity === 'high' ? verbosity : null,
    choices: request.choices,
    logprobs,
    logitBias: isObject(body.logit_bias) ? body.logit_bias : null,
    serviceTier: request.serviceTier,
    metadata: isObject(body.metadata) ? body.metadata : null,
    userId: textOrNull(body.safety_identifier) ?? textOrNull(body.user),
    cacheKey: textOrNull(body.prompt_cache_key),
    isStream: request.isStream,
    wantsUsage: request.wantsUsage,
    others: othersOf(body, messages.hasNames),
  }
}

/** What no other wire can do, and what an answer without it would not be the answer to. */
const refused: Readonly<Record<string, string>> = {
  functions: 'functions of the old kind are not taken here; send tools',
  function_call: 'functions of the old kind are not taken here; send tool_choice',
  audio: 'this model answers in text only',
  moderation: 'this model’s provider does not moderate; leave it out',
}

/** Fields that are read, or that mean nothing for a provider. */
const read = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'response_format',
  'reasoning_effort',
  'reasoning',
  'verbosity',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'service_tier',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'stream',
  'stream_options',
  'modalities',
  'svc',
])

function othersOf(body: JsonObject, hasNames: boolean): readonly string[] {
  const others = Object.keys(body).filter((name) => !read.has(name) && isAsked(body[name]))
  return hasNames ? [...others, 'messages.name'] : others
}

/** Whether a field asks for something: `store: false` and a null ask for nothing. */
function isAsked(value: unknown): boolean {
  return !isAbsent(value) && value !== false
}

function readSampling(body: JsonObject): Sampling | RequestFault {
  const values: Record<keyof Sampling, number | null> = {
    temperature: null,
    topP: null,
    topK: null,
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
  }
  for (const [to, from, min, max] of samplingFields) {
    if (isAbsent(body[from])) continue
    const value = numberOrNull(body[from])
    if (value === null || value < min || value > max || (isWhole.has(to) && !Number.isInteger(value)))
      return fault('invalid_request', from, `The field ${from} must be a number from ${min} to ${max}.`)
    values[to] = value
  }
  return values
}

const samplingFields = [
  ['temperature', 'temperature', 0, 2],
  ['topP', 'top_p', 0, 1],
  ['topK', 'top_k', 0, 1_000_000],
  ['seed', 'seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['frequencyPenalty', 'frequency_penalty', -2, 2],
  ['presencePenalty', 'presence_penalty', -2, 2],
] as const
const isWhole: ReadonlySet<string> = new Set(['topK', 'seed'])

function readStop({ stop }: JsonObject): readonly string[] | RequestFault {
  if (isAbsent(stop)) return []
  const list: readonly unknown[] = Array.isArray(stop) ? stop : [stop]
  const texts = list.filter((item) => typeof item === 'string')
  if (texts.length !== list.length)
    return fault('invalid_request', 'stop', 'The field stop must be a text or a list of texts.')
  // An empty one stops nothing (wire.md T24), and some wires refuse it.
  return texts.filter((text) => text !== '')
}

function readOutput({ response_format: value }: JsonObject): OutputFormat | RequestFault | null {
  if (isAbsent(value)) return null
  const { type, json_schema: described } = objectOf(value)
  if (type === 'text') return { kind: 'text' }
  if (type === 'json_object') return { kind: 'json' }
  const { name, description, schema, strict } = objectOf(described)
  if (type === 'json_schema' && isObject(schema)) {
    return {
      kind: 'schema',
      name: textOrNull(name),
      description: textOrNull(description),
      schema,
      isStrict: flagOrNull(strict),
    }
  }
  return fault(
    'invalid_request',
    'response_format',
    'The field response_format must be of type text, json_object, or json_schema with a schema.',
  )
}

function readLogprobs(body: JsonObject): number | null | RequestFault {
  if (body.logprobs !== true) return null
  if (isAbsent(body.top_logprobs)) return 0
  const count = numberOrNull(body.top_logprobs)
  if (count !== null && Number.isInteger(count) && count >= 0 && count <= 20) return count
  return fault(
    'invalid_request',
    'top_logprobs',
    'The field top_logprobs must be a whole number from 0 to 20.',
  )
}

/** OpenAI's `reasoning_effort`, and the object `reasoning` that OpenRouter and others take beside it. */
function readReasoning(body: JsonObject): ReasoningWish | null {
  const { effort: named, max_tokens: tokens, exclude } = objectOf(body.reasoning)
  const effort = effortOf(body.reasoning_effort) ?? effortOf(named)
  const budget = numberOrNull(tokens)
  const budgetTokens = budget !== null && Number.isInteger(budget) && budget > 0 ? budget : null
  const isShown = typeof exclude === 'boolean' ? !exclude : null
  return effort === null && budgetTokens === null && isShown === null
    ? null
    : { effort, budgetTokens, isShown }
}

const efforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

function effortOf(value: unknown): Effort | null {
  return efforts.find((effort) => effort === value) ?? null
}
