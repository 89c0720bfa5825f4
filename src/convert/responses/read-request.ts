import {
  isAbsent,
  isStated,
  listOf,
  numberOrNull,
  objectOf,
  type JsonObject,
} from '#wire/text/json-values.ts'
import type { NeutralRequest, ReasoningWish, TextPart, Tool } from '#convert/neutral-format.ts'
import {
  commonFields,
  compact,
  notModerated,
  readEffort,
  readFormat,
  readNumber,
  readTopLogprobs,
} from '#convert/request-fields-of-openai-wires.ts'
import { readVerbosity } from '#convert/request-fields-of-openai-wires.ts'
import { bodyOf, refuseForRoute, type WireRequest } from '#wire/wire-request.ts'
import { functionNamesIn } from './function-names-for-nameless-tools.ts'
import { unreadFields } from '#convert/unread-fields.ts'
import { responsesFields } from './known-fields.ts'
import { lostFieldsOfTools } from './lost-fields-of-tools.ts'
import { readItems } from './read-items.ts'
import { readChoice, readTools } from './read-tools.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

/**
 * Converts a responses request to the neutral form (docs/reference/wires.md "Requests on the responses wire").
 * wire/responses/parse-request.ts has already checked the size and the cost of the request.
 */
export function readResponsesRequest(request: WireRequest): NeutralRequest {
  const body = bodyOf(request)
  if (!isAbsent(body.moderation)) refuseForRoute('moderation', notModerated)
  const names = functionNamesIn(body.tools)
  const items = readItems(body.input, names)
  const { verbosity, ...text } = objectOf(body.text)
  const { effort, format = text.format } = compact({ ...items.updates })
  return {
    ...commonFields(body, request),
    instructions: [...instructionsOf(body.instructions), ...items.instructions],
    turns: items.turns,
    tools: withAdditions(readTools(body.tools), items.tools),
    toolChoice: readChoice(body.tool_choice, names.computer),
    sampling: {
      temperature: readNumber(body, 'temperature', { max: 2 }),
      topP: readNumber(body, 'top_p', { max: 1 }),
      topK: null,
      seed: null,
      frequencyPenalty: null,
      presencePenalty: null,
    },
    stop: [],
    output: readFormat(format, objectOf(format), 'text.format'),
    reasoning: readReasoning({ ...objectOf(body.reasoning), ...(effort !== undefined && { effort }) }),
    verbosity: readVerbosity(verbosity),
    // The wire returns log probabilities only to clients that request them in `include`.
    logprobs: listOf(body.include).includes(logprobsIncluded) ? readTopLogprobs(body) : null,
    logitBias: null,
    others: [
      ...othersOf(body),
      ...lostFieldsOfTools(body.tools),
      ...items.others,
      ...unreadFields(body, responsesFields),
    ],
  }
}

/**
 * If two tools have the same name, only the first is kept, because a search may return definitions that the request
 * already contains.
 */
function withAdditions(tools: readonly Tool[], added: readonly Tool[]): readonly Tool[] {
  const byName = new Map<string, Tool>()
  for (const tool of [...tools, ...added]) if (!byName.has(tool.name)) byName.set(tool.name, tool)
  return added.length === 0 ? tools : [...byName.values()]
}

function instructionsOf(value: unknown): readonly TextPart[] {
  return typeof value === 'string' && value !== '' ? [{ kind: 'text', text: value, cache: null }] : []
}

function readReasoning(reasoning: JsonObject): ReasoningWish | null {
  const effort = readEffort(reasoning.effort)
  const isShown = isAbsent(reasoning.summary) && isAbsent(reasoning.generate_summary) ? null : true
  return effort === null && isShown === null ? null : { effort, budgetTokens: null, isShown }
}

const logprobsIncluded = 'message.output_text.logprobs'

/** Fields that the reader converts, and fields that mean nothing to another provider. */
const read = nameSet(`
  model input instructions tools tool_choice parallel_tool_calls max_output_tokens temperature top_p
  top_logprobs text reasoning include service_tier metadata user safety_identifier prompt_cache_key stream
  stream_options background background_options svc
`)

function othersOf(body: JsonObject): readonly string[] {
  const others = Object.keys(body).filter((name) => !read.has(name) && isAsked(name, body[name]))
  const include = listOf(body.include)
  if (include.some((each) => !included.has(each))) others.push('include')
  // Providers of this wire return log probabilities only if `include` requests them. If `include` does not request
  // them, `top_logprobs` is reported as lost.
  const alternatives = numberOrNull(body.top_logprobs) ?? 0
  if (alternatives > 0 && !include.includes(logprobsIncluded)) others.push('top_logprobs')
  const { context, mode } = objectOf(body.reasoning)
  if (!isAbsent(context) && context !== 'auto') others.push('reasoning.context')
  if (!isAbsent(mode) && mode !== 'standard') others.push('reasoning.mode')
  return others
}

/** By default, the input is not truncated and nothing is compacted. */
function isAsked(name: string, value: unknown): boolean {
  return isStated(value) && value !== false && !(name === 'truncation' && value === 'disabled')
}

/**
 * Entries of `include` that are never lost: signed reasoning is always returned, and log probabilities have a neutral
 * field.
 */
const included: ReadonlySet<unknown> = new Set(['reasoning.encrypted_content', logprobsIncluded])
