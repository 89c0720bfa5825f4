import { boundBytes, thirdsOf, tokensFromThirds } from './count.ts'
import { endOf, kindOf, kinds, startOf } from './json.ts'
import type { Json, Node } from './json.ts'
import type { WireRequest } from './request.ts'

/**
 * The most that a provider can count for a request's input, from its bytes alone (tokens.md 1): one token
 * per byte of text, an allowance for what providers wrap around it, and a rule for each kind of media,
 * whose base64 is taken out of the text. It holds whatever wire the provider speaks: a conversion moves
 * text, and what it adds is within the allowances.
 */
export class InputBound {
  #textTokens = 0
  #audioTokens = 0
  #imageTokens = 0
  /** Of data that stands in the text. */
  #bytes = 0
  #thirds = 0

  /** @param data node of its base64 or data URL; -1 where it is only named */
  addImage(json: Json, data: Node, isLowDetail: boolean): void {
    this.#imageTokens += isLowDetail ? lowDetailImageTokens : imageTokens
    this.#exclude(json, data)
  }

  addAudio(json: Json, data: Node): void {
    this.#audioTokens += Math.ceil(this.#exclude(json, data) / audioBytesPerToken)
  }

  /** A document as data: its pages are not known before it is parsed, so they are bounded by its bytes. */
  addDocument(json: Json, data: Node): void {
    this.#textTokens += Math.ceil(this.#exclude(json, data) / pdfBytesPerPage) * pdfPageTokens
  }

  /** Text that the provider adds by itself: what stands behind a name or a type. */
  addHidden(tokens: number): void {
    this.#textTokens += tokens
  }

  /** @param messages how many turns or items frame the text */
  total(
    json: Json,
    { messages, hasTools, hasSchema }: { messages: number; hasTools: boolean; hasSchema: boolean },
  ): Pick<WireRequest, 'textTokensMax' | 'audioTokensMax' | 'imageTokensMax' | 'inputEstimate'> {
    const { text } = json
    const fixed =
      frameTokens + messageTokens * messages + (hasTools ? toolsTokens : 0) + (hasSchema ? schemaTokens : 0)
    return {
      textTokensMax: boundBytes(text) - this.#bytes + this.#textTokens + fixed,
      audioTokensMax: this.#audioTokens,
      imageTokensMax: this.#imageTokens,
      inputEstimate:
        tokensFromThirds(thirdsOf(text, 0, text.length) - this.#thirds) +
        Math.ceil(this.#imageTokens / 8) +
        this.#audioTokens +
        Math.ceil(this.#textTokens / 8),
    }
  }

  /** Takes a text that is data (base64) out of the text to be counted; gives the bytes it decodes to. */
  #exclude(json: Json, node: Node): number {
    if (node < 0 || kindOf(json, node) !== kinds.string) return 0
    const start = startOf(json, node)
    const end = endOf(json, node)
    this.#bytes += end - start
    this.#thirds += thirdsOf(json.text, start, end)
    return Math.ceil(((end - start) * 3) / 4)
  }
}

/** Allowances for what providers wrap around a request: framing per message, hidden prompts (tokens.md 1.3). */
const frameTokens = 64
const messageTokens = 8
const toolsTokens = 1024
const schemaTokens = 512
/** Per image where its size is not known; `detail: low` is one small tile at every vendor (tokens.md 4). */
const imageTokens = 16_000
const lowDetailImageTokens = 3_000
/** Compressed audio may be as thin as 1 KB a second at about 10 tokens. */
const audioBytesPerToken = 100
/** A PDF page may be 200 bytes, and costs its text and its picture. */
const pdfBytesPerPage = 200
const pdfPageTokens = 7_800
