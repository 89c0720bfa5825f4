/** Completions for a command line: `word<tab>description`, one per line. */
import type { Command } from 'commander'
import { Api } from '#cli/api-client.ts'
import { methodNames } from './api.ts'
import { shellNames } from './completion.ts'
import { pageNames } from './open.ts'
import { commandAt } from '#cli/operations/find-command.ts'
import { typed } from '#cli/operations/command-and-flag-names.ts'
import { operationTable } from '#cli/operations/operation-table.ts'
import { idOf } from '#cli/output/print-response.ts'
import { isRow, type Row } from '#cli/output/aligned-table.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { exit, type Terminal } from '#cli/terminal-interface.ts'

const budgetMs = 1_000

/** @param words the last word is being typed and may be empty */
export async function completeWords(
  words: readonly string[],
  program: Command,
  terminal: Terminal,
): Promise<number> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { command, values } = commandAt(program, before)
  const candidates = await candidatesOf(command, before, values, current, terminal)
  const lines = candidates
    .filter(([word]) => word.startsWith(current))
    .map(([word, about]) => `${word}\t${firstLine(about)}\n`)
  terminal.out.write(lines.join(''))
  return exit.ok
}

type Candidate = readonly [word: string, about: string]

async function candidatesOf(
  command: Command,
  before: readonly string[],
  values: number,
  current: string,
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  const last = before.at(-1) ?? ''
  if (last === '--app') return ids('apps', terminal)
  if (last === '--mode') return plain(['live', 'test'])
  const option = command.options.find(({ long }) => long === last)
  if (option?.required === true) {
    const words = /<([\w|-]+)>/.exec(option.flags)?.[1]?.split('|') ?? []
    return words.length > 1 ? plain(words) : []
  }
  if (current.startsWith('-')) {
    return command.options
      .filter(({ hidden, long }) => !hidden && long)
      .map(({ description, long }) => [long ?? '', description])
  }
  const verbs = command.commands
    .filter((one) => !one.name().startsWith('_'))
    .map((one): Candidate => [one.name(), one.summary() || one.description()])
  if (verbs.length > 0 && values === 0) return verbs
  if (values > 0 || command.registeredArguments.length === 0) return []
  const fixed = valuesOfArgument[command.name()]
  if (fixed) return plain(fixed)
  return ids(command.name() === 'use' ? 'apps' : (command.parent?.name() ?? ''), terminal)
}

/** The values of the first argument of a command, if they are the same on every server. */
const valuesOfArgument: Readonly<Record<string, readonly string[]>> = {
  api: methodNames,
  completion: shellNames,
  open: pageNames,
}

function plain(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => [word, ''])
}

async function ids(of: string, terminal: Terminal): Promise<readonly Candidate[]> {
  const list = operationTable.operations.find(
    ({ id }) => id.split('.')[1] === 'list' && typed(id.split('.')[0] ?? '') === of,
  )
  if (!list) return []
  try {
    const api = new Api(settingsOf({}, { ...terminal, err: { ...terminal.err, write: () => {} } }), terminal)
    const { data } = await api.call<{ data: unknown[] }>(
      list.id,
      { limit: 100 },
      { maxRetries: 0, timeoutMs: budgetMs },
    )
    return data.filter(isRow).map((row) => [idOf(row) ?? '', nameOf(row)])
  } catch {
    return []
  }
}

function nameOf({ displayName, name }: Row): string {
  const said = name ?? displayName
  return typeof said === 'string' ? said : ''
}

function firstLine(about: string): string {
  return (about.split('\n')[0] ?? '').slice(0, 80)
}
