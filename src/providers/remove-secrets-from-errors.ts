import type { Cleaner } from '#domain/provider-upstream-interface.ts'
import { prefixLengths } from '#wire/text/prefix-lengths.ts'

/**
 * Removes text that an end user must not see (docs/reference/threats.md "Provider data in errors and headers").
 * Removes, in this order, the credential in any form, the provider's host, the model's ID, and text like a key or an
 * address.
 *
 * Providers quote the beginning or the end of a credential, so six or more consecutive characters of it are removed.
 * The search finds pieces in upper and lower case, with JSON and URL escapes, and in base64 and hexadecimal. The search
 * takes a few microseconds per hundred characters, and runs only after a failed call.
 */
export function cleanerOf({
  credential,
  baseUrl,
}: {
  readonly credential: string | null
  readonly baseUrl: string | null
}): Cleaner {
  const pieces = credential === null ? null : piecesOf(credential)
  const address = baseUrl === null ? null : addressPattern(new URL(baseUrl).hostname)
  return (text, model, alias) => {
    let out = pieces === null || credential === null ? text : withoutPieces(text, pieces, credential)
    if (address !== null) out = out.replaceAll(address, '[address]')
    return withoutKeys(renamed(out, model, alias))
  }
}

const removed = '[removed]'

/** Minimum length of a piece to remove. Shorter pieces of a credential also occur in ordinary words. */
const pieceLength = 6
/**
 * Minimum length of a credential that is removed. Shorter credentials, such as `x` or `-` on self-hosted servers, are
 * placeholders that protect nothing.
 */
const credentialLengthMin = 4

/** If `first` lacks the first three characters at a position of a text, no piece begins there. */
interface Pieces {
  readonly length: number
  readonly set: ReadonlySet<string>
  readonly first: Uint8Array
}

function piecesOf(credential: string): readonly Pieces[] {
  if (credential.length < credentialLengthMin) return []
  const plain = credential.toLowerCase()
  const bytes = Buffer.from(credential)
  const encoded = [0, 1, 2].flatMap((shift) => {
    // The first and last characters of the base64 also encode neighboring bytes. Base64 also depends on the number of
    // bytes before the credential.
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const inner = text.slice(shift === 0 ? 0 : shift + 1).replace(/.?={1,2}$/, '')
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')].map((one) => one.toLowerCase())
  })
  return [
    piecesIn([plain], pieceLength),
    piecesIn(encoded, (pieceLength * 4) / 3),
    piecesIn([bytes.toString('hex')], pieceLength * 2),
  ].filter(({ set }) => set.size > 0)
}

function piecesIn(texts: readonly string[], wanted: number): Pieces {
  const set = new Set<string>()
  const first = new Uint8Array(tableSize)
  const length = Math.min(wanted, ...texts.map((text) => text.length))
  for (const text of texts) {
    for (let at = 0; at + length <= text.length; at++) {
      set.add(text.slice(at, at + length))
      first[slotOf(text, at)] = 1
    }
  }
  return { length, set, first }
}

const tableSize = 4096

function slotOf(text: string, at: number): number {
  return ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)) % tableSize
}

interface Reading {
  readonly text: string
  readonly starts: readonly number[]
}

function withoutPieces(text: string, all: readonly Pieces[], credential: string): string {
  if (all.length === 0) return text
  const reading = readingOf(text)
  const spans: Span[] = []
  for (const { first, length, set } of all) {
    for (let at = 0; at + length <= reading.text.length; at++) {
      if (first[slotOf(reading.text, at)] === 1 && set.has(reading.text.slice(at, at + length)))
        spans.push({ start: reading.starts[at] ?? 0, end: reading.starts[at + length] ?? text.length })
    }
  }
  spans.push(...elided(text, credential))
  return cut(text, spans)
}

/** Converts to lower case and removes JSON and URL escapes at any nesting depth. */
function readingOf(text: string): Reading {
  if (!/[\\%]/.test(text)) {
    const lower = text.toLowerCase()
    // Conversion to lower case keeps the length, except for a few Turkish and Lithuanian letters.
    if (lower.length === text.length)
      return { text: lower, starts: Array.from({ length: text.length + 1 }, (_, at) => at) }
  }
  let out = ''
  const starts: number[] = []
  for (let at = 0; at < text.length;) {
    escape.lastIndex = at
    const found = escape.exec(text)
    const { percent, unicode, plain } = found?.groups ?? {}
    const hex = percent ?? unicode
    const one = hex === undefined ? (plain ?? text.charAt(at)) : String.fromCharCode(parseInt(hex, 16))
    const lower = one.toLowerCase()
    for (let i = 0; i < lower.length; i++) starts.push(at)
    out += lower
    at += found?.[0].length ?? 1
  }
  starts.push(text.length)
  return { text: out, starts }
}

