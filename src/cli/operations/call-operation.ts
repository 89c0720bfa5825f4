import { randomUUID } from 'node:crypto'
import { senderOf, routeOf } from '#cli/api-client.ts'
import { namesOf, type CommonFlags } from '#cli/flags-of-all-commands.ts'
import { printDocument, printRows, printStreamed, type Printing } from '#cli/output/print-response.ts'
import { csvHead, csvRow } from '#cli/output/csv-rows.ts'
import { defaultColumns } from '#cli/output/default-columns.ts'
import { secretFields } from '#cli/output/fields-with-one-time-secrets.ts'
import { isRow } from '#cli/output/aligned-table.ts'
import { withProgress } from '#cli/output/progress-indicator.ts'
import { wrapped } from '#cli/output/text-width.ts'
import { settingsOf, type Settings } from '#cli/settings/settings.ts'
import { confirmed } from '#cli/confirm-change.ts'
import { CommandError, exit, usageError, type Terminal } from '#cli/terminal-interface.ts'
import { prepare, type Input } from '#sdk/request.ts'
import { settingsOf as clientSettings, type ConditionalOptions } from '#sdk/settings.ts'
import { contentOf, dataOf } from './data-flag.ts'
import { emptyHintOf, isFailedAnswer, nextStep } from './response-hints.ts'
import { inputOf } from './operation-flags.ts'
import { wordsOf } from './command-and-flag-names.ts'
import type { Operation } from './operation-table.ts'

export interface CallFlags {
  readonly data?: string
  readonly file?: string
  readonly type?: string
  readonly all?: boolean
  readonly csv?: boolean
  readonly ndjson?: boolean
  readonly dryRun?: boolean
  readonly idempotencyKey?: string
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
}

export async function callOperation(
  operation: Operation,
  inPath: readonly string[],
  given: CommonFlags & CallFlags & Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  const settings = settingsOf(given, terminal)
  const printing = printingOf(operation, given, settings)
  const named = Object.fromEntries((operation.inPath ?? []).map(({ name }, at) => [name, inPath[at]]))
  const flags = inputOf(operation, given, await bodyIn(operation, given, terminal), terminal.clock.now())
  const file = operation.body === 'file' ? await fileOf(operation, given, terminal) : {}
  const input = { ...flags, ...file, ...named }
  const hasOwn = (name: string): boolean => operation.flags?.some((flag) => flag.name === name) === true
  // With --verbose, show the idempotency key, so that the same change can be sent again even if no response arrives.
  const isShown = operation.isKeyed === true && given.verbose === true
  const idempotencyKey = given.idempotencyKey ?? (isShown ? randomUUID() : undefined)
  const options: ConditionalOptions = {
    signal: terminal.signal,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(given.ifMatch !== undefined && { ifMatch: given.ifMatch }),
    ...(given.ifNoneMatch !== undefined && { ifNoneMatch: given.ifNoneMatch }),
  }
  const route = routeOf(operation)
  if (given.dryRun === true && !hasOwn('dryRun')) {
    printRequest(operation, input, settings, terminal)
    return exit.ok
  }
  if (operation.method === 'DELETE') {
    await confirmed(`${wordsOf(operation.id).join(' ')} ${inPath.join(' ')}`.trim(), given, terminal)
  }
  const sender = senderOf(settings, terminal)
  const startedMs = performance.now()
  if (isShown) terminal.err.write(`idempotency key ${idempotencyKey}\n`)
  const told = ({ headers, status }: Response): void => {
    if (given.verbose !== true) return
    const ms = Math.round(performance.now() - startedMs)
    const etag = headers.get('etag')
    terminal.err.write(
      `${operation.method} ${operation.path} ${status}, ${ms} ms, request ${headers.get('x-request-id') ?? '-'}${etag === null ? '' : `, etag ${etag}`}\n`,
    )
  }
  const { answer } = operation
  if (answer === 'events' || answer === 'lines') {
    // Most commands read no stream.
    const { streamEvents, streamLines } = await import('#sdk/stream-calls.ts')
    const stream = answer === 'events' ? streamEvents : streamLines
    const response = await stream(sender, route, input, options).asResponse()
    told(response)
    const hasCome = await printStreamed(response, terminal)
    const exportedTo = response.headers.get('x-export-to')
    // Explain the missing newest usage if the exported file is empty or a person may be reading.
    if (exportedTo !== null && (!hasCome || terminal.err.isTerminal)) {
      terminal.err.write(
        `The export contains usage settled before ${exportedTo}. Later usage is not included yet.\n`,
      )
    }
    return exit.ok
  }
  const what = wordsOf(operation.id).join(' ')
  if (answer === 'page' && given.all === true && printing.byRow !== null) {
    const { byRow } = printing
    terminal.out.write(byRow.head)
    for await (const row of sender.page(route, { limit: 200, ...input }, options)) {
      if (isRow(row)) terminal.out.write(byRow.line(row))
      await terminal.out.drained()
    }
    return exit.ok
  }
  if (answer === 'page' && given.all === true) {
    const rows = await withProgress(terminal, what, async ({ say }) => {
      const all: unknown[] = []
      for await (const row of sender.page(route, { limit: 200, ...input }, options)) {
        all.push(row)
        say(`${what}: ${all.length} rows`)
      }
      return all
    })
    printRows(JSON.stringify({ data: rows, nextCursor: null }), printing, terminal)
    return exit.ok
  }
  const response = await withProgress(terminal, what, () => sender.call(route, input, options).asResponse())
  told(response)
  const text = await response.text()
  assertJson(text, response, settings)
  if (answer === 'page') printRows(text, printing, terminal)
  else printDocument(text, printing, terminal)
  const next = nextStep(operation.id, text)
  if (next !== null && terminal.err.isTerminal && !printing.isJson && !printing.isQuiet) {
    terminal.err.write(`\n${wrapped(next, terminal.err.columns ?? 80).join('\n')}\n`)
  }
  return isFailedAnswer(operation.id, text) ? exit.failed : exit.ok
}

