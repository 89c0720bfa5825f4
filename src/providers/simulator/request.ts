import { countTokens } from './tokens.ts'

/** What the simulator reads of a chat-completions request. Read loosely, as a provider does. */
export interface SimulatedRequest {
  readonly model: string
  readonly isStream: boolean
  readonly isUsageWanted: boolean
  /** Output tokens of one choice; null: as many as it likes. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly stops: readonly string[]
  readonly inputTokens: number
  /** The last text of the user, where the directives are. */
  readonly userText: string
  /** True when the results of the tools that were called come after the user's text. */
  readonly isAfterTools: boolean
  readonly seed: string | null
}

const choicesMax = 128
/** What small images cost at several providers; the simulator does not look at them. */
const imageTokens = 85

/** The request in a body; `fault` says what a provider would refuse, in a sentence. */
export function readRequest(body: Uint8Array): SimulatedRequest | { readonly fault: string } {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return { fault: 'We could not parse the JSON body of your request.' }
  }
  if (!isObject(value)) return { fault: 'The body must be a JSON object.' }
  const { model, messages, n = 1 } = value
  if (typeof model !== 'string') return { fault: 'you must provide a model parameter' }
  if (!Array.isArray(messages) || messages.length === 0) {
    return { fault: "Invalid 'messages': expected a non-empty array." }
  }
  if (!isWhole(n) || n > choicesMax)
    return { fault: `Invalid 'n': expected an integer from 1 to ${choicesMax}.` }
  const max = value['max_completion_tokens'] ?? value['max_tokens'] ?? null
  if (max !== null && !isWhole(max)) {
    return { fault: "Invalid 'max_completion_tokens': expected an integer of at least 1." }
  }
  const list: unknown[] = messages
  const lastUser = list.findLastIndex((message) => isObject(message) && message['role'] === 'user')
  const options = value['stream_options']
  const stop = value['stop']
  return {
    model,
    isStream: value['stream'] === true,
    isUsageWanted: isObject(options) && options['include_usage'] === true,
    outputTokensMax: max,
    choices: n,
    stops: (Array.isArray(stop) ? stop : [stop]).filter((text) => typeof text === 'string' && text !== ''),
    inputTokens: inputTokensOf(list, value['tools']),
    userText: contentOf(list[lastUser]).text,
    isAfterTools: list
      .slice(lastUser + 1)
      .some((message) => isObject(message) && (message['role'] === 'tool' || message['role'] === 'function')),
    seed: isWhole(value['seed']) ? String(value['seed']) : null,
  }
}

/** Three tokens frame each message and three the answer, as OpenAI's own counting example has it. */
function inputTokensOf(messages: readonly unknown[], tools: unknown): number {
  let tokens = 3
  for (const message of messages) {
    const { text, images } = contentOf(message)
    tokens += 3 + countTokens(text) + images * imageTokens
    if (isObject(message) && message['tool_calls'] !== undefined) {
      tokens += countTokens(JSON.stringify(message['tool_calls']))
    }
  }
  return tools === undefined ? tokens : tokens + countTokens(JSON.stringify(tools))
}

function contentOf(message: unknown): { text: string; images: number } {
  const content = isObject(message) ? message['content'] : null
  if (typeof content === 'string') return { text: content, images: 0 }
  if (!Array.isArray(content)) return { text: '', images: 0 }
  const parts = content.filter(isObject)
  return {
    text: parts
      .map((part) => part['text'])
      .filter((text) => typeof text === 'string')
      .join('\n'),
    images: parts.filter((part) => part['type'] === 'image_url').length,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1
}
