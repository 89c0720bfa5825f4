import {
  isAbsent,
  isObject,
  isStated,
  listOf,
  numberOrNull,
  objectOf,
  textOrNull,
} from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { bodyOf, mustBe, type WireRequest } from '#wire/wire-request.ts'
import { joinTurns } from '#convert/turns-and-content.ts'
import type {
  FilePart,
  NeutralRequest,
  OutputFormat,
  ReasoningWish,
  Tool,
  ToolChoice,
  Turn,
} from '#convert/neutral-format.ts'
import { readNumber, readTool } from '#convert/request-fields-of-openai-wires.ts'
import { unreadFields } from '#convert/unread-fields.ts'
import { cohereFields } from './known-fields.ts'
import { readDocument, readMessages } from './read-messages.ts'

export function readCohereRequest(request: WireRequest): NeutralRequest {
  const body = bodyOf(request)
  const others = new Set(Object.keys(body).filter((name) => !carried.has(name) && isAsked(body[name])))
  if (!isAbsent(body.documents) && !Array.isArray(body.documents)) mustBe('documents', 'a list')
  const documents = listOf(body.documents).map((item, i) => readDocument(item, `documents.${i}`))
  if (documents.length > 0 && objectOf(body.citation_options).mode !== 'OFF')
    others.add('documents.citations')
  const { instructions, turns } = readMessages(body.messages, others)
  return {
    instructions,
    turns: withDocuments(turns, documents),
    tools: readTools(body),
    toolChoice: readChoice(body.tool_choice),
    parallelTools: null,
    outputTokensMax: request.outputTokensMax,
    sampling: {
      temperature: readNumber(body, 'temperature', { max: 2 }),
      topP: readNumber(body, 'p', { max: 1 }),
      topK: readNumber(body, 'k', { max: 1_000_000, isWhole: true }) || null,
      seed: readNumber(body, 'seed', {
        min: Number.MIN_SAFE_INTEGER,
        max: Number.MAX_SAFE_INTEGER,
        isWhole: true,
      }),
      frequencyPenalty: readNumber(body, 'frequency_penalty', { min: -2, max: 2 }),
      presencePenalty: readNumber(body, 'presence_penalty', { min: -2, max: 2 }),
    },
    stop: readStop(body.stop_sequences),
    output: readOutput(body.response_format),
    reasoning: readThinking(body.thinking),
    verbosity: null,
    choices: 1,
    logprobs: null,
    logitBias: null,
    serviceTier: null,
    metadata: null,
    userId: null,
    cacheKey: null,
    isStream: request.isStream,
    wantsUsage: true,
    others: [...others, ...unreadFields(body, cohereFields)],
  }
}

/**
 * Top-level fields that are read or that have no effect. `citation_options` has an effect only if the request has
 * documents.
 */
const carried = nameSet(`
  model messages stream max_tokens documents citation_options tools tool_choice strict_tools temperature p
  k seed frequency_penalty presence_penalty stop_sequences response_format thinking svc
`)

function isAsked(value: JsonValue): boolean {
  return isStated(value) && value !== false
}

/** The documents follow the tool results of the last user turn that contains more than tool results. */
function withDocuments(turns: readonly Turn[], documents: readonly FilePart[]): readonly Turn[] {
  if (documents.length === 0) return turns
  const isOwn = ({ kind }: { readonly kind: string }): boolean => kind !== 'tool_result'
  const last = turns.findLastIndex(({ parts, role }) => role === 'user' && parts.some(isOwn))
  if (last < 0) return joinTurns([...turns, { role: 'user', parts: documents }])
  return turns.map(({ parts, role }, i) =>
    i === last
      ? { role, parts: [...parts.filter((part) => !isOwn(part)), ...documents, ...parts.filter(isOwn)] }
      : { role, parts },
  )
}

function readTools({ strict_tools: strict, tools }: JsonObject): readonly Tool[] {
  return listOf(tools).map((item, i) => {
    const called = objectOf(objectOf(item).function)
    const name = textOrNull(called.name) ?? mustBe(`tools.${i}.function.name`, 'a string')
    return readTool(name, { ...called, strict: strict === true ? true : null }, null)
  })
}

function readChoice(choice: JsonValue): ToolChoice | null {
  if (isAbsent(choice)) return null
  if (choice === 'REQUIRED') return { kind: 'required' }
  return choice === 'NONE' ? { kind: 'none' } : mustBe('tool_choice', 'REQUIRED or NONE')
}

function readStop(value: JsonValue): readonly string[] {
  const texts = listOf(value).filter((item) => typeof item === 'string')
  if (!isAbsent(value) && !(Array.isArray(value) && texts.length === value.length))
    mustBe('stop_sequences', 'a list of strings')
  return texts.filter((text) => text !== '')
}

function readOutput(format: JsonValue): OutputFormat | null {
  if (isAbsent(format)) return null
  const { json_schema: named, schema: older, type } = objectOf(format)
  if (type === 'text') return { kind: 'text' }
  if (type !== 'json_object') mustBe('response_format', 'of type text or json_object')
  const schema = named ?? older
  return isObject(schema)
    ? { kind: 'schema', name: null, description: null, schema, isStrict: null }
    : { kind: 'json' }
}

function readThinking(thinking: JsonValue): ReasoningWish | null {
  if (isAbsent(thinking)) return null
  const { token_budget: budget, type } = objectOf(thinking)
  if (type === 'disabled') return { effort: 'none', budgetTokens: null, isShown: null }
  if (type !== 'enabled') mustBe('thinking.type', 'enabled or disabled')
  const budgetTokens = numberOrNull(budget)
  return { effort: budgetTokens === null ? 'medium' : null, budgetTokens, isShown: true }
}
