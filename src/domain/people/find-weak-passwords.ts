/**
 * Finds passwords that attackers try first (NIST SP 800-63B, 3.1.1.2; OWASP ASVS 5.0, 6.2.4, 6.2.11 and 6.2.12).
 *
 * Parts that are easy to guess are removed from the password, one after another. If too little remains, the password is
 * rejected, and the error states why the first part was removed.
 *
 * Only the text that remains after the removals counts. `Password2026!` is therefore as weak as `password`, and four
 * unrelated words are strong. Many leaked passwords are common words, which may also be part of a strong password. The
 * check therefore removes a leaked password only if no other text remains, apart from digits and signs at the ends.
 * Length is checked elsewhere (operations/kernel/value-and-page-schemas.ts). The check does not require particular
 * kinds of characters.
 */
import { isCommonPassword } from './common-passwords.ts'
import { commonWords } from './common-password-words.ts'

export interface OwnWords {
  readonly email: string
  readonly names: readonly string[]
}

const commonReason = 'must not be a common password.'
const differentMin = 5
/** Minimum number of letters that must remain after the removals. A digit counts as half a letter. */
const restMin = 5
/** Minimum length of a run of neighboring characters, because shorter runs occur in many words (`nop`, `def`). */
const runMin = 4
const ownWordMin = 3

const keyRows = [
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  'wxcvbn',
  '1234567890',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'zaqxswcdevfrbgtnhymju',
]

/** Returns why a password is too easy to guess, as the rest of a sentence whose subject is the password. */
export function weakness(password: string, own: OwnWords): string | null {
  const text = password.normalize('NFKC').toLowerCase()
  if (text.trim() === '') return 'must not consist of spaces.'
  if (new Set(text).size < differentMin) return `must have at least ${differentMin} different characters.`
  if (isRepetition(text)) return 'must not be the same text repeated.'
  for (const spelling of [text, withoutSubstitutes(text)]) {
    const found = guessedParts(spelling, own)
    if (found.rest < restMin && found.reason !== null) return found.reason
  }
  return null
}

function isRepetition(text: string): boolean {
  // A text is a repetition if its doubled form contains the text between the start and the middle.
  return `${text}${text}`.indexOf(text, 1) < text.length
}

const substitutes: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

function withoutSubstitutes(text: string): string {
  return text.replaceAll(/[@431!0$57]/g, (sign) => substitutes[sign] ?? sign)
}

interface Guessed {
  readonly rest: number
  readonly reason: string | null
}

function guessedParts(text: string, { email, names }: OwnWords): Guessed {
  let left = text
  let reason: string | null = null
  const remove = (pieces: readonly string[], why: string): void => {
    for (const piece of pieces) {
      if (!left.includes(piece)) continue
      // Leave a gap, so that the texts before and after the removed part do not form a new word together.
      left = left.replaceAll(piece, ' ')
      reason ??= why
    }
  }
  remove([email.toLowerCase()], 'must not be your email address.')
  remove(ownWords(email.toLowerCase().split(/[@.]/)), 'must not be made of your email address.')
  remove(ownWords(names), 'must not be made of your name or the name of the organization or product.')
  remove(runsIn(left), 'must not be a sequence of characters or adjacent keys.')
  const leaked = [text, text.replace(/^\P{L}+|\P{L}+$/gu, '')].find(isCommonPassword)
  if (leaked !== undefined) {
    // Search the whole text for the leaked password, because parts of the password may already have been removed.
    left = text.replace(leaked, ' ')
    reason ??= commonReason
  }
  remove(commonWords, commonReason)
  left = left.replaceAll(/(?:19|20)\d\d/g, ' ')
  const letters = left.match(/\p{L}/gu)?.length ?? 0
  const digits = left.match(/\p{N}/gu)?.length ?? 0
  return { rest: letters + digits / 2, reason }
}

/** Returns each name unchanged, without spaces and signs, and word by word. Longer texts come first. */
function ownWords(names: readonly string[]): string[] {
  return names
    .map((name) => name.normalize('NFKC').toLowerCase())
    .flatMap((name) => [name, name.replaceAll(/[^\p{L}\p{N}]/gu, ''), ...name.split(/[^\p{L}\p{N}]+/u)])
    .filter((word) => word.length >= ownWordMin)
    .toSorted((one, other) => other.length - one.length)
}

/**
 * Returns runs of characters that are consecutive in the alphabet, in the digits or on a keyboard, in either direction.
 */
function runsIn(text: string): string[] {
  const runs: string[] = []
  const characters = Array.from(text)
  let from = 0
  for (let at = 1; at <= characters.length; at++) {
    const run = characters.slice(from, at + 1).join('')
    if (at < characters.length && isRun(run)) continue
    if (at - from >= runMin) runs.push(characters.slice(from, at).join(''))
    from =
      at - from >= 2 && at < characters.length && isRun(characters.slice(at - 1, at + 1).join(''))
        ? at - 1
        : at
  }
  return runs.toSorted((one, other) => other.length - one.length)
}

function isRun(text: string): boolean {
  const reversed = Array.from(text).toReversed().join('')
  if (keyRows.some((row) => row.includes(text) || row.includes(reversed))) return true
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  return [1, -1, 0].some((step) => codes.every((code, i) => i === 0 || code - (codes[i - 1] ?? 0) === step))
}
