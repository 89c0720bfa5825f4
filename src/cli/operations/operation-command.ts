import type { Command } from 'commander'
import { Option } from 'commander'
import { addCommonFlags, type CommonFlags } from '#cli/flags-of-all-commands.ts'
import type { Terminal } from '#cli/terminal-interface.ts'
import type { CallFlags } from './call-operation.ts'
import { addOperationFlags } from './operation-flags.ts'
import type { Operation } from './operation-table.ts'
import { typed } from './command-and-flag-names.ts'

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
    const option = new Option(flags, about).helpGroup('Command options:')
    if (!own.has(option.long)) command.addOption(option)
  }
  if (operation.body === 'json') {
    add(
      '--data <json|@file|->',
      'body in JSON: as text, from @file, or from standard input (-); other flags are added to the body',
    )
  }
  if (operation.body === 'file') {
    add('--file <path>', 'file to upload; - reads standard input')
    add(
      '--type <media type>',
      `one of ${operation.fileTypes?.join(', ')}; defaults to the type of the file name`,
    )
  }
  if (answer === 'page') add('--all', 'print all pages, not only the first')
  if (answer === 'page') add('--columns <names>', 'columns to print, by their names in --json')
  if (answer === 'page')
    add('--csv', 'print CSV (RFC 4180) with all columns, or with the columns that --columns lists')
  if (answer === 'page') add('--ndjson', 'print each row as one line of JSON; with --all, rows are streamed')
  if (method !== 'GET') add('--dry-run', 'print the request without sending it')
  if (isKeyed)
    add('--idempotency-key <key>', 'requests with the same idempotency key make the change only once')
  if (isConditional) add('--if-match <etag>', 'change the resource only if it still has this ETag')
  if (isConditional && method === 'PUT')
    add('--if-none-match <*>', "'*' creates the resource only if it does not exist")
  const hasFields = operation.fields !== undefined
  addCommonFlags(command, { hasFields, isDestructive: isDestructive(operation) })
  command.addHelpText('after', `\nHTTP reference with all response fields: /reference/${id}`)
  command.action(async (...args: readonly unknown[]) => {
    const values = args.slice(0, inPath.length).map(String)
    const given = command.optsWithGlobals<CommonFlags & CallFlags & Record<string, unknown>>()
    const { callOperation } = await import('./call-operation.ts')
    done(await callOperation(operation, values, given, terminal))
  })
}

function isDestructive({ method }: Operation): boolean {
  return method === 'DELETE'
}
