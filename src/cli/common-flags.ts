/** Flags that commands share. */
import { Option, type Command } from 'commander'
import type { SettingsFlags } from './settings/settings.ts'
import { usageError } from './terminal.ts'

export interface CommonFlags extends SettingsFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly yes?: boolean
  readonly verbose?: boolean
  readonly columns?: string
}

const group = 'Everywhere:'

const everywhere: readonly (readonly [flags: string, about: string])[] = [
  ['--host <url>', 'address of the control plane (TOLLGATE_BASE_URL)'],
  ['--app <slug>', 'the application that is meant (TOLLGATE_APP; tollgate use keeps one)'],
  ['--mode <live|test>', 'live or test data (TOLLGATE_MODE)'],
  ['--profile <name>', 'whose host, application and token (TOLLGATE_PROFILE)'],
  ['--json', 'print what the API answers, unchanged'],
  ['-q, --quiet', 'print ids only'],
  ['-v, --verbose', 'show the request, its id and its time on standard error'],
]

/** Adds them where the command has no flag of that name itself. */
export function addCommonFlags(command: Command, isDestructive = false): void {
  const own = new Set(command.options.map(({ long }) => long))
  const yes = ['-y, --yes', 'do not ask'] as const
  for (const [flags, about] of isDestructive ? [...everywhere, yes] : everywhere) {
    const option = new Option(flags, about).helpGroup(group)
    if (!own.has(option.long)) command.addOption(option)
  }
}

/** `a, b.c` */
export function columnsOf({ columns }: CommonFlags): readonly string[] | null {
  if (columns === undefined) return null
  const names = columns.split(',').map((name) => name.trim())
  if (names.includes('')) throw usageError(`--columns is ${columns}; it is names with commas between them.`)
  return names
}
