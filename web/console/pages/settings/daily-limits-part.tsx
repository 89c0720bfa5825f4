import { useState, type ReactNode } from 'react'
import type { LimitsSetInput } from '#sdk/generated/limits.ts'
import type { Limits } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { countText } from '#web/ui/number-text.ts'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { applicationWords } from '../../applications.ts'
import { useChange, useRows } from '../../operations/use-operation.ts'
import { Snippets } from '../../copy-as-code.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { ChangedMeanwhile, OnceRead, useRevised } from '../../forms-with-revision.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'

type Limit = Limits['organization']

/** Selects the limits of all applications together. */
const everything = 'all'

export function LimitsPart(): ReactNode {
  const query = useRevised('limits.show', {})
  const { data, error, refetch } = query
  const { rows: apps = [] } = useRows('apps.list', { limit: 200 }, { scope: { app: null, mode: 'live' } })
  const [open, setOpen] = useSearchText('open')
  if (error && !data)
    return <FailureNote error={error} title="The limits couldn't be loaded." onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-64" />
  const { applications, organization } = data.value
  const limitOf = (slug: string, all = applications): Limit | undefined =>
    all.find(({ application }) => application === slug)
  return (
    <div className="max-w-prose">
      <p className="mb-6 text-ink-2">
        Daily limits (UTC) protect you against mistakes in live mode. Requests beyond a limit return 403
        organization_limit_reached. To limit the spend of end users, use bundles and keys.
      </p>
      <Subject name="All applications together" limit={organization} onChange={() => setOpen(everything)} />
      {apps
        .filter(({ archivedAt }) => archivedAt === null)
        .map((app) => (
          <Subject
            key={app.slug}
            name={applicationWords(app, apps)}
            limit={limitOf(app.slug)}
            onChange={() => setOpen(app.slug)}
          />
        ))}
      {open !== null && (
        <OnceRead key={open} noun="limits" query={query} waiting={null}>
          {({ ifMatch, value }) => (
            <LimitForm
              application={open === everything ? null : open}
              limit={open === everything ? value.organization : limitOf(open, value.applications)}
              ifMatch={ifMatch}
              onClose={() => setOpen(null)}
              onReload={() => {
                void refetch()
                setOpen(null)
              }}
            />
          )}
        </OnceRead>
      )}
    </div>
  )
}

function Subject({
  limit,
  name,
  onChange,
}: {
  readonly name: string
  readonly limit: Limit | undefined
  readonly onChange: () => void
}): ReactNode {
  const may = useMay('admin')
  return (
    <section className="mb-4 border-b border-line pb-4">
      <div className="mb-2 flex items-center justify-between gap-4">
        <h2 className="min-w-0 truncate text-16 font-semibold" title={name}>
          <bdi>{name}</bdi>
        </h2>
        <Button
          size="small"
          disabled={!may}
          title={may ? undefined : 'Setting limits requires the admin role.'}
          aria-label={`Set limits of ${name}`}
          onClick={onChange}
        >
          Set limits
        </Button>
      </div>
      {limit ? (
        <div className="grid gap-4 phone:grid-cols-2">
          <Meter
            label="Requests today"
            used={limit.today.calls}
            held={0}
            limit={limit.callsPerDay}
            format={countText}
            note={<Resets at={limit.today.resetsAt} />}
          />
          <Meter
            label="Cost today"
            used={BigInt(limit.today.spentMicros)}
            held={BigInt(limit.today.heldMicros)}
            limit={limit.spendPerDayMicros === null ? null : BigInt(limit.spendPerDayMicros)}
            format={moneyText}
            note={<Resets at={limit.today.resetsAt} />}
          />
        </div>
      ) : (
        <p className="text-13 text-ink-3">No daily limits are set.</p>
      )}
    </section>
  )
}

function Resets({ at }: { readonly at: string }): ReactNode {
  return (
    <>
      resets <When at={at} />
    </>
  )
}

function LimitForm({
  application,
  ifMatch: read,
  limit,
  onClose,
  onReload,
}: {
  readonly application: string | null
  readonly limit: Limit | undefined
  readonly ifMatch: { readonly ifMatch?: string }
  readonly onClose: () => void
  readonly onReload: () => void
}): ReactNode {
  const [ifMatch] = useState(read)
  const set = useChange('limits.set')
  const form = useForm({
    draft: null,
    initial: {
      calls: typeof limit?.callsPerDay === 'number' ? String(limit.callsPerDay) : '',
      spend: typeof limit?.spendPerDayMicros === 'string' ? typedDollars(limit.spendPerDayMicros) : '',
    },
    fieldOf: { callsPerDay: 'calls', spendPerDayMicros: 'spend' },
    check({ calls, spend }) {
      const fault = spend.trim() === '' ? undefined : moneyFault(spend)
      return {
        ...(!/^\d{0,10}$/.test(calls.trim()) && {
          calls: 'Enter a whole number, or leave empty for no limit.',
        }),
        ...(fault !== undefined && { spend: fault }),
      }
    },
    async send(values) {
      await set.mutateAsync({ ...inputOf(values, application), ...ifMatch })
      toast('Saved. The limits apply to new requests.')
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={application === null ? 'Limits of all applications together' : <>Limits of {application}</>}
      about="Daily limits (UTC) in live mode. Test requests are not counted."
      form={form}
      action="Set limits"
      isDisabled={!form.isChanged}
    >
      <TextField
        form={form}
        name="calls"
        label="Requests per day"
        help="Requests in flight are counted too. Enter 0 to reject all requests, or leave empty for no limit."
        inputMode="numeric"
        isOptional
      />
      <MoneyField
        form={form}
        name="spend"
        label="Cost per day"
        help="The cost charged to your provider accounts. For requests in flight, the held amounts are counted. Leave empty for no limit."
        isOptional
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <Snippets operation="limits.set" input={inputOf(form.values, application)} />
    </FormDialog>
  )
}

function inputOf(
  { calls, spend }: { calls: string; spend: string },
  application: string | null,
): LimitsSetInput {
  return {
    ...(application !== null && { application }),
    callsPerDay: calls.trim() === '' ? null : Number(calls),
    spendPerDayMicros: spend.trim() === '' ? null : microsOfText(spend),
  }
}
