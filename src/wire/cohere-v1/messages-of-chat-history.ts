import {
  isAbsent,
  isObject,
  listOf,
  parseObject,
  printValue,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import { mustBe, refuseForRoute } from '#wire/wire-request.ts'
import type { Entry, ToolCall, ToolResult } from './turn-types.ts'

/** Rejects fields that version 2 cannot express. */
export function entriesIn(history: JsonValue): readonly Entry[] {
  if (isAbsent(history)) return []
  if (!Array.isArray(history)) return mustBe('chat_history', 'a list')
  return history.map((item: JsonValue, i) => entryIn(item, `chat_history.${i}`))
}

/** Cohere accepts roles in any case. */
function entryIn(item: JsonValue, path: string): Entry {
  const {
    message,
    role: written,
    tool_calls: called,
    tool_results: results,
    ...others
  } = objectIn(item, path)
  const unknown = Object.keys(others).find((name) => !isAbsent(others[name]))
  if (unknown !== undefined) refuseForRoute(`${path}.${unknown}`, noSuchField)
  const role = textOrNull(written)?.toUpperCase()
  const calls = callsIn(called, `${path}.tool_calls`)
  if (role !== 'CHATBOT' && calls.length > 0)
    mustBe(`${path}.tool_calls`, 'absent, except in turns of CHATBOT')
  if (role === 'TOOL') return { role, tool_results: resultsIn(results, `${path}.tool_results`) }
  if (role !== 'SYSTEM' && role !== 'USER' && role !== 'CHATBOT')
    mustBe(`${path}.role`, 'SYSTEM, USER, CHATBOT or TOOL')
  if (listOf(results).length > 0) mustBe(`${path}.tool_results`, 'absent, except in turns of TOOL')
  // A turn with calls may have no text.
  const isOptional = calls.length > 0 && isAbsent(message)
  const text = isOptional ? '' : (textOrNull(message) ?? mustBe(`${path}.message`, 'a string'))
  return { role, message: text, ...(calls.length > 0 && { tool_calls: calls }) }
}

const noSuchField = 'version 2 of Cohere’s chat has no such field. Omit the field'

function callsIn(calls: JsonValue, path: string): readonly ToolCall[] {
  if (isAbsent(calls)) return []
  if (!Array.isArray(calls)) return mustBe(path, 'a list')
  return calls.map((call: JsonValue, i) => callIn(call, `${path}.${i}`))
}

function callIn(item: JsonValue, path: string): ToolCall {
  const { name, parameters } = objectIn(item, path)
  if (typeof name !== 'string') mustBe(`${path}.name`, 'a string')
  if (!isAbsent(parameters) && !isObject(parameters)) mustBe(`${path}.parameters`, 'an object')
  return { name, parameters: parameters ?? {} }
}

export function resultsIn(results: JsonValue, path: string): readonly ToolResult[] {
  if (isAbsent(results)) return []
  if (!Array.isArray(results)) return mustBe(path, 'a list')
  return results.map((item: JsonValue, i) => {
    const { call, outputs } = objectIn(item, `${path}.${i}`)
    if (!Array.isArray(outputs)) return mustBe(`${path}.${i}.outputs`, 'a list of objects')
    return {
      call: callIn(call, `${path}.${i}.call`),
      outputs: outputs.map((output: JsonValue, j) => objectIn(output, `${path}.${i}.outputs.${j}`)),
    }
  })
}

export function objectIn(value: JsonValue, path: string): JsonObject {
  return isObject(value) ? value : mustBe(path, 'an object')
}

interface CallWithId {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/**
 * Converts turns to messages of version 2, in which each result has the ID of the call that it answers. If the turn
 * before a result has no such call, a turn with the call is added.
 */
export function messagesOf(entries: readonly Entry[]): readonly JsonObject[] {
  const messages: JsonObject[] = []
  let open = new OpenCalls([])
  let count = 0
  const withId = ({ name, parameters }: ToolCall): CallWithId => ({
    id: `call_${count++}`,
    type: 'function',
    function: { name, arguments: textOrNull(parameters) ?? printValue(parameters) },
  })
  for (const entry of entries) {
    if (entry.role !== 'TOOL') {
      const calls = (entry.tool_calls ?? []).map(withId)
      open = new OpenCalls(calls)
      messages.push(messageOf(entry, calls))
      continue
    }
    const answers: JsonObject[] = []
    const added: CallWithId[] = []
    const answersOfAdded: JsonObject[] = []
    for (const result of entry.tool_results) {
      const found = open.take(result)
      const call = found ?? withId(result.call)
      const answer = { role: 'tool', tool_call_id: call.id, content: contentOf(result.outputs) }
      if (found === null) {
        added.push(call)
        answersOfAdded.push(answer)
      } else answers.push(answer)
    }
    messages.push(...answers)
    if (added.length === 0) continue
    messages.push({ role: 'assistant', tool_calls: added }, ...answersOfAdded)
    // A result must follow the message with its call, so later results cannot answer the earlier calls.
    open = new OpenCalls([])
  }
  return messages
}

function messageOf(
  { message, role }: Exclude<Entry, { role: 'TOOL' }>,
  calls: readonly CallWithId[],
): JsonObject {
  if (role !== 'CHATBOT') return { role: role === 'USER' ? 'user' : 'system', content: message }
  if (calls.length === 0) return { role: 'assistant', content: message }
  return { role: 'assistant', ...(message !== '' && { tool_plan: message }), tool_calls: calls }
}

/** The calls of one turn that have no result yet. The calls are indexed, because a turn may have thousands of calls. */
class OpenCalls {
  /** Each list is in reverse order, so that its last call is the first call of the turn. */
  readonly #byName = new Map<string, CallWithId[]>()
  readonly #byArguments = new Map<string, CallWithId[]>()
  readonly #answered = new Set<CallWithId>()

  constructor(calls: readonly CallWithId[]) {
    for (const call of calls.toReversed()) {
      const { arguments: given, name } = call.function
      add(this.#byName, name, call)
      add(this.#byArguments, `${name} ${given}`, call)
    }
  }

  /** Prefers a call with the same arguments to a call with only the same name. */
  take({ call: { name, parameters } }: ToolResult): CallWithId | null {
    const exact = this.#byArguments.get(`${name} ${printValue(parameters)}`)
    const found = this.#next(exact) ?? this.#next(this.#byName.get(name))
    if (found !== null) this.#answered.add(found)
    return found
  }

  #next(calls: CallWithId[] = []): CallWithId | null {
    for (;;) {
      const call = calls.pop()
      if (call === undefined) return null
      if (!this.#answered.has(call)) return call
    }
  }
}

function add(lists: Map<string, CallWithId[]>, key: string, call: CallWithId): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [call])
  else list.push(call)
}

function contentOf(outputs: readonly JsonObject[]): JsonValue {
  if (outputs.length === 0) return '[]'
  return outputs.map((data) => ({ type: 'document', document: { data } }))
}

/** Arguments that are not valid JSON are kept as a string. */
export function callsOf(calls: JsonValue): readonly ToolCall[] {
  return listOf(calls)
    .filter(isObject)
    .map(({ function: called }) => {
      const { arguments: given, name } = isObject(called) ? called : {}
      const written = textOrNull(given) ?? ''
      return {
        name: textOrNull(name) ?? '',
        parameters: written === '' ? {} : (parseObject(written) ?? written),
      }
    })
}
