/**
 * A line contains the external ID, the dollars and the reason, separated by commas, semicolons or tabs. A value with a
 * separator, a quote or a line break must be in double quotes, as in RFC 4180.
 */
import { microsOfText } from '#web/ui/money-text.ts'

export interface GrantLine {
  readonly line: number
  readonly externalId: string
  readonly amount: string
  readonly micros: string | null
  readonly reason: string
  readonly faults: readonly string[]
  /** The same line of the same batch has the same key, so that it is granted only once. */
  readonly idempotencyKey: string
}

/** A longer file would take minutes. */
export const linesMax = 2000

/** @param batch name within which the same line is granted only once */
export function grantLines(text: string, batch: string): readonly GrantLine[] {
  const records = recordsOf(text)
  const [first] = records
  const hasHead = first !== undefined && microsOfText(first.values[1] ?? '') === null && isHead(first.values)
  const seen = new Map<string, number>()
  return (hasHead ? records.slice(1) : records).map(({ fault, line, values }) => {
    const [externalId = '', amount = '', reason = ''] = values.map((value) => value.trim())
    const micros = microsOfText(amount)
    const content = JSON.stringify([externalId, micros ?? amount, reason])
    // Two equal lines are two grants.
    const times = (seen.get(content) ?? 0) + 1
    seen.set(content, times)
    return {
      line,
      externalId,
      amount,
      micros,
      reason,
      faults: [
        ...(fault === null ? [] : [fault]),
        ...faultsOf({ amount, externalId, micros, reason, values }),
      ],
      idempotencyKey: `bulk-${digest(JSON.stringify([batch.trim(), content, times]))}`,
    }
  })
}

function faultsOf(line: {
  readonly externalId: string
  readonly amount: string
  readonly micros: string | null
  readonly reason: string
  readonly values: readonly string[]
}): readonly string[] {
  const { amount, externalId, micros, reason, values } = line
  return [
    externalId === '' && 'The end user is missing.',
    externalId.length > 256 && 'The end user ID is longer than 256 characters.',
    amount === '' && 'The amount is missing.',
    amount !== '' && micros === null && `“${amount}” is not an amount in dollars with at most six decimals.`,
    micros !== null && BigInt(micros) <= 0n && 'The amount must be greater than 0.',
    reason === '' && 'The reason is missing.',
    reason.length > 256 && 'The reason is longer than 256 characters.',
    values.length > 3 &&
      `The line has ${values.length} values instead of 3. Put a value that contains a comma in double quotes.`,
  ].filter((fault) => fault !== false)
}

function isHead([id = '', amount = '']: readonly string[]): boolean {
  return /^\W*(?:external|end|user|id)/i.test(id) && !/\d/.test(amount)
}

interface CsvRecord {
  readonly line: number
  readonly values: readonly string[]
  readonly fault: string | null
}

function recordsOf(text: string): readonly CsvRecord[] {
  const source = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(source)
  const records: CsvRecord[] = []
  let at = 0
  let line = 1
  while (at < source.length) {
    const start = line
    const values: string[] = []
    let fault: string | null = null
    let isEnd = false
    while (!isEnd) {
      if (source[at] === '"') {
        const [value, next] = quotedAt(source, at)
        if (next === null) fault = 'A double quote is not closed.'
        values.push(value)
        line += value.split('\n').length - 1
        at = next ?? source.length
        const rest = plainAt(source, at, separator)
        if (rest.trim() !== '') fault ??= 'Unexpected text after a closing double quote.'
        at += rest.length
      } else {
        const value = plainAt(source, at, separator)
        values.push(value)
        at += value.length
      }
      isEnd = source[at] !== separator
      at++
    }
    line++
    // The second character of a CRLF line break ends the record.
    if (values.some((value) => value.trim() !== '')) records.push({ line: start, values, fault })
  }
  return records
}

/** @returns the quoted text and the position after the closing quote; null if the quotes are not closed */
function quotedAt(source: string, at: number): readonly [string, number | null] {
  let value = ''
  for (let from = at + 1; ;) {
    const quote = source.indexOf('"', from)
    if (quote === -1) return [value + source.slice(from), null]
    value += source.slice(from, quote)
    if (source[quote + 1] !== '"') return [value, quote + 1]
    value += '"'
    from = quote + 2
  }
}

function plainAt(source: string, at: number, separator: string): string {
  let end = at
  while (end < source.length && source[end] !== separator && source[end] !== '\n') end++
  return source.slice(at, end)
}

/** Tables pasted from a spreadsheet have tabs. Quoted values are ignored. */
function separatorOf(source: string): string {
  const first = (source.split('\n', 1)[0] ?? '').replaceAll(/"[^"]*"/g, '')
  if (first.includes('\t')) return '\t'
  return first.includes(';') ? ';' : ','
}

/**
 * The 64-bit FNV-1a hash of the text. Two lines with the same hash have the same idempotency key, so the API rejects
 * the second grant.
 */
function digest(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  return hash.toString(16).padStart(16, '0')
}

export function totalOf(lines: readonly Pick<GrantLine, 'micros'>[]): bigint {
  return lines.reduce((sum, { micros }) => sum + BigInt(micros ?? '0'), 0n)
}
