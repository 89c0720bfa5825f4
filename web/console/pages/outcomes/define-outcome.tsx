import type { ReactNode } from 'react'
import type { Outcome } from '#sdk/generated/types.ts'
import { FormBody, MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'

interface Values {
  readonly slug: string
  readonly displayName: string
  readonly ceiling: string
  readonly [name: string]: string
}

/** Defines an outcome in a dialog. */
export function DefineOutcome({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Define an outcome"
      about="Calls name it in svc.outcome, and their run in svc.outcome_id."
    >
      <OutcomeForm onDone={onClose} />
    </Dialog>
  )
}

/** Defines one, or changes name and ceiling of one that is there. */
export function OutcomeForm({
  of: known,
  onDone,
}: {
  readonly of?: Outcome
  readonly onDone: () => void
}): ReactNode {
  const add = useChange('outcomes.add')
  const form = useForm<Values>({
    draft: known ? null : 'new outcome',
    initial: {
      slug: known?.slug ?? '',
      displayName: known?.displayName ?? '',
      ceiling: known ? typedDollars(known.ceilingMicros) : '',
    },
    check: ({ ceiling, displayName, slug }) => ({
      ...(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(slug)
        ? {}
        : { slug: 'Write 1 to 63 of a-z, 0-9 and -, with a letter or digit at both ends.' }),
      ...(displayName.trim() === '' && { displayName: 'Write a name for people.' }),
      ...(moneyFault(ceiling) !== undefined && { ceiling: moneyFault(ceiling) ?? '' }),
    }),
    fieldOf: { ceilingMicros: 'ceiling' },
    async send(values) {
      const { ceilingMicros, displayName } = await add.mutateAsync(inputOf(values))
      toast(`${displayName} has a ceiling of ${moneyText(ceilingMicros)} a run.`)
      onDone()
    },
  })
  const micros = microsOfText(form.values.ceiling)
  const action = known
    ? `Set the ceiling to ${micros === null ? 'it' : moneyText(micros)} a run`
    : 'Define the outcome'
  return (
    <FormBody form={form} action={action} busyAction="Saving" onCancel={onDone}>
      {!known && (
        <TextField
          form={form}
          name="slug"
          label="Slug"
          help="What calls name: report, triage."
          maxLength={63}
        />
      )}
      <TextField form={form} name="displayName" label="Name" help="For people." maxLength={128} />
      <MoneyField form={form} name="ceiling" label="Ceiling of one run" per="a run" />
      {known && (
        <p className="text-14 text-ink-2">
          Runs in progress have the new ceiling from their next call on. A higher one reopens those that were
          capped.
        </p>
      )}
      <div>
        <CopyAs operation="outcomes.add" input={inputOf(form.values)} />
      </div>
    </FormBody>
  )
}

function inputOf({ ceiling, displayName, slug }: Values) {
  return { slug, displayName: displayName.trim(), ceilingMicros: microsOfText(ceiling) ?? '0' }
}
