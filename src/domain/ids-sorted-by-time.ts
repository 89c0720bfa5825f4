/**
 * An ID consists of a prefix for its kind and 26 characters that sort by time.
 *
 * All IDs of one call have the **same** suffix. `req_X`, `hold_X` and `ur_X` are the request, the hold and the usage
 * record of one call. The server generates random bytes only once per request.
 */
export type IdPrefix =
  | 'org'
  | 'app'
  | 'eu'
  | 'key'
  | 'apk'
  | 'req'
  | 'ur'
  | 'hold'
  | 'led'
  | 'gr'
  | 'pa'
  | 'bun'
  | 'aud'
  | 'mem'
  | 'ses'
  | 'dev'
  | 'psk'
  | 'pl'
  | 'pse'
  | 'inv'
  | 'emt'
  | 'usgb'
  | 'cor'
  | 'tm'

export type IdSource = () => string

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz' // The digits of Crockford's base 32, which sort in the order of their values.
const digitCodes: readonly number[] = Array.from(alphabet, (digit) => digit.charCodeAt(0))
const timeLength = 10
const randomLength = 16
const idSuffixLength = timeLength + randomLength
/** The length of the process tag, which is at the start of the random part. */
const tagLength = 3
/** Position and length of the process tag in a suffix, counted as in SQL's `substr`. */
export const tagPlace = { from: timeLength + 1, length: tagLength } as const

/**
 * Maximum time by which an ID may be ahead of the clock. If the clock is set back further, new IDs follow the clock and
 * sort before earlier IDs. Calls are found by the time in their IDs (store/rows/read-ended-calls-by-time.ts `longMs`).
 */
const aheadMsMax = 300_000

/**
 * Returns a source of IDs, which sort in the order of creation. Within one millisecond, the random part is one higher
 * than in the previous ID. A list that is sorted by ID is therefore exactly in the order of creation, unless the clock
 * was set back by more than `aheadMsMax`.
 * @param fillRandom fills the array with random bytes from a CSPRNG
 * @param tag the beginning of the random part of each ID (`epochTag`); empty means no tag
 */
export function idSource(nowMs: () => number, fillRandom: (bytes: Uint8Array) => void, tag = ''): IdSource {
  // Get random bytes in blocks: one CSPRNG call per 256 IDs instead of one per ID.
  const pool = new Uint8Array(randomLength * 256)
  const random = new Uint8Array(randomLength)
  // The characters of the last ID that was created. The characters are changed in place, because building a text digit
  // by digit would allocate a string for each digit.
  const codes: number[] = Array.from({ length: idSuffixLength }, () => 0)
  let used = pool.length
  let lastMs = -1
  return () => {
    const ms = nowMs()
    if (ms > lastMs || ms < lastMs - aheadMsMax) {
      lastMs = ms
      writeTime(codes, ms)
      if (used === pool.length) {
        fillRandom(pool)
        used = 0
      }
      for (let i = 0; i < randomLength; i++) random[i] = (pool[used++] ?? 0) & 31
      for (let i = 0; i < tag.length; i++) random[i] = alphabet.indexOf(tag.charAt(i))
    } else countOn(random)
    for (let i = 0; i < randomLength; i++) codes[timeLength + i] = digitCodes[random[i] ?? 0] ?? 0
    return String.fromCharCode(...codes)
  }
}

/** The number has 80 bits, which never overflow within one millisecond. */
function countOn(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = ((digits[i] ?? 0) + 1) & 31
    digits[i] = next
    if (next !== 0) return
  }
}

function writeTime(codes: number[], ms: number): void {
  for (let rest = ms, i = timeLength - 1; i >= 0; i--) {
    codes[i] = digitCodes[rest % 32] ?? 0
    rest = Math.floor(rest / 32)
  }
}

/**
 * Returns the tag that the IDs of one process contain. With the tag, the calls of one process can be found without a
 * separate column in every call. Epochs that differ by 32,768 have the same tag.
 */
export function epochTag(epoch: number): string {
  let tag = ''
  for (let rest = epoch, i = 0; i < tagLength; i++) {
    tag = alphabet.charAt(rest % 32) + tag
    rest = Math.floor(rest / 32)
  }
  return tag
}

/** Returns a value that sorts before every suffix created at `ms` or later, and after all earlier suffixes. */
export function suffixFloor(ms: number): string {
  const codes: number[] = Array.from({ length: timeLength }, () => 0)
  writeTime(codes, ms)
  return String.fromCharCode(...codes)
}

/** Returns the creation time of a suffix, in milliseconds since 1970. */
export function suffixMs(suffix: string): number | null {
  if (suffix.length !== idSuffixLength) return null
  let ms = 0
  for (let i = 0; i < timeLength; i++) {
    const digit = alphabet.indexOf(suffix.charAt(i))
    if (digit < 0) return null
    ms = ms * 32 + digit
  }
  return ms
}

export function idOf(prefix: IdPrefix, suffix: string): string {
  return `${prefix}_${suffix}`
}

export function suffixOf(prefix: IdPrefix, id: string): string | null {
  if (!id.startsWith(`${prefix}_`)) return null
  const suffix = id.slice(prefix.length + 1)
  return suffix.length === idSuffixLength ? suffix : null
}
