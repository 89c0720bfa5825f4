import { Option, type Command } from 'commander'
import { usageError } from '#cli/terminal-interface.ts'
import { flagValue, setAt } from './flag-value.ts'
import { typed } from './command-and-flag-names.ts'
import type { Flag, Operation } from './operation-table.ts'

export function addOperationFlags(command: Command, { flags = [] }: Operation): void {
  for (const flag of flags) for (const option of optionsOf(flag)) command.addOption(option)
  const kinds = new Set(flags.flatMap(({ fields = [], kind }) => [kind, ...fields.map((one) => one.kind)]))
  const lines = [
    flags.some(({ isList }) => isList) ? 'For a list, repeat the flag: one value each time.' : '',
    kinds.has('micros') ? "Amounts are dollars in single quotes, like '$0.25', or micros, like 250000." : '',
    kinds.has('time') ? 'Times are in ISO 8601, a day (UTC), or relative to now, like +30d or -12h.' : '',
  ].filter((line) => line !== '')
  if (lines.length > 0) command.addHelpText('after', `\n${lines.join('\n')}`)
}

function optionsOf(flag: Flag): Option[] {
  const { about, fields, isGroup = false, isMap, isNullable = false, isRequired = false, kind, words } = flag
  const name = typed(flag.name)
  const isSwitch = kind === 'boolean' && !flag.isList && !isMap
  const told = [
    isRequired ? '(required)' : '',
    withoutFormat(about, flag),
    words && placeholder(flag) === kind ? `Values: ${words.join(', ')}.` : '',
    fields ? `Fields: ${fields.map(fieldText).join(', ')}.` : '',
    isNullable ? `--no-${name} sends null.` : '',
    isSwitch ? `--no-${name} sends false.` : '',
  ]
  const text = told.filter((part) => part !== '').join(' ')
  const no = new Option(`--no-${name}`).hideHelp()
  if (isSwitch) return [new Option(`--${name}`, text), no]
  const option = new Option(`--${name} <${placeholder(flag)}>`, text)
  if (flag.isList || isMap) option.argParser((value: string, before?: string[]) => [...(before ?? []), value])
  if (isGroup) option.hideHelp()
  return isNullable ? [option, no] : [option]
}

/** Removes the API's format of the value, because the command line accepts other notations of amounts and times. */
function withoutFormat(about: string, { kind }: Flag): string {
  const format = kind === 'micros' ? 'An integer as a decimal string.' : kind === 'time' ? 'ISO 8601.' : null
  return format !== null && about.endsWith(format) ? about.slice(0, -format.length).trimEnd() : about
}

function fieldText({ name, words = [] }: Flag): string {
  return words.length > 0 ? `${name} (${words.join(', ')})` : name
}

function placeholder({ fields, isMap, kind, words }: Flag): string {
  if (isMap) return 'key=value'
  if (fields) return [...(words ?? []), 'field=value,…'].join('|')
  if (words && words.length <= 6) return words.join('|')
  return kind === 'micros' ? 'dollars|micros' : kind
}

export type Given = Readonly<Record<string, unknown>>

/**
 * @param body the object that `--data` contains; the values of flags are added to it
 * @throws CommandError that names every missing required field
 */
export function inputOf(
  { flags = [] }: Operation,
  given: Given,
  body: Readonly<Record<string, unknown>> | null,
  nowMs: number,
): Record<string, unknown> {
  const input: Record<string, unknown> = { ...body }
  for (const flag of flags) {
    const value = given[keyOf(flag)]
    if (value !== undefined) setAt(input, flag.name, valueOf(flag, value, nowMs))
  }
  const missing = flags.filter(({ isRequired, name }) => isRequired && !(name in input))
  if (body === null && missing.length > 0) {
    const names = missing.map(({ name }) => `--${typed(name)}`).join(', ')
    throw usageError(`Missing: ${names}. See --help.`)
  }
  return input
}

function keyOf(flag: Flag): string {
  return new Option(`--${typed(flag.name)}`).attributeName()
}

function valueOf(flag: Flag, given: unknown, nowMs: number): unknown {
  if (typeof given === 'boolean') return flag.kind === 'boolean' ? given : given ? undefined : null
  if (flag.isMap) {
    const pairs = listOf(given).map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw usageError(`--${typed(flag.name)} must be key=value, but is ${text}.`)
      return [text.slice(0, at), flagValue({ ...flag, isMap: false }, text.slice(at + 1), nowMs)]
    })
    return Object.fromEntries(pairs)
  }
  if (flag.isList) {
    return listOf(given).flatMap((text) => {
      const value = /^\s*\[/.test(text) ? parsedList(text) : null
      return value ?? [flagValue(flag, text, nowMs)]
    })
  }
  return flagValue(flag, String(given), nowMs)
}

function listOf(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [String(given)]
}

/** Null if the text is not a JSON list. */
function parsedList(text: string): unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : null
  } catch {
    return null
  }
}
