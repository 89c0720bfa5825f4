/** Checks and previews the lines first, and then issues the grants one by one. */
import { useId, useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { Go } from '../../shell/console-links.tsx'
import { BulkTable } from './bulk-grants-table.tsx'
import { grantLines, linesMax, totalOf } from './parse-grant-lines.ts'
import { useBulkGrants, type Bulk } from './use-issue-bulk-grants.ts'

export function BulkGrants({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('')
  const [batch, setBatch] = useState(() => new Date().toISOString().slice(0, 10))
  const lines = grantLines(text, batch)
  const bulk = useBulkGrants(lines)
  const faulty = lines.filter(({ faults }) => faults.length > 0).length
  const unknown = bulk.unknown.size
  const [first] = lines
  return (
    <>
      <PageHead
        before={<Go to="/grants">Grants</Go>}
        title="Grant from file"
        about="Enter one grant per line: end user ID, dollars, reason. You can review all grants before they are issued."
        action={
          <CopyAs
            operation="grants.issue"
            input={
              first
                ? {
                    endUsers: [first.externalId],
                    amountUnits: first.micros ?? '0',
                    reason: first.reason,
                    idempotencyKey: first.idempotencyKey,
                  }
                : { endUsers: ['ada'], amountUnits: '5000000', reason: 'welcome' }
            }
          />
        }
      />
      <div className="mb-8 grid max-w-content gap-6 tablet:grid-cols-[2fr_1fr]">
        <Field label="Lines" help={`Up to ${linesMax} lines, like ada,5.00,welcome.`}>
          {(control) => (
            <textarea
              {...control}
              rows={8}
              spellCheck={false}
              disabled={bulk.phase === 'granting'}
              className={`${inputClass} h-auto py-2 font-mono text-13`}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-col gap-4">
          <FileField isDisabled={bulk.phase === 'granting'} onText={setText} />
          <Field
            label="Batch"
            help="Each line is granted only once in a batch, so you can retry safely. Use another batch name to grant again."
          >
            {(control) => (
              <input
                {...control}
                className={inputClass}
                maxLength={128}
                disabled={bulk.phase === 'granting'}
                value={batch}
                onChange={(event) => setBatch(event.target.value)}
              />
            )}
          </Field>
        </div>
      </div>
      {lines.length > 0 && (
        <>
          <div className="mb-4 flex flex-wrap items-center gap-3" aria-live="polite">
            <Step bulk={bulk} count={lines.length} total={totalOf(lines)} isReady={faulty + unknown === 0} />
            <Button kind="quiet" onClick={onClose}>
              {bulk.phase === 'done' ? 'Back to grants' : 'Cancel'}
            </Button>
          </div>
          {(faulty > 0 || unknown > 0 || lines.length > linesMax) && (
            <div className="mb-4">
              <Note tone="negative" title="These grants can't be issued yet">
                <p className="text-ink-2">
                  {[
                    lines.length > linesMax &&
                      `The file has ${lines.length} lines. Split the file into files of up to ${linesMax} lines.`,
                    faulty > 0 && `${faulty === 1 ? '1 line has' : `${faulty} lines have`} an error.`,
                    unknown > 0 &&
                      `${unknown === 1 ? '1 end user does' : `${unknown} end users do`} not exist.`,
                  ]
                    .filter(Boolean)
                    .join(' ')}{' '}
                  The errors are shown in the table below.
                </p>
              </Note>
            </div>
          )}
          <BulkTable lines={lines} bulk={bulk} />
          <p className="mt-3 text-right text-14">
            Total <Money micros={totalOf(lines)} className="font-medium" />
          </p>
        </>
      )}
    </>
  )
}

function Step({
  bulk,
  count,
  isReady,
  total,
}: {
  readonly bulk: Bulk
  readonly count: number
  readonly total: bigint
  readonly isReady: boolean
}): ReactNode {
  const { done, failed, phase } = bulk
  if (phase === 'granting' || phase === 'checking') {
    return (
      <>
        <progress value={done} max={count} className="h-2 w-48" aria-label="Progress" />
        <span className="text-14">
          {phase === 'granting'
            ? `${done} of ${count} grants are issued. Stay on this page until all grants are issued.`
            : `${done} of ${count} checked.`}
        </span>
      </>
    )
  }
  if (phase === 'done') {
    return (
      <>
        <span className="text-14 font-medium">
          {count - failed} of {count} grants are issued.
        </span>
        {failed > 0 && (
          <Button kind="primary" onClick={() => void bulk.grant()}>
            Retry {failed} {failed === 1 ? 'line' : 'lines'}
          </Button>
        )}
      </>
    )
  }
  if (phase === 'checked') {
    return (
      <Button kind="primary" disabled={!isReady} onClick={() => void bulk.grant()}>
        Grant {moneyText(total)} in {count} {count === 1 ? 'line' : 'lines'}
      </Button>
    )
  }
  return (
    <Button kind="primary" disabled={count > linesMax} onClick={() => void bulk.check()}>
      Check {count} {count === 1 ? 'line' : 'lines'}
    </Button>
  )
}

function FileField({
  isDisabled,
  onText,
}: {
  readonly isDisabled: boolean
  readonly onText: (text: string) => void
}): ReactNode {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-13 font-medium">
        Or upload a CSV file
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        disabled={isDisabled}
        className="min-w-0 text-13 file:mr-3 file:h-9 file:rounded file:border file:border-edge file:bg-surface file:px-3 file:text-14 file:font-medium file:text-ink"
        onChange={(event) => void event.target.files?.[0]?.text().then(onText)}
      />
    </div>
  )
}
