/**
 * Ids: a prefix that names the kind, then 26 characters that sort by time.
 *
 * One call has **one** suffix. `req_X`, `hold_X` and `ur_X` are its request, its hold and its usage
 * record, so that no table needs a second key to find them, and the hot path draws randomness once.
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

/** Makes id suffixes. */
export type IdSource = () => string

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz' // Crockford base 32, which sorts as it counts
const timeLength = 10
const randomLength = 16
const idSuffixLength = timeLength + randomLength
/** The first characters of the random part, where a source has a tag. */
const tagLength = 3
/** Where the tag of a suffix begins and how long it is, as SQL's `substr` counts. */
export const tagPlace = { from: timeLength + 1, length: tagLength } as const

/**
 * Ids of one source sort in the order they were made, also within a millisecond: there the random part counts
 * on from the id before, so that "newest first" holds in lists.
 * @param nowMs the clock, milliseconds since 1970
 * @param fillRandom fills the array with random bytes from a CSPRNG
 * @param tag begins the random part of each id (`epochTag`); empty: nothing does
 */
export function idSource(nowMs: () => number, fillRandom: (bytes: Uint8Array) => void, tag = ''): IdSource {
  // Random bytes are drawn in blocks: one call into the CSPRNG per 256 ids instead of one per id.
  const pool = new Uint8Array(randomLength * 256)
  const random = new Uint8Array(randomLength)
  let used = pool.length
  let lastMs = -1
  let lastTime = ''
  return () => {
    const ms = nowMs()
    if (ms > lastMs) {
      lastMs = ms
      lastTime = timeText(ms)
      if (used === pool.length) {
        fillRandom(pool)
        used = 0
      }
      for (let i = 0; i < randomLength; i++) random[i] = (pool[used++] ?? 0) & 31
      for (let i = 0; i < tag.length; i++) random[i] = alphabet.indexOf(tag.charAt(i))
    } else countOn(random)
    let text = lastTime
    for (let i = 0; i < randomLength; i++) text += alphabet[random[i] ?? 0]
    return text
  }
}

/** Plus one, in base 32. A millisecond is too short to count through all 80 bits. */
function countOn(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = ((digits[i] ?? 0) + 1) & 31
    digits[i] = next
    if (next !== 0) return
  }
}

function timeText(ms: number): string {
  let text = ''
  for (let rest = ms, i = 0; i < timeLength; i++) {
    text = alphabet[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/**
 * The tag of a process: its calls are found by it among those of the other processes on a store, without a column
 * that every call would pay for. Epochs 32,768 apart share one.
 */
export function epochTag(epoch: number): string {
  let tag = ''
  for (let rest = epoch, i = 0; i < tagLength; i++) {
    tag = alphabet.charAt(rest % 32) + tag
    rest = Math.floor(rest / 32)
  }
  return tag
}

/** Sorts before every suffix made at `ms` or later and after all earlier ones: for ranges of time. */
export function suffixFloor(ms: number): string {
  return timeText(ms)
}

/** When a suffix was made, milliseconds since 1970; null: the text is no suffix. */
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

/** `('req', suffix)` -> `req_<suffix>`. */
export function idOf(prefix: IdPrefix, suffix: string): string {
  return `${prefix}_${suffix}`
}

/** The suffix of an id of that kind, or null when it is not one. */
export function suffixOf(prefix: IdPrefix, id: string): string | null {
  if (!id.startsWith(`${prefix}_`)) return null
  const suffix = id.slice(prefix.length + 1)
  return suffix.length === idSuffixLength ? suffix : null
}
