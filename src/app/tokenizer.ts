import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Beyond it a byte counts as a token: counting a longer text takes too long. */
const charactersMax = 256 * 1024
/**
 * Tokenizers are quadratic in what they cannot split: 100,000 times "a" takes seconds
 * (docs/reference/tokens.md "Tokenizers").
 */
const runMax = 512

// Names of special tokens in a prompt are ordinary text.
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/**
 * At least as many tokens as o200k has for the text: a long run without a break counts by its bytes, and so
 * does what is beyond 256 KiB. Linear in the length of any text.
 */
export function countText(text: string): number {
  const head = text.slice(0, charactersMax)
  let tokens = Buffer.byteLength(text.slice(charactersMax))
  let from = 0
  // A run ends where o200k always splits: between a letter and another character, and at white space.
  for (const { 0: run, index } of head.matchAll(longRun)) {
    tokens += countTokens(head.slice(from, index), asText) + Buffer.byteLength(run)
    from = index + run.length
  }
  return tokens + countTokens(head.slice(from), asText)
}

/**
 * The same of a text as long as a tokenizer may see it: some normalise to NFKC first, which can make one
 * character eighteen. In pieces, since ICU is quadratic in marks that follow one another out of order; a
 * token across two pieces is then counted twice, and never too little.
 */
export function countAtMost(text: string): number {
  let normal = ''
  for (let at = 0; at < text.length; at += pieceCharacters)
    normal += text.slice(at, at + pieceCharacters).normalize('NFKC')
  return countText(normal.length > text.length ? normal : text)
}

const pieceCharacters = 1024

const longRun = new RegExp(
  `\\p{L}{${runMax},}|\\p{N}{${runMax},}|\\s{${runMax},}|[^\\p{L}\\p{N}\\s]{${runMax},}`,
  'gu',
)
