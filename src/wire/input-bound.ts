import { countsOf, tokensFromThirds } from './count.ts'
import { byteTextOf, textOf } from './byte-text.ts'
import type { ByteText } from './byte-text.ts'
import { dataBytesMin, endOf, isData, kindOf, kinds, startOf } from './json.ts'
import type { Json, Node } from './json.ts'
import { textAt, textBytesMax, textTooLarge } from './request.ts'
import type { RequestFault, Span, WireRequest } from './request.ts'
import { splice } from './splice.ts'

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
  /** Data that stands in the text. */
  readonly #media: Span[] = []
  /** Of texts that stand there as base64. */
  #encodedBytes = 0

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

  /** A text that stands there as base64. False: it is none, and there is nothing to bound. */
  addEncodedText(json: Json, data: Node): boolean {
    this.#encodedBytes += data < 0 ? 0 : endOf(json, data) - startOf(json, data)
    if (this.#encodedBytes > textBytesMax) return true
    let text: ByteText
    try {
      text = atob((textAt(json, data) ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    } catch {
      return false
    }
    this.#exclude(json, data)
    // A byte that is no UTF-8 becomes a character of three.
    this.#textTokens += countsOf(byteTextOf(textOf(text))).boundBytes
    return true
  }

  /** @param messages how many turns or items frame the text */
  total(
    json: Json,
    { messages, hasTools, hasSchema }: { messages: number; hasTools: boolean; hasSchema: boolean },
  ): InputTotal | RequestFault {
    const mediaBytes = this.#media.reduce((sum, { start, end }) => sum + end - start, 0)
    if (json.text.length - mediaBytes + this.#encodedBytes > textBytesMax) return textTooLarge()
    const prose = withoutMedia(json.text, this.#media)
    const fixed =
      frameTokens + messageTokens * messages + (hasTools ? toolsTokens : 0) + (hasSchema ? schemaTokens : 0)
    const { boundBytes: proseTokensMax, thirds } = countsOf(prose)
    return {
      textTokensMax: proseTokensMax + this.#textTokens + fixed,
      audioTokensMax: this.#audioTokens,
      imageTokensMax: this.#imageTokens,
      inputEstimate:
        tokensFromThirds(thirds) +
        Math.ceil(this.#imageTokens / 8) +
        this.#audioTokens +
        Math.ceil(this.#textTokens / 8),
      prose: { tokensMax: proseTokensMax, text: prose },
      media: this.#media,
    }
  }

  /** Takes a text that is data (base64) out of the text to be counted; gives the bytes it decodes to. */
  #exclude(json: Json, node: Node): number {
    if (node < 0 || kindOf(json, node) !== kinds.string) return 0
    const start = startOf(json, node)
    const end = endOf(json, node)
    // What is long and no base64 is no medium: it is text that somebody may read as such.
    if (end - start < dataBytesMin || isData(json, node)) this.#media.push({ start, end })
    return Math.ceil(((end - start) * 3) / 4)
  }
}

/** What a request's input comes to at most, and where the media in it are. */
export type InputTotal = Pick<
  WireRequest,
  'textTokensMax' | 'audioTokensMax' | 'imageTokensMax' | 'inputEstimate' | 'prose' | 'media'
>

/** Megabytes of base64 are looked at by nobody. */
function withoutMedia(text: ByteText, media: readonly Span[]): ByteText {
  return media.length === 0
    ? text
    : splice(
        text,
        media.map((span) => ({ ...span, text: '' })),
      )
}

/** Allowances for what providers wrap around a request: framing per message, hidden prompts (tokens.md 1.3). */
const frameTokens = 64
const messageTokens = 8
const toolsTokens = 1024
const schemaTokens = 512
/** Per image where its size is not known; `detail: low` is one small tile at every vendor (tokens.md 4). */
const imageTokens = 16_000
const lowDetailImageTokens = 3_000
/** Google counts 32 tokens a second, and speech is intelligible at 4 kbit/s; the others count fewer. */
const audioBytesPerToken = 16
/** A PDF page may be 200 bytes, and costs its text and its picture. */
const pdfBytesPerPage = 200
const pdfPageTokens = 7_800
