import { microsOf } from '#cli/output/dollars-and-micros.ts'
import { usageError } from '#cli/terminal-interface.ts'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { typed } from './command-and-flag-names.ts'
import type { Flag } from './operation-table.ts'

/**
 * @param nowMs the time from which relative times such as `+30d` count
 * @throws CommandError that names the flag
 */
export function flagValue(flag: Flag, text: string, nowMs: number): unknown {
  const name = `--${typed(flag.name)}`
  if (flag.words?.includes(text) === true) return text
  if (flag.words && flag.kind === 'text') {
    throw usageError(`${name} must be one of ${flag.words.join(', ')}, but is ${text}.`)
  }
  switch (flag.kind) {
    case 'text':
      return text
    case 'micros':
      return microsOf(name, text)
    case 'amount':
      if (!/^-?\d+$/.test(text)) {
        const inMicros = text.startsWith('$') ? ` If the unit is micros, set ${microsOf(name, text)}.` : ''
        throw usageError(`${name} must be an integer, but is ${text}.${inMicros}`)
      }
      return text
    case 'integer':
    case 'number':
      return numberOf(
        flag.words ? `${name} must be one of ${flag.words.join(', ')}, or` : `${name} must be`,
        text,
        flag.kind,
      )
    case 'boolean':
      if (text !== 'true' && text !== 'false')
        throw usageError(`${name} must be true or false, but is ${text}.`)
      return text === 'true'
    case 'time':
      return timeOf(name, text, nowMs)
    case 'json':
      return flag.fields && !/^\s*[[{]/.test(text) ? pairsOf(flag, text, nowMs) : jsonOf(name, text)
    default:
      return flag.kind satisfies never
  }
}

function numberOf(mustBe: string, text: string, kind: 'integer' | 'number'): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || (kind === 'integer' && !Number.isSafeInteger(value))) {
    throw usageError(`${mustBe} ${kind === 'integer' ? 'an integer' : 'a number'}, but is ${text}.`)
  }
  return value
}

const spans: Readonly<Record<string, number>> = { m: 60_000, h: hourMs, d: dayMs, w: 604_800_000 }

/**
 * Converts a relative time (`+30d` means in thirty days, and `-12h` means 12 hours ago), and a day to its start in UTC,
 * because some fields accept no day. The server checks all other parts of the time.
 */
export function timeOf(name: string, text: string, nowMs: number): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00.000Z`
  if (/^\d{4}-\d\d-\d\dT/i.test(text)) return text
  const [, sign, count = '', unit = ''] = /^([+-])(\d{1,6})([mhdw])$/.exec(text) ?? []
  const spanMs = spans[unit]
  if (spanMs === undefined) {
    throw usageError(
      `${name} must be a day (2026-11-20), an ISO 8601 time with a zone, or relative to now (+30d, -12h), but is ${text}.`,
    )
  }
  return new Date(nowMs + (sign === '-' ? -1 : 1) * Number(count) * spanMs).toISOString()
}

/** Parses `provider=main,model=gpt-5-mini`. If a value contains a comma, the object must be written as JSON. */
function pairsOf({ fields = [], name: above, words }: Flag, text: string, nowMs: number): unknown {
  const made: Record<string, unknown> = {}
  const pairs = text.split(',')
  // The limit `most` is in the unit of `measure`.
  const isMoney = pairs.includes('measure=micros')
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const key = at === -1 ? pair : pair.slice(0, at)
    const field = fields.find(({ name }) => name === key || typed(name) === key)
    if (at === -1 || !field) {
      const known = fields.map(({ name }) => name).join(', ')
      throw usageError(
        `--${typed(above)} must be ${words ? `${words.join(', ')}, ` : ''}field=value,field=value or JSON, and contains ${JSON.stringify(pair)}. The fields are ${known}.`,
      )
    }
    const kind = isMoney && field.kind === 'amount' ? 'micros' : field.kind
    const value = flagValue({ ...field, kind, name: `${above}.${field.name}` }, pair.slice(at + 1), nowMs)
    setAt(made, field.name, field.isList ? [value] : value)
  }
  return made
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(`${name} must be JSON, but is ${text}.`)
  }
}

export function setAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.')
  if (rest.length === 0) {
    Object.defineProperty(target, first, { value, enumerable: true, writable: true, configurable: true })
    return
  }
  const within = target[first]
  const inner: Record<string, unknown> =
    typeof within === 'object' && within !== null && !Array.isArray(within) ? { ...within } : {}
  setAt(inner, rest.join('.'), value)
  setAt(target, first, inner)
}
