/** The server detects when a step is complete. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, type ReactNode } from 'react'
import type { Onboarding as Status } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useAnswer, useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useScope } from '../../application-and-mode.ts'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { AppForm } from './first-application-form.tsx'
import { FirstKeyDialog } from './first-key-dialog.tsx'
import { dismissOnboarding } from './dismiss-onboarding.ts'
import { StepItem } from './setup-step.tsx'

/** Polling interval while a step is not complete. */
const everyMs = 2_000

export default function Onboarding(): ReactNode {
  const { data, error, refetch } = useAnswer('onboarding.status', {})
  const isOther = useOwnApplication(data)
  return (
    <>
      <PageHead
        title="Getting started"
        about="Six steps to your first charged request. Each step is marked as done automatically."
        {...(data && missingOf(data) > 0 && { action: <Dismiss /> })}
      />
      <div className="max-w-prose">
        {error && !data && (
          <FailureNote error={error} title="Your progress can't be shown." onRetry={() => void refetch()} />
        )}
        {!data && !error && <Skeleton className="h-80" />}
        {data && (
          <>
            {data.application === null && <AppForm mode={data.mode} />}
            {isOther && (
              <Note tone="held" title="Another application is selected">
                These steps are for {data.application}, the application that has completed the most steps.
              </Note>
            )}
            {missingOf(data) > 0 && <Watch />}
            <Progress status={data} />
            <ol aria-label="Steps">
              <Steps status={data} />
            </ol>
            {missingOf(data) === 0 && <Finish status={data} />}
            <FirstKeyDialog />
          </>
        )}
      </div>
    </>
  )
}

function Watch(): null {
  useAnswer('onboarding.status', {}, { everyMs })
  return null
}

function Steps({ status }: { readonly status: Status }): ReactNode {
  const { step: chosen } = useSearchTexts()
  const setSearch = useSetSearch()
  // The application must be created before any step.
  const next =
    status.application === null ? undefined : status.steps.find(({ state }) => state !== 'done')?.step
  // The last step shows the receipt, so it stays open.
  const open = chosen ?? next ?? (status.application === null ? undefined : 'call_settled')
  return status.steps.map((step, at) => (
    <StepItem
      key={step.step}
      step={step}
      place={at + 1}
      application={status.application}
      isOpen={step.step === open}
      onToggle={() => setSearch({ step: step.step === open ? 'none' : step.step })}
      onDone={() => setSearch({ step: null })}
    />
  ))
}

function Progress({ status }: { readonly status: Status }): ReactNode {
  const left = missingOf(status)
  const words =
    left === 0
      ? `All 6 steps are done in ${status.mode} mode.`
      : `${6 - left} of 6 steps are done in ${status.mode} mode.`
  return (
    <p role="status" className="mb-2 text-14 text-ink-2" data-left={left}>
      {words}
      {status.mode === 'test' && ' The built-in simulator responds, and no real money is used.'}
    </p>
  )
}

/** The server checks all steps again before it records that the setup is complete. */
function Finish({ status }: { readonly status: Status }): ReactNode {
  const may = useMay('developer')
  const tried = useChange('onboarding.fundAndTry')
  const complete = useChange('onboarding.complete')
  const error = tried.error ?? complete.error
  if (status.completedAt !== null) {
    return (
      <p className="mt-4 text-14 text-ink-2">
        Setup completed <When at={status.completedAt} />.
      </p>
    )
  }
  const finish = async (): Promise<void> => {
    await tried.mutateAsync({})
    await complete.mutateAsync({})
  }
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2">
      <Button
        kind="primary"
        disabled={!may}
        isBusy={tried.isPending || complete.isPending}
        onClick={() => void finish().catch(() => {})}
      >
        Complete setup
      </Button>
      <CopyAs operation="onboarding.complete" />
      {error && <FailureNote error={error} />}
    </div>
  )
}

function Dismiss(): ReactNode {
  const navigate = useNavigate()
  return (
    <Button
      kind="quiet"
      onClick={() => {
        dismissOnboarding()
        void navigate({ to: '/' })
      }}
    >
      Skip for now
    </Button>
  )
}

/** @returns whether another application is selected */
function useOwnApplication(status: Status | undefined): boolean {
  const { app } = useScope()
  const setSearch = useSetSearch()
  const own = status?.application ?? null
  useEffect(() => {
    if (app === null && own !== null) setSearch({ app: own })
  }, [app, own, setSearch])
  return app !== null && own !== null && app !== own
}

function missingOf({ steps }: Status): number {
  return steps.filter(({ state }) => state !== 'done').length
}
