/**
 * Orders to the simulator, written in the last text of the user: `[[tokens=200 delay=20ms]]`. One pair of brackets may
 * have several; `text`, `refusal` and `tool` take the rest of theirs.
 *
 * Brackets are orders only if every word in them is one; all others are text, as in wikis, matrices and prompts with
 * markers of their own. A word that is nearly an order (`toknes=200`), or is beside one, is refused with the list of
 * all orders: a silently ignored typo makes a test that tests nothing.
 */
export interface Directives {
  readonly tokens: number | null
  /** Before each token of a stream; a whole answer takes as long as its stream would. */
  readonly delayMs: number | null
  /** Before the head of the answer. */
  readonly waitMs: number | null
  readonly failStatus: number | null
  readonly hang: 'headers' | 'middle' | null
  readonly cutAfterChunks: number | null
  readonly isUsageMissing: boolean
  /** JSON text in place of the count of output tokens. */
  readonly usageLie: string | null
  readonly isBroken: boolean
  readonly isTrickling: boolean
  readonly isMaxIgnored: boolean
  readonly reasoningTokens: number
  /** Thoughts come in an unreadable form, where the wire has one. */
  readonly isRedacted: boolean
  /** Input tokens that were read from the provider's cache, and that were written to it. */
  readonly cachedTokens: number
  readonly writtenTokens: number
  /** A stream reports a failure: before anything else, behind its preamble, or half way. */
  readonly error: 'first' | 'early' | 'middle' | null
  readonly tools: readonly ToolOrder[]
  readonly text: string | null
  /** The model's words in place of an answer. */
  readonly refusal: string | null
}

export interface ToolOrder {
  readonly name: string
  /** JSON as written: `1.0` stays `1.0`. */
  readonly arguments: string
}

/** A long answer, within the memory that a test may take. */
const countMax = 100_000

/** The most definitions that vendors take. */
const toolsMax = 128
/** Length of one tool's brackets: finding their end reads the arguments once for each `]]` in them. */
const toolLengthMax = 65_536
const toolEndsMax = 20

/** No orders: a short answer, at once. */
export const noDirectives: Directives = {
  tokens: null,
  delayMs: null,
  waitMs: null,
  failStatus: null,
  hang: null,
  cutAfterChunks: null,
  isUsageMissing: false,
  usageLie: null,
  isBroken: false,
  isTrickling: false,
  isMaxIgnored: false,
  reasoningTokens: 0,
  isRedacted: false,
  cachedTokens: 0,
  writtenTokens: 0,
  error: null,
  tools: [],
  text: null,
  refusal: null,
}

/** The orders in a text; `fault` says what is wrong with one, in a sentence. */
export function directivesIn(text: string): Directives | { readonly fault: string } {
  let directives = noDirectives
  let close = -1
  for (let start = text.indexOf('[['); start >= 0; start = text.indexOf('[[', start)) {
    // The first word shows that most brackets are no orders: the rest of them is not read.
    const first = firstWord.exec(
      text.charCodeAt(start + 2) === bracket ? '' : text.slice(start + 2, start + 2 + firstWordMax),
    )
    if (first === null || wordKind(first[1] ?? '', first[2] ?? '') === 'text') {
      start++
      continue
    }
    if (close < start + 2) close = text.indexOf(']]', start + 2)
    if (close < 0) return directives
    if (isSentence(text.slice(start + 2, Math.min(close, start + 2 + firstWordMax)))) {
      start++
      continue
    }
    const end = endOf(text, start + 2, close)
    const obeyed = obey(directives, text.slice(start + 2, end))
    if (obeyed === null) {
      start++
      continue
    }
    if ('fault' in obeyed) return obeyed
    directives = obeyed
    start = end + 2
  }
  return directives
}

/** A name, and `=` where a value follows. */
const firstWord = /^\s*([a-z][a-z-]*)(=|(?=\s|\]\]|$))/
const firstWordMax = 64
const bracket = 0x5b

