import type { Usage } from '#money/usage-counts.ts'
import { spanOf, textAt, type UsageWish } from '#wire/wire-request.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import {
  after,
  inside,
  kindOf,
  kinds,
  member,
  numberAt,
  nameAt,
  startOf,
  valueAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { providerErrorOf, type ProviderError } from '#wire/read-provider-error.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { brokenFrame } from '#wire/stream/frame-reader-interface.ts'
import type { BrokenFrame, FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader-interface.ts'
import { holeAt } from '#wire/stream/recognize-repeated-frame-shapes.ts'
import { besideFree, isFraming, thirdsOfUnknown, thirdsOfWord } from '#wire/stream/count-tokens-by-bytes.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import { chatSpendFrames, choiceWithoutOutput, type ChatHead, type ChunkForm } from './write-chunks.ts'
import { chatErrorFrames } from './errors.ts'
import { ExecutedSearches } from './groq-executed-tools.ts'
import { withSearches } from './usage.ts'
import {
  answerMembers,
  editsOf,
  executedTools,
  usageIn,
  type AnswerMembers,
} from './non-streaming-response.ts'

export interface ChatVariant {
  readonly texts: ReadonlySet<string>
  readonly form: ChunkForm
}

/**
 * The client gets the alias as the model name. Members that name the provider or its price are removed, and usage that
 * only the gateway requested. A stream ends with the usage chunk and `[DONE]`.
 */
export class ChatFrameReader implements FrameReader {
  usage: Usage | null = null
  hasReportedUsage = false
  answeredBy: string | null = null

  readonly #alias: string
  readonly #aliasJson: ByteText
  readonly #wantsUsage: UsageWish
  readonly #hidesNullUsage: boolean
  readonly #texts: ReadonlySet<string>
  readonly #form: ChunkForm | undefined
  readonly #searches = new ExecutedSearches()
  #head: ChatHead | null = null
  #hasFinish = false

  /**
   * @param wantsUsage whether the client gets the usage chunk
   * @param wantsReport whether the client gets a charge report; `"usage": null` is then removed, because some clients
   * reject the null, as Mistral's clients do
   */
  constructor(alias: string, wantsUsage: UsageWish, variant?: ChatVariant, wantsReport = false) {
    this.#texts = variant?.texts ?? chatTexts
    this.#form = variant?.form
    this.#alias = alias
    this.#aliasJson = byteTextOf(JSON.stringify(alias))
    this.#wantsUsage = wantsUsage
    this.#hidesNullUsage = wantsUsage !== true || wantsReport
  }

  get toolUses(): number {
    return this.#searches.count
  }

  read(json: Json, mayLearn: boolean): Frame | FailedFrame | BrokenFrame {
    if (kindOf(json, 0) !== kinds.object) return brokenFrame
    this.#head ??= headOf(json, this.#alias)
    const members = answerMembers(json, this.#hidesNullUsage)
    // Azure's first chunk has no model name.
    this.answeredBy = textAt(json, members.model) || this.answeredBy
    const choices = itemsOf(json, members.choices)
    const hasChoices = choices.length > 0
    const hasFinish = choices.some((choice) => hasFinishReason(json, choice))
    const reported = usageIn(json, members)
    if (reported.hasReportedUsage) {
      this.hasReportedUsage = true
      // Some servers repeat a cumulative usage in several chunks. The last report counts, and reports are never added
      // up (docs/reference/wires.md "Usage on the chat wire").
      this.usage = reported.usage
    }
    if (json.text.includes(executedTools)) {
      for (const [at, choice] of choices.entries()) {
        const delta = member(json, choice, 'delta')
        const tools = delta < 0 ? -1 : member(json, delta, 'executed_tools')
        if (tools >= 0) this.#searches.read(at, valueAt(json, tools))
      }
    }
    this.usage = withSearches(this.usage, this.toolUses)
    // If an error has a usage, the gateway charges this usage.
    const failure = failureIn(json, members, hasChoices, hasFinish)
    if (failure) return { place: 'failed', failure }
    if (hasFinish) this.#hasFinish = true
    const hasUsage = members.usage >= 0 && kindOf(json, members.usage) === kinds.object
    const said: Said = { texts: [], known: 0, beside: 0 }
    readTexts(json, 0, false, this.#texts, said)
    const thirds = thirdsOfChunk(json, said, hasChoices || hasUsage)
    const isUsageChunk = hasUsage && !hasChoices && thirds === 0
    return {
      place: isUsageChunk
        ? this.#wantsUsage
          ? 'end'
          : 'nowhere'
        : thirds > 0 || hasFinish
          ? 'answer'
          : 'beside',
      isShown: thirds > 0,
      thirds,
      edits: [
        ...editsOf(json, members, this.#aliasJson),
        ...(isUsageChunk && this.#wantsUsage === 'withChoice' ? withChoice(json, members.choices) : []),
      ],
      ...(mayLearn &&
        !hasFinish &&
        !reported.hasReportedUsage && {
          holes: [
            ...said.texts.map((text) => holeAt(json, text, 'text')),
            holeAt(json, members.obfuscation, 'opaque'),
          ],
        }),
    }
  }

  /**
   * Adds the end marker, for which clients wait, if a server closes the stream after the finish reason without a
   * marker.
   */
  ending(isMarked: boolean): ByteText | null {
    return isMarked || this.#hasFinish ? 'data: [DONE]\n\n' : null
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    const head = this.#head ?? { id: 'chatcmpl-tollgate', created: 0, model: this.#alias }
    return chatSpendFrames(head, usage, error, requestId, this.#form)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return chatErrorFrames(error, requestId)
  }
}

function withChoice(json: Json, choices: Node): readonly Edit[] {
  const written = byteTextOf(JSON.stringify([choiceWithoutOutput]))
  if (choices >= 0) return [{ ...spanOf(json, choices), text: written }]
  const start = startOf(json, 0) + 1
  return [{ start, end: start, text: `"choices":${written},` }]
}

function headOf(json: Json, model: string): ChatHead {
  const created = member(json, 0, 'created')
  return {
    id: textAt(json, member(json, 0, 'id')) || 'chatcmpl-tollgate',
    created: created >= 0 && kindOf(json, created) === kinds.number ? numberAt(json, created) : 0,
    model,
  }
}

/** Some servers send an empty finish reason in every chunk before the last. */
function hasFinishReason(json: Json, choice: Node): boolean {
  return (textAt(json, member(json, choice, 'finish_reason')) ?? '') !== ''
}

/** An error may be at the top level, in place of the chunk (vLLM), or in a choice that the error ends. */
function failureIn(
  json: Json,
  { error, object }: AnswerMembers,
  hasChoices: boolean,
  hasFinish: boolean,
): ProviderError | null {
  const kind = error < 0 ? kinds.null : kindOf(json, error)
  const mayFail =
    kind === kinds.object ||
    kind === kinds.array ||
    kind === kinds.string ||
    (!hasChoices && textAt(json, object) === 'error') ||
    (hasFinish && json.text.includes('"error"'))
  return mayFail ? providerErrorOf(valueAt(json, 0)) : null
}

/**
 * The texts of a chunk, and their counts in thirds of a token. `known` counts the members with model output, and
 * `beside` all other texts.
 */
interface Said {
  readonly texts: Node[]
  known: number
  beside: number
}

function readTexts(
  json: Json,
  root: Node,
  isInChoice: boolean,
  textNames: ReadonlySet<string>,
  said: Said,
): void {
  const isObject = kindOf(json, root) === kinds.object
  for (let entry = inside(root), end = after(json, root); entry < end;) {
    const name = isObject ? nameAt(json, entry) : ''
    const value = isObject ? valueOf(entry) : entry
    entry = after(json, value)
    const kind = kindOf(json, value)
    if (isInChoice && textNames.has(name)) {
      said.texts.push(value)
      said.known += thirdsOfUnknown(json, value)
    } else if (kind !== kinds.object && kind !== kinds.array) said.beside += thirdsOfWord(json, name, value)
    else if (!isFraming(name)) readTexts(json, value, isInChoice || name === 'choices', textNames, said)
    // Count the transcript of a sound, which is text, but not the sound itself.
    else if (name === 'audio') said.known += thirdsOfUnknown(json, member(json, value, 'transcript'))
  }
}

/** Members of a delta with model output. */
const chatTexts: ReadonlySet<string> = new Set([
  'content',
  'refusal',
  'reasoning',
  'reasoning_content',
  'thinking',
  'name',
  'arguments',
  'input',
])

/**
 * Content of unknown shape is counted by its bytes. Members of unknown names often repeat the known texts
 * (`reasoning_details` of OpenRouter), so they count only if they are longer. A sound or an image counts as one piece,
 * whatever its number of tokens.
 */
function thirdsOfChunk(json: Json, { known, beside }: Said, isOfWire: boolean): number {
  if (known > 0) return beside > known + besideFree ? known + beside : known
  return (isOfWire ? beside : thirdsOfUnknown(json, 0)) || (media.test(json.text) ? 1 : 0)
}

const media = /"(?:data|url|b64_json)"\s*:\s*"[^"]/
