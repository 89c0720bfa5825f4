/**
 * Directives to the simulator, written in the last text of the user: `[[tokens=200 delay=20ms]]`. A pair of brackets
 * may contain several directives. `text`, `refusal` and `tool` use the rest of their brackets.
 *
 * Brackets are directives only if every word in them is one. All others are text, as in wikis, matrices and prompts
 * with their own markers. A word that nearly matches a directive (`toknes=200`), or an unknown word next to a
 * directive, is rejected with the list of all directives. If typos were silently ignored, a test could test nothing.
 */
export interface Directives {
  readonly tokens: number | null
  /** Delay before each token of a stream. A non-streaming response takes as long as its stream would. */
  readonly delayMs: number | null
  /** Delay before the head of the response. */
  readonly waitMs: number | null
  readonly failStatus: number | null
  readonly hang: 'headers' | 'middle' | null
  readonly cutAfterChunks: number | null
  readonly isUsageMissing: boolean
  /** JSON text in place of the number of output tokens. */
  readonly usageLie: string | null
  readonly isBroken: boolean
  readonly isTrickling: boolean
  readonly isMaxIgnored: boolean
  readonly reasoningTokens: number
  /** Whether thoughts are sent in an unreadable form, if the wire has one. */
  readonly isRedacted: boolean
  /** Input tokens that were read from the provider's cache, and tokens that were written to it. */
  readonly cachedTokens: number
  readonly writtenTokens: number
  /** When a stream reports a failure: before any event, after its preamble, or halfway. */
  readonly error: 'first' | 'early' | 'middle' | null
  readonly tools: readonly ToolOrder[]
  /** Number of web searches that the provider runs, if the request offers its search. */
  readonly searches: number
  readonly text: string | null
  /** The model's refusal text in place of an answer. */
  readonly refusal: string | null
}

export interface ToolOrder {
  readonly name: string
  /** JSON as written: `1.0` is kept as `1.0`. */
  readonly arguments: string
}

/** Allows a long answer, within the memory that a test may use. */
const countMax = 100_000

/** More than any client allows. */
const searchesMax = 100

/** Maximum number of tool definitions that vendors accept. */
const toolsMax = 128
/**
 * Maximum length of one tool's brackets. To find the end, the arguments are read once for each `]]` that they contain.
 */
const toolLengthMax = 65_536
const toolEndsMax = 20

/** No directives: a short answer, sent immediately. */
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
  searches: 0,
  text: null,
  refusal: null,
}

/** Returns the directives in a text. `fault` describes an invalid one, as a sentence. */
export function directivesIn(text: string): Directives | { readonly fault: string } {
  let directives = noDirectives
  let close = -1
  for (let start = text.indexOf('[['); start >= 0; start = text.indexOf('[[', start)) {
    // The first word shows that most brackets are not directives. The remaining text of such brackets is ignored.
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

/** A name, and `=` if a value follows. */
const firstWord = /^\s*([a-z][a-z-]*)(=|(?=\s|\]\]|$))/
const firstWordMax = 64
const bracket = 0x5b

/**
 * Returns `order` for a known directive in its own form, `near` for a near match with a value, and `text` for a word.
 * @param equals `=` if a value follows
 */
function wordKind(name: string, equals: string): 'order' | 'near' | 'text' {
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined
  const hasValue = equals === '='
  if (order) return hasValue || order.isBare === true ? 'order' : 'text'
  return hasValue && Object.keys(orders).some((known) => isNear(name, known)) ? 'near' : 'text'
}

/**
 * Returns whether a directive without a value is followed by an unknown word. Brackets with ordinary text may begin
 * that way.
 */
function isSentence(head: string): boolean {
  const words = head.trimStart().split(/\s+/)
  // The last word may be truncated.
  for (const word of words.slice(0, -1)) {
    if (word.includes('=')) return false
    if (wordKind(word, '') === 'text') return true
  }
  return false
}

/**
 * Returns whether a name has one letter changed, missing or added, or two letters swapped. Longer names may have two
 * such typos.
 */
function isNear(name: string, known: string): boolean {
  const slipsMax = known.length <= 4 ? 1 : 2
  return Math.abs(name.length - known.length) <= slipsMax && slips(name, known) <= slipsMax
}

/** Damerau's distance, in which no letter is changed twice. */
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

/**
 * Usage and setting of each directive. The setting is computed from its value ('' if the directive has no value), or is
 * a complaint.
 */
const orders: Readonly<
  Record<
    string,
    {
      readonly usage: string
      /** Whether the directive may be written without a value. */
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
  search: {
    usage: 'search=2',
    set: (value) => whole(value, searchesMax, (searches) => ({ searches })),
  },
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

/** Returns null if these brackets are text. */
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
      return { fault: `The simulator has no directive [[${name}]]. Available directives: ${known}.` }
    }
    const takesRest = name === 'text' || name === 'refusal' || name === 'tool'
    const setting = order.set(takesRest ? rest.slice(name.length + 1) : value, directives)
    if (typeof setting === 'string') return { fault: `[[${name}]] ${setting}. Write [[${order.usage}]].` }
    directives = { ...directives, ...setting }
    // A word with a value is meant as a directive. A word without one may belong to a sentence.
    isOrders ||= equals === '='
    rest = takesRest ? '' : rest.slice(match?.[0].length ?? rest.length).trimStart()
  }
  return directives
}

/**
 * Returns the end of the brackets. Arguments of a tool may contain `]]`, so they end at the first position where they
 * are complete JSON.
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
  if (tools.length >= toolsMax) return `can be used at most ${toolsMax} times`
  const text = json.trim() === '' ? '{}' : json.trim()
  try {
    JSON.parse(text)
  } catch {
    return 'needs JSON arguments'
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
  return value === 'first' || value === 'early' ? { error: value } : 'accepts first, early or no value'
}

function hang(value: string): Setting {
  if (value === '') return { hang: 'middle' }
  return value === 'headers' ? { hang: 'headers' } : 'accepts headers or no value'
}

/** Any number is sent as written. Anything else is sent as a JSON string. */
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
  return value === '' ? set : 'accepts no value'
}

/** The usage of each directive. */
export const orderUsages: readonly string[] = Object.values(orders).map((order) => order.usage)

const known = orderUsages.join(', ')
