import {
  isData,
  kindOf,
  kinds,
  member,
  nameAt,
  sourceOf,
  stringAt,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { isGiven, textAt } from '#wire/wire-request.ts'
import { tokensOfThoughts } from './tokens-of-thought-signatures.ts'

export interface CountedText {
  readonly text: string
  /** Maximum tokens of encrypted thoughts, which are not in the text. */
  readonly thoughtTokens: number
  readonly toolCount: number
}

/**
 * The encrypted thoughts that models read: all of them, only those after the user's last text, or none
 * (docs/reference/tokens.md "Counting the input with a tokenizer").
 */
export type ReadThoughts = 'all' | 'current' | 'none'

export interface Reading {
  /** Whether the models read tools, calls and schemas in a form shorter than JSON, without the IDs of calls. */
  readonly isCompact: boolean
  readonly thoughts: ReadThoughts
}

/**
 * Collects everything in a body that a model may read, without settings and without the JSON around turns and texts.
 * Unlike the result of `promptText`, the result contains each value of a repeated key, because a provider may read any
 * value.
 * @param settings fields that no model reads, at the top level and in `generationConfig`
 */
export function countedText(json: Json, settings: ReadonlySet<string>, reading: Reading): CountedText {
  const isAll = reading.thoughts === 'current' && mayKeepThoughts(json)
  const texts = new Texts(json, isAll ? { ...reading, thoughts: 'all' } : reading)
  for (const [name, value] of members(json, 0)) {
    if (settings.has(name)) continue
    if (name === 'generationConfig' && kindOf(json, value) === kinds.object) {
      for (const [setting, other] of members(json, value))
        if (!settings.has(setting)) texts.addValue(setting, other)
    } else if (turnLists.has(name)) texts.addTurns(name, value)
    else if (name === 'system') texts.addContent(name, value)
    else texts.addValue(name, value)
    if (name === 'tools') texts.addTools(value)
    else if (name === 'toolConfig') texts.addTools(member(json, value, 'tools'))
  }
  return texts.result()
}

/**
 * Whether the request may keep the thoughts of earlier turns: with `reasoning.context` of OpenAI, or
 * `context_management` of Anthropic.
 */
function mayKeepThoughts(json: Json): boolean {
  const context = member(json, member(json, 0, 'reasoning'), 'context')
  const isUsual = !isGiven(json, context) || usualContexts.has(textAt(json, context) ?? '')
  return !isUsual || isGiven(json, member(json, 0, 'context_management'))
}

const usualContexts: ReadonlySet<string> = new Set(['auto', 'current_turn'])

const turnLists: ReadonlySet<string> = new Set(['messages', 'contents', 'input', 'systemInstruction'])

class Texts {
  readonly #json: Json
  readonly #isCompact: boolean
  readonly #thoughts: ReadThoughts
  readonly #texts: string[] = []
  #thoughtTokens = 0
  #toolCount = 0
  #isUnread = false

  constructor(json: Json, { isCompact, thoughts }: Reading) {
    this.#json = json
    this.#isCompact = isCompact
    this.#thoughts = thoughts
  }

  result(): CountedText {
    return {
      text: this.#texts.join('\n'),
      thoughtTokens: this.#thoughtTokens,
      toolCount: this.#toolCount,
    }
  }

  addTools(tools: Node): void {
    this.#toolCount += itemsOf(this.#json, tools).length
  }

  addTurns(name: string, value: Node): void {
    if (kindOf(this.#json, value) === kinds.array) {
      const turns = itemsOf(this.#json, value)
      const last = turns.findLastIndex((turn) => this.#isUsersText(turn))
      for (const [i, turn] of turns.entries()) {
        this.#isUnread = this.#thoughts === 'none' || (this.#thoughts === 'current' && i < last)
        // A compaction is encrypted like thoughts, but models read it.
        const type = this.#typeOf(turn)
        this.#isUnread &&= type !== 'compaction'
        if (!this.#isUnread || type !== 'reasoning') this.#addTurn(turn)
      }
      this.#isUnread = false
    } else if (kindOf(this.#json, value) === kinds.object) this.#addTurn(value)
    else this.addValue(name, value)
  }

  /** A text part counts as its fields, without the JSON around them. */
  addContent(name: string, content: Node): void {
    if (kindOf(this.#json, content) !== kinds.array) return this.addValue(name, content)
    for (const part of itemsOf(this.#json, content)) {
      if (this.#isUnread && this.#isThought(part)) continue
      const fields = members(this.#json, part)
      if (fields.some(([field, value]) => field === 'text' && kindOf(this.#json, value) === kinds.string))
        for (const [field, value] of fields) this.addValue(field, value)
      else this.#texts.push(this.#source(part))
    }
  }

  addValue(name: string, value: Node): void {
    if (!templated.has(name)) this.#texts.push(name)
    if (kindOf(this.#json, value) === kinds.null || this.#isLabel(name, value)) return
    if (kindOf(this.#json, value) === kinds.string) this.#texts.push(this.#textOf(name, value))
    else this.#texts.push(this.#isCompact && schemas.has(name) ? this.#schema(value) : this.#source(value))
  }

  #addTurn(turn: Node): void {
    if (kindOf(this.#json, turn) !== kinds.object) return this.addValue('content', turn)
    for (const [name, value] of members(this.#json, turn))
      if (name === 'content' || name === 'parts') this.addContent(name, value)
      else this.addValue(name, value)
  }

  /** In some formats, results of tools are also turns of the user. */
  #isUsersText(turn: Node): boolean {
    const json = this.#json
    if (kindOf(json, turn) !== kinds.object || textAt(json, member(json, turn, 'role')) !== 'user')
      return false
    const content = member(json, turn, 'content')
    const parts = [...itemsOf(json, content), ...itemsOf(json, member(json, turn, 'parts'))]
    return (
      textAt(json, content) !== null ||
      parts.some((part) => textAt(json, member(json, part, 'text')) !== null)
    )
  }

  #typeOf(item: Node): string | null {
    return textAt(this.#json, member(this.#json, item, 'type'))
  }

  #isThought(part: Node): boolean {
    return thoughtTypes.has(this.#typeOf(part) ?? '') || member(this.#json, part, 'reasoningContent') >= 0
  }

  #textOf(name: string, value: Node): string {
    const text = stringAt(this.#json, value)
    const tokens = tokensOfThoughts(name, text)
    if (tokens === null) return text
    if (!this.#isUnread) this.#thoughtTokens += tokens
    return ''
  }

  #source(value: Node): string {
    const json = this.#json
    switch (kindOf(json, value)) {
      case kinds.object: {
        const fields = members(json, value).filter(
          ([name, field]) => !this.#isCompact || !this.#isLabel(name, field),
        )
        return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${this.#field(name, field)}`).join(',')}}`
      }
      case kinds.array:
        return `[${itemsOf(json, value)
          .map((item) => this.#source(item))
          .join(',')}]`
      case kinds.string:
        return JSON.stringify(stringAt(json, value))
      default:
        return sourceOf(json, value)
    }
  }

  #field(name: string, value: Node): string {
    if (kindOf(this.#json, value) !== kinds.string) return this.#source(value)
    const text = this.#textOf(name, value)
    // The arguments of a call are a string that contains JSON.
    return this.#isCompact ? `"${text}"` : JSON.stringify(text)
  }

  #schema(value: Node): string {
    const json = this.#json
    switch (kindOf(json, value)) {
      case kinds.object:
        return members(json, value)
          .filter(([name, field]) => !this.#isKeyword(name, field))
          .map(([name, field]) => (name === 'type' ? this.#type(field) : `${name}: ${this.#type(field)}`))
          .join('\n')
      case kinds.array:
        return itemsOf(json, value)
          .map((item) => this.#schema(item))
          .join(' | ')
      default:
        return sourceOf(json, value)
    }
  }

  #type(value: Node): string {
    return kindOf(this.#json, value) === kinds.string ? stringAt(this.#json, value) : this.#schema(value)
  }

  /** Whether a field of a schema or a tool has a fixed value that the models do not read. */
  #isKeyword(name: string, value: Node): boolean {
    const kind = kindOf(this.#json, value)
    if (name === 'type') return sourceOf(this.#json, value) === '"function"'
    return (
      (name === 'additionalProperties' || name === 'strict') && (kind === kinds.true || kind === kinds.false)
    )
  }

  /** A model does not read roles, types of parts, and IDs of calls as text. */
  #isLabel(name: string, value: Node): boolean {
    const json = this.#json
    if (kindOf(json, value) !== kinds.string || isData(json, value)) return false
    if (name === 'role' || name === 'type') return word.test(sourceOf(json, value))
    return this.#isCompact && ids.has(name) && id.test(sourceOf(json, value))
  }
}

const thoughtTypes: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])
const schemas: ReadonlySet<string> = new Set([
  'tools',
  'functions',
  'toolConfig',
  'response_format',
  'text',
  'output_config',
  'outputConfig',
  'responseSchema',
  'responseJsonSchema',
])
/** Prompt templates replace the names of these fields with special tokens, which fixed allowances cover. */
const templated: ReadonlySet<string> = new Set([
  ...schemas,
  ...turnLists,
  'content',
  'parts',
  'role',
  'type',
  'id',
  'status',
  'name',
  'tool_calls',
  'tool_call_id',
  'call_id',
  'arguments',
  'output',
  'summary',
  'encrypted_content',
  'thoughtSignature',
  'tool_choice',
  'instructions',
  'system',
])
const word = /^"\w{0,22}"$/
const ids: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_call_id', 'status'])
const id = /^"[\w-]{0,64}"$/

function members(json: Json, object: Node): (readonly [string, Node])[] {
  return keysOf(json, object).map((key) => [nameAt(json, key), valueOf(key)])
}