/**
 * `order`: a known one, in its own shape; `near`: nearly the name of one, with a value; `text`: a word.
 * @param equals `=` where a value follows
 */
function wordKind(name: string, equals: string): 'order' | 'near' | 'text' {
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined
  const hasValue = equals === '='
  if (order) return hasValue || order.isBare === true ? 'order' : 'text'
  return hasValue && Object.keys(orders).some((known) => isNear(name, known)) ? 'near' : 'text'
}

/** Whether an order without a value is followed by a word that is no order: brackets with text may begin so. */
function isSentence(head: string): boolean {
  const words = head.trimStart().split(/\s+/)
  // The last word may be cut.
  for (const word of words.slice(0, -1)) {
    if (word.includes('=')) return false
    if (wordKind(word, '') === 'text') return true
  }
  return false
}

/** One letter changed, missing or added, or two swapped; in longer names, two such slips. */
function isNear(name: string, known: string): boolean {
  const slipsMax = known.length <= 4 ? 1 : 2
  return Math.abs(name.length - known.length) <= slipsMax && slips(name, known) <= slipsMax
}

/** Damerau's distance, where no letter is changed twice. */
function slips(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}

type Setting = Partial<Directives> | string

/** Order -> its usage, and its setting: from its value ('' when there is none), or a complaint. */
const orders: Readonly<
  Record<
    string,
    {
      readonly usage: string
      /** It may come without a value. */
      readonly isBare?: true
      readonly set: (value: string, so: Directives) => Setting
    }
  >
> = {
  tokens: { usage: 'tokens=200', set: (value) => whole(value, countMax, (tokens) => ({ tokens })) },
  delay: { usage: 'delay=20ms', set: (value) => time(value, (delayMs) => ({ delayMs })) },
  wait: { usage: 'wait=300ms', set: (value) => time(value, (waitMs) => ({ waitMs })) },
  text: { usage: 'text=...', set: (value) => ({ text: value }) },
  refusal: { usage: 'refusal=...', set: (value) => ({ refusal: value }) },
  tool: { usage: 'tool=name {"a":1}', set: tool },
  reasoning: {
    usage: 'reasoning=20',
    set: (value) => whole(value, countMax, (reasoningTokens) => ({ reasoningTokens })),
  },
  redacted: { usage: 'redacted', isBare: true, set: (value) => flag(value, { isRedacted: true }) },
  cached: {
    usage: 'cached=100',
    set: (value) => whole(value, countMax, (cachedTokens) => ({ cachedTokens })),
  },
  written: {
    usage: 'written=100',
    set: (value) => whole(value, countMax, (writtenTokens) => ({ writtenTokens })),
  },
  fail: { usage: 'fail=429', set: fail },
  error: { usage: 'error, error=first or error=early', isBare: true, set: error },
  hang: { usage: 'hang or hang=headers', isBare: true, set: hang },
  cut: { usage: 'cut=40', set: (value) => whole(value, countMax, (cutAfterChunks) => ({ cutAfterChunks })) },
  trickle: { usage: 'trickle', isBare: true, set: (value) => flag(value, { isTrickling: true }) },
  broken: { usage: 'broken', isBare: true, set: (value) => flag(value, { isBroken: true }) },
  'no-usage': { usage: 'no-usage', isBare: true, set: (value) => flag(value, { isUsageMissing: true }) },
  usage: { usage: 'usage=1000000 (or -1, 0.5, many, null)', set: usage },
  'ignore-max': { usage: 'ignore-max', isBare: true, set: (value) => flag(value, { isMaxIgnored: true }) },
}

