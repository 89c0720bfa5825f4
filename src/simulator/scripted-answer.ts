import type { Directives } from './directives.ts'
import { instanceOf } from './schema-instance.ts'
import type { JsonObject } from './loose-json.ts'
import type { SimulatedRequest } from './simulated-request.ts'
import { countTokens, tokensOf } from './token-count.ts'

/** A choice, token by token: thoughts, then text, then tool calls. */
export interface Choice {
  readonly pieces: readonly Piece[]
  readonly calls: readonly ToolCall[]
  /** Whether the text is a refusal in place of an answer. */
  readonly isRefusal: boolean
  readonly finish: 'end' | 'stop_sequence' | 'max_output' | 'tool_calls' | 'refusal'
  /** The stop sequence that ended the choice. */
  readonly stopSequence: string | null
}

/** A token. The first token of a tool call is the tool's name. The following ones are its arguments. */
export interface Piece {
  readonly kind: 'reasoning' | 'content' | 'tool' | 'arguments'
  readonly text: string
  /** Index of the choice's tool call. 0 for other tokens. */
  readonly tool: number
}

export interface ToolCall {
  readonly name: string
  /** JSON as requested. For a custom tool, its text. */
  readonly arguments: string
  readonly isCustom: boolean
}

const defaultText =
  'This is the Tollgate simulator. No model was asked and nothing was sent to a provider, so this answer ' +
  'knows nothing of your prompt; it is metered and priced like a real one. Write [[tokens=200 delay=20ms]] ' +
  'in your message to shape it, or connect a provider and use a live key.'

/**
 * Returns the choices of an answer. The same seed gives the same answer. The request's own seed is used if set,
 * otherwise the call's.
 * @param seed determines the words that fill a requested number of tokens
 */
export function answerTo(request: SimulatedRequest, directives: Directives, seed: string): Choice[] {
  const calls = callsOf(request, directives)
  return Array.from({ length: request.choices }, (_, index) =>
    choiceOf(request, directives, calls, randomFrom(`${request.seed ?? seed}:${index}`)),
  )
}

/** Returns the number of tokens of an answer, before it is created and before a maximum truncates it. */
export function tokensOrdered(request: SimulatedRequest, directives: Directives): number {
  const text = directives.refusal ?? directives.text
  const textTokens = text === null ? (directives.tokens ?? 0) : countTokens(text)
  const calls = directives.tools.reduce((sum, tool) => sum + 1 + countTokens(tool.arguments), 0)
  return request.choices * (directives.reasoningTokens + textTokens + calls)
}

/**
 * Returns the tools to call: the tools in the directives, otherwise the tool that the request requires.
 *
 * A tool is called once. If its results are in the conversation, the answer is text. Otherwise an agent that sends the
 * conversation back would call the tool forever.
 */
function callsOf(
  { isAfterTools, tools, forcedTool, mayCallSeveral }: SimulatedRequest,
  directives: Directives,
): ToolCall[] {
  if (isAfterTools || directives.refusal !== null) return []
  if (directives.tools.length === 0) {
    if (forcedTool === null) return []
    const { name, isCustom, parameters } = forcedTool
    return [{ name, isCustom, arguments: isCustom ? 'text' : instanceText(parameters) }]
  }
  const calls = directives.tools.map(({ name, arguments: json }) => {
    const isCustom = tools.find((tool) => tool.name === name)?.isCustom ?? false
    const value: unknown = isCustom ? JSON.parse(json) : null
    return { name, isCustom, arguments: typeof value === 'string' ? value : json }
  })
  return mayCallSeveral ? calls : calls.slice(0, 1)
}

