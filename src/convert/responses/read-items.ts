import { isAbsent, isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { signatureOfTag, type Signature } from '#wire/signatures.ts'
import type { Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart, Turn } from '#convert/neutral.ts'
import { mustBe, refuseForRoute } from '#wire/wire-request.ts'
import { joinTurns } from '#convert/conversation-turns.ts'
import { nameWithin } from './namespaces.ts'
import { readParts, readResultParts, readTexts } from './read-parts.ts'

export interface ReadItems {
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
  /** Fields of items without a place on any other wire. */
  readonly others: readonly string[]
}

/**
 * Converts the input to instructions and turns. An assistant's texts, calls and reasoning are separate items, and so
 * are results. Together they form the assistant's turn and the user's turn.
 */
export function readItems(input: JsonValue): ReadItems {
  if (typeof input === 'string') {
    const parts: readonly Part[] = [{ kind: 'text', text: input, cache: null }]
    return { instructions: [], turns: [{ role: 'user', parts }], others: [] }
  }
  const instructions: TextPart[] = []
  const turns: Turn[] = []
  const calls = new Map<string, ToolCallPart>()
  let hasPhase = false
  for (const [i, item] of listOf(input).entries()) {
    const path = `input.${i}`
    if (!isObject(item)) mustBe(path, 'an object')
    if (!isAbsent(item.phase)) hasPhase = true
    const turn = readItem(item, path, calls)
    if (turn.role === 'system' && turns.length === 0) {
      for (const part of turn.parts) if (part.kind === 'text') instructions.push(part)
    } else turns.push(turn)
  }
  return { instructions, turns: joinTurns(turns), others: hasPhase ? ['input.phase'] : [] }
}

function readItem(item: JsonObject, path: string, calls: Map<string, ToolCallPart>): Turn {
  switch (item.type ?? 'message') {
    case 'message':
      return readMessage(item, path)
    case 'function_call':
    case 'custom_tool_call': {
      const call = readCall(item, path)
      calls.set(call.id, call)
      return { role: 'assistant', parts: [call] }
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'user', parts: [readResult(item, path, calls)] }
    case 'reasoning': {
      const reasoning = readReasoning(item)
      return { role: 'assistant', parts: reasoning === null ? [] : [reasoning] }
    }
    default:
      return refuseForRoute(
        path,
        `an item of type ${textOrNull(item.type) ?? 'unknown'} is known to its own provider only; send messages, function calls and their results`,
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
    mustBe(path, `a call of a tool: call_id, name and ${field} must be texts`)
  }
  const args = text === '' && !isCustom ? '{}' : text
  return { kind: 'tool_call', id, name: nameWithin(item.namespace, name), arguments: args, isCustom }
}

function readResult(
  item: JsonObject,
  path: string,
  calls: ReadonlyMap<string, ToolCallPart>,
): ToolResultPart {
  const callId = textOrNull(item.call_id) ?? mustBe(`${path}.call_id`, 'the id of a call')
  return {
    kind: 'tool_result',
    callId,
    name: calls.get(callId)?.name ?? null,
    parts: readResultParts(item.output, `${path}.output`),
    isError: false,
    isCustom: item.type === 'custom_tool_call_output',
    cache: null,
  }
}

/** Null if it has neither a text nor a signature. */
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

/** A signature that the client has from OpenAI itself. */
function own(data: string, id: string | null): Signature {
  return { wire: 'responses', origin: null, kind: 'encrypted', data, id }
}
