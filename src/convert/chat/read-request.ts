import { isAbsent, isObject, isStated, listOf, numberOrNull, objectOf } from '#wire/text/json-values.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { NeutralRequest, ReasoningWish, Sampling } from '#convert/neutral-format.ts'
import {
  commonFields,
  notModerated,
  readEffort,
  readFormat,
  readNumber,
  readTopLogprobs,
} from '#convert/request-fields-of-openai-wires.ts'
import { readVerbosity } from '#convert/request-fields-of-openai-wires.ts'
import { bodyOf, mustBe, refuseForRoute, type WireRequest } from '#wire/wire-request.ts'
import { unreadFields } from '#convert/unread-fields.ts'
import { chatFields } from './known-fields.ts'
import { readMessages } from './read-messages.ts'
import { readChoice, readFunctionCall, readFunctions, readTools } from './read-tools.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

/**
 * Converts a chat-completions request to the neutral form (docs/reference/wires.md "Requests on the chat wire").
 * wire/chat/parse-request.ts has already checked the size and the cost of the request.
 */
export function readChatRequest(request: WireRequest): NeutralRequest {
  const body = bodyOf(request)
  for (const [field, reason] of Object.entries(refused))
    if (isAsked(body[field])) refuseForRoute(field, reason)
  if (listOf(body.modalities).some((modality) => modality !== 'text'))
    refuseForRoute('modalities', 'this model answers in text only')
  const { instructions, turns, others } = readMessages(body.messages)
  const format = body.response_format
  return {
    ...commonFields(body, request),
    instructions,
    turns,
    tools: [...readTools(body.tools), ...readFunctions(body.functions)],
    toolChoice: readChoice(body.tool_choice) ?? readFunctionCall(body.function_call),
    ...(listOf(body.functions).length > 0 && { parallelTools: false, usesFunctions: true }),
    sampling: readSampling(body),
    stop: readStop(body),
    output: readFormat(format, objectOf(objectOf(format).json_schema), 'response_format'),
    reasoning: readReasoning(body),
    verbosity: readVerbosity(body.verbosity),
    logprobs: body.logprobs === true ? readTopLogprobs(body) : null,
    logitBias: isObject(body.logit_bias) ? body.logit_bias : null,
    others: othersOf(body, others),
  }
}

/** No other wire can express these fields, and the answer would change without them. */
const refused: Readonly<Record<string, string>> = {
  audio: 'this model answers in text only',
  moderation: notModerated,
}

/** Fields that the reader converts, and fields that mean nothing to a provider. */
const read = nameSet(`
  model messages tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature top_p
  top_k seed frequency_penalty presence_penalty stop response_format reasoning_effort reasoning verbosity
  n logprobs top_logprobs logit_bias service_tier metadata user safety_identifier prompt_cache_key stream
  stream_options modalities svc functions function_call
`)

function othersOf(body: JsonObject, ofMessages: readonly string[]): readonly string[] {
  const others = Object.keys(body).filter((name) => !read.has(name) && isAsked(body[name]))
  return [...others, ...ofMessages, ...unreadFields(body, chatFields)]
}

/** `store: false`, null and an empty list request nothing. */
function isAsked(value: unknown): boolean {
  return isStated(value) && value !== false
}

function readSampling(body: JsonObject): Sampling {
  return {
    temperature: readNumber(body, 'temperature', { max: 2 }),
    topP: readNumber(body, 'top_p', { max: 1 }),
    topK: readNumber(body, 'top_k', { max: 1_000_000, isWhole: true }),
    seed: readNumber(body, 'seed', {
      min: Number.MIN_SAFE_INTEGER,
      max: Number.MAX_SAFE_INTEGER,
      isWhole: true,
    }),
    frequencyPenalty: readNumber(body, 'frequency_penalty', { min: -2, max: 2 }),
    presencePenalty: readNumber(body, 'presence_penalty', { min: -2, max: 2 }),
  }
}

function readStop({ stop }: JsonObject): readonly string[] {
  if (isAbsent(stop)) return []
  const list: readonly unknown[] = Array.isArray(stop) ? stop : [stop]
  const texts = list.filter((item) => typeof item === 'string')
  if (texts.length !== list.length) mustBe('stop', 'a string or a list of strings')
  // Drop empty stop sequences, because they stop nothing and some wires reject them (docs/reference/conversions.md
  // "Sampling and limits").
  return texts.filter((text) => text !== '')
}

/** Reads OpenAI's field `reasoning_effort`, and the object `reasoning` of OpenRouter and others. */
function readReasoning(body: JsonObject): ReasoningWish | null {
  const { effort: named, enabled, exclude, max_tokens: tokens } = objectOf(body.reasoning)
  const isShown = typeof exclude === 'boolean' ? !exclude : null
  // Reasoning that is turned off has neither an effort nor a number of tokens, whatever the other fields request.
  if (enabled === false) return { effort: 'none', budgetTokens: null, isShown }
  const effort = readEffort(body.reasoning_effort) ?? readEffort(named)
  const budget = numberOrNull(tokens)
  const budgetTokens = budget !== null && Number.isInteger(budget) && budget > 0 ? budget : null
  return effort === null && budgetTokens === null && isShown === null
    ? null
    : { effort, budgetTokens, isShown }
}
