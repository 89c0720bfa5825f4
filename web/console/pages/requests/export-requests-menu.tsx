import { useRef, useState, type ReactNode } from 'react'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import type { RequestsListInput } from '#sdk/generated/requests.ts'
import type { Request } from '#sdk/generated/types.ts'
import { csvLine, numeral } from '#safe-text/csv.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { countText } from '#web/ui/number-text.ts'
import { Dialog, Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { download } from '#web/ui/download.ts'
import { call } from '../../operations/use-operation.ts'
import { CommandLine } from '../../copy-as-code.tsx'
import { furtherNames } from '../../request-money-figures.ts'
import type { TimeRange } from '../../time-range.ts'
import { scopeOptions, useScope } from '../../application-and-mode.ts'

/** `usage.export` streams rows to a file and can export more. */
const rowsMax = 20_000

type Format = 'csv' | 'ndjson'

export function ExportMenu({
  endUserId,
  hasFilters,
  input,
  range,
}: {
  readonly input: RequestsListInput
  readonly range: TimeRange
  readonly endUserId: string | undefined
  readonly hasFilters: boolean
}): ReactNode {
  const [format, setFormat] = useState<Format | 'records' | null>(null)
  return (
    <>
      <Menu
        trigger={<Button>Export</Button>}
        entries={[
          { words: 'Export requests as CSV', onSelect: () => setFormat('csv') },
          { words: 'Export requests as NDJSON', onSelect: () => setFormat('ndjson') },
          null,
          { words: 'Export all usage records', onSelect: () => setFormat('records') },
        ]}
      />
      {(format === 'csv' || format === 'ndjson') && (
        <ExportRows format={format} input={input} onClose={() => setFormat(null)} />
      )}
      {format === 'records' && (
        <Dialog
          isOpen
          onClose={() => setFormat(null)}
          title="Export all usage records"
          about="The command line writes all charged requests in this range to a file, with exact amounts."
        >
          <CommandLine
            operation="usage.export"
            input={{
              from: range.from,
              to: range.to,
              format: 'csv',
              ...(endUserId !== undefined && { endUserId }),
            }}
          />
          {hasFilters && (
            <p className="mt-3 text-13 text-ink-3">
              The export is filtered only by end user. Other filters are ignored.
            </p>
          )}
        </Dialog>
      )}
    </>
  )
}

function ExportRows({
  format,
  input,
  onClose,
}: {
  readonly format: Format
  readonly input: RequestsListInput
  readonly onClose: () => void
}): ReactNode {
  const scope = useScope()
  const [state, setState] = useState<{
    readonly count: number
    readonly kind: 'ready' | 'reading' | 'done' | 'cut'
  }>({
    count: 0,
    kind: 'ready',
  })
  const [failure, setFailure] = useState<unknown>(null)
  const abort = useRef<AbortController | null>(null)
  const close = (): void => {
    abort.current?.abort()
    onClose()
  }
  const run = async (): Promise<void> => {
    const stopping = new AbortController()
    abort.current = stopping
    setFailure(null)
    setState({ count: 0, kind: 'reading' })
    const rows: Request[] = []
    let kind: 'done' | 'cut' = 'done'
    try {
      const list = call(
        'requests.list',
        { ...input, limit: 200 },
        { ...scopeOptions(scope), signal: stopping.signal },
      )
      for await (const row of list) {
        if (rows.length === rowsMax) {
          kind = 'cut'
          break
        }
        rows.push(row)
        if (rows.length % 200 === 0) setState({ count: rows.length, kind: 'reading' })
      }
      download(
        `requests.${format}`,
        textOf(format, rows),
        format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      )
      setState({ count: rows.length, kind })
    } catch (error) {
      if (stopping.signal.aborted) return
      setFailure(error)
      setState({ count: rows.length, kind: 'ready' })
    }
  }
  const name = format === 'csv' ? 'CSV' : 'NDJSON'
  return (
    <Dialog
      isOpen
      onClose={close}
      title={`Export requests as ${name}`}
      about={`The newest ${countText(rowsMax)} requests that match the filters, with all columns.`}
    >
      <div className="flex flex-col gap-4">
        {failure !== null && <FailureNote error={failure} title="Some requests couldn't be loaded." />}
        <p role="status" className="min-h-5 text-14 text-ink-2">
          {state.kind === 'reading' && `${countText(state.count)} requests so far`}
          {state.kind === 'done' && `Saved ${countText(state.count)} requests to requests.${format}.`}
          {state.kind === 'cut' &&
            `Saved the newest ${countText(state.count)} requests to requests.${format}. More requests match.`}
        </p>
        <div className="flex gap-2">
          <Button kind="primary" isBusy={state.kind === 'reading'} onClick={() => void run()}>
            Download {name}
          </Button>
          <Button kind="quiet" onClick={close}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const fields = [
  'id',
  'createdAt',
  'status',
  'httpStatus',
  'errorCode',
  'endUserId',
  'keyId',
  'requestedModel',
  'provider',
  'providerModel',
  'wire',
  'streamed',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'chargeMicros',
  'billedMicros',
  'costMicros',
  'overHoldMicros',
  ...furtherNames.map((name) => figures[name].wire),
  'firstByteMs',
  'latencyMs',
  'assumedMicros',
  'refundedMicros',
] as const satisfies readonly (keyof Request)[]

function textOf(format: Format, rows: readonly Request[]): string {
  return format === 'csv'
    ? [csvLine(fields), ...rows.map(csvOf)].join('')
    : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

function csvOf(row: Request): string {
  return csvLine(
    fields.map((field) => {
      const value = row[field]
      return field.endsWith('Micros') && typeof value === 'string' ? numeral(value) : value
    }),
  )
}
