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
import type {
  Effort,
  NeutralRequest,
  OutputFormat,
  ReasoningWish,
  Sampling,
  TextPart,
} from '#convert/neutral.ts'
import { bodyOf, fault, isFault, type RequestFault, type WireRequest } from '#wire/request.ts'
import { readItems } from './read-items.ts'
import { readToolChoice, readTools } from './read-tools.ts'

/** A request for a response -> the neutral form (wire.md 4.1). Its size and its costs are checked before. */
export function readResponsesRequest(request: WireRequest): NeutralRequest | RequestFault {
  const body = bodyOf(request)
  if (body === null) return fault('invalid_json', null, 'The body must be a JSON object.')
  const items = readItems(body.input)
  if (isFault(items)) return items
  const tools = readTools(body.tools)
  if (isFault(tools)) return tools
  const toolChoice = readToolChoice(body.tool_choice)
  if (toolChoice && isFault(toolChoice)) return toolChoice
  const sampling = readSampling(body)
  if (isFault(sampling)) return sampling
  const text = objectOf(body.text)
  const output = readOutput(text.format)
  if (output && isFault(output)) return output
  const logprobs = readLogprobs(body)
  if (logprobs !== null && typeof logprobs === 'object') return logprobs
  const verbosity = text.verbosity

  return {
    instructions: [...instructionsOf(body.instructions), ...items.instructions],
    turns: items.turns,
    tools,
    toolChoice,
    parallelTools: flagOrNull(body.parallel_tool_calls),
    outputTokensMax: request.outputTokensMax,
    sampling,
    stop: [],
    output,
    reasoning: readReasoning(objectOf(body.reasoning)),
    verbosity: verbosity === 'low' || verbosity === 'medium' || verbosity === 'high' ? verbosity : null,
    choices: 1,
    logprobs,
    logitBias: null,
    serviceTier: request.serviceTier,
    metadata: isObject(body.metadata) ? body.metadata : null,
    userId: textOrNull(body.safety_identifier) ?? textOrNull(body.user),
    cacheKey: textOrNull(body.prompt_cache_key),
    isStream: request.isStream,
    wantsUsage: true,
    others: [...othersOf(body), ...items.others],
  }
}

function instructionsOf(value: unknown): readonly TextPart[] {
  return typeof value === 'string' && value !== '' ? [{ kind: 'text', text: value, cache: null }] : []
}

function readSampling(body: JsonObject): Sampling | RequestFault {
  const temperature = numberWithin(body, 'temperature', 2)
  if (temperature !== null && typeof temperature === 'object') return temperature
  const topP = numberWithin(body, 'top_p', 1)
  if (topP !== null && typeof topP === 'object') return topP
  return { temperature, topP, topK: null, seed: null, frequencyPenalty: null, presencePenalty: null }
}

function numberWithin(body: JsonObject, field: string, max: number): number | null | RequestFault {
  if (isAbsent(body[field])) return null
  const value = numberOrNull(body[field])
  return value !== null && value >= 0 && value <= max
    ? value
    : fault('invalid_request', field, `The field ${field} must be a number from 0 to ${max}.`)
}

function readOutput(value: unknown): OutputFormat | RequestFault | null {
  if (isAbsent(value)) return null
  const { type, name, description, schema, strict } = objectOf(value)
  if (type === 'text') return { kind: 'text' }
  if (type === 'json_object') return { kind: 'json' }
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
    'text.format',
    'The field text.format must be of type text, json_object, or json_schema with a schema.',
  )
}

/** They are given to those who ask for them in `include`; how many beside the chosen, `top_logprobs` says. */
function readLogprobs(body: JsonObject): number | null | RequestFault {
  if (!listOf(body.include).includes(logprobsIncluded)) return null
  if (isAbsent(body.top_logprobs)) return 0
  const count = numberOrNull(body.top_logprobs)
  if (count !== null && Number.isInteger(count) && count >= 0 && count <= 20) return count
  return fault(
    'invalid_request',
    'top_logprobs',
    'The field top_logprobs must be a whole number from 0 to 20.',
  )
}

function readReasoning(reasoning: JsonObject): ReasoningWish | null {
  const effort = efforts.find((each) => each === reasoning.effort) ?? null
  const isShown = isAbsent(reasoning.summary) && isAbsent(reasoning.generate_summary) ? null : true
  return effort === null && isShown === null ? null : { effort, budgetTokens: null, isShown }
}

const efforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

const logprobsIncluded = 'message.output_text.logprobs'

/** Fields that are read, or that mean nothing for another provider. */
const read: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'text',
  'reasoning',
  'include',
  'service_tier',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'stream',
  'stream_options',
  'background',
  'svc',
])

function othersOf(body: JsonObject): readonly string[] {
  const others = Object.keys(body).filter((name) => !read.has(name) && isAsked(name, body[name]))
  const isIncludeLost = listOf(body.include).some((each) => !included.has(each))
  if (isIncludeLost) others.push('include')
  const { context, mode } = objectOf(body.reasoning)
  if (!isAbsent(context) && context !== 'auto') others.push('reasoning.context')
  if (!isAbsent(mode) && mode !== 'standard') others.push('reasoning.mode')
  return others
}

/** What the wire does by itself is no loss: an answer is not cut to fit, nothing is compacted. */
function isAsked(name: string, value: unknown): boolean {
  return !isAbsent(value) && value !== false && !(name === 'truncation' && value === 'disabled')
}

/** Signed reasoning is always given; logprobs are a field of their own. */
const included: ReadonlySet<unknown> = new Set(['reasoning.encrypted_content', logprobsIncluded])
