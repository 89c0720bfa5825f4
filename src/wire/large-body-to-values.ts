import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import {
  after,
  endOf,
  inside,
  isData,
  kindOf,
  kinds,
  setMember,
  startOf,
  stringAt,
} from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { numberOf, type JsonValue } from '#wire/text/json-values.ts'
import type { BodyValues } from './large-body-values-type.ts'
import type { Span, WireRequest } from './wire-request.ts'

/** Six digits suffice to number all media of the largest body. */
const digits = 6

/** Converts a body to JavaScript values, in steps. Numbers are read as in json-values.ts. */
export class BodyReading {
  readonly #json: Json
  readonly #media: ReadonlyMap<number, number>
  readonly #mark: string
  readonly #around: { readonly container: Record<string, JsonValue> | JsonValue[]; readonly end: Node }[] = []
  #node: Node = inside(0)
  readonly #root: Record<string, JsonValue> = {}

  /**
   * @param json an object, on a tape that no other parse uses
   * @param mark letters and digits that the author of the body cannot know in advance
   */
  constructor(json: Json, media: readonly Span[], mark: string) {
    this.#json = json
    this.#media = new Map(media.map(({ start }, i) => [start, i]))
    this.#mark = mark
    this.#around.push({ container: this.#root, end: after(json, 0) })
  }

  /** Limits a step by the number of values and, roughly, by bytes of text. @returns whether the body is complete */
  step(values: number, bytes: number): boolean {
    const pauseAt = startOf(this.#json, this.#node) + bytes
    for (let left = values; left > 0; left--) {
      let around = this.#around.at(-1)
      while (around !== undefined && this.#node >= around.end) {
        this.#around.pop()
        around = this.#around.at(-1)
      }
      if (around === undefined) return true
      if (startOf(this.#json, this.#node) >= pauseAt) return false
      const { container } = around
      if (Array.isArray(container)) container.push(this.#next(this.#node))
      else {
        const key = stringAt(this.#json, this.#node)
        setMember(container, key, this.#next(after(this.#json, this.#node)))
      }
    }
    return false
  }

  get values(): BodyValues {
    return { body: this.#root, mark: this.#mark }
  }

  /** Later steps read the members of the value. */
  #next(node: Node): JsonValue {
    const json = this.#json
    const kind = kindOf(json, node)
    const end = after(json, node)
    this.#node = end
    if (kind === kinds.object || kind === kinds.array) {
      const container = kind === kinds.array ? [] : {}
      this.#node = inside(node)
      this.#around.push({ container, end })
      return container
    }
    if (kind === kinds.string) return this.#string(node)
    if (kind === kinds.number) return numberOf(json.text.slice(startOf(json, node), endOf(json, node)))
    return kind === kinds.null ? null : kind === kinds.true
  }

  #string(node: Node): string {
    const json = this.#json
    const start = startOf(json, node)
    const medium = isData(json, node) ? this.#media.get(start) : undefined
    const data = medium === undefined ? -1 : dataStart(json.text, start)
    if (data < 0) return stringAt(json, node)
    const before = json.text.slice(start + 1, data).replaceAll('\\/', '/')
    return before + this.#mark + String(medium).padStart(digits, '0')
  }
}

/** Returns -1 if the start of the base64 cannot be determined. */
function dataStart(text: ByteText, start: number): number {
  const head = text.slice(start + 1, start + 129)
  if (isBase64.test(head)) return start + 1
  const before = dataUrlHead.exec(head)?.[0]
  return before === undefined ? -1 : start + 1 + before.length
}

const isBase64 = /^(?:[A-Za-z0-9+/=_-]|\\\/)*$/
const dataUrlHead = /^data:(?:[^,"\\]|\\\/)*,/i

/**
 * Puts the media in place of their marks again.
 * @returns null if a mark is missing, because the conversion has changed it
 */
export function withMedia(printed: string, { text, media, values }: WireRequest): ByteText | null {
  const bytes = byteTextOf(printed)
  if (values === undefined) return bytes
  const [first = '', ...others] = bytes.split(values.mark)
  const found = new Set<number>()
  let out = first
  for (const other of others) {
    const index = Number(other.slice(0, digits))
    const span = media[index]
    if (span === undefined) return null
    found.add(index)
    out += text.slice(dataStart(text, span.start), span.end - 1) + other.slice(digits)
  }
  return found.size === media.length ? out : null
}
