import type { Cleaner } from '#domain/upstream.ts'

/**
 * Takes out of a provider's words what an end user must not learn (docs/reference/threats.md "Words of providers"):
 * first the account's own credential, whatever it looks like, then its host, the model's id, and last anything in the
 * form of a key, an account or an address.
 *
 * Providers show beginnings and ends of a credential, so the search is for pieces: every run of six characters that is
 * also in the credential goes. It is found behind escapes of JSON and of URLs, in any case, in base64 and in
 * hexadecimal. Costs a few microseconds per hundred characters, after a failed call.
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

/** Shorter pieces of a credential occur in every other word. */
const pieceLength = 6
/** A shorter "credential" hides nothing: servers at home get `x` or `-`. */
const credentialLengthMin = 4

/** Pieces of equal length, and a table that quickly rules out most places of a text. */
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
    // The bytes before it in the encoded text shift its bits, and its edges mix with others'.
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const inner = text.slice(shift === 0 ? 0 : shift + 1).replace(/.?={1,2}$/, '')
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')].map((one) => one.toLowerCase())
  })
  return [
    piecesIn([plain], pieceLength),
    // The length of six of its characters in base64.
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

/** A text with its escapes undone, and the origin of each of its characters. */
interface Reading {
  readonly text: string
  /** Start of each character in the original, and the end of the last. */
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

/** Lower case, with the escapes of JSON and of URLs undone, however often they were nested. */
function readingOf(text: string): Reading {
  if (!/[\\%]/.test(text)) {
    const lower = text.toLowerCase()
    // Lower case keeps the length except for a few letters of Turkish and Lithuanian.
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

/** Each time a text is quoted anew its backslashes double, so few of them allow many quotings. */
const escape = /%(?:25){0,8}(?<percent>[\da-f]{2})|\\{1,31}u(?<unicode>[\da-f]{4})|\\{1,31}(?<plain>[^\\u])/iy

interface Span {
  readonly start: number
  readonly end: number
}

/** `sk-ab...yz`: the beginning and end of a key as providers show them, though each is short. */
function elided(text: string, credential: string): Span[] {
  const spans: Span[] = []
  for (const match of text.matchAll(/[.*•…]{2,}|…/g)) {
    const end = match.index + match[0].length
    const before = sharedEnd(text, match.index, credential)
    const behind = sharedStart(text, end, credential)
    if (before >= shownMin || behind >= shownMin)
      spans.push({ start: match.index - before, end: end + behind })
  }
  return spans
}

/** Characters shown on one side of the dots at least, so that dots in a sentence stay. */
const shownMin = 3

/** Length of the credential's beginning that ends in the text at `at`. */
function sharedEnd(text: string, at: number, credential: string): number {
  for (let length = Math.min(at, credential.length); length > 0; length--)
    if (text.slice(at - length, at) === credential.slice(0, length)) return length
  return 0
}

/** Length of the credential's end that begins in the text at `at`. */
function sharedStart(text: string, at: number, credential: string): number {
  for (let length = credential.length; length > 0; length--)
    if (text.startsWith(credential.slice(-length), at)) return length
  return 0
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

/** The host and its sibling names, since vendors point to documentation under another of their names. */
function addressPattern(hostname: string): RegExp {
  const isName = /[a-z]/i.test(hostname) && hostname.includes('.') && !hostname.startsWith('[')
  const domain = isName ? hostname.split('.').slice(-2).join('.') : hostname
  const before = isName ? '(?:[\\w-]+\\.)*' : ''
  return new RegExp(`(?:https?://)?(?<![\\w.-])${before}${literal(domain)}(?::\\d+)?(?:/${path})?`, 'gi')
}

/** The path of an address in a sentence: the full stop behind it belongs to the sentence. */
const path = `(?:[^\\s"'<>)]*[^\\s"'<>).,;:!?])?`

/** The client's name in place of the model, also of a dated version of it. */
function renamed(text: string, model: string, alias: string): string {
  const bare = model.replace(/^models\//, '')
  const names = [bare, ...(bare.includes('/') ? [bare.slice(bare.lastIndexOf('/') + 1)] : [])]
  const known = names
    .filter((name) => name.length > 1)
    // A name that is a plain word (`chat`) does not match longer words.
    .map((name) => literal(name) + (/[\d-]/.test(name) ? '\\w*(?:[.:@-]\\w+)*' : '(?!\\w)(?:[:@-]\\w+)*'))
  if (known.length === 0) return text
  const pattern = new RegExp(`(?:models/)?(?<![\\w-])(?:${known.join('|')})`, 'gi')
  return text
    .split(alias)
    .map((part) => part.replaceAll(pattern, () => alias))
    .join(alias)
}

const anyAddress = new RegExp(`https?://${path}`, 'gi')

/** Removes anything in the form of a key, an account or an address. */
function withoutKeys(text: string): string {
  return text
    .replaceAll(anyAddress, '[address]')
    .replaceAll(/\bBearer\s+[\w.~+/=-]{6,}/gi, `Bearer ${removed}`)
    .replaceAll(/\b(?:sk|ak|pk|rk|gsk|xai|fw|hf|nvapi|pplx)[-_][\w*-]{6,}/g, removed)
    .replaceAll(/\bAIza[\w-]{6,}/g, removed)
    .replaceAll(/\b(?:org|proj|key|acct|user)[-_](?=[a-z_-]{0,64}[\dA-Z*])[\w*-]{6,}/g, removed)
    .replaceAll(/\bprojects\/[\w-]+/g, `projects/${removed}`)
    .replaceAll(/(?<![\w-])[\w-]+\*{3,}[\w-]*/g, removed)
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
