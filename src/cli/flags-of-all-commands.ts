import { Option, type Command } from 'commander'
import type { SettingsFlags } from './settings/settings.ts'
import { usageError } from './terminal-interface.ts'

export interface CommonFlags extends SettingsFlags {
  /** True prints the whole response as JSON. A text lists the fields to print. */
  readonly json?: boolean | string
  readonly quiet?: boolean
  readonly yes?: boolean
  readonly verbose?: boolean
  readonly columns?: string
}

const group = 'Global options:'

const everywhere: readonly (readonly [flags: string, about: string])[] = [
  ['--host <url>', 'address of the control plane (TOLLGATE_BASE_URL)'],
  ['--app <slug>', 'slug of the application (TOLLGATE_APP; tollgate use sets the default)'],
  ['--mode <live|test>', 'live or test data; default: live (TOLLGATE_MODE)'],
  ['--profile <name>', 'profile with the host, application and token (TOLLGATE_PROFILE)'],
  ['-q, --quiet', 'print only IDs, or the secret that is returned once'],
  ['-v, --verbose', 'print the request, its ID and its duration to standard error'],
]

const json = ['--json', 'print the response as unchanged JSON'] as const
const jsonOfFields = ['--json [fields]', `${json[1]}, or only the listed fields (a,b.c)`] as const
const yes = ['-y, --yes', 'do not ask for confirmation'] as const

/** A `switch` takes no value. Null if the word is not such a flag. */
export function commonFlag(word: string): 'switch' | 'value' | null {
  for (const [flags] of [...everywhere, json]) {
    const [names = '', placeholder] = flags.split(' <')
    if (names.split(', ').includes(word)) return placeholder === undefined ? 'switch' : 'value'
  }
  return null
}

export interface CommandKind {
  readonly isDestructive?: boolean
  readonly hasFields?: boolean
}

export function addCommonFlags(
  command: Command,
  { hasFields = false, isDestructive = false }: CommandKind = {},
): void {
  const own = new Set(command.options.map(({ long }) => long))
  const all = [...everywhere, hasFields ? jsonOfFields : json, ...(isDestructive ? [yes] : [])]
  for (const [flags, about] of all) {
    const option = new Option(flags, about).helpGroup(group)
    if (!own.has(option.long)) command.addOption(option)
  }
}

/**
 * Call this before the request is sent. Otherwise, a misspelled name would be reported only after the operation has
 * changed something.
 */
export function namesOf(flag: string, text: string, known: readonly string[]): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes(''))
    throw usageError(`${flag} must be a list of field names with commas, but is ${text}.`)
  const odd = names.find((name) => !isKnown(name, known))
  if (odd !== undefined) throw usageError(`There is no field ${odd}. The fields are ${known.join(', ')}.`)
  return names
}

function isKnown(name: string, known: readonly string[]): boolean {
  if (known.includes(name)) return true
  const [above = '', ...rest] = name.split('.')
  return rest.length === 1 && known.includes(above) && !known.some((one) => one.startsWith(`${above}.`))
}
