import type { Usage } from '#money/usage-counts.ts'
import { providerErrorOf } from '#wire/read-provider-error.ts'
import { isNull, textAt, type WireRequest } from '#wire/wire-request.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { brokenFrame } from '#wire/stream/frame-reader-interface.ts'
import type { BrokenFrame, FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader-interface.ts'
import { holeAt, type Hole } from '#wire/stream/recognize-repeated-frame-shapes.ts'
import { thirdsBeside, thirdsOfUnknown } from '#wire/stream/count-tokens-by-bytes.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  numberAt,
  startOf,
  nameAt,
  valueAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { generateErrorFrame } from './errors.ts'
import { closing, failedClosing, framed } from './frames-as-events-or-array.ts'
import { Grounding } from './uses-of-google-tools.ts'
import { countsOutput, hasCounts, usageFromGenerate, usageToGenerate } from './usage.ts'
import { editsOf, partMarks, partsOf, thirdsOfPart } from './non-streaming-response.ts'

/**
 * The client gets the alias as the model name. If the client wants a single array, the data of each frame becomes an
 * element.
 *
 * There is no end marker: a stream is complete if every candidate has a finish reason and the provider closed the
 * stream. The frame with the last finish reason and all later frames are withheld. If a candidate then continues, the
 * withheld frames are sent.
 */
export class GenerateFrameReader implements FrameReader {
  readonly endsByClosing = true
  readonly bare: NonNullable<FrameReader['bare']> | null
  answeredBy: string | null = null

  readonly #grounding: Grounding | null

  readonly #alias: string
  readonly #isJsonArray: boolean
  readonly #choices: number
  readonly #running = new Set<number>()
  readonly #finished = new Set<number>()
  #isBlocked = false
  /** Whether all known candidates have finished, or Google has blocked the prompt. */
  #isEnding = false
  #hasCounted = false
  #responseId: string | null = null
  /** JSON with the last `usageMetadata` that contained counts. Parsed only when the usage is requested. */
  #report: ByteText = ''
  #reportRead: ByteText = ''
  #reported: JsonObject = {}

  constructor({
    model,
    isJsonArray,
    choices,
    run,
  }: Pick<WireRequest, 'model' | 'isJsonArray' | 'choices' | 'run'>) {
    this.#grounding = run === undefined ? null : new Grounding()
    this.#alias = model
    this.#isJsonArray = isJsonArray
    this.#choices = choices
    this.bare = isJsonArray ? (data, isFirst) => framed(true, [data], isFirst) : null
  }

  get usage(): Usage | null {
    return this.hasReportedUsage ? this.inputUsage : null
  }

  /** The first frames report the prompt count, but no output count yet. */
  get inputUsage(): Usage | null {
    const usage = usageFromGenerate(this.#readReport())
    return (usage && this.#grounding?.withSearches(usage, this.answeredBy)) ?? usage
  }

  get toolUses(): number {
    return this.#grounding?.uses ?? 0
  }

  get hasReportedUsage(): boolean {
    const reported = this.#readReport()
    return hasCounts(reported) && (this.#isEnding || !this.#hasCounted || countsOutput(reported))
  }

  get outputReported(): number {
    return this.inputUsage?.output ?? 0
  }

  read(json: Json, mayLearn: boolean): Frame | FailedFrame | BrokenFrame {
    if (kindOf(json, 0) !== kinds.object) return brokenFrame
    const error = member(json, 0, 'error')
    if (error >= 0 && !isNull(json, error))
      return { place: 'failed', failure: providerErrorOf(valueAt(json, 0)) }
    this.#responseId ??= textAt(json, member(json, 0, 'responseId'))
    this.answeredBy = textAt(json, member(json, 0, 'modelVersion')) ?? this.answeredBy
    const candidates = itemsOf(json, member(json, 0, 'candidates'))
    const wasEnding = this.#isEnding
    this.#noteEnds(json, candidates)
    const usage = member(json, 0, 'usageMetadata')
    const report = usage < 0 ? '' : json.text.slice(startOf(json, usage), endOf(json, usage))
    // Ignore a usage that states only the traffic type.
    const isReport = report.includes('TokenCount')
    if (isReport) this.#report = `{"usageMetadata":${report}}`
    const parts = candidates.flatMap((candidate) => partsOf(json, candidate))
    this.#grounding?.add(json, candidates, parts)
    const hasOther = parts.some((part) => hasOtherMember(json, part))
    const thirds = thirdsOfFrame(json, candidates, parts) || (hasOther ? 1 : 0)
    if (thirds > 0) this.#hasCounted = true
    return {
      place: this.#isEnding ? 'end' : thirds > 0 ? 'answer' : 'beside',
      isShown: thirds > 0,
      thirds,
      edits: editsOf(json, this.#alias),
      isResumed: wasEnding && !this.#isEnding,
      ...(mayLearn &&
        this.#choices === 1 &&
        this.#finished.size === 0 && {
          holes: [
            ...parts.map((part) => holeAt(json, member(json, part, 'text'), 'text')),
            ...countsIn(json, usage),
          ],
          ...(isReport && {
            onLike: (_shape, _thirds, { text, dataStart, dataEnd }) => {
              this.#report = text.slice(dataStart, dataEnd)
            },
          }),
        }),
    }
  }

  ending(): ByteText | null {
    return this.#isEnding ? '' : null
  }

  closing(isFirst: boolean): ByteText {
    return closing(this.#isJsonArray, isFirst)
  }

  /** Writes the usage, and an error that clients throw. A finish reason would mark the answer as complete. */
  spendTail(usage: Usage, error: WireError, requestId: string, isFirst: boolean): ByteText {
    const counted = {
      usageMetadata: usageToGenerate(usage),
      modelVersion: this.#alias,
      ...(this.#responseId !== null && { responseId: this.#responseId }),
    }
    const words = [byteTextOf(JSON.stringify(counted)), generateErrorFrame(error, requestId)]
    return this.#lastWords(words, error, isFirst)
  }

  errorTail(error: WireError, requestId: string, isFirst: boolean): ByteText {
    return this.#lastWords([generateErrorFrame(error, requestId)], error, isFirst)
  }

  #lastWords(answers: readonly ByteText[], { code }: WireError, isFirst: boolean): ByteText {
    return framed(this.#isJsonArray, answers, isFirst) + failedClosing(this.#isJsonArray, code)
  }

  #noteEnds(json: Json, candidates: readonly Node[]): void {
    for (const candidate of candidates) {
      const index = member(json, candidate, 'index')
      const choice = index >= 0 && kindOf(json, index) === kinds.number ? numberAt(json, index) : 0
      if (textAt(json, member(json, candidate, 'finishReason'))) {
        this.#running.delete(choice)
        this.#finished.add(choice)
      } else if (!this.#finished.has(choice)) this.#running.add(choice)
    }
    const feedback = member(json, 0, 'promptFeedback')
    if (textAt(json, member(json, feedback, 'blockReason')) !== null) this.#isBlocked = true
    this.#isEnding = this.#isBlocked || (this.#finished.size > 0 && this.#running.size === 0)
  }

  #readReport(): JsonObject {
    if (this.#report !== this.#reportRead) {
      this.#reportRead = this.#report
      this.#reported = objectOf(parseObject(textOf(this.#report))?.usageMetadata)
    }
    return this.#reported
  }
}

/** Content of unknown shape is counted by its bytes. */
function thirdsOfFrame(json: Json, candidates: readonly Node[], parts: readonly Node[]): number {
  const written = parts.reduce((sum, part) => sum + thirdsOfPart(json, part), 0)
  const hasText = parts.some((part) => member(json, part, 'text') >= 0)
  if (written === 0 && !hasText) return thirdsOfUnknown(json, 0)
  const beside = candidates.reduce((sum, one) => sum + thirdsBeside(json, one, candidateNames), 0)
  return written + beside + thirdsBeside(json, 0, frameNames)
}

const frameNames: ReadonlySet<string> = new Set(['candidates'])
const candidateNames: ReadonlySet<string> = new Set(['content', 'finishMessage'])

function hasOtherMember(json: Json, part: Node): boolean {
  if (kindOf(json, part) !== kinds.object) return false
  for (let key = inside(part), end = after(json, part); key < end; key = after(json, valueOf(key))) {
    const name = nameAt(json, key)
    if (name !== 'text' && !partMarks.has(name)) return true
  }
  return false
}

/** Numbers in the lists are included, because all counts grow with each frame. */
function countsIn(json: Json, root: Node): readonly (Hole | null)[] {
  const kind = root < 0 ? kinds.null : kindOf(json, root)
  if (kind === kinds.number) return [holeAt(json, root, 'number')]
  if (kind !== kinds.object && kind !== kinds.array) return []
  const holes: (Hole | null)[] = []
  for (let entry = inside(root), end = after(json, root); entry < end; entry = after(json, entry))
    holes.push(...countsIn(json, entry))
  return holes
}
