import type { ReactNode } from 'react'
import type { Outcome } from '#sdk/generated/types.ts'
import { FormBody, MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { labelFault } from '../../help-and-errors-of-fields.ts'

interface Values {
  readonly slug: string
  readonly displayName: string
  readonly ceiling: string
  readonly [name: string]: string
}

export function DefineOutcome({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Define outcome"
      about="In requests, set svc.outcome to the slug of the outcome, and svc.outcome_id to the ID of a run."
    >
      <OutcomeForm onDone={onClose} />
    </Dialog>
  )
}

export function OutcomeForm({
  of: known,
  onDone,
}: {
  readonly of?: Outcome
  readonly onDone: () => void
}): ReactNode {
  const add = useChange('outcomes.add')
  const form = useForm<Values>({
    draft: known ? `outcome ${known.slug}` : 'new outcome',
    initial: {
      slug: known?.slug ?? '',
      displayName: known?.displayName ?? '',
      ceiling: known ? typedDollars(known.ceilingMicros) : '',
    },
    check: ({ ceiling, displayName, slug }) => ({
      ...(labelFault(slug) === undefined
        ? {}
        : {
            slug: 'Use 1 to 63 lowercase letters, digits and hyphens (-). Start and end with a letter or digit.',
          }),
      ...(displayName.trim() === '' && { displayName: 'Enter a display name.' }),
      ...(moneyFault(ceiling) !== undefined && { ceiling: moneyFault(ceiling) ?? '' }),
    }),
    fieldOf: { ceilingMicros: 'ceiling' },
    async send(values) {
      const { ceilingMicros, displayName } = await add.mutateAsync(inputOf(values))
      toast(`${displayName} has a ceiling of ${moneyText(ceilingMicros)} per run.`)
      onDone()
    },
  })
  const micros = microsOfText(form.values.ceiling)
  const action = known
    ? micros === null
      ? 'Set ceiling'
      : `Set ceiling to ${moneyText(micros)} per run`
    : 'Define outcome'
  return (
    <FormBody form={form} action={action} busyAction="Saving" onCancel={onDone}>
      {!known && (
        <TextField
          form={form}
          name="slug"
          label="Slug"
          help="Requests send the slug in svc.outcome. For example: report."
          maxLength={63}
        />
      )}
      <TextField
        form={form}
        name="displayName"
        label="Display name"
        help="Shown in the console."
        maxLength={128}
      />
      <MoneyField form={form} name="ceiling" label="Ceiling per run" per="per run" />
      {known && (
        <p className="text-14 text-ink-2">
          The new ceiling applies to runs in progress, starting with their next request. A higher ceiling
          reopens capped runs.
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
