/**
 * Computes the hold and the cost of a call from docs/guides/hang-up.md, docs/reference/estimates.md and the price,
 * without the product's code. A test that computes amounts with the product's code cannot find errors in that code.
 *
 * The functions support only ASCII texts, which tests send if an amount must be exact.
 */

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { longWords, shortWords } from '#wire/bound/common-words.ts'

/** Rates in micros per million tokens. */
export interface Rates {
  readonly input: bigint
  readonly output: bigint
}

/** In micros, rounded up once. */
export function costMicros(
  rates: Rates,
  tokens: { readonly input: number; readonly output: number },
): bigint {
  const exact = rates.input * BigInt(tokens.input) + rates.output * BigInt(tokens.output)
  return (exact + 999_999n) / 1_000_000n
}

/** A provider counts at most one token for each byte that a model may read, plus the tokens that frame the messages. */
export function boundTokens(body: string, { messages = 1, hasTools = false } = {}): number {
  const request: unknown = JSON.parse(body)
  let framing = '{}'.length
  for (const [name, value] of fieldsOf(request)) {
    if (name === 'messages' && Array.isArray(value)) {
      framing += '"messages":[]'.length
      for (const message of value) framing += JSON.stringify(message).length - textBytesOf(message)
    } else if (settings.includes(name)) framing += `"${name}":${JSON.stringify(value)},`.length
    else if (name === 'tools') {
      const json = JSON.stringify(value)
      framing += `"${name}":`.length + json.length - mostTokens(json)
    }
  }
  return body.length - framing + 32 + 8 * messages + (hasTools ? 512 : 0)
}

const settings = [
  'model',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'n',
  'svc',
  'user',
]

function textBytesOf(message: unknown): number {
  let bytes = 0
  for (const [name, value] of fieldsOf(message)) {
    if (name === 'role') continue
    if (name === 'content' && typeof value === 'string')
      bytes += mostTokens(JSON.stringify(value).slice(1, -1))
    else bytes += mostTokens(`"${name}":${JSON.stringify(value)}`)
  }
  return bytes
}

/**
 * A common letter pair is never divided into two tokens, and a common word has few tokens.
 * src/wire/bound/letter-pair-bound.ts and common-words.ts contain the pairs, the words and the reason.
 */
function mostTokens(text: string): number {
  // The maximums by the length of the text so far, and by whether the previous token was a single letter.
  const most: [alone: number, joined: number][] = [[-Infinity, 0]]
  for (let end = 1; end <= text.length; end++) {
    const pair = text.slice(end - 2, end)
    const isEscaped = text[end] === '\\' || text[end - 3] === '\\'
    const isCommon =
      end > 1 &&
      !isEscaped &&
      commonPairs.some((pairs) => pairs[0] === pair[0] && pairs.includes(pair[1] ?? '', 1))
    const [alone, joined] = most[end - 1] ?? [0, 0]
    const two = most[end - 2] ?? [-Infinity, -Infinity]
    most.push([(isCommon ? joined : Math.max(alone, joined)) + 1, Math.max(...two) + 1])
    let start = end
    while (/[A-Za-z]/.test(text[start - 1] ?? '')) start -= 1
    if (start === end || /[0-9\\]/.test(text[start - 1] ?? '') || /[A-Za-z0-9]/.test(text[end] ?? ''))
      continue
    const pieces = piecesOf(text.slice(start, end), text[start - 1])
    const before = Math.max(...(most[Math.max(0, start - 1)] ?? [0]))
    if (before + pieces < Math.max(...(most[end] ?? []))) most[end] = [before + pieces, before + pieces]
  }
  return Math.max(...(most.at(-1) ?? [0]))
}

/** Infinity for words that are not common. */
function piecesOf(word: string, before: string | undefined): number {
  const isShort = shortWords.includes(word.toLowerCase())
  if ((!isShort && !longWords.includes(word.toLowerCase())) || word.slice(1) !== word.slice(1).toLowerCase())
    return Infinity
  const usual = isShort || (before === ' ' && word === word.toLowerCase()) ? 2 : 3
  return word === word.toLowerCase() ? usual : usual + 1
}

