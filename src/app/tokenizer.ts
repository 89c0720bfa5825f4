import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Text beyond this limit counts as one token per byte, because counting its tokens would take too long. */
const charactersMax = 256 * 1024
/**
 * Runs (texts without a break) of at least this length are not passed to the tokenizer. Tokenizers take quadratic time
 * for a long run: 100,000 times "a" takes seconds (docs/reference/tokens.md "Tokenizers").
 */
const runMax = 512

// The names of special tokens in a prompt are ordinary text.
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/**
 * Returns the number of o200k tokens, never too low. A long run without a break, and text beyond 256 KiB, count as one
 * token per byte. Takes linear time for any text.
 */
export function countText(text: string): number {
  const head = text.slice(0, charactersMax)
  let tokens = Buffer.byteLength(text.slice(charactersMax))
  let from = 0
  // A break is a place where o200k always splits the text: between a letter and another character, or at white space.
  for (const { 0: run, index } of head.matchAll(longRun)) {
    tokens += countTokens(head.slice(from, index), asText) + Buffer.byteLength(run)
    from = index + run.length
  }
  return tokens + countTokens(head.slice(from), asText)
}

/**
 * Counts the tokens of a text or of its NFKC form, whichever is longer. Some tokenizers normalize to NFKC first, which
 * can expand one character to eighteen. The text is processed in pieces, because ICU takes quadratic time for
 * consecutive combining marks that are out of order. Characters of different pieces are not composed, which can only
 * make the text longer.
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
