import { countsOf, tokensFromThirds } from './bound-tokens-of-any-text.ts'
import { countsBeside, emptyString, withoutMedia } from './text-of-body-without-media.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { templateTokens } from './template-tokens.ts'
import { MergedBytes } from './count-searched-parts.ts'
import { tokensOfKeywords } from './schema-keywords.ts'
import { dataBytesMin } from '#wire/text/find-base64-media-strings.ts'
import { DocumentBounds } from './document-bounds.ts'
import { SoundBounds } from './sound-bounds.ts'
import { ImageBounds } from './image-bounds.ts'
import { isMediaAddress } from './recognize-media-addresses.ts'
import { bytesOfThoughts, isSignature } from './tokens-of-thought-signatures.ts'
import { VideoBounds, type FrameRule } from './video-bounds.ts'
import {
  after,
  endOf,
  inside,
  isData,
  kindOf,
  kinds,
  member,
  startOf,
  stringAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import type { FileUse } from '#wire/file-use-types.ts'
import type { FetchedMedium, SoundTokens, VideoTokens } from '#wire/media-token-types.ts'
import {
  mustBe,
  refuse,
  spanOf,
  textAt,
  textBytesMax,
  textTooLarge,
  type Span,
  type WireRequest,
} from '#wire/wire-request.ts'

/**
 * Computes an upper bound for the input tokens of a request, from the request's bytes alone (docs/reference/tokens.md
 * "Upper bound of the input tokens"). The bound adds up one token per byte of text, an allowance for each turn, and the
 * maximum tokens of each image, document, sound and video. The base64 of media is excluded from the text. Common letter
 * pairs in the text of turns lower the bound (letter-pair-bound.ts). Settings, and the JSON around turns and their
 * texts, are not counted, because a model does not read them as text. The bound is valid for every wire format of a
 * provider, because the allowances cover the little text that a conversion adds. The gateway adds the text that some
 * models put before every request (tokens-that-provider-adds.ts).
 */
export class InputBound {
  #textTokens = 0
  #keywordTokens = 0
  #signatureTokens = 0
  #sounds: SoundBounds | null = null
  #framing = 0
  /** Parts of the body that are searched for words and letter pairs. */
  readonly #merged = new MergedBytes()
  readonly #media: Span[] = []
  /** The long entries of `#media`, which no conversion reads. */
  readonly #opaque: Span[] = []
  /** Decoded size of the texts that the body contains as base64. */
  #encodedBytes = 0
  #documents: DocumentBounds | null = null
  #videos: VideoBounds | null = null
  #images: ImageBounds | null = null
  #files: FileUse[] | null = null
  #fetched: FetchedMedium | null = null
  #hasImageAddress = false
  #storage: string[] | null = null
  #isLarge = false

  /** @param data node of the base64, data URL or address; -1 if the request only refers to the image */
  addImage(json: Json, data: Node, isLowDetail: boolean): void {
    this.#images ??= new ImageBounds()
    this.#images.add(data < 0 ? null : textWithin(json, data), isLowDetail)
    this.#hasImageAddress ||= data < 0 || isMediaAddress(json, data)
    this.#exclude(json, data, true)
  }

  /** @param type media type or format that the request states; null if it states none */
  addAudio(json: Json, data: Node, type: string | null): void {
    const bytes = this.#exclude(json, data, true)
    this.#sounds ??= new SoundBounds()
    this.#sounds.add(() => textWithin(json, data), bytes, type)
  }

  /** @returns false if the length of the video is not known */
  addVideo(json: Json, data: Node, type: string, frames: FrameRule): boolean {
    this.#exclude(json, data, true)
    this.#videos ??= new VideoBounds()
    return this.#videos.add(textWithin(json, data), type, frames)
  }

  /** @param mediaType null if `data` is a data URL, which contains its own type */
  addDocument(json: Json, data: Node, mediaType: string | null = null): void {
    const start = startOf(json, data)
    const isText = isTextType.test(mediaType ?? json.text.slice(start + 6, start + 14))
    if (isText) this.#encodedBytes += endOf(json, data) - start
    const bytes = this.#exclude(json, data, !isText)
    this.#documents ??= new DocumentBounds()
    this.#documents.add(() => textAt(json, data), bytes)
  }

  /** Adds the instructions and marks of citations for the PDF that the next call of `addDocument` adds. */
  addCitedDocument(): void {
    this.#documents ??= new DocumentBounds()
    this.#documents.citeNext()
  }

  /**
   * Adds a file that the provider stores. The gateway later reads the size of the file from its ID
   * (add-stored-files-to-bounds.ts).
   */
  addFile(json: Json, node: Node, use: Partial<FileUse> = {}): void {
    this.#files ??= []
    if (this.#files.length === filesMax) mustBe('file_id', `used at most ${filesMax} times in a request`)
    const id = textAt(json, node) ?? mustBe('file_id', 'the ID of a file')
    const usual = { isCited: false, isImage: false, isLowDetail: false, isUpload: false }
    this.#files.push({ id, place: spanOf(json, node), ...usual, ...use })
  }

  /**
   * Adds content that the provider fetches. The size of fetched content is not known, so a hold covers the model's
   * context window (docs/reference/tokens.md "Fetched content").
   */
  addFetched(medium: FetchedMedium): void {
    if (this.#fetched !== 'any') this.#fetched = medium
  }

  /** The gateway later checks whether the request may use this address in Cloud Storage. */
  addStorageAddress(address: string): void {
    this.#storage ??= []
    if (this.#storage.length === filesMax)
      mustBe('fileUri', `used with gs:// at most ${filesMax} times in a request`)
    this.#storage.push(address)
  }

  /** Call this function if the request may set a higher resolution for its images and pages at Google. */
  allowLargeMedia(): void {
    this.#isLarge = true
  }

  /** The allowance for the turn covers the turn's role and the JSON around its texts. */
  addTurn(json: Json, turn: Node): void {
    this.#framing += lengthOf(json, turn) - this.#tokensOfTurn(json, turn)
  }

  addReasoning(json: Json, item: Node): void {
    for (let key = inside(item), end = after(json, item); key < end; key = after(json, valueOf(key)))
      this.#framing += bytesOfThoughts(json, stringAt(json, key), valueOf(key))
  }

  /**
   * Counts the settings of an object, and the JSON around its texts, as framing. Settings change how a model answers,
   * but the model does not read them.
   */
  addSettings(json: Json, object: Node, settings: ReadonlySet<string>): void {
    this.#framing += brackets
    let others = 0
    let taken = 0
    for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key))) {
      const value = valueOf(key)
      const name = stringAt(json, key)
      if (containers.has(name)) {
        this.#framing += startOf(json, value) - startOf(json, key)
        if (kindOf(json, value) === kinds.array) this.#framing += brackets
        else if (kindOf(json, value) === kinds.string)
          this.#merged.add(startOf(json, value), endOf(json, value))
        others++
      } else if (settings.has(name) && isAscii(json, startOf(json, key), endOf(json, value))) {
        this.#framing += endOf(json, value) - startOf(json, key)
        taken++
      } else {
        if (texts.has(name)) this.#addText(json, key)
        others++
      }
    }
    // An object has one comma fewer than fields.
    this.#framing += others > 0 ? taken : Math.max(0, taken - 1)
  }

  /** Adds tokens of text that a provider adds for some names and types, such as types of tools. */
  addHidden(tokens: number): void {
    this.#textTokens += tokens
  }

  /** Returns false if `data` cannot be read as base64. */
  addEncodedText(json: Json, data: Node): boolean {
    this.#encodedBytes += data < 0 ? 0 : endOf(json, data) - startOf(json, data)
    if (this.#encodedBytes > textBytesMax) return true
    let text: ByteText
    try {
      text = atob((textAt(json, data) ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    } catch {
      return false
    }
    this.#exclude(json, data, false)
    // A byte that is not UTF-8 is decoded as a character of three bytes.
    this.#textTokens += countsOf(byteTextOf(textOf(text))).boundBytes
    return true
  }

  /** @param messages number of turns or items */
  total(
    json: Json,
    { messages, hasTools, hasSchema }: { messages: number; hasTools: boolean; hasSchema: boolean },
  ): InputTotal {
    const mediaBytes = this.#media.reduce((sum, { start, end }) => sum + end - start, 0)
    if (json.text.length - mediaBytes + this.#encodedBytes > textBytesMax)
      refuse('request_text_too_large', null, textTooLarge)
    const prose = withoutMedia(json.text, this.#media)
    const { boundBytes, thirds } =
      json.counts === null ? countsOf(prose) : countsBeside(json, json.counts, this.#media)
    const framingBytes = this.#framing + (json.counts === null ? emptyString.length * this.#media.length : 0)
    // All framing is ASCII, so each byte of framing counts as one token, even if normalization changes other text.
    const merged = this.#merged.count(json.text, this.#media)
    const proseTokensMax = boundBytes - framingBytes - merged
    const documents = this.#documents?.total(this.#isLarge) ?? null
    const addedTokens = this.#textTokens + (documents?.tokensMax ?? 0)
    const videoTokens = this.#videos?.frameTokens() ?? 0
    const textTokensMax =
      proseTokensMax + addedTokens + videoTokens + templateTokens.request + templateTokens.turn * messages
    const readThirds = thirds - framingBytes
    const framed = tokensFromThirds(readThirds) + frameEstimate + messageEstimate * messages
    const images = this.#images?.total(this.#isLarge) ?? null
    const imageEstimate = this.#images?.estimate() ?? 0
    const audioTokensMax = (this.#sounds?.total() ?? 0) + (this.#videos?.soundTokens() ?? 0)
    const soundEstimate = (this.#sounds?.estimate() ?? 0) + (this.#videos?.estimate() ?? 0)
    const fetchedEstimate = this.#fetched === null ? 0 : fetchedTokensUsual
    const mediaEstimate = imageEstimate + soundEstimate + fetchedEstimate + Math.ceil(addedTokens / 8)
    const ownTokensMax = textTokensMax + (images?.any ?? 0) + audioTokensMax
    return {
      textTokensMax,
      hasTools,
      hasSchema,
      turns: messages,
      keywordTokens: this.#keywordTokens,
      audioTokensMax,
      images,
      documents,
      // The estimate never exceeds the bound, and counts only content that the bound counts.
      inputEstimate: Math.min(framed + mediaEstimate, ownTokensMax + fetchedEstimate),
      mediaEstimate,
      prose: { tokensMax: proseTokensMax, text: prose },
      media: this.#opaque,
      ...(this.#signatureTokens > 0 && { signatureTokens: this.#signatureTokens }),
      ...this.#sounds?.totalsOfVendors(),
      ...this.#videos?.differences(this.#isLarge),
      ...(this.#files !== null && { files: this.#isLarge ? this.#files.map(inLarge) : this.#files }),
      ...(this.#fetched !== null && { fetched: this.#fetched }),
      ...(this.#hasImageAddress && { hasImageAddress: true }),
      ...(this.#storage !== null && { storageAddresses: this.#storage }),
    }
  }

  /** The name of the field is not counted, because the allowances for the request, tools and schema cover it. */
  #addText(json: Json, key: Node): void {
    const start = startOf(json, valueOf(key))
    const end = endOf(json, valueOf(key))
    this.#framing += start - startOf(json, key)
    this.#merged.add(start, end)
    this.#keywordTokens += tokensOfKeywords(json.text, start, end)
  }

  /** Counts one token per byte, except for known framing. */
  #tokensOfTurn(json: Json, turn: Node): number {
    let tokens = 0
    for (let key = inside(turn), end = after(json, turn); key < end; key = after(json, valueOf(key))) {
      const value = valueOf(key)
      const name = stringAt(json, key)
      if (name === 'content' || name === 'parts') tokens += this.#tokensOfContent(json, value)
      else tokens += this.#tokensOfMember(json, key)
    }
    return tokens
  }

  /** A text part counts as its text, without the JSON around it. */
  #tokensOfContent(json: Json, content: Node): number {
    if (kindOf(json, content) === kinds.string) return this.#tokensOfText(json, content)
    if (kindOf(json, content) !== kinds.array) return lengthOf(json, content)
    let tokens = 0
    for (let part = inside(content), end = after(json, content); part < end; part = after(json, part)) {
      if (kindOf(json, part) !== kinds.object) tokens += templateTokens.part + lengthOf(json, part)
      else tokens += templateTokens.part + this.#tokensOfPart(json, part)
    }
    return tokens
  }

  #tokensOfPart(json: Json, part: Node): number {
    const isText = isPlainText(json, part)
    // The loop counts a comma for every member, but the first member has none.
    let tokens = isText ? 0 : brackets - 1
    for (let key = inside(part), end = after(json, part); key < end; key = after(json, valueOf(key))) {
      if (!isText) tokens++
      if (isText && stringAt(json, key) === 'text') tokens += this.#tokensOfText(json, valueOf(key))
      else tokens += this.#tokensOfMember(json, key)
    }
    return tokens
  }

  #tokensOfMember(json: Json, key: Node): number {
    const value = valueOf(key)
    const name = stringAt(json, key)
    if (isShortName(json, name, value)) return 0
    const start = startOf(json, key)
    const end = endOf(json, value)
    const sealed = bytesOfThoughts(json, name, value)
    if (sealed === 0) this.#merged.add(start, end)
    else if (isSignature(name)) this.#signatureTokens += lengthOf(json, value) - sealed
    return end - start - sealed
  }

  #tokensOfText(json: Json, text: Node): number {
    const start = startOf(json, text) + 1
    const end = endOf(json, text) - 1
    this.#merged.add(start, end)
    return end - start
  }

  /** Excludes base64 data from the counted text, and returns the number of decoded bytes. */
  #exclude(json: Json, node: Node, isOpaque: boolean): number {
    if (node < 0 || kindOf(json, node) !== kinds.string) return 0
    const start = startOf(json, node)
    const end = endOf(json, node)
    // Long text that is not base64 does not count as media, because a model may read it as text.
    const isLong = isData(json, node)
    if (isLong || end - start < dataBytesMin) this.#media.push({ start, end })
    if (isLong && isOpaque) this.#opaque.push({ start, end })
    return Math.ceil(((end - start) * 3) / 4)
  }
}

function inLarge(use: FileUse): FileUse {
  return { ...use, isLarge: true }
}

/** Returns a text of the body without its quotes. Does not copy the text, which may have megabytes. */
function textWithin(json: Json, node: Node): string {
  if (node < 0 || kindOf(json, node) !== kinds.string) return ''
  return json.text.slice(startOf(json, node) + 1, endOf(json, node) - 1)
}

export type InputTotal = Pick<
  WireRequest,
  | 'textTokensMax'
  | 'audioTokensMax'
  | 'images'
  | 'documents'
  | keyof SoundTokens
  | keyof VideoTokens
  | 'hasTools'
  | 'hasSchema'
  | 'turns'
  | 'keywordTokens'
  | 'signatureTokens'
  | 'inputEstimate'
  | 'mediaEstimate'
  | 'prose'
  | 'media'
  | 'files'
  | 'fetched'
  | 'hasImageAddress'
  | 'storageAddresses'
>

function isPlainText(json: Json, part: Node): boolean {
  return kindOf(json, part) === kinds.object && textAt(json, member(json, part, 'text')) !== null
}

/** Whether the value is a role or a type of one short word, which the allowance for the turn covers. */
function isShortName(json: Json, name: string, value: Node): boolean {
  return (
    (name === 'role' || name === 'type') &&
    lengthOf(json, value) <= shortNameBytes &&
    isAscii(json, startOf(json, value), endOf(json, value))
  )
}

function isAscii({ text }: Json, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

function lengthOf(json: Json, node: Node): number {
  return endOf(json, node) - startOf(json, node)
}

/** Fields outside turns that contain text or JSON for the model. */
const texts: ReadonlySet<string> = new Set([
  'tools',
  'functions',
  'toolConfig',
  'response_format',
  'text',
  'instructions',
  'system',
  'output_config',
  'outputConfig',
  'responseSchema',
  'responseJsonSchema',
])

const containers: ReadonlySet<string> = new Set(['messages', 'contents', 'input', 'generationConfig'])

/** Maximum number of files in a request, because decoding the ID of a file takes a few microseconds. */
const filesMax = 100

/** The median number of tokens in recorded fetches of a page (docs/reference/tokens.md "Tools that providers run"). */
export const fetchedTokensUsual = 3_200

const brackets = 2
const shortNameBytes = 24
const frameEstimate = 3
const messageEstimate = 4
/** JSON may escape the slash of the media type. A data URL without a media type contains text. */
const isTextType = /^(?:text\\?\/|[;,])/i