/**
 * Each entry starts with a letter or a space. Each other character of an entry forms a common pair with the first
 * character.
 */
const commonPairs = [
  ' abcdefghijklmnoprstuvwyz',
  'abcdghjklmnprstvwxyz',
  'ber',
  'ccehklot',
  'ddu',
  'ecdfgklmnprstwx',
  'fft',
  'geh',
  'he',
  'iabcdefgklmnoprstvxz',
  'ke',
  'ldely',
  'ms',
  'ndegt',
  'obcdfgklmnprstuvw',
  'pehlprst',
  'qu',
  'raeioy',
  'sehost',
  'tehoy',
  'ubcdeglmnprst',
  've',
  'wenw',
  'ys',
]

function fieldsOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

export function worstMicros(rates: Rates, body: string, outputTokens: number, messages = 1): bigint {
  return costMicros(rates, { input: boundTokens(body, { messages }), output: outputTokens })
}

/**
 * 1.25 times the o200k tokens of the text that a model reads, plus 3 tokens around the request and 4 around each turn.
 * The input count never exceeds the bound.
 */
export function countedInput(body: string): number {
  const { texts, turns } = readTexts(body)
  const tokens = Math.ceil(countTokens(texts.join('\n')) * 1.25) + 3 + 4 * turns
  return Math.min(tokens, boundTokens(body, { messages: turns }))
}

export function countedTurn(text: string): number {
  return Math.ceil(countTokens(text) * 1.25) + 3 + 4
}

/** The count after a crash, without a tokenizer: a third of a token for each byte that a model reads. */
export function countedInputByBytes(body: string): number {
  const { texts, turns } = readTexts(body)
  const bytes = texts.reduce((sum, text) => sum + JSON.stringify(text).length - 2, 0)
  return Math.min(Math.ceil(bytes / 3) + 3 + 4 * turns, boundTokens(body, { messages: turns }))
}

function readTexts(body: string): { texts: string[]; turns: number } {
  const texts: string[] = []
  let turns = 0
  for (const [name, value] of fieldsOf(JSON.parse(body))) {
    if (settings.includes(name)) continue
    if ((name === 'messages' || name === 'input') && Array.isArray(value)) {
      turns += value.length
      for (const turn of value)
        texts.push(...fieldsOf(turn).flatMap(([field, text]) => (field === 'content' ? [String(text)] : [])))
    } else {
      if (name === 'input') turns++
      texts.push(typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  return { texts, turns }
}

/**
 * A third of a token per byte, and another token where digits begin or end in a chunk. Each chunk with text counts at
 * least a token.
 */
export function countedOutput(pieces: readonly string[]): number {
  const texts = pieces.filter((piece) => piece !== '')
  return Math.max(Math.ceil((bytesOf(texts) + 3 * digitBorders(texts)) / 3), texts.length)
}

/**
 * The count of delivered output if the request sent a maximum to the provider. The count exceeds the maximum only if
 * the delivered text proves more tokens. Each chunk with text proves one token, unless the chunks are tiny. 15 bytes of
 * text also prove one token.
 */
export function countedOutputTold(pieces: readonly string[], toldTokensMax: number): number {
  const texts = pieces.filter((piece) => piece !== '')
  const bytes = bytesOf(texts) + 3 * digitBorders(texts)
  const sure = Math.max(Math.min(texts.length, Math.ceil(bytes / 4)), Math.floor(bytes / 15))
  return Math.min(countedOutput(pieces), Math.max(toldTokensMax, sure))
}

export function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** Returns the number of places where digits begin or end within the texts. Each such place counts as another token. */
function digitBorders(texts: readonly string[]): number {
  return texts.reduce(
    (borders, text) => borders + (text.match(/(?<=\d)(?=\D)|(?<=\D)(?=\d)/g)?.length ?? 0),
    0,
  )
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + text.length, 0)
}
