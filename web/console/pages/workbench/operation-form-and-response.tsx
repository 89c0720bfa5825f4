import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { Operation } from '#cli/operations/operation-table.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { FormBody, useForm } from '#web/ui/form.tsx'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import type { OperationId } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { reloadAfter } from '../../operations/reload-outdated-responses.ts'
import { useScope } from '../../application-and-mode.ts'
import { useApp } from '../../shell/application-and-mode-switcher.tsx'
import { Answer, History } from './response-and-history.tsx'
import { emptyValues, inputOf, type OperationValues } from './form-values-of-operation.ts'
import { OperationFields } from './operation-fields.tsx'
import { run, type Ran } from './run-operation.ts'
import { WithCode } from './text-with-code.tsx'

export function OperationPart({
  history,
  onRan,
  operation,
}: {
  readonly operation: Operation
  readonly history: readonly Ran[]
  readonly onRan: (ran: Ran) => void
}): ReactNode {
  const scope = useScope()
  const app = useApp()
  const queries = useQueryClient()
  const nowMs = useNow(60_000)
  const [file, setFile] = useState<File | null>(null)
  const [shown, setShown] = useState<Ran | null>(null)
  const [partial, setPartial] = useState<string | null>(null)
  const [isAsked, setAsked] = useState(false)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])
  const isWrite = operation.method !== 'GET'
  const isFile = operation.body === 'file'
  const read = (values: OperationValues) => inputOf(operation, values, nowMs)
  const form = useForm<OperationValues>({
    draft: `workbench ${operation.id}`,
    initial: emptyValues(operation),
    check: (values) => read(values).faults,
    async send() {
      if (isWrite) setAsked(true)
      else await start()
    },
  })
  const input = read(form.values).input
  const start = async (): Promise<void> => {
    const controller = new AbortController()
    stop.current = controller
    setShown(null)
    setPartial('')
    const sent = isFile && file ? { ...input, file } : input
    const ran = await run(operation, sent, scope, { onText: setPartial, signal: controller.signal })
    setPartial(null)
    setShown(ran)
    onRan(ran)
    await reloadAfter(queries, operation.id, input)
  }
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <header>
        <h2 className="text-20 font-semibold">
          <code>{operation.id}</code>
        </h2>
        <p className="figures mt-1 text-13 text-ink-3">
          <code className="wrap-anywhere">
            {operation.method} {operation.path}
          </code>
        </p>
        <p className="mt-2 max-w-prose font-medium">{operation.summary}</p>
        <p className="max-w-prose whitespace-pre-line text-ink-2">
          <WithCode text={operation.description} />
        </p>
      </header>
      <FormBody
        form={form}
        action={`Run ${operation.id}`}
        busyAction="Running"
        mayLeave={!isWrite}
        kind={isWrite ? 'plain' : 'primary'}
        isDisabled={(isFile && file === null) || partial !== null}
        className="max-w-prose"
      >
        <OperationFields operation={operation} form={form} file={file} onFile={setFile} />
        <div>
          <CopyAs operation={operation.id as OperationId} input={input} />
        </div>
      </FormBody>
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={
          <>
            Run <code>{operation.id}</code>?
          </>
        }
        action={`Run ${operation.id}`}
        onConfirm={async () => {
          setAsked(false)
          await start()
        }}
      >
        <p>
          This operation changes data in {scope.mode} mode
          {app && (
            <>
              {' '}
              of <bdi className="font-medium text-ink">{app.name}</bdi> (<code>{app.slug}</code>)
            </>
          )}
          .
        </p>
        <p>
          {operation.summary}. The operation runs immediately and is recorded in the audit log under your
          name.
        </p>
        {scope.mode === 'live' && <Note tone="held">Live mode affects real money and real end users.</Note>}
      </Confirm>
      <div aria-live="polite">
        {partial !== null && (
          <div className="flex flex-col gap-3">
            <div className="flex items-center gap-3">
              <span className="text-13 text-ink-2">Waiting for the response</span>
              <Button size="small" onClick={() => stop.current?.abort()}>
                Stop
              </Button>
            </div>
            {partial !== '' && (
              <pre
                className="max-h-96 overflow-auto rounded border border-line bg-surface-2 p-3 text-13"
                tabIndex={0}
              >
                {partial}
              </pre>
            )}
          </div>
        )}
        {shown && <Answer ran={shown} />}
      </div>
      <History history={history} shown={shown} onShow={setShown} />
    </div>
  )
}