/** Null: these brackets are text. */
function obey(before: Directives, body: string): Directives | { fault: string } | null {
  let directives = before
  let isOrders = false
  let rest = body.trim()
  while (rest !== '') {
    const match = /^(?<name>[^\s=]+)(?<equals>=?)(?<value>\S*)/.exec(rest)
    const { name = rest, equals = '', value = '' } = match?.groups ?? {}
    const kind = wordKind(name, equals)
    const order = kind === 'order' ? orders[name] : undefined
    if (!order) {
      if (kind === 'text' && !isOrders) return null
      return { fault: `The simulator knows no [[${name}]]; it knows ${known}.` }
    }
    const takesRest = name === 'text' || name === 'refusal' || name === 'tool'
    const setting = order.set(takesRest ? rest.slice(name.length + 1) : value, directives)
    if (typeof setting === 'string') return { fault: `[[${name}]] ${setting}; write [[${order.usage}]].` }
    directives = { ...directives, ...setting }
    // A word with a value is meant for an order; one without may belong to a sentence.
    isOrders ||= equals === '='
    rest = takesRest ? '' : rest.slice(match?.[0].length ?? rest.length).trimStart()
  }
  return directives
}

/**
 * The end of the brackets. Arguments of a tool may hold `]]` themselves, so those end at the first place where they are
 * complete JSON.
 * @param first the first `]]`
 */
function endOf(text: string, start: number, first: number): number {
  if (!/(^|\s)tool=/.test(text.slice(start, first))) return first
  const order = text.slice(start, start + toolLengthMax)
  let end = first - start
  for (let tried = 0; end >= 0 && tried < toolEndsMax; tried++, end = order.indexOf(']]', end + 1)) {
    const body = order.slice(0, end)
    if (typeof tool(body.slice(body.indexOf('tool=') + 5), noDirectives) !== 'string') return start + end
  }
  return first
}

function tool(value: string, { tools }: Directives): Setting {
  const { name = '', json = '' } = /^(?<name>[\w.-]{1,64})\s*(?<json>.*)$/s.exec(value)?.groups ?? {}
  if (name === '') return 'needs the name of a tool'
  if (tools.length >= toolsMax) return `can be given ${toolsMax} times at most`
  const text = json.trim() === '' ? '{}' : json.trim()
  try {
    JSON.parse(text)
  } catch {
    return 'needs arguments that are JSON'
  }
  return { tools: [...tools, { name, arguments: text }] }
}

function time(value: string, set: (ms: number) => Partial<Directives>): Setting {
  const { number = '', unit = 'ms' } = /^(?<number>\d{1,6})(?<unit>ms|s)?$/.exec(value)?.groups ?? {}
  const ms = Number(number) * (unit === 's' ? 1000 : 1)
  return number === '' || ms > 600_000 ? 'needs a time of at most 600s' : set(ms)
}

function fail(value: string): Setting {
  return /^[345]\d\d$/.test(value) ? { failStatus: Number(value) } : 'needs a status from 300 to 599'
}

function error(value: string): Setting {
  if (value === '') return { error: 'middle' }
  return value === 'first' || value === 'early' ? { error: value } : 'takes first, early or nothing'
}

function hang(value: string): Setting {
  if (value === '') return { hang: 'middle' }
  return value === 'headers' ? { hang: 'headers' } : 'takes headers or nothing'
}

/** Any number goes out as written; anything else as a JSON string. */
function usage(value: string): Setting {
  if (value === '') return 'needs a value'
  return { usageLie: /^(-?\d+(\.\d+)?(e[+-]?\d+)?|null)$/i.test(value) ? value : JSON.stringify(value) }
}

function whole(value: string, max: number, set: (number: number) => Partial<Directives>): Setting {
  return /^\d{1,7}$/.test(value) && Number(value) <= max
    ? set(Number(value))
    : `needs a whole number up to ${max}`
}

function flag(value: string, set: Partial<Directives>): Setting {
  return value === '' ? set : 'takes no value'
}

/** The usage of each order. */
export const orderUsages: readonly string[] = Object.values(orders).map((order) => order.usage)

const known = orderUsages.join(', ')
