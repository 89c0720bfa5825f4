import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOf, thirdsOfSealed } from '#wire/bound/token-count.ts'
import { after, endOf, inside, kindOf, kinds, startOf, nameAt, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'

/**
 * What a frame counts that is of no shape of its wire, in thirds of a token: whatever is delivered is metered,
 * by its bytes if by nothing better. Its texts count at the rate of any text (token-count.ts: 3 bytes of ASCII a
 * token), and its numbers like texts. That leans high, since nobody knows which of them a model wrote. What
 * is known to be none of its words does not count: names, ids, times, usage, what was searched, media.
 */
export function thirdsOfUnknown(json: Json, root: Node): number {
  return kindOf(json, root) === kinds.number
    ? endOf(json, root) - startOf(json, root)
    : thirdsOfTexts(json, root, thirdsOfUnknown, thirdsOfMember)
}

/** The same of its texts alone: numbers beside what a model is known to have written are none of it. */
export function thirdsOfWords(json: Json, root: Node): number {
  return thirdsOfTexts(json, root, thirdsOfWords, thirdsOfWord)
}

/** Of what an object has under a name. */
export function thirdsOfWord(json: Json, name: string, value: Node): number {
  return thirdsOfNamed(json, name, value, thirdsOfWords)
}

/** Every text in a value of a whole answer: what the model wrote, and the little framing between. */
export function thirdsOfEveryText(json: Json, root: Node): number {
  return thirdsOfTexts(json, root, thirdsOfEveryText, (inner, _, value) => thirdsOfEveryText(inner, value))
}

/** Reasoning that is sealed and not shown. */
export function thirdsOfSeal(json: Json, seal: Node): number {
  if (seal < 0 || kindOf(json, seal) !== kinds.string) return 0
  return thirdsOfSealed(endOf(json, seal) - startOf(json, seal))
}

/**
 * What the texts in a value count, in thirds of a token.
 * @param ofItem of an entry of a list
 * @param ofMember of what an object has under a name
 */
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
 * What stands in an object of a known kind beside its known members, counted likewise; nothing where it is so
 * little that it will be a word on the frame and not of the model.
 * @param known what is counted elsewhere, or for good reason not at all
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

/** In thirds of a token. Frames have short words of their own, which no list knows all of. */
export const besideFree = 64

/** An event without data: comments and the fields of an event say nothing, any other line is counted. */
export function thirdsOutsideData(event: ByteText): number {
  let thirds = 0
  for (const line of event.split(/\r\n|\n|\r/))
    if (!isFieldOrComment(line)) thirds += thirdsOf(line, 0, line.length)
  return thirds
}

/** A name that a lost connection has cut is one as well. */
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

/** Reasoning that cannot be read. */
const seals: ReadonlySet<string> = new Set([
  'data',
  'encrypted_content',
  'signature',
  'thoughtSignature',
  'thought_signature',
])

/** Whether it is a name of what no model wrote. */
export function isFraming(name: string): boolean {
  return framing.has(name)
}

const framing: ReadonlySet<string> = new Set([
  // Who, what and when.
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
  // How it ended.
  'status',
  'done',
  'done_reason',
  'finish_reason',
  'finishReason',
  'native_finish_reason',
  'stop_reason',
  'stop_sequence',
  'error',
  // What was counted and measured.
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
  // What others say of the prompt and the answer.
  'prompt_filter_results',
  'content_filter_results',
  'content_filter_result',
  'content_filter_offsets',
  'promptFeedback',
  'safetyRatings',
  'moderation',
  'metadata',
  // Where it is from.
  'annotations',
  'citations',
  'citationMetadata',
  'groundingMetadata',
  'urlContextMetadata',
  'search_results',
  // Media, which no count of bytes tells the tokens of.
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