/**
 * Matches an escape with at most 31 backslashes. Each level of quoting doubles the backslashes, so 31 backslashes cover
 * five levels.
 */
const escape = /%(?:25){0,8}(?<percent>[\da-f]{2})|\\{1,31}u(?<unicode>[\da-f]{4})|\\{1,31}(?<plain>[^\\u])/iy

interface Span {
  readonly start: number
  readonly end: number
}

/** Finds an abbreviated key such as `sk-ab...yz`, even if the parts before and after the dots are short. */
function elided(text: string, credential: string): Span[] {
  const found = [...text.matchAll(/[.*•…]{2,}|…/g)]
  if (found.length === 0) return []
  // The start of the credential before each position, and the end of the credential behind it.
  const starts = prefixLengths(text, credential)
  const ends = prefixLengths(reversed(text), reversed(credential))
  return found.flatMap(({ 0: dots, index }) => {
    const end = index + dots.length
    const before = starts[index] ?? 0
    const behind = ends[text.length - end] ?? 0
    return before >= shownMin || behind >= shownMin ? [{ start: index - before, end: end + behind }] : []
  })
}

/** Minimum number of key characters on one side of the dots, so that ordinary dots in a sentence are kept. */
const shownMin = 3

/** Reverses the UTF-16 units, so that the result has the same positions. */
function reversed(text: string): string {
  let out = ''
  for (let at = text.length - 1; at >= 0; at--) out += text.charAt(at)
  return out
}

function cut(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text
  let out = ''
  let end = 0
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.start > end || end === 0) out += text.slice(end, span.start) + removed
    end = Math.max(end, span.end)
  }
  return out + text.slice(end)
}

/** Matches the host, and other host names of the same domain, which vendors use for links to documentation. */
function addressPattern(hostname: string): RegExp {
  const isName = /[a-z]/i.test(hostname) && hostname.includes('.') && !hostname.startsWith('[')
  const domain = isName ? hostname.split('.').slice(-2).join('.') : hostname
  const before = isName ? '(?:[\\w-]+\\.)*' : ''
  return new RegExp(`(?:https?://)?(?<![\\w.-])${before}${literal(domain)}(?::\\d+)?(?:/${path})?`, 'gi')
}

/** Matches the path of a URL in a sentence. A full stop at the end belongs to the sentence. */
const path = `(?:[^\\s"'<>)]*[^\\s"'<>).,;:!?])?`

/** The provider's model ID may have a date. */
function renamed(text: string, model: string, alias: string): string {
  const bare = model.replace(/^models\//, '')
  const names = [bare, ...(bare.includes('/') ? [bare.slice(bare.lastIndexOf('/') + 1)] : [])]
  const known = names
    .filter((name) => name.length > 1)
    // An ID may be an ordinary word (`chat`), so the pattern does not match within longer words.
    .map((name) => literal(name) + (/[\d-]/.test(name) ? '\\w*(?:[.:@-]\\w+)*' : '(?!\\w)(?:[:@-]\\w+)*'))
  if (known.length === 0) return text
  const pattern = new RegExp(`(?:models/)?(?<![\\w-])(?:${known.join('|')})`, 'gi')
  return text
    .split(alias)
    .map((part) => part.replaceAll(pattern, () => alias))
    .join(alias)
}

const anyAddress = new RegExp(`https?://${path}`, 'gi')

function withoutKeys(text: string): string {
  return text
    .replaceAll(anyAddress, '[address]')
    .replaceAll(/\bBearer\s+[\w.~+/=-]{6,}/gi, `Bearer ${removed}`)
    .replaceAll(/\b(?:sk|ak|pk|rk|gsk|xai|fw|hf|nvapi|pplx)[-_][\w*-]{6,}/g, removed)
    .replaceAll(/\bAIza[\w-]{6,}/g, removed)
    .replaceAll(/\b(?:org|proj|key|acct|user)[-_](?=[a-z_-]{0,64}[\dA-Z*])[\w*-]{6,}/g, removed)
    .replaceAll(/\barn:aws[\w-]*:[^\s"'<>,;)]+/g, removed)
    .replaceAll(/\b(?:AKIA|ASIA)[A-Z0-9]{6,}/g, removed)
    .replaceAll(/\bprojects\/[\w-]+/g, `projects/${removed}`)
    .replaceAll(/(?<![\w-])[\w-]+\*{3,}[\w-]*/g, removed)
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
