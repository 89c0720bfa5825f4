import { columnOf, type Column, type Destination } from '#convert/capabilities/capability-type.ts'
import { mapParts } from '#convert/capabilities/find-and-map-parts.ts'
import { hashOf } from '#wire/text/hash-of-id.ts'
import { mistralIdOf } from '#wire/chat/mistral-body.ts'
import { parseObject, textOrNull } from '#wire/text/json-values.ts'
import type { NeutralEvent, NeutralRequest, ToolChoice } from './neutral-format.ts'

/**
 * Replaces tool names and call IDs that a provider's wire rejects. A replaced name gets the same replacement in every
 * turn of a conversation. The replacement depends only on the name, so no state is stored. Calls of custom tools that
 * were sent as functions become custom tool calls again.
 */
export class ToolNames {
  readonly #column: Column
  readonly #isMistral: boolean
  readonly #names = new Map<string, string>()
  readonly #custom: ReadonlySet<string>

  /**
   * @param asked the client's request
   * @param fitted the same request, adapted to the destination
   */
  constructor(asked: NeutralRequest, fitted: NeutralRequest, to: Destination) {
    this.#column = columnOf(to)
    this.#isMistral = to.wire === 'chat' && to.dialect === 'mistral'
    this.#custom = namesOfCustom(asked).difference(namesOfCustom(fitted))
  }

  apply(request: NeutralRequest): NeutralRequest {
    const { toolChoice } = request
    return {
      ...mapParts(request, (part) => {
        if (part.kind === 'tool_call') {
          const id = this.#id(part.id)
          const name = this.#name(part.name)
          return [id === part.id && name === part.name ? part : { ...part, id, name }]
        }
        if (part.kind !== 'tool_result') return [part]
        const callId = this.#id(part.callId)
        const name = part.name === null ? null : this.#name(part.name)
        return [callId === part.callId && name === part.name ? part : { ...part, callId, name }]
      }),
      tools: request.tools.map((tool) => ({ ...tool, name: this.#name(tool.name) })),
      toolChoice: toolChoice && this.#choice(toolChoice),
    }
  }

  restorer(): ToolRestorer {
    return new ToolRestorer(this.#names, this.#custom)
  }

  #choice(choice: ToolChoice): ToolChoice {
    if (choice.kind === 'one') return { kind: 'one', name: this.#name(choice.name) }
    if (choice.kind !== 'subset') return choice
    return { ...choice, names: choice.names.map((name) => this.#name(name)) }
  }

  #name(name: string): string {
    const { pattern, lengthMax } = nameRules[this.#column]
    if (pattern.test(name)) return name
    const start = name.replaceAll(/[^\w-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
    const short = `${start.slice(0, lengthMax - hashLength - 1)}_${hashOf(name).slice(0, hashLength)}`
    this.#names.set(short, name)
    return short
  }

  #id(id: string): string {
    if (this.#isMistral) return mistralIdOf(id)
    return idRules[this.#column].test(id) ? id : `call_${hashOf(id)}`
  }
}

export class ToolRestorer {
  readonly #names: ReadonlyMap<string, string>
  readonly #custom: ReadonlySet<string>
  /** The arguments of a custom tool call are JSON that contains one text, which is written when it is complete. */
  readonly #inputs = new Map<string, string>()

  constructor(names: ReadonlyMap<string, string>, custom: ReadonlySet<string>) {
    this.#names = names
    this.#custom = custom
  }

  pass(event: NeutralEvent): readonly NeutralEvent[] {
    if (event.kind === 'tool_call') {
      const name = this.#names.get(event.name) ?? event.name
      const isCustom = event.isCustom || this.#custom.has(name)
      if (isCustom && !event.isCustom) this.#inputs.set(keyOf(event), '')
      return [{ ...event, name, isCustom }]
    }
    if (this.#inputs.size === 0) return [event]
    if (event.kind === 'arguments') {
      const input = this.#inputs.get(keyOf(event))
      if (input === undefined) return [event]
      this.#inputs.set(keyOf(event), input + event.text)
      return []
    }
    if (event.kind === 'tool_call_end') {
      const input = this.#inputs.get(keyOf(event))
      if (input === undefined) return [event]
      this.#inputs.delete(keyOf(event))
      const { choice, slot } = event
      // If the model did not write JSON with the field `input`, treat the whole text as the input.
      const text = textOrNull(parseObject(input)?.input) ?? input
      return text === '' ? [event] : [{ kind: 'arguments', choice, slot, text }, event]
    }
    return [event]
  }
}

function namesOfCustom({ tools }: NeutralRequest): Set<string> {
  return new Set(tools.filter(({ custom }) => custom !== null).map(({ name }) => name))
}

function keyOf({ choice, slot }: { readonly choice: number; readonly slot: number }): string {
  return `${choice}/${slot}`
}

const hashLength = 12

/** See docs/reference/conversions.md "Tools". */
const nameRules: Readonly<Record<Column, { readonly pattern: RegExp; readonly lengthMax: number }>> = {
  chat: { pattern: /^[\w-]{1,64}$/, lengthMax: 64 },
  compatible: { pattern: /^[\w-]{1,64}$/, lengthMax: 64 },
  messages: { pattern: /^[\w-]{1,128}$/, lengthMax: 128 },
  generate: { pattern: /^[A-Za-z_][\w.:-]{0,127}$/, lengthMax: 128 },
  responses: { pattern: /^[\w-]{1,64}$/, lengthMax: 64 },
  converse: { pattern: /^[\w-]{1,64}$/, lengthMax: 64 },
  cohere: { pattern: /^[\w-]{1,64}$/, lengthMax: 64 },
}

/**
 * Patterns of the call IDs that each wire accepts. A compatible server generates IDs in its own format
 * (`functions.run:0`) and requires the same IDs in later requests.
 */
const idRules: Readonly<Record<Column, RegExp>> = {
  chat: /^[\w-]{1,40}$/,
  compatible: /^[!-~]{1,128}$/,
  messages: /^[\w-]{1,128}$/,
  generate: /^[!-~]{1,128}$/,
  responses: /^[\w-]{1,64}$/,
  converse: /^[\w.:-]{1,64}$/,
  cohere: /^[\w.:-]{1,128}$/,
}
