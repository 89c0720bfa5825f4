import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOf, thirdsOfSealed } from '#wire/bound/bound-tokens-of-any-text.ts'
import { after, endOf, inside, kindOf, kinds, startOf, nameAt, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'

/**
 * Counts a frame of unknown shape, in thirds of a token. All delivered content is metered, at least by its bytes. Texts
 * and numbers count at the rate of any text (bound-tokens-of-any-text.ts). The count is usually too high, because the
 * gateway cannot know which texts a model wrote. Names, IDs, times, usage, search inputs and media are not counted,
 * because no model writes them.
 */
export function thirdsOfUnknown(json: Json, root: Node): number {
  return kindOf(json, root) === kinds.number
    ? endOf(json, root) - startOf(json, root)
    : thirdsOfTexts(json, root, thirdsOfUnknown, thirdsOfMember)
}

/** Counts no numbers, because a frame with known model output has no other numbers from the model. */
export function thirdsOfWords(json: Json, root: Node): number {
  return thirdsOfTexts(json, root, thirdsOfWords, thirdsOfWord)
}

export function thirdsOfWord(json: Json, name: string, value: Node): number {
  return thirdsOfNamed(json, name, value, thirdsOfWords)
}

/** Counts the model's output, and a little framing. */
export function thirdsOfEveryText(json: Json, root: Node): number {
  return thirdsOfTexts(json, root, thirdsOfEveryText, (inner, _, value) => thirdsOfEveryText(inner, value))
}

export function thirdsOfSeal(json: Json, seal: Node): number {
  if (seal < 0 || kindOf(json, seal) !== kinds.string) return 0
  return thirdsOfSealed(endOf(json, seal) - startOf(json, seal))
}

function thirdsOfTexts(
  json: Json,
  root: Node,
  ofItem: (json: Json, item: Node) => number,
  ofMember: (json: Json, name: string, value: Node) => number,
): number {
  const kind = kindOf(json, root)
  if (kind === kinds.string) return thirdsOf(json.text, startOf(json, root) + 1, endOf(json, root) - 1)
  let thirds = 0
  const end = after(json, root)
  if (kind === kinds.object) {
    for (let key = inside(root); key < end; key = after(json, valueOf(key)))
      thirds += ofMember(json, nameAt(json, key), valueOf(key))
  } else if (kind === kinds.array) {
    for (let item = inside(root); item < end; item = after(json, item)) thirds += ofItem(json, item)
  }
  return thirds
}

/**
 * Counts the unknown members of a known object. Returns 0 for a small count, because such members are probably framing
 * and not model output.
 * @param known members that are counted elsewhere, or deliberately not counted
 */
export function thirdsBeside(json: Json, object: Node, known: ReadonlySet<string>): number {
  if (object < 0 || kindOf(json, object) !== kinds.object) return 0
  let thirds = 0
  for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key))) {
    const name = nameAt(json, key)
    if (!known.has(name)) thirds += thirdsOfMember(json, name, valueOf(key))
  }
  return thirds > besideFree ? thirds : 0
}

/** In thirds of a token. Frames contain short protocol words that `framing` does not list. */
export const besideFree = 64

/** Comments and event fields do not count as output, but any other line does. */
export function thirdsOutsideData(event: ByteText): number {
  let thirds = 0
  for (const line of event.split(/\r\n|\n|\r/))
    if (!isFieldOrComment(line)) thirds += thirdsOf(line, 0, line.length)
  return thirds
}

/** Also accepts a field name that a lost connection has cut off. */
function isFieldOrComment(line: ByteText): boolean {
  return line.startsWith(':') || fields.some((field) => line.startsWith(field) || field.startsWith(line))
}

const fields = ['data:', 'event:', 'id:', 'retry:']

function thirdsOfMember(json: Json, name: string, value: Node): number {
  return thirdsOfNamed(json, name, value, thirdsOfUnknown)
}

function thirdsOfNamed(
  json: Json,
  name: string,
  value: Node,
  ofOther: (json: Json, value: Node) => number,
): number {
  if (framing.has(name)) return 0
  if (seals.has(name) && kindOf(json, value) === kinds.string) return thirdsOfSeal(json, value)
  return ofOther(json, value)
}

/** Members with reasoning that cannot be read. */
const seals: ReadonlySet<string> = new Set([
  'data',
  'encrypted_content',
  'signature',
  'thoughtSignature',
  'thought_signature',
])

/** Whether values of such members are never model output. */
export function isFraming(name: string): boolean {
  return framing.has(name)
}

const framing: ReadonlySet<string> = new Set([
  // IDs, types, roles, positions, names of models, and times.
  'id',
  'call_id',
  'item_id',
  'request_id',
  'response_id',
  'responseId',
  'trace_id',
  'object',
  'type',
  'event',
  'role',
  'phase',
  'format',
  'index',
  'choice_index',
  'content_index',
  'output_index',
  'summary_index',
  'sequence_number',
  'model',
  'modelVersion',
  'provider',
  'version',
  'system_fingerprint',
  'service_tier',
  'created',
  'created_at',
  'createTime',
  'time',
  'timestamp',
  'ts',
  'obfuscation',
  // How the answer ended.
  'status',
  'done',
  'done_reason',
  'finish_reason',
  'finishReason',
  'native_finish_reason',
  'stop_reason',
  'stop_sequence',
  'error',
  // Counts and measurements.
  'usage',
  'usageMetadata',
  'cost',
  'x_groq',
  'timings',
  'metrics',
  'tokenCount',
  'token_count',
  'avgLogprobs',
  'logprob',
  'logprobs',
  'logprobsResult',
  'total_duration',
  'load_duration',
  'prompt_eval_count',
  'prompt_eval_duration',
  'eval_count',
  'eval_duration',
  // Moderation results, and metadata about the prompt and the answer.
  'prompt_filter_results',
  'content_filter_results',
  'content_filter_result',
  'content_filter_offsets',
  'promptFeedback',
  'safetyRatings',
  'moderation',
  'metadata',
  // Sources of the answer.
  'annotations',
  'citations',
  'citationMetadata',
  'groundingMetadata',
  'urlContextMetadata',
  'search_results',
  // The tokens of media cannot be estimated from bytes.
  'audio',
  'images',
  'image_url',
  'inlineData',
  'input_audio',
  'b64_json',
  'mimeType',
  'mime_type',
  'media_type',
])
