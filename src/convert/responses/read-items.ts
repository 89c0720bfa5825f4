import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { signatureOfTag, type Signature } from '#wire/signatures.ts'
import { isAbsent, isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart, Turn } from '#convert/neutral.ts'
import { fault, isFault, type RequestFault } from '#wire/request.ts'
import { joinTurns } from '#convert/turns.ts'
import { nameWithin } from './namespaces.ts'
import { readContent, readResultContent, readTexts } from './read-parts.ts'

export interface ReadItems {
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
  /** Fields of items that no other wire has a place for. */
  readonly others: readonly string[]
}

/**
 * The input -> instructions and turns. What an assistant says, calls and reasons are items of their own,
 * and so are results; together they are its turn and the user's.
 */
export function readItems(input: JsonValue): ReadItems | RequestFault {
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
    if (!isObject(item)) return fault('invalid_request', path, 'An item must be an object.')
    if (!isAbsent(item.phase)) hasPhase = true
    const turn = readItem(item, path, calls)
    if (isFault(turn)) return turn
    if (turn.role === 'system' && turns.length === 0) {
      for (const part of turn.parts) if (part.kind === 'text') instructions.push(part)
    } else turns.push(turn)
  }
  return { instructions, turns: joinTurns(turns), others: hasPhase ? ['input.phase'] : [] }
}

function readItem(item: JsonObject, path: string, calls: Map<string, ToolCallPart>): Turn | RequestFault {
  switch (item.type ?? 'message') {
    case 'message':
      return readMessage(item, path)
    case 'function_call':
    case 'custom_tool_call': {
      const call = readCall(item, path)
      if (isFault(call)) return call
      calls.set(call.id, call)
      return { role: 'assistant', parts: [call] }
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const result = readResult(item, path, calls)
      return isFault(result) ? result : { role: 'user', parts: [result] }
    }
    case 'reasoning': {
      const reasoning = readReasoning(item)
      return { role: 'assistant', parts: reasoning === null ? [] : [reasoning] }
    }
    default:
      return fault(
        'unsupported_for_route',
        path,
        `an item of type ${textOrNull(item.type) ?? 'unknown'} is known to its own provider only; send messages, function calls and their results`,
      )
  }
}

function readMessage({ role, content }: JsonObject, path: string): Turn | RequestFault {
  switch (role) {
    case 'system':
    case 'developer': {
      const parts = readTexts(content, `${path}.content`)
      return isFault(parts) ? parts : { role: 'system', parts }
    }
    case 'user':
    case 'assistant': {
      const parts = readContent(content, `${path}.content`)
      return isFault(parts) ? parts : { role, parts }
    }
    default:
      return fault(
        'invalid_request',
        `${path}.role`,
        `The field ${path}.role must be system, developer, user or assistant.`,
      )
  }
}

function readCall(item: JsonObject, path: string): ToolCallPart | RequestFault {
  const isCustom = item.type === 'custom_tool_call'
  const text = textOrNull(isCustom ? item.input : item.arguments)
  const { call_id: id, name } = item
  if (typeof id !== 'string' || typeof name !== 'string' || text === null) {
    const field = isCustom ? 'input' : 'arguments'
    return fault(
      'invalid_request',
      path,
      `The field ${path} must be a call of a tool: call_id, name and ${field} must be texts.`,
    )
  }
  const args = text === '' && !isCustom ? '{}' : text
  return { kind: 'tool_call', id, name: nameWithin(item.namespace, name), arguments: args, isCustom }
}

function readResult(
  item: JsonObject,
  path: string,
  calls: ReadonlyMap<string, ToolCallPart>,
): ToolResultPart | RequestFault {
  const callId = textOrNull(item.call_id)
  if (callId === null)
    return fault('invalid_request', `${path}.call_id`, `The field ${path}.call_id must be the id of a call.`)
  const parts = readResultContent(item.output, `${path}.output`)
  if (isFault(parts)) return parts
  return {
    kind: 'tool_result',
    callId,
    name: calls.get(callId)?.name ?? null,
    parts,
    isError: false,
    isCustom: item.type === 'custom_tool_call_output',
    cache: null,
  }
}

/** Null: neither a text nor a signature is left of it, so it tells nobody anything. */
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

/** One that the client has from OpenAI itself. */
function own(data: string, id: string | null): Signature {
  return { wire: 'responses', origin: null, kind: 'encrypted', data, id }
}
