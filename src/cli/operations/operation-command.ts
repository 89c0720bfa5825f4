/** An operation as a command: `tollgate keys mint --end-user-id ada`. */
import type { Command } from 'commander'
import { Option } from 'commander'
import { addCommonFlags, type CommonFlags } from '#cli/common-flags.ts'
import type { Terminal } from '#cli/terminal.ts'
import type { CallFlags } from './call-operation.ts'
import { addOperationFlags } from './operation-flags.ts'
import type { Operation } from './operation-table.ts'
import { typed } from './names.ts'

/** Turns `command` into the command of the operation. @param done receives the exit code */
export function describeOperation(
  command: Command,
  operation: Operation,
  terminal: Terminal,
  done: (exitCode: number) => void,
): void {
  const { answer, description, id, inPath = [], isConditional, isKeyed, method, path, summary } = operation
  command.summary(summary).description(`${description}\n\n${method} ${path}`)
  for (const { about, name } of inPath) command.argument(`<${typed(name)}>`, about)
  addOperationFlags(command, operation)
  const own = new Set(command.options.map(({ long }) => long))
  const add = (flags: string, about: string): void => {
    const option = new Option(flags, about).helpGroup('Of this command:')
    if (!own.has(option.long)) command.addOption(option)
  }
  if (operation.body === 'json') {
    add(
      '--data <json|@file|->',
      'the whole body as JSON, of a file, or of standard input; flags are put into it',
    )
  }
  if (operation.body === 'file') {
    add('--file <path>', 'the file; - is standard input')
    add(
      '--type <media type>',
      `one of ${operation.fileTypes?.join(', ')}; told by the name of the file otherwise`,
    )
  }
  if (answer === 'page') add('--all', 'all pages, and not the first one alone')
  if (answer === 'page') add('--columns <names>', 'columns to print, by their names in --json')
  if (answer === 'page') add('--csv', 'print CSV (RFC 4180): all columns, or those of --columns')
  if (answer === 'page') add('--ndjson', 'print a row a line as JSON; with --all as they come')
  if (method !== 'GET') add('--dry-run', 'print the request, and send nothing')
  if (isKeyed) add('--idempotency-key <key>', 'the same key, the same change: it is made once')
  if (isConditional) add('--if-match <etag>', 'only if it still has this ETag')
  if (isConditional && method === 'PUT') add('--if-none-match <*>', "'*': only if it does not exist yet")
  const hasFields = operation.fields !== undefined
  addCommonFlags(command, { hasFields, isDestructive: isDestructive(operation) })
  command.addHelpText('after', `\nThe same by HTTP, and all that it answers: /reference/${id}`)
  command.action(async (...args: readonly unknown[]) => {
    const values = args.slice(0, inPath.length).map(String)
    const given = command.optsWithGlobals<CommonFlags & CallFlags & Record<string, unknown>>()
    const { callOperation } = await import('./call-operation.ts')
    done(await callOperation(operation, values, given, terminal))
  })
}

/** An irreversible operation asks first. */
function isDestructive({ method }: Operation): boolean {
  return method === 'DELETE'
}