/** @throws CommandError if another server has responded, such as a web server with a page */
function assertJson(text: string, { headers }: Response, { host }: Settings): void {
  try {
    JSON.parse(text)
  } catch (cause) {
    const type = headers.get('content-type') ?? 'of no type'
    throw new CommandError(
      `The response of ${host.value} is ${type} and not JSON. Check that this is the address of the control plane, or set another address with --host or TOLLGATE_BASE_URL.`,
      exit.unreachable,
      { cause },
    )
  }
}

/** @throws CommandError before the request is sent, because a secret in the response is returned only once */
function printingOf(
  operation: Operation,
  given: CommonFlags & CallFlags & Readonly<Record<string, unknown>>,
  settings: Settings,
): Printing {
  const { fields = [], flags = [] } = operation
  const { columns, csv, json, ndjson, quiet } = given
  const ways = [json && '--json', csv && '--csv', ndjson && '--ndjson', quiet && '--quiet'].filter(Boolean)
  if (ways.length > 1) throw usageError(`Set only one of ${ways.join(' and ')}.`)
  const isOwn = flags.some(({ name }) => name === 'columns')
  const chosen = columns === undefined || isOwn ? null : namesOf('--columns', columns, fields)
  const isCsv = csv === true
  const isByRow = isCsv || ndjson === true
  // Omit an object whose fields are listed separately.
  const whole = fields.filter((name) => !fields.some((one) => one.startsWith(`${name}.`)))
  const csvColumns = chosen ?? whole
  return {
    isJson: json !== undefined && json !== false,
    fields: typeof json === 'string' && json !== '' ? namesOf('--json', json, fields) : null,
    isQuiet: quiet === true,
    columns: chosen,
    defaultColumns: defaultColumns[operation.id] ?? null,
    secretField: secretFields[operation.id] ?? null,
    emptyHint: emptyHintOf(operation.id, given, settings),
    byRow: isByRow
      ? {
          head: isCsv ? csvHead(csvColumns) : '',
          line: (row) => (isCsv ? csvRow(csvColumns, row) : `${JSON.stringify(row)}\n`),
        }
      : null,
  }
}

async function bodyIn(
  { body }: Operation,
  { data }: CallFlags,
  terminal: Terminal,
): Promise<Readonly<Record<string, unknown>> | null> {
  return body !== 'json' || data === undefined ? null : dataOf(data, terminal)
}

async function fileOf(
  { fileTypes = [] }: Operation,
  { file, type }: CallFlags,
  terminal: Terminal,
): Promise<{ file: Uint8Array; type: string }> {
  if (file === undefined) throw usageError('Missing: --file.')
  const told = type ?? fileTypes.find((one) => one === `image/${endingOf(file)}`)
  if (told === undefined)
    throw usageError(
      `The name of the file does not show its type. Set --type to one of ${fileTypes.join(', ')}.`,
    )
  return { file: await contentOf(file === '-' ? '-' : `@${file}`, terminal), type: told }
}

function endingOf(file: string): string {
  const ending = file.split('.').at(-1)?.toLowerCase() ?? ''
  return ending === 'jpg' ? 'jpeg' : ending
}

function printRequest(
  operation: Operation,
  input: Input,
  { app, host, mode, token }: Settings,
  { out }: Terminal,
): void {
  const { body, headers, method, url } = prepare(
    routeOf(operation),
    input,
    {},
    clientSettings({
      baseUrl: host.value,
      token: token?.value ?? null,
      ...(app && { app: app.value }),
      mode: mode.value === 'test' ? 'test' : 'live',
    }),
  )
  const shown = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-svc') || name === 'content-type')
    .map(([name, value]) => `${name}: ${value}`)
  const content = typeof body === 'string' ? [``, JSON.stringify(JSON.parse(body), null, 2)] : []
  out.write(`${[`${method} ${url}`, ...shown, ...content].join('\n')}\n`)
}
