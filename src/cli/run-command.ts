import { Command, CommanderError } from 'commander'
import { version } from '#sdk/version.ts'
import { addOwnCommands, isReplaced } from '#cli/commands/add-handwritten-commands.ts'
import { commandAt } from './operations/find-command.ts'
import { describeOperation } from './operations/operation-command.ts'
import { operationTable, type Operation } from './operations/operation-table.ts'
import { typed } from '#cli/operations/command-and-flag-names.ts'
import { commonFlag } from './flags-of-all-commands.ts'
import { helpLayout } from './output/help-layout.ts'
import { addServerCommands } from '#cli/server-commands/add-server-commands.ts'
import type { Settings } from './settings/settings.ts'
import { exit, type Terminal } from './terminal-interface.ts'

export type Done = (exitCode: number) => void

/**
 * @param argv the arguments without the program's name
 * @returns the exit code; null if the command itself sets the exit code and may still be running
 */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number | null> {
  const typedWords = spelled(withFlagsBehind(argv))
  let exitCode: number | null = null
  const done: Done = (code) => void (exitCode = code)
  const program = programOf(typedWords, terminal, done)
  if (typedWords.length === 0) {
    program.outputHelp()
    return exit.ok
  }
  const words = withFieldsOfJson(typedWords, program)
  try {
    if (isSaid(words, '--describe')) {
      const { describe } = await import('./commands/describe.ts')
      return await describe(words, programOf(null, terminal, done), terminal)
    }
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.usage
    return await told(error, words, terminal)
  }
}

/** `--app x keys list` becomes `keys list --app x`. */
function withFlagsBehind(argv: readonly string[]): readonly string[] {
  let at = 0
  for (;;) {
    const [name = '', value] = (argv[at] ?? '').split('=')
    const kind = commonFlag(name)
    if (kind === null) break
    at += kind === 'switch' || value !== undefined ? 1 : 2
  }
  if (at === 0 || at >= argv.length) return argv
  const rest = argv.slice(at)
  return rest.toSpliced(endOf(rest), 0, ...argv.slice(0, at))
}

function isSaid(words: readonly string[], flag: string): boolean {
  const end = words.indexOf('--')
  return words
    .slice(0, end === -1 ? words.length : end)
    .some((word) => word === flag || word.startsWith(`${flag}=`))
}

/**
 * `--json a,b` becomes `--json=a,b`, if the next word lists fields. In `users show --json ada`, the next word is an
 * argument, because the command has no other argument.
 */
function withFieldsOfJson(words: readonly string[], program: Command): readonly string[] {
  const at = words.indexOf('--json')
  const next = words[at + 1]
  if (at === -1 || !isSaid(words, '--json') || next === undefined || next.startsWith('-')) return words
  const { command, values } = commandAt(program, words)
  const rest = words.toSpliced(at, 1)
  if (values <= command.registeredArguments.length) return rest.toSpliced(endOf(rest), 0, '--json')
  return words.toSpliced(at, 2, `--json=${next}`)
}

function endOf(words: readonly string[]): number {
  const end = words.indexOf('--')
  return end === -1 ? words.length : end
}

function spelled(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => !word.startsWith('-'))
  const word = argv[at] ?? ''
  const isId = operationTable.operations.some(
    ({ id }) => id === word || id.split('.').map(typed).join('.') === word,
  )
  return isId ? [...argv.slice(0, at), ...word.split('.').map(typed), ...argv.slice(at + 1)] : [...argv]
}

/** @param words null creates every command, including commands that the words do not name */
function programOf(words: readonly string[] | null, terminal: Terminal, done: Done): Command {
  const { err, out } = terminal
  const isForMachines = words !== null && isSaid(words, '--json')
  const program = new Command('tollgate')
    .description(
      'A metered model gateway. Tollgate reserves the maximum cost of each request, meters the response, and settles to the micro-dollar.',
    )
    .version(version, '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => (isForMachines ? undefined : err.write(text)),
      getOutHelpWidth: () => Math.min(out.columns ?? 100, 120),
      getErrHelpWidth: () => Math.min(err.columns ?? 100, 120),
      outputError: (text, write) => {
        const message = withHint(text.replace(/^error: /, ''))
        if (isForMachines) {
          err.write(`${JSON.stringify({ error: { code: 'command', message: message.trim() } })}\n`)
        } else write(`tollgate: ${message}`)
      },
      getOutHasColors: () => out.hasColour,
      getErrHasColors: () => err.hasColour,
    })
    .configureHelp({ showGlobalOptions: false, ...helpLayout })
    .helpOption('-h, --help', 'show help for the command')
    .option('--describe', 'print the command and its subcommands as JSON, with their schemas')
    .helpCommand(false)
  const asked = words && new Set(words)
  addOwnCommands(program, terminal, done)
  program.commandsGroup('API commands (tollgate <noun> --help):')
  for (const [noun, own] of byNoun()) addNoun(program, noun, own, asked, terminal, done)
  addServerCommands(program)
  return program
}

function byNoun(): Map<string, Operation[]> {
  return Map.groupBy(operationTable.operations, ({ id }) => id.split('.')[0] ?? id)
}

/** Creates the commands of a noun only when they are needed, because there are more than a hundred. */
function addNoun(
  program: Command,
  noun: string,
  operations: readonly Operation[],
  asked: ReadonlySet<string> | null,
  terminal: Terminal,
  done: Done,
): void {
  const kept = operations.filter(({ id }) => !isReplaced(id))
  if (kept.length === 0) return
  const name = typed(noun)
  const before = program.commands.find((command) => command.name() === name)
  const command = before ?? program.command(name).helpCommand(false)
  if (name !== noun) command.alias(noun)
  const alone = kept.find(({ id }) => id === noun)
  if (!before) command.description(operationTable.nouns[noun] ?? alone?.summary ?? '')
  if (asked !== null && !asked.has(name) && !asked.has(noun)) return
  if (alone) describeOperation(command, alone, terminal, done)
  for (const operation of kept.filter(({ id }) => id !== noun)) {
    const verb = operation.id.split('.')[1] ?? ''
    const own = command.command(typed(verb))
    if (typed(verb) !== verb) own.alias(verb)
    describeOperation(own, operation, terminal, done)
  }
}

/** `gh` has an option `--jq`, which this command line does not have (docs/decisions/2026-11-22-command-line.md). */
function withHint(message: string): string {
  if (!message.startsWith("unknown option '--jq")) return message
  return `${message.trimEnd()}\nPipe --json into jq: tollgate keys list --json | jq '.data[].id'\n`
}

async function told(error: unknown, words: readonly string[], terminal: Terminal): Promise<number> {
  const { err } = terminal
  const { failureOf, failureText } = await import('#cli/output/failure-text-and-exit-code.ts')
  const settings = await settingsIn(words, terminal)
  const failure = failureOf(error, settings)
  if (isSaid(words, '--json')) {
    err.write(`${JSON.stringify(failure.document)}\n`)
  } else {
    err.write(failureText(failure, err))
  }
  return failure.exitCode
}

/** Null if the words contradict each other. */
async function settingsIn(words: readonly string[], terminal: Terminal): Promise<Settings | null> {
  const { settingsOf } = await import('./settings/settings.ts')
  const flag = (name: string): string | undefined => {
    const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
    return words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1)
  }
  const given = ['app', 'host', 'mode', 'profile'].flatMap((name) => {
    const value = flag(`--${name}`)
    return value === undefined ? [] : [[name, value]]
  })
  try {
    return settingsOf(Object.fromEntries(given), terminal)
  } catch {
    return null
  }
}
