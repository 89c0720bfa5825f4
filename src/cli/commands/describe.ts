/**
 * The flag `--describe`, after any command or alone. It prints all commands, with their flags, requests and responses,
 * as one JSON document for programs.
 */
import type { Command, Option } from 'commander'
import { commandAt } from '#cli/operations/find-command.ts'
import { typed, wordsOf } from '#cli/operations/command-and-flag-names.ts'
import { operationSchemas, type OperationSchemas } from '#cli/operations/operation-schemas.ts'
import { operationTable, type Operation } from '#cli/operations/operation-table.ts'
import { exit, usageError, type Terminal } from '#cli/terminal-interface.ts'
import { version } from '#sdk/version.ts'

export async function describe(
  words: readonly string[],
  program: Command,
  { out }: Terminal,
): Promise<number> {
  const { command, values } = commandAt(
    program,
    words.filter((word) => !word.startsWith('-')),
  )
  if (values > 0) throw usageError(`There is no command ${words.join(' ')}.`)
  const schemas = await operationSchemas()
  const described = commandOf(command, schemas)
  const document = {
    version,
    exitCodes: exit,
    ...described,
    $defs: sharedIn(JSON.stringify(described), schemas.shared),
  }
  out.write(`${JSON.stringify(document, null, out.isTerminal ? 2 : undefined)}\n`)
  return exit.ok
}

function commandOf(command: Command, schemas: OperationSchemas): object {
  const words = pathOf(command)
  const operation = operationTable.operations.find(
    ({ id }) => wordsOf(id).join(' ') === words.slice(1).join(' '),
  )
  const schema = operation && schemas.operations[operation.id]
  const within = command.commands.filter((one) => !one.name().startsWith('_'))
  return {
    command: words.join(' '),
    about: command.summary() || command.description().split('\n')[0],
    ...(operation && { description: operation.description }),
    arguments: command.registeredArguments.map((one) => ({
      name: one.name(),
      about: one.description,
      isRequired: one.required,
    })),
    flags: command.options.filter(({ hidden }) => !hidden).map((option) => flagOf(option, operation)),
    ...(operation &&
      schema && { operation: operationOf(operation), body: schema.body, answer: schema.answer }),
    ...(within.length > 0 && { commands: within.map((one) => commandOf(one, schemas)) }),
  }
}

function operationOf({ answer, id, isConditional, isKeyed, method, path }: Operation): object {
  return {
    id,
    method,
    path,
    answers: answer,
    isKeyed: isKeyed === true,
    isConditional: isConditional === true,
  }
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [command.name()]
}

function flagOf(
  { defaultValue, description, flags, long, optional, required, short }: Option,
  operation: Operation | undefined,
): object {
  const known = operation?.flags?.find(({ name }) => `--${typed(name)}` === long)
  const takes = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? null
  const words = known?.words ?? (takes?.includes('|') === true ? takes.split('|') : undefined)
  return {
    name: long,
    ...(short !== undefined && { short }),
    about: description,
    takes: known && (required || optional) ? known.kind : takes,
    ...(optional && { mayStandAlone: true }),
    ...(words && { words }),
    ...(known?.isRequired === true && { isRequired: true }),
    ...(known?.isNullable === true && { none: `--no-${typed(known.name)}` }),
    ...((known?.isList === true || known?.isMap === true) && { isRepeatable: true }),
    ...(defaultValue !== undefined && { default: defaultValue as unknown }),
  }
}

function sharedIn(text: string, shared: OperationSchemas['shared']): Record<string, unknown> {
  const found = new Set<string>()
  const follow = (within: string): void => {
    for (const [, name = ''] of within.matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      follow(JSON.stringify(shared[name] ?? null))
    }
  }
  follow(text)
  return Object.fromEntries([...found].toSorted().map((name) => [name, shared[name]]))
}
