import type { Directives } from './directives.ts'
import type { SimulatedRequest } from './request.ts'
import { tokensOf } from './tokens.ts'

/** What one choice says, token by token. */
export interface Choice {
  readonly pieces: readonly Piece[]
  readonly finishReason: 'stop' | 'length' | 'tool_calls'
}

/** One token. A tool's first one is its name; those after it are its arguments. */
export interface Piece {
  readonly kind: 'reasoning' | 'content' | 'tool' | 'arguments'
  readonly text: string
  /** Which of the choice's tool calls; 0 for what is no tool call. */
  readonly tool: number
}

const defaultText =
  'This is the Tollgate simulator. No model was asked and nothing was sent to a provider, so this answer ' +
  'knows nothing of your prompt; it is metered and priced like a real one. Write [[tokens=200 delay=20ms]] ' +
  'in your message to shape it, or connect a provider and use a live key.'

/**
 * The choices of an answer. The same seed gives the same answer: the request's own, else the call's.
 * @param seed decides the words that fill an ordered number of tokens
 */
export function answerTo(request: SimulatedRequest, directives: Directives, seed: string): Choice[] {
  return Array.from({ length: request.choices }, (_, index) =>
    choiceOf(request, directives, randomFrom(`${request.seed ?? seed}:${index}`)),
  )
}

function choiceOf(request: SimulatedRequest, directives: Directives, random: () => number): Choice {
  // A tool is called once: with its results in the conversation the answer is text, or an agent that
  // sends the conversation back would call it for ever.
  const tools = request.isAfterTools ? [] : directives.tools
  const pieces: Piece[] = words(directives.reasoningTokens, random).map((text) => ({
    kind: 'reasoning',
    text,
    tool: 0,
  }))
  const hasText = tools.length === 0 || directives.text !== null || directives.tokens !== null
  if (hasText) {
    const text =
      directives.text ??
      (directives.tokens === null ? defaultText : words(directives.tokens, random).join(''))
    for (const token of tokensOf(untilStop(text, request.stops)))
      pieces.push({ kind: 'content', text: token, tool: 0 })
  }
  for (const [tool, order] of tools.entries()) {
    pieces.push({ kind: 'tool', text: order.name, tool })
    for (const text of tokensOf(order.arguments)) pieces.push({ kind: 'arguments', text, tool })
  }
  const max = directives.isMaxIgnored ? null : request.outputTokensMax
  if (max !== null && pieces.length > max) return { pieces: pieces.slice(0, max), finishReason: 'length' }
  return { pieces, finishReason: tools.length > 0 ? 'tool_calls' : 'stop' }
}

function untilStop(text: string, stops: readonly string[]): string {
  const found = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return text.slice(0, Math.min(text.length, ...found))
}

/** Each with the space before it is one token of tokens.ts, also with a full stop behind it. */
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

/** Numbers in [0, 1) that the seed decides (FNV-1a into mulberry32); nothing here is secret. */
function randomFrom(seed: string): () => number {
  let state = 0x811c9dc5
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Every token that the choices hold, which is what the answer costs. */
export function outputTokensOf(choices: readonly Choice[], kind?: Piece['kind']): number {
  return choices.reduce(
    (sum, { pieces }) => sum + (kind ? pieces.filter((piece) => piece.kind === kind).length : pieces.length),
    0,
  )
}
