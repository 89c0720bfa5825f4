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
import type {
  Effort,
  NeutralRequest,
  OutputFormat,
  ReasoningWish,
  TextPart,
  Turn,
} from '#convert/neutral-format.ts'
import { bodyOf, mustBe, refuseForRoute, type WireRequest } from '#wire/wire-request.ts'
import { joinTurns } from '#convert/turns-and-content.ts'
import { effortOfMessages } from './effort-of-messages.ts'
import { unreadFields } from '#convert/unread-fields.ts'
import { messagesFields } from './known-fields.ts'
import { readBlocks, readTexts, type Reading } from './read-content.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

export function readMessagesRequest(request: WireRequest): NeutralRequest {
  const body = bodyOf(request)
  if (numberOrNull(body.max_tokens) === 0)
    refuseForRoute(
      'max_tokens',
      'only the provider of this wire format can fill a cache without a response; send a value of at least 1',
    )
  const reading: Reading = { callNames: new Map(), others: new Set(namesOfOthers(body)), toolChanges: [] }
  const instructions = readTexts(body.system, 'system', reading)
  const turns = readTurns(body.messages, reading)
  return {
    instructions: instructions.filter(isForModels),
    turns,
    tools: readTools(body.tools, reading),
    toolChoice: readToolChoice(body.tool_choice),
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
    stop: readStop(body.stop_sequences),
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

function readTurns(messages: JsonValue, reading: Reading): readonly Turn[] {
  const turns: Turn[] = []
  const lastUser = listOf(messages).findLastIndex((message) => objectOf(message).role === 'user')
  for (const [i, item] of listOf(messages).entries()) {
    const { clear_at: clearAt, role, content } = objectOf(item)
    const path = `messages.${i}`
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      mustBe(`${path}.role`, 'user, assistant or system')
    const summary = readSummary(content)
    if (summary !== null) {
      reading.others.add('messages.content.compaction')
      turns.splice(0, Infinity, { role: 'user', parts: [summary.text] })
    }
    const read = role === 'system' ? readTexts : readBlocks
    const parts = read(summary?.rest ?? content, `${path}.content`, reading)
    // The model no longer sees such a system text after the next user message.
    if (role === 'system' && clearAt === 'next_user_message' && i < lastUser) continue
    turns.push({ role, parts })
  }
  return joinTurns(turns)
}

/**
 * Returns the last summary in which Anthropic compacted the conversation, and the blocks after it. Anthropic's models
 * do not read anything before a summary. Null if the message has no summary.
 */
function readSummary(content: JsonValue): { readonly text: TextPart; readonly rest: JsonValue } | null {
  const blocks = listOf(content)
  const at = blocks.findLastIndex(
    (block) => objectOf(block).type === 'compaction' && textOrNull(objectOf(block).content),
  )
  const summary = textOrNull(objectOf(blocks[at]).content)
  if (summary === null || at < 0) return null
  const text = `<summary>\n${summary}\n</summary>`
  return { text: { kind: 'text', text, cache: null }, rest: blocks.slice(at + 1) }
}

/** Every wire rejects or ignores empty stop sequences. */
function readStop(value: JsonValue): readonly string[] {
  const texts = listOf(value).filter((item) => typeof item === 'string')
  if (!isAbsent(value) && !(Array.isArray(value) && texts.length === value.length))
    mustBe('stop_sequences', 'a list of strings')
  return texts.filter((text) => text !== '')
}

/**
 * Returns false for the line that Claude Code puts before the instructions for Anthropic's billing. The line differs in
 * each request. If other vendors received the line, they would never find the prompt in their caches
 * (docs/reference/conversions.md "Cache marks").
 */
function isForModels({ text }: TextPart): boolean {
  return !text.startsWith('x-anthropic-billing-header:')
}

function readOutput(body: JsonObject): OutputFormat | null {
  const format = objectOf(objectOf(body.output_config).format ?? body.output_format)
  if (format.type !== 'json_schema' || !isObject(format.schema)) return null
  return { kind: 'schema', name: null, description: null, schema: format.schema, isStrict: null }
}

/** See docs/reference/conversions.md "Effort and thinking". */
function readReasoning(body: JsonObject, { others }: Reading): ReasoningWish | null {
  const thinking = objectOf(body.thinking)
  const asked = effortOfMessages(body.messages) ?? objectOf(body.output_config).effort
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

function namesOfOthers(body: JsonObject): string[] {
  const output = objectOf(body.output_config)
  return [
    ...Object.keys(body).filter((name) => !carried.has(name) && isStated(body[name])),
    ...unreadFields(body, messagesFields),
    ...Object.keys(output).flatMap((name) =>
      carriedOutput.has(name) || isAbsent(output[name]) ? [] : `output_config.${name}`,
    ),
  ]
}

const carriedOutput = nameSet('effort format')

const carried = nameSet(`
  model max_tokens messages system stream tools tool_choice stop_sequences temperature top_p top_k
  thinking output_config output_format metadata service_tier speed svc anthropic_version
`)
