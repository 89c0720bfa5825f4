/**
 * Directives are in the last text of the user: `[[tokens=200 delay=20ms]]`. A pair of double brackets may contain
 * several directives. `text`, `refusal` and `tool` use everything up to the closing brackets.
 *
 * If a word in the brackets is not a directive, the brackets are ordinary text, as in wikis and matrices. A misspelled
 * directive (`toknes=200`), or a directive next to an unknown word, rejects the request. If typos were ignored, a test
 * could pass without testing anything.
 */
export interface Directives {
  readonly tokens: number | null
  /** A non-streaming response takes as long as its stream would. */
  readonly delayMs: number | null
  readonly waitMs: number | null
  readonly failStatus: number | null
  readonly hang: 'headers' | 'middle' | null
  readonly cutAfterChunks: number | null
  readonly isUsageMissing: boolean
  /** JSON text that replaces the reported number of output tokens. */
  readonly usageLie: string | null
  readonly isBroken: boolean
  readonly isTrickling: boolean
  readonly isMaxIgnored: boolean
  readonly reasoningTokens: number
  /** Whether thoughts are sent encrypted, if the wire supports that. */
  readonly isRedacted: boolean
  readonly cachedTokens: number
  readonly writtenTokens: number
  /** A stream fails before any event, after its first events, or halfway. */
  readonly error: 'first' | 'early' | 'middle' | null
  readonly tools: readonly ToolOrder[]
  /** Applies only if the request contains the provider's search tool. */
  readonly searches: number
  /** Number of steps in which the provider runs code or calls an MCP server. The request must contain such a tool. */
  readonly runs: number
  readonly text: string | null
  readonly refusal: string | null
}

export interface ToolOrder {
  readonly name: string
  /** JSON text, exactly as written: `1.0` remains `1.0`. */
  readonly arguments: string
}

/** A long answer must still fit into the memory that a test may use. */
const countMax = 100_000

/** Also the maximum number of steps with code or an MCP server. */
const searchesMax = 100

/** Vendors accept no more tool definitions. */
const toolsMax = 128
/** The arguments are parsed once for each `]]` in them, so longer texts would be slow. */
const toolLengthMax = 65_536
const toolEndsMax = 20

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
  runs: 0,
  text: null,
  refusal: null,
}

/** `fault` is a sentence about an invalid directive. */
export function directivesIn(text: string): Directives | { readonly fault: string } {
  let directives = noDirectives
  let close = -1
  for (let start = text.indexOf('[['); start >= 0; start = text.indexOf('[[', start)) {
    // The first word alone shows that most brackets contain no directives.
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

const firstWord = /^\s*([a-z][a-z-]*)(=|(?=\s|\]\]|$))/
const firstWordMax = 64
const bracket = 0x5b

/**
 * Returns `order` for a correctly written directive, `near` for a misspelled name with a value, and `text` for any
 * other word.
 * @param equals `=` if a value follows
 */
function wordKind(name: string, equals: string): 'order' | 'near' | 'text' {
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined
  const hasValue = equals === '='
  if (order) return hasValue || order.isBare === true ? 'order' : 'text'
  return hasValue && Object.keys(orders).some((known) => isNear(name, known)) ? 'near' : 'text'
}

/** If an unknown word follows the directive, the brackets may be ordinary text. */
function isSentence(head: string): boolean {
  const words = head.trimStart().split(/\s+/)
  // The text may end in the middle of the last word.
  for (const word of words.slice(0, -1)) {
    if (word.includes('=')) return false
    if (wordKind(word, '') === 'text') return true
  }
  return false
}

/**
 * A typo is a letter that is changed, missing or added, or two swapped letters. Names of more than four letters may
 * have two typos.
 */
function isNear(name: string, known: string): boolean {
  const slipsMax = known.length <= 4 ? 1 : 2
  return Math.abs(name.length - known.length) <= slipsMax && slips(name, known) <= slipsMax
}

/** Damerau's edit distance between two words, in the variant that changes no letter twice. */
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

/** The value is '' if the directive has none. If the value is invalid, the function returns the reason. */
const orders: Readonly<
  Record<
    string,
    {
      readonly usage: string
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
  run: { usage: 'run=2', set: (value) => whole(value, searchesMax, (runs) => ({ runs })) },
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

/** Null if these brackets contain ordinary text. */
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
    // Only a word with `=` is certainly a directive. A word without a value may belong to a sentence.
    isOrders ||= equals === '='
    rest = takesRest ? '' : rest.slice(match?.[0].length ?? rest.length).trimStart()
  }
  return directives
}

/**
 * The arguments of a tool may contain `]]`. The brackets end at the first `]]` that follows complete JSON.
 * @param first position of the first `]]`
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

/** A number is reported with the same digits as in the directive. Any other value is reported as a JSON string. */
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

export const orderUsages: readonly string[] = Object.values(orders).map((order) => order.usage)

const known = orderUsages.join(', ')
