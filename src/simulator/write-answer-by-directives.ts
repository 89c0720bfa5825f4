import type { Directives } from './directives-in-prompts.ts'
import { instanceOf } from './generate-value-for-schema.ts'
import type { JsonObject } from './read-values-of-any-shape.ts'
import type { SimulatedRequest } from './simulated-request-types.ts'
import { countTokens, tokensOf } from './count-simulated-tokens.ts'

/** Thoughts come first, then text, then tool calls. */
export interface Choice {
  readonly pieces: readonly Piece[]
  readonly calls: readonly ToolCall[]
  readonly isRefusal: boolean
  readonly finish: 'end' | 'stop_sequence' | 'max_output' | 'tool_calls' | 'refusal'
  readonly stopSequence: string | null
}

/** The first token of a tool call is the name of the tool, and the other tokens are its arguments. */
export interface Piece {
  readonly kind: 'reasoning' | 'content' | 'tool' | 'arguments'
  readonly text: string
  /** 0 for tokens of thoughts and text. */
  readonly tool: number
}

export interface ToolCall {
  readonly name: string
  /** JSON text exactly as the directive requests, or the input text of a custom tool. */
  readonly arguments: string
  readonly isCustom: boolean
}

const defaultText =
  'This is the Tollgate simulator. No model was asked and nothing was sent to a provider, so this answer ' +
  'knows nothing of your prompt; it is metered and priced like a real one. Write [[tokens=200 delay=20ms]] ' +
  'in your message to shape it, or connect a provider and use a live key.'

/**
 * The same seed gives the same answer.
 * @param seed determines the words that fill a requested number of tokens. A seed in the request takes precedence
 */
export function answerTo(request: SimulatedRequest, directives: Directives, seed: string): Choice[] {
  const calls = callsOf(request, directives)
  return Array.from({ length: request.choices }, (_, index) =>
    choiceOf(request, directives, calls, randomFrom(`${request.seed ?? seed}:${index}`)),
  )
}

/** The number of tokens of an answer without a maximum, before the answer is created. */
export function tokensOrdered(request: SimulatedRequest, directives: Directives): number {
  const text = directives.refusal ?? directives.text
  const textTokens = text === null ? (directives.tokens ?? 0) : countTokens(text)
  const calls = directives.tools.reduce((sum, tool) => sum + 1 + countTokens(tool.arguments), 0)
  return request.choices * (directives.reasoningTokens + textTokens + calls)
}

/**
 * Returns the tools that the model calls: the tools that the directives name, or else the tool that the request
 * requires.
 *
 * A tool is called only once: if the conversation already contains the tool's result, the answer is text. Otherwise, an
 * agent that returns tool results would call the tool forever.
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
  // An answer that a stop sequence ends contains no tool calls.
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
  // Any value satisfies an empty schema, but clients that request any JSON expect an object.
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

export interface Block {
  readonly kind: 'reasoning' | 'content' | 'tool'
  /** For a tool call, the arguments as JSON. */
  readonly text: string
  readonly tool: number
}

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

export function startsBlock(piece: Piece, before: Piece | undefined): boolean {
  if (piece.kind === 'tool' || before === undefined) return true
  return piece.kind !== 'arguments' && piece.kind !== before.kind
}

/**
 * Each word counts as one token in count-simulated-tokens.ts, together with the space before it and a full stop after
 * it.
 */
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

/**
 * Returns a generator of pseudorandom numbers from 0 (inclusive) to 1 (exclusive), which depend on the seed (FNV-1a and
 * mulberry32). Do not use these numbers for secrets.
 */
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

export function outputTokensOf(choices: readonly Choice[], kind?: Piece['kind']): number {
  return choices.reduce(
    (sum, { pieces }) => sum + (kind ? pieces.filter((piece) => piece.kind === kind).length : pieces.length),
    0,
  )
}
