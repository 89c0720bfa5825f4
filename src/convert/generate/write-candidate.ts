import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { noProviderSignature, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import { isObject, listOf, objectOf, parseObject } from '#wire/text/json-values.ts'
import type { NeutralEvent, UrlCitation } from '#convert/neutral-format.ts'
import { HiddenThoughts } from '#convert/hidden-thoughts.ts'
import { finishReasons } from './finish-reasons.ts'
import { logprobsToGenerate } from './convert-logprobs.ts'
import { precedesItsText, thoughtSignatureOf } from '#wire/generate/thought-signatures.ts'

type ChoiceEvent = Extract<NeutralEvent, { readonly choice: number }>

/** On the generate wire, each chunk of a stream contains the next part of the candidate. */
export class CandidateWriter {
  readonly #choice: number
  readonly #hidesThoughts: boolean
  readonly #hidden = new HiddenThoughts()
  /** The signature waits for the next part, because a signature before a tool call belongs to the call. */
  #signature: Signature | null = null
  readonly #calls = new Map<
    number,
    { readonly id: string; readonly name: string; text: string; signature: Signature | null }
  >()
  readonly #citations: UrlCitation[] = []
  #refusal = ''
  #hasBadCall = false
  #hasCall = false
  #finishReason: string | null = null

  /** @param hidesThoughts if true, only the signature of reasoning is written */
  constructor(choice: number, hidesThoughts: boolean) {
    this.#choice = choice
    this.#hidesThoughts = hidesThoughts
  }

  get isHolding(): boolean {
    return this.#signature !== null
  }

  /** Null if the event is not written yet. */
  take(event: ChoiceEvent): JsonObject | null {
    switch (event.kind) {
      case 'text':
        return event.text === '' ? null : this.#text(event.text)
      case 'reasoning':
        // Gemini CLI sends signatures back, but not thoughts.
        this.#hidden.add(event.text)
        return event.text === '' || this.#hidesThoughts
          ? null
          : this.#candidate([{ text: event.text, thought: true }])
      case 'signature': {
        const before = this.#signed()
        this.#signature = this.#hidden.signed(event.signature)
        return before.length > 0 ? this.#of(before) : null
      }
      case 'tool_call': {
        this.#calls.set(event.slot, { id: event.id, name: event.name, text: '', signature: this.#signature })
        this.#signature = null
        return null
      }
      case 'arguments': {
        const call = this.#calls.get(event.slot)
        if (call) call.text += event.text
        return null
      }
      case 'tool_call_end':
        return this.#call(event.slot)
      case 'refusal':
        this.#refusal += event.text
        return null
      case 'citation':
        this.#citations.push(event.citation)
        return null
      case 'logprobs':
        return {
          ...this.#of([...this.#signed(), { text: '' }]),
          logprobsResult: logprobsToGenerate(event.tokens),
        }
      case 'finish':
        this.#finishReason = finishReasons[this.#refusal === '' ? event.reason : 'refusal']
        return null
      default:
        return event satisfies never
    }
  }

  /** If no signature waits, the last candidate has an empty text, as in responses of Google. */
  last(): JsonObject {
    const parts = this.#signed()
    return {
      ...this.#of(parts.length > 0 ? parts : [{ text: '' }]),
      ...(this.#finishReason !== null && {
        finishReason: this.#hasBadCall ? finishReasons.bad_tool_call : this.#finishReason,
      }),
      ...(this.#refusal !== '' && { finishMessage: this.#refusal }),
      ...(this.#citations.length > 0 && {
        citationMetadata: { citationSources: this.#citations.map(sourceOf) },
      }),
    }
  }

  /** The generate wire cannot express arguments that are not an object (docs/reference/conversions.md "Tools"). */
  #call(slot: number): JsonObject | null {
    const call = this.#calls.get(slot)
    this.#calls.delete(slot)
    if (!call) return null
    const args = parseObject(call.text.trim() === '' ? '{}' : call.text)
    if (args === null) {
      this.#hasBadCall = true
      return null
    }
    const functionCall = { id: call.id, name: call.name, args }
    // Gemini 3 rejects a history in which the first call has no signature. If the client sends the history to Gemini,
    // a placeholder replaces the mark (wire/generate/remove-foreign-signatures.ts).
    const signature = call.signature ?? (this.#hasCall ? null : noProviderSignature)
    this.#hasCall = true
    return this.#candidate([
      { functionCall, ...(signature && { thoughtSignature: thoughtSignatureOf(signature) }) },
    ])
  }

  /** The text carries the signature before it, because clients such as opencode drop an empty part. */
  #text(text: string): JsonObject {
    const signature = this.#signature
    if (!signature || !precedesItsText(signature)) return this.#candidate([{ text }])
    this.#signature = null
    return this.#of([{ text, thoughtSignature: thoughtSignatureOf(signature) }])
  }

  #candidate(parts: readonly JsonObject[]): JsonObject {
    return this.#of([...this.#signed(), ...parts])
  }

  /** A candidate always has a part, because Google's client drops the whole turn if one chunk has no part. */
  #of(parts: readonly JsonObject[]): JsonObject {
    return { content: { parts, role: 'model' }, index: this.#choice }
  }

  /** If no other part can carry the signature, an empty text part does, as in Google's answers at the end of a text. */
  #signed(): JsonObject[] {
    const signature = this.#signature
    this.#signature = null
    return signature ? [{ text: '', thoughtSignature: thoughtSignatureOf(signature) }] : []
  }
}

function sourceOf({ url, title }: UrlCitation): JsonObject {
  return { uri: url, ...(title !== null && { title }) }
}

export function partsOf(content: JsonValue): readonly JsonObject[] {
  return listOf(objectOf(content).parts).filter((part) => isObject(part))
}

/** The signature of a text that is not empty belongs before the text (`precedesItsText`). */
export function joinedParts(parts: readonly JsonObject[]): readonly JsonObject[] {
  const all: JsonObject[] = []
  for (const part of parts) {
    const last = all.at(-1)
    const isText = last && (isPlainText(last) || (typeof last.text === 'string' && last.text !== ''))
    const isSame = isText && isPlainText(part) && last.thought === part.thought
    if (isSame) all[all.length - 1] = { ...last, text: `${String(last.text)}${String(part.text)}` }
    else all.push(part)
  }
  return all
}

function isPlainText(part: JsonObject): boolean {
  return typeof part.text === 'string' && part.thoughtSignature === undefined
}
