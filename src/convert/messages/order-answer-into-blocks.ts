import { noProviderSignature, tagOf, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { HiddenThoughts } from '#convert/hidden-thoughts.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'

export type Block =
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking'; signature: string }
  | { readonly kind: 'redacted'; readonly signature: string }
  | { readonly kind: 'tool'; readonly slot: number; readonly id: string; readonly name: string }

export type Piece =
  | { readonly kind: 'open' | 'close'; readonly block: Block }
  | { readonly kind: 'text'; readonly block: Block; readonly text: string }

interface Waiting {
  readonly block: Block
  text: string
  isEnded: boolean
}

/** Writes the first unfinished block as it arrives, and lets later blocks wait until this block ends. */
export class AnswerBlocks {
  hasCalls = false
  readonly #showsThoughts: boolean
  readonly #wire: WireName
  /** Ended blocks before `#head` are removed together, because removing the first entry copies the list. */
  readonly #waiting: Waiting[] = []
  #head = 0
  /** The tool calls among `#waiting`, by slot, because a provider may send thousands of calls at the same time. */
  readonly #calls = new Map<number, Waiting>()
  #isHeadOpen = false
  readonly #hidden = new HiddenThoughts()

  /** @param showsThoughts if false, only the signature of reasoning is written */
  constructor(showsThoughts: boolean, wire: WireName = 'messages') {
    this.#showsThoughts = showsThoughts
    this.#wire = wire
  }

  take(event: NeutralEvent): readonly Piece[] {
    switch (event.kind) {
      case 'text':
      case 'refusal':
        return this.#grow('text', event.text)
      case 'reasoning':
        if (this.#showsThoughts) return this.#grow('thinking', event.text)
        this.#hidden.add(event.text)
        return []
      case 'signature':
        return this.#signature(this.#hidden.signed(event.signature))
      case 'tool_call': {
        const { slot, id, name } = event
        this.hasCalls = true
        return this.#add({ kind: 'tool', slot, id, name })
      }
      case 'arguments': {
        const call = this.#callOf(event.slot)
        return call ? this.#write(call, event.text) : []
      }
      case 'tool_call_end': {
        const call = this.#callOf(event.slot)
        if (call) call.isEnded = true
        return this.#advance()
      }
      case 'finish':
        return this.#finish()
      default:
        return []
    }
  }

  #grow(kind: 'text' | 'thinking', text: string): readonly Piece[] {
    if (text === '') return []
    const last = this.#waiting.at(-1)
    if (last?.block.kind === kind && !last.isEnded) return this.#write(last, text)
    const block: Block = kind === 'text' ? { kind } : { kind, signature: '' }
    const pieces = this.#add(block)
    const added = this.#waiting.at(-1)
    return added ? [...pieces, ...this.#write(added, text)] : pieces
  }

  /**
   * A signature ends the thoughts before it. If no thoughts precede the signature, the signature becomes a separate
   * block, which clients send back unchanged.
   */
  #signature(signature: Signature): readonly Piece[] {
    const last = this.#waiting.at(-1)
    // A signature of another wire is written with a tag. The gateway recognizes the tag when the client sends the
    // signature back.
    const text = signature.wire === this.#wire ? signature.data : tagOf(signature)
    if (last?.block.kind === 'thinking' && !last.isEnded && signature.kind !== 'redacted') {
      last.block.signature = text
      last.isEnded = true
      return this.#advance()
    }
    const isOwn = signature.wire === this.#wire && signature.kind === 'signature'
    return this.#add(
      isOwn ? { kind: 'thinking', signature: text } : { kind: 'redacted', signature: text },
      true,
    )
  }

  /** Every new block ends a text or a thought before it. The end of a tool call is a separate event. */
  #add(block: Block, isEnded = false): readonly Piece[] {
    const last = this.#waiting.at(-1)
    if (last && last.block.kind !== 'tool') last.isEnded = true
    const added = { block, text: '', isEnded }
    this.#waiting.push(added)
    if (block.kind === 'tool') this.#calls.set(block.slot, added)
    return this.#advance()
  }

  #write(waiting: Waiting, text: string): readonly Piece[] {
    if (text === '') return []
    if (waiting === this.#waiting[this.#head]) return [{ kind: 'text', block: waiting.block, text }]
    waiting.text += text
    return []
  }

  #advance(): readonly Piece[] {
    const pieces: Piece[] = []
    for (let head = this.#waiting[this.#head]; head; head = this.#waiting[this.#head]) {
      const { block, text } = head
      if (!this.#isHeadOpen) {
        this.#isHeadOpen = true
        pieces.push({ kind: 'open', block })
        if (text !== '') pieces.push({ kind: 'text', block, text })
      }
      if (!head.isEnded) break
      if (block.kind === 'thinking' && block.signature === '') block.signature = tagOf(noProviderSignature)
      pieces.push({ kind: 'close', block })
      this.#head++
      if (block.kind === 'tool') this.#calls.delete(block.slot)
      this.#isHeadOpen = false
    }
    if (this.#head === this.#waiting.length || this.#head > endedMax) {
      this.#waiting.splice(0, this.#head)
      this.#head = 0
    }
    return pieces
  }

  /** A truncated tool call at the end remains open, as it does in streams of Anthropic. */
  #finish(): readonly Piece[] {
    for (const [i, waiting] of this.#waiting.entries())
      if (waiting.block.kind !== 'tool' || i + 1 < this.#waiting.length) waiting.isEnded = true
    return this.#advance()
  }

  #callOf(slot: number): Waiting | undefined {
    return this.#calls.get(slot)
  }
}

const endedMax = 1_000
