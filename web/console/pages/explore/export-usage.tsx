import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import type { UsageExportInput } from '#sdk/generated/usage.ts'
import { Button } from '#web/ui/button.tsx'
import { downloadBlob } from '#web/ui/download.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { FormBody, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { countText, exactTimeText } from '#web/ui/number-text.ts'
import { call } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import type { TimeRange } from '../../time-range.ts'
import { scopeOptions, useScope } from '../../application-and-mode.ts'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { begun, exported, type Export, type Progress } from './resume-export.ts'

const formats = {
  ndjson: ['ndjson', 'usage', 'NDJSON, one JSON object per line'],
  csv: ['csv', 'usage', 'CSV with all fields'],
  focus: ['csv', 'focus', 'FOCUS 1.2 CSV for finance tools'],
} as const
type FormatName = keyof typeof formats

export function ExportUsage({ range }: { readonly range: TimeRange }): ReactNode {
  const { act } = useSearchTexts()
  const setSearch = useSetSearch()
  const may = useMay('developer')
  return (
    <>
      <Button
        disabled={!may}
        title={may ? undefined : 'Exporting usage requires the developer role.'}
        onClick={() => setSearch({ act: 'export' })}
      >
        Export usage
      </Button>
      {act === 'export' && may && (
        <Dialog
          isOpen
          isFirm
          onClose={() => setSearch({ act: null })}
          title="Export usage"
          about={`Exports every charged request that settled from ${exactTimeText(range.from)} to ${exactTimeText(range.to)}. The last two minutes are not included.`}
        >
          <ExportForm range={range} onClose={() => setSearch({ act: null })} />
        </Dialog>
      )}
    </>
  )
}

function ExportForm({
  onClose,
  range,
}: {
  readonly range: TimeRange
  readonly onClose: () => void
}): ReactNode {
  const scope = useScope()
  const { endUserId } = useSearchTexts()
  const [progress, setProgress] = useState<Progress | null>(null)
  const stop = useRef<AbortController | null>(null)
  const [isStopped, setStopped] = useState(false)
  const inputOf = (values: { format: FormatName; endUserId: string }): UsageExportInput => ({
    from: range.from,
    to: range.to,
    format: formats[values.format][0],
    ...(formats[values.format][1] === 'focus' && { columns: 'focus' as const }),
    ...(values.endUserId.trim() !== '' && { endUserId: values.endUserId.trim() }),
  })
  /** The part of an interrupted export that was received, for a retry of the same request. */
  const kept = useRef<Export | null>(null)
  const run = useMutation({
    async mutationFn(values: { format: FormatName; endUserId: string }) {
      stop.current = new AbortController()
      const { signal } = stop.current
      const input = inputOf(values)
      const isSame = JSON.stringify(kept.current?.input) === JSON.stringify(input)
      const from = isSame && kept.current ? kept.current : begun(input)
      setStopped(false)
      setProgress({ bytes: from.rows.bytes, rows: from.rows.rows })
      const file = await exported(from, {
        ask: (asked) => call('usage.export', asked, { ...scopeOptions(scope), signal }).asResponse(),
        keep: (so) => (kept.current = so),
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        signal,
        tell: ({ bytes, rows }) => setProgress({ bytes, rows }),
      })
      kept.current = null
      if (signal.aborted) return
      downloadBlob(fileNameOf(values.format, range), file)
    },
  })
  const form = useForm<{ format: FormatName; endUserId: string }>({
    draft: null,
    initial: { format: 'ndjson', endUserId: endUserId ?? '' },
    send: async (values) => run.mutate(values),
  })
  const rows = progress?.rows ?? 0
  return (
    <FormBody
      form={form}
      action={run.isPending ? 'Exporting' : 'Download file'}
      isDisabled={run.isPending}
      {...(!run.isPending && { onCancel: onClose })}
    >
      <SelectField
        form={form}
        name="format"
        label="Format"
        options={Object.entries(formats).map(([name, [, , words]]) => [name, words])}
      />
      <TextField
        form={form}
        name="endUserId"
        label="End user"
        help="Exports only the records of this end user."
        maxLength={256}
        isOptional
      />
      <div>
        <CopyAs operation="usage.export" input={{ ...inputOf(form.values) }} />
      </div>
      <div aria-live="polite" className="min-h-6 text-14">
        {progress && !run.error && (
          <span className="figures" data-export={run.isSuccess && !isStopped ? 'done' : 'running'}>
            {run.isPending ? '' : isStopped ? 'Stopped. ' : 'Done. '}
            {countText(rows)} {rows === 1 ? 'record' : 'records'},{' '}
            {countText(Math.ceil(progress.bytes / 1000))} kB
          </span>
        )}
        {run.error && !isStopped && (
          <FailureNote
            error={run.error}
            title={
              rows === 0
                ? 'The export was interrupted. No file was created.'
                : `The export was interrupted after ${countText(rows)} ${rows === 1 ? 'record' : 'records'}. Try again to continue the export.`
            }
            onRetry={() => run.mutate(form.values)}
          />
        )}
        {run.error && isStopped && 'Stopped. No file was created.'}
      </div>
      {run.isPending && (
        <div>
          <Button
            onClick={() => {
              setStopped(true)
              kept.current = null
              stop.current?.abort()
            }}
          >
            Stop export
          </Button>
        </div>
      )}
    </FormBody>
  )
}

function fileNameOf(format: FormatName, { from, to }: TimeRange): string {
  const [kind, columns] = formats[format]
  return `${columns}-${from.slice(0, 10)}-${to.slice(0, 10)}.${kind}`
}
