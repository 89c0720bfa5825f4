import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfByte } from '#wire/bound/token-count.ts'
import { endOf, kindOf, kinds, member, startOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'

/**
 * What the deltas of one stream have in common. Nearly every event is one, and they differ in what the
 * model wrote, in two numbers, and in the id and the padding that change with it or not. So the next one
 * is recognised by what stands between those: a few comparisons in native code instead of a parse.
 */
export class DeltaShape {
  /** Of the event that was matched last; -1 where events have none. */
  sequenceNumber = -1
  outputIndex = -1
  readonly type: string
  /** What stands before each hole, and after the last. */
  readonly #fixed: readonly ByteText[]
  readonly #holes: readonly Hole[]

  /**
   * @param json of the data of a delta event, as parsed
   * @param dataStart where that data starts in `text`
   * @returns null for an event that is not worth remembering
   */
  static of(
    json: Json,
    type: string,
    text: ByteText,
    { start, end, dataStart }: { start: number; end: number; dataStart: number },
  ): DeltaShape | null {
    if (end - start > shapeBytesMax) return null
    const spans = holesOf(json)
    if (!spans.some(({ hole }) => hole === 'text')) return null
    const fixed: ByteText[] = []
    let at = start
    for (const span of spans) {
      fixed.push(copied(text.slice(at, dataStart + span.start)))
      at = dataStart + span.end
    }
    fixed.push(copied(text.slice(at, end)))
    return new DeltaShape(
      type,
      fixed,
      spans.map(({ hole }) => hole),
    )
  }

  constructor(type: string, fixed: readonly ByteText[], holes: readonly Hole[]) {
    this.type = type
    this.#fixed = fixed
    this.#holes = holes
  }

  /** The text of an event of this shape, in thirds of a token; -1 when it is of another shape. */
  thirdsIn(text: ByteText, start: number, end: number): number {
    let at = start
    let thirds = 0
    for (let i = 0; i < this.#holes.length; i++) {
      const before = this.#fixed[i] ?? ''
      // Slices, since equality compares words where startsWith loops over characters.
      if (text.slice(at, at + before.length) !== before) return -1
      at += before.length
      const hole = this.#holes[i]
      if (hole === 'text') {
        let code = text.charCodeAt(at)
        while (code !== 0x22) {
          if (at >= end || code < 0x20) return -1
          if (code === 0x5c) {
            thirds += 2
            at += 2
          } else {
            thirds += thirdsOfByte(code)
            at++
          }
          code = text.charCodeAt(at)
        }
      } else if (hole === 'opaque') {
        const quote = text.indexOf('"', at)
        if (quote < 0 || text.charCodeAt(quote - 1) === 0x5c) return -1
        at = quote
      } else {
        const first = at
        let value = 0
        for (let digit = text.charCodeAt(at) - 0x30; digit >= 0 && digit <= 9;) {
          value = value * 10 + digit
          digit = text.charCodeAt(++at) - 0x30
        }
        if (at === first) return -1
        if (hole === 'sequence') this.sequenceNumber = value
        else this.outputIndex = value
      }
    }
    const last = this.#fixed[this.#holes.length] ?? ''
    return at + last.length === end && text.slice(at, end) === last ? thirds : -1
  }
}

/** What is different in each event: the text, a text that is not counted, a number. */
type Hole = 'text' | 'opaque' | 'sequence' | 'index'

interface HoleSpan {
  readonly hole: Hole
  readonly start: number
  readonly end: number
}

function holesOf(json: Json): readonly HoleSpan[] {
  const spans: HoleSpan[] = []
  const addText = (name: string, hole: Hole): void => {
    const node = member(json, 0, name)
    if (node >= 0 && kindOf(json, node) === kinds.string)
      spans.push({ hole, start: startOf(json, node) + 1, end: endOf(json, node) - 1 })
  }
  const addNumber = (name: string, hole: Hole): void => {
    const node = member(json, 0, name)
    if (isPlainCount(json, node)) spans.push({ hole, start: startOf(json, node), end: endOf(json, node) })
  }
  addText('delta', 'text')
  addText('item_id', 'opaque')
  addText('obfuscation', 'opaque')
  addNumber('sequence_number', 'sequence')
  addNumber('output_index', 'index')
  return spans.toSorted((one, other) => one.start - other.start)
}

function isPlainCount(json: Json, node: Node): boolean {
  return (
    node >= 0 &&
    kindOf(json, node) === kinds.number &&
    /^\d{1,9}$/.test(json.text.slice(startOf(json, node), endOf(json, node)))
  )
}

/** A frame around a few characters is small; a larger one is not worth remembering. */
const shapeBytesMax = 4096

/** A copy that does not keep the chunk of the network alive that it is a slice of (chat/shape.ts). */
function copied(text: ByteText): ByteText {
  return `${text} `.slice(0, -1)
}
