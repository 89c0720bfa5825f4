import {
  isAbsent,
  isObject,
  isStated,
  listOf,
  objectOf,
  printValue,
  textOrNull,
} from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { signatureOfTag, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import { mediaTypeOfData } from '#convert/data-url.ts'
import type {
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  Tool,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '#convert/neutral-format.ts'
import { mustBe, refuseForRoute } from '#wire/wire-request.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { asRecord, joinTurns, readContent } from '#convert/turns-and-content.ts'
import { readImage } from '#convert/request-fields-of-openai-wires.ts'
import { argumentsOfCall } from './computer-tool-as-function.ts'
import type { FunctionNames } from './function-names-for-nameless-tools.ts'
import { nameWithin } from './tool-names-in-namespaces.ts'
import { lostFieldsOfTools } from './lost-fields-of-tools.ts'
import { readTools } from './read-tools.ts'
import { readPart, readParts, readResultParts, readTexts } from './read-parts.ts'

export interface ReadItems {
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
  /** In the order in which the items of the conversation added the tools. */
  readonly tools: readonly Tool[]
  /** The settings that the items of the conversation have changed last. */
  readonly updates: Updates
  readonly others: readonly string[]
}

interface Updates {
  readonly effort: JsonValue
  readonly format: JsonValue
}

/**
 * The texts, tool calls and reasoning of the assistant are separate items, which together form one assistant turn. Tool
 * results are separate items, which together form one user turn.
 * @param names the names of the functions that replace tools of the responses wire
 */
export function readItems(input: JsonValue, names: FunctionNames): ReadItems {
  if (typeof input === 'string') {
    const parts: readonly Part[] = [{ kind: 'text', text: input, cache: null }]
    return { instructions: [], turns: [{ role: 'user', parts }], tools: [], updates: noUpdates, others: [] }
  }
  const instructions: TextPart[] = []
  const turns: Turn[] = []
  const calls = new Map<string, ToolCallPart>()
  const tools: Tool[] = []
  const others = new Set<string>()
  let updates = noUpdates
  const answered = new Set(listOf(input).flatMap(searchedBy))
  for (const [i, item] of listOf(input).entries()) {
    const path = `input.${i}`
    if (!isObject(item)) mustBe(path, 'an object')
    for (const field of ofThisWireOnly) if (isStated(item[field])) others.add(`input.${field}`)
    const type = textOrNull(item.type) ?? 'message'
    const isSearch = type === 'tool_search_call' && answered.has(textOrNull(item.call_id) ?? '')
    if (records.has(type) && !isSearch) {
      others.add(`input.${type}`)
      continue
    }
    if (additions.has(type)) {
      const added = readTools(item.tools, `${path}.tools`)
      tools.push(...added)
      for (const field of lostFieldsOfTools(item.tools)) others.add(field)
      if (calls.has(textOrNull(item.call_id) ?? ''))
        turns.push({ role: 'user', parts: [readFound(item, path, calls, added)] })
      continue
    }
    if (type === 'configuration_update') {
      updates = updatedBy(item, updates)
      continue
    }
    if (asText.has(type) || isAlone(item)) others.add(`input.${type}`)
    const turn = readItem(item, path, { calls, names })
    if (turn.role === 'system' && turns.length === 0) {
      for (const part of turn.parts) if (part.kind === 'text') instructions.push(part)
    } else turns.push(turn)
  }
  return { instructions, turns: joinTurns(turns), tools, updates, others: [...others] }
}

const noUpdates: Updates = { effort: null, format: null }

/** A setting that an update does not state stays in effect. */
function updatedBy({ reasoning, text }: JsonObject, { effort, format }: Updates): Updates {
  return { effort: objectOf(reasoning).effort ?? effort, format: objectOf(text).format ?? format }
}

/**
 * Types of items that record the provider's own searches. The records contain only the search, because the model's
 * answer contains what was found. The records are omitted and reported as lost.
 */
const records = nameSet('web_search_call file_search_call tool_search_call mcp_list_tools')
/**
 * Types of items that add tools during the conversation. Providers of other wires get these tools from the beginning.
 */
const additions = nameSet('tool_search_output additional_tools')

/** See capabilities/parts-without-neutral-form.ts. */
const ofThisWireOnly = ['phase', 'pending_safety_checks', 'acknowledged_safety_checks']

/** Types of items that become text: records of a tool which the provider ran, and messages between agents. */
const asText = nameSet('mcp_call code_interpreter_call agent_message')

/**
 * Whether the item is the output of a tool that no call of the conversation requested. Codex, for example, adds such
 * outputs for events.
 */
function isAlone({ call_id: id, name, type }: JsonObject): boolean {
  return type === 'function_call_output' && isAbsent(id) && typeof name === 'string'
}

interface Reading {
  readonly calls: Map<string, ToolCallPart>
  readonly names: FunctionNames
}

function readItem(item: JsonObject, path: string, { calls, names }: Reading): Turn {
  switch (item.type ?? 'message') {
    case 'message':
      return readMessage(item, path)
    case 'function_call':
    case 'custom_tool_call':
    case 'tool_search_call':
    case 'computer_call': {
      const call = readAnyCall(item, path, names)
      calls.set(call.id, call)
      return { role: 'assistant', parts: [call] }
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return {
        role: 'user',
        parts: isAlone(item) ? readLoneResult(item, path) : [readResult(item, path, calls)],
      }
    case 'agent_message':
      return { role: 'user', parts: readAgentMessage(item, path) }
    case 'computer_call_output':
      return { role: 'user', parts: [readScreenshot(item, path, calls)] }
    case 'mcp_call':
      return { role: 'assistant', parts: readMcpCall(item) }
    case 'code_interpreter_call':
      return { role: 'assistant', parts: readCode(item, path) }
    case 'image_generation_call':
      return { role: 'assistant', parts: [readGeneratedImage(item, path)] }
    case 'reasoning': {
      const reasoning = readReasoning(item)
      return { role: 'assistant', parts: reasoning === null ? [] : [reasoning] }
    }
    case 'compaction_trigger':
      return refuseForRoute(
        path,
        'only OpenAI can compact the conversation for this request; ask the model for a summary instead',
      )
    default:
      return refuseForRoute(
        path,
        `an item of type ${textOrNull(item.type) ?? 'unknown'} is known only to its own provider; send messages, function calls and their results`,
      )
  }
}

function readMessage({ role, content }: JsonObject, path: string): Turn {
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: readTexts(content, `${path}.content`) }
    case 'user':
    case 'assistant':
      return { role, parts: readParts(content, `${path}.content`) }
    default:
      return mustBe(`${path}.role`, 'system, developer, user or assistant')
  }
}

function readCall(item: JsonObject, path: string): ToolCallPart {
  const isCustom = item.type === 'custom_tool_call'
  const text = textOrNull(isCustom ? item.input : item.arguments)
  const { call_id: id, name } = item
  if (typeof id !== 'string' || typeof name !== 'string' || text === null) {
    const field = isCustom ? 'input' : 'arguments'
    mustBe(path, `a tool call in which call_id, name and ${field} are strings`)
  }
  const args = text === '' && !isCustom ? '{}' : text
  return { kind: 'tool_call', id, name: nameWithin(item.namespace, name), arguments: args, isCustom }
}

function readAnyCall(item: JsonObject, path: string, names: FunctionNames): ToolCallPart {
  if (item.type === 'computer_call') return readComputerCall(item, path, names.computer)
  if (item.type !== 'tool_search_call') return readCall(item, path)
  const id = textOrNull(item.call_id) ?? mustBe(`${path}.call_id`, 'the ID of a tool call')
  const args = printValue(item.arguments ?? {})
  return { kind: 'tool_call', id, name: names.search, arguments: args, isCustom: false }
}

/** Searches that the provider runs have no IDs. */
function searchedBy(item: JsonValue): readonly string[] {
  const { call_id: id, type } = objectOf(item)
  const isResult = type === 'tool_search_output' || type === 'function_call_output'
  return isResult && typeof id === 'string' ? [id] : []
}

/** The client ran the search, whose result is the names of the tools that it found. */
function readFound(
  item: JsonObject,
  path: string,
  calls: Reading['calls'],
  tools: readonly Tool[],
): ToolResultPart {
  const text = tools.map(({ name }) => name).join('\n')
  const parts: readonly TextPart[] = text === '' ? [] : [{ kind: 'text', text, cache: null }]
  return { ...resultOf(item, path, calls), parts, isCustom: false }
}

function readComputerCall(item: JsonObject, path: string, name: string): ToolCallPart {
  const id = textOrNull(item.call_id)
  const args = argumentsOfCall(item)
  if (id === null || args === null)
    mustBe(path, 'a computer call in which call_id is a string, with an action or actions')
  return { kind: 'tool_call', id, name, arguments: args, isCustom: false }
}

function readMcpCall({ arguments: args, error, name, output }: JsonObject): readonly TextPart[] {
  const call = `${textOrNull(name) ?? ''} ${textOrNull(args) ?? ''}`
  const result = textOrNull(output) ?? (isAbsent(error) ? '' : (textOrNull(error) ?? printValue(error)))
  return [call, ...(result === '' ? [] : [result])].map(recordOf)
}

/** OpenAI returns the outputs of code only to clients that request them. */
function readCode({ code, outputs }: JsonObject, path: string): readonly Part[] {
  const results = listOf(outputs).flatMap((value, i): readonly Part[] => {
    const { logs, type, url } = objectOf(value)
    return type === 'image'
      ? [readImage({ url, detail: null, cache: null }, `${path}.outputs.${i}.url`)]
      : recordsOf(logs)
  })
  return [...recordsOf(code), ...results]
}

function recordsOf(value: JsonValue): readonly TextPart[] {
  return typeof value === 'string' && value !== '' ? [recordOf(value)] : []
}

function recordOf(text: string): TextPart {
  return { kind: 'text', text: asRecord(text), cache: null }
}

function readGeneratedImage({ output_format: format, result }: JsonObject, path: string): ImagePart {
  const data = textOrNull(result) ?? mustBe(`${path}.result`, 'an image in base64')
  const mediaType = mediaTypeOfData({ stated: `image/${textOrNull(format) ?? 'png'}`, data })
  return { kind: 'image', source: { kind: 'data', mediaType, data }, detail: null, cache: null }
}

function readResult(item: JsonObject, path: string, calls: Reading['calls']): ToolResultPart {
  const parts = readResultParts(item.output, `${path}.output`)
  return { ...resultOf(item, path, calls), parts, isCustom: item.type === 'custom_tool_call_output' }
}

function readLoneResult(item: JsonObject, path: string): readonly Part[] {
  const name = nameWithin(item.namespace, textOrNull(item.name) ?? '')
  return marked(readResultParts(item.output, `${path}.output`), `tool_result name="${name}"`)
}

/**
 * Another agent of the client has sent the message. A model that does not encrypt its arguments writes the task of a
 * sub-agent as plain text, which Codex may send in the field for encrypted content.
 */
function readAgentMessage({ author, content, recipient }: JsonObject, path: string): readonly Part[] {
  const parts = readContent(content, `${path}.content`, (part, at) => {
    if (part.type !== 'encrypted_content') return readPart(part, at)
    const text = textOrNull(part.encrypted_content) ?? mustBe(`${at}.encrypted_content`, 'a string')
    if (isSealed.test(text)) refuseForRoute(at, sealedMessage)
    return { kind: 'text', text, cache: null } as const
  })
  const names = [author, recipient].map((name) => textOrNull(name) ?? '')
  return marked(parts, `agent_message from="${names[0]}" to="${names[1]}"`)
}

/** The form of the content that OpenAI encrypts. */
const isSealed = /^gAAAA[\w-]{60,}={0,2}$/

const sealedMessage =
  'the provider that encrypted this message is the only one that can read it; use the same model for all agents, or start a new conversation'

/** Writes the mark before the first part and after the last part. Adjacent texts become one text. */
function marked(parts: readonly Part[], mark: string): readonly Part[] {
  const [name] = mark.split(' ')
  const start: TextPart = { kind: 'text', text: `<${mark}>\n`, cache: null }
  const end: TextPart = { kind: 'text', text: `\n</${name}>`, cache: null }
  const joined: Part[] = []
  for (const part of [start, ...parts, end]) {
    const last = joined.at(-1)
    if (last?.kind === 'text' && part.kind === 'text')
      joined[joined.length - 1] = { ...part, text: last.text + part.text }
    else joined.push(part)
  }
  return joined
}

function readScreenshot(item: JsonObject, path: string, calls: Reading['calls']): ToolResultPart {
  const { image_url: url, detail } = objectOf(item.output)
  const image = readImage({ url, detail, cache: null }, `${path}.output.image_url`)
  return { ...resultOf(item, path, calls), parts: [image], isCustom: false }
}

function resultOf(
  item: JsonObject,
  path: string,
  calls: Reading['calls'],
): Omit<ToolResultPart, 'parts' | 'isCustom'> {
  const callId = textOrNull(item.call_id) ?? mustBe(`${path}.call_id`, 'the ID of a tool call')
  return { kind: 'tool_result', callId, name: calls.get(callId)?.name ?? null, isError: false, cache: null }
}

/** Null if the item has neither a text nor a signature. */
function readReasoning(item: JsonObject): ReasoningPart | null {
  const summary = textsOf(item.summary)
  const texts = summary.length > 0 ? summary : textsOf(item.content)
  const data = textOrNull(item.encrypted_content)
  const text = texts.join('\n\n')
  const signature = data ? (signatureOfTag(data) ?? own(data, textOrNull(item.id))) : null
  return text === '' && signature === null ? null : { kind: 'reasoning', text, signature }
}

function textsOf(value: JsonValue): readonly string[] {
  return listOf(value)
    .map((part) => textOrNull(objectOf(part).text) ?? '')
    .filter((text) => text !== '')
}

/** For a signature that the client received from OpenAI directly. */
function own(data: string, id: string | null): Signature {
  return { wire: 'responses', origin: null, kind: 'encrypted', data, id }
}