function choiceOf(
  request: SimulatedRequest,
  directives: Directives,
  calls: readonly ToolCall[],
  random: () => number,
): Choice {
  const reasoningTokens = request.reasoning.isOff ? 0 : directives.reasoningTokens
  const pieces: Piece[] = words(reasoningTokens, random).map((text) => ({ kind: 'reasoning', text, tool: 0 }))
  const isRefusal = directives.refusal !== null
  let stopSequence: string | null = null
  if (calls.length === 0 || directives.text !== null || directives.tokens !== null) {
    const full = directives.refusal ?? directives.text ?? textFor(request, directives, random)
    const found = firstStop(full, request.stops)
    stopSequence = found?.stop ?? null
    for (const text of tokensOf(full.slice(0, found?.at))) pieces.push({ kind: 'content', text, tool: 0 })
  }
  // A stop sequence ends the answer, including its calls.
  const made = stopSequence === null ? calls : []
  for (const [tool, call] of made.entries()) {
    pieces.push({ kind: 'tool', text: call.name, tool })
    for (const text of tokensOf(call.arguments)) pieces.push({ kind: 'arguments', text, tool })
  }
  const max = directives.isMaxIgnored ? null : request.outputTokensMax
  if (max !== null && pieces.length > max) {
    return { pieces: pieces.slice(0, max), calls: made, isRefusal, finish: 'max_output', stopSequence: null }
  }
  const ending = made.length > 0 ? 'tool_calls' : isRefusal ? 'refusal' : 'end'
  const finish = stopSequence === null ? ending : 'stop_sequence'
  return { pieces, calls: made, isRefusal, finish, stopSequence }
}

function textFor({ schema }: SimulatedRequest, { tokens }: Directives, random: () => number): string {
  if (tokens !== null) return words(tokens, random).join('')
  return schema === null ? defaultText : instanceText(schema)
}

function instanceText(schema: JsonObject): string {
  // Any value satisfies an empty schema, but callers can rely only on an object.
  return Object.keys(schema).length === 0 ? '{}' : JSON.stringify(instanceOf(schema))
}

function firstStop(text: string, stops: readonly string[]): { at: number; stop: string } | null {
  let first: { at: number; stop: string } | null = null
  for (const stop of stops) {
    const at = text.indexOf(stop)
    if (at >= 0 && (first === null || at < first.at)) first = { at, stop }
  }
  return first
}

/** Successive pieces of one kind, or of one call. */
export interface Block {
  readonly kind: 'reasoning' | 'content' | 'tool'
  /** The arguments of a tool. */
  readonly text: string
  readonly tool: number
}

/** Returns the choice as blocks. Every wire except chat builds its responses from blocks. */
export function blocksOf({ pieces }: Choice): Block[] {
  const blocks: { kind: Block['kind']; text: string; tool: number }[] = []
  for (const piece of pieces) {
    const kind = piece.kind === 'arguments' ? 'tool' : piece.kind
    const last = blocks.at(-1)
    if (piece.kind === 'tool') blocks.push({ kind, text: '', tool: piece.tool })
    else if (last?.kind === kind) last.text += piece.text
    else blocks.push({ kind, text: piece.text, tool: 0 })
  }
  return blocks
}

/** Returns whether a token is the first of its block. */
export function startsBlock(piece: Piece, before: Piece | undefined): boolean {
  if (piece.kind === 'tool' || before === undefined) return true
  return piece.kind !== 'arguments' && piece.kind !== before.kind
}

/** Each word, with the space before it, is one token of token-count.ts, even if a full stop follows. */
const vocabulary = (
  'a an and any as ask at be but buy by can cost day do each end fair far few find five for from full ' +
  'give go good half hand have here hold how if in is it just keep kind last line list long made many ' +
  'meet more most much name near need new next no not now of off old on once one only open or our out'
).split(' ')
const sentenceWords = 9

function words(count: number, random: () => number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const word = vocabulary[Math.floor(random() * vocabulary.length)] ?? 'a'
    return `${index === 0 ? '' : ' '}${word}${index % sentenceWords === sentenceWords - 1 ? '.' : ''}`
  })
}

/** Returns numbers in [0, 1) from the seed (FNV-1a into mulberry32). Not for secrets. */
export function randomFrom(seed: string): () => number {
  let state = 0x811c9dc5
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the number of tokens of all choices, which determines the cost of the answer. */
export function outputTokensOf(choices: readonly Choice[], kind?: Piece['kind']): number {
  return choices.reduce(
    (sum, { pieces }) => sum + (kind ? pieces.filter((piece) => piece.kind === kind).length : pieces.length),
    0,
  )
}
