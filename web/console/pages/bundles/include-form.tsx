import { useState, type ReactNode } from 'react'
import type { Bundle, BundleInclude } from '#sdk/generated/types.ts'
import {
  CheckField,
  FormBody,
  moneyFault,
  MoneyField,
  SelectField,
  TextAreaField,
  TextField,
  useForm,
} from '#web/ui/form.tsx'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { labelFault, nameMissing } from '../../help-and-errors-of-fields.ts'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'
import { MeaningForPeople } from './end-users-of-bundle.tsx'

export function IncludeForm({
  bundle,
  include: before,
  onDone,
  onReload,
}: {
  readonly bundle: Revised<Bundle>
  readonly include: BundleInclude | undefined
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  const [{ ifMatch, value }] = useState(bundle)
  const include = useChange('bundles.include')
  const form = useForm({
    draft: `include ${value.slug} ${before?.slug ?? ''}`,
    initial: {
      slug: before?.slug ?? '',
      displayName: before?.displayName ?? '',
      unit: before?.unit ?? 'micros',
      amount: before ? typedDollars(before.amount) : '',
      price: before?.price ? typedDollars(before.price) : '',
      recurring: before?.recurring ?? true,
      rolloverPercent: before?.rollover ? String(before.rollover.percent) : '',
      rolloverPeriods: before?.rollover ? String(before.rollover.periodsMax) : '',
      memberCap: before?.memberCap ? typedDollars(before.memberCap) : '',
      models: before?.models?.join('\n') ?? '',
      spill: before ? (before.spilloverTo ?? '') : '*',
      thenOnDemand: before?.thenOnDemand ?? true,
    },
    check(values) {
      const slug = labelFault(values.slug)
      const amount = moneyFault(values.amount, { least: 1n })
      const price = values.price.trim() === '' ? undefined : moneyFault(values.price)
      const memberCap = hasMemberCap(values) ? moneyFault(values.memberCap, { least: 1n }) : undefined
      return {
        ...(slug !== undefined && { slug }),
        ...(values.displayName.trim() === '' && { displayName: nameMissing }),
        ...(amount !== undefined && {
          amount: values.unit === 'micros' ? amount : 'Enter a number above 0 with at most six decimals.',
        }),
        ...(price !== undefined && { price }),
        ...(memberCap !== undefined && { memberCap }),
        ...(values.recurring && rolloverFaults(values)),
      }
    },
    async send(values) {
      await include.mutateAsync({ ...inputOf(values), ...ifMatch })
      toast(`${value.displayName} includes ${values.displayName}`)
      onDone()
    },
    fieldOf: { spilloverTo: 'spill' },
  })
  const inputOf = (values: typeof form.values) => ({
    bundleSlug: value.slug,
    slug: values.slug,
    displayName: values.displayName.trim(),
    unit: values.unit as 'micros',
    amount: microsOfText(values.amount) ?? '0',
    price: values.price.trim() === '' ? null : microsOfText(values.price),
    recurring: values.recurring,
    rollover: values.recurring ? rolloverOf(values) : null,
    memberCap: hasMemberCap(values) ? microsOfText(values.memberCap) : null,
    models: linesOf(values.models),
    spilloverTo: values.spill === '' ? null : values.spill,
    thenOnDemand: values.thenOnDemand,
  })
  const { values } = form
  const others = value.includes.filter(({ slug }) => slug !== values.slug)
  return (
    <FormBody form={form} action={before ? 'Save included credit' : 'Add included credit'} onCancel={onDone}>
      <MeaningForPeople slug={value.slug}>
        End users get recurring credit with their next period. One-time credit is granted only to end users
        who join the bundle after this change. Pools of the current period don't change.
      </MeaningForPeople>
      <TextField
        form={form}
        name="displayName"
        label="Name"
        help="For example: Monthly credit."
        maxLength={128}
      />
      {!before && (
        <TextField form={form} name="slug" label="Slug" help="For example: monthly-credit." maxLength={63} />
      )}
      <div className="grid gap-4 phone:grid-cols-2">
        <SelectField
          form={form}
          name="unit"
          label="Unit"
          options={[
            ['micros', 'Dollars'],
            ['credits', value.creditCurrency ?? 'credits'],
          ]}
        />
        {values.unit === 'micros' ? (
          <MoneyField form={form} name="amount" label="Amount" per="per grant" />
        ) : (
          <TextField
            form={form}
            name="amount"
            label="Amount"
            inputMode="decimal"
            help={`${value.creditCurrency ?? 'Credits'}, with at most six decimals.`}
          />
        )}
      </div>
      <CheckField
        form={form}
        name="recurring"
        label="Granted every month"
        help="Unspent credit expires at the end of the month. If this box isn't selected, the credit is granted once, when an end user joins the bundle, and doesn't expire."
      />
      {values.recurring && (
        <div className="grid gap-4 phone:grid-cols-2">
          <TextField
            form={form}
            name="rolloverPercent"
            label="Rollover percentage"
            inputMode="numeric"
            isOptional
            help="Percentage of unspent credit that is carried over. Leave empty to let unspent credit expire."
          />
          <TextField
            form={form}
            name="rolloverPeriods"
            label="Rollover months"
            inputMode="numeric"
            isOptional
            help="1 to 12. Older amounts expire."
          />
        </div>
      )}
      <TextAreaField
        form={form}
        name="models"
        label="Models"
        help="Models this credit can pay for, one name or pattern per line, like acme/*. Leave empty for every model in the bundle."
        rows={3}
        isMono
        isOptional
      />
      <SelectField
        form={form}
        name="spill"
        label="When this credit is used up"
        options={[
          ['*', 'Use the next pool'],
          ...others.map(({ displayName, slug }) => [slug, `Use ${displayName}`] as const),
          ['', 'Use no further pool'],
        ]}
      />
      <CheckField
        form={form}
        name="thenOnDemand"
        label="After the pool, use the wallet and on-demand billing"
        help="If this box isn't selected, requests are rejected when the pools are used up."
      />
      {values.unit === 'micros' && (
        <MoneyField
          form={form}
          name="memberCap"
          label="Cap of each team member"
          per="per grant"
          help="Members of the end user's team can use this credit up to the cap. Leave empty if members can't use this credit."
          isOptional
        />
      )}
      <MoneyField
        form={form}
        name="price"
        label="Separate price"
        help="Leave empty if the bundle price includes this credit."
        isOptional
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="bundles.include" input={inputOf(values)} />
      </div>
    </FormBody>
  )
}

/** Team members use only credit in dollars, so no other credit has a member cap. */
function hasMemberCap({ memberCap, unit }: { readonly memberCap: string; readonly unit: string }): boolean {
  return unit === 'micros' && memberCap.trim() !== ''
}

interface RolloverValues {
  readonly rolloverPercent: string
  readonly rolloverPeriods: string
}

/** Null if unspent credit does not roll over. */
function rolloverOf({ rolloverPercent, rolloverPeriods }: RolloverValues) {
  if (rolloverPercent.trim() === '') return null
  return { percent: Number(rolloverPercent), periodsMax: Number(rolloverPeriods) }
}

function rolloverFaults({ rolloverPercent, rolloverPeriods }: RolloverValues): Record<string, string> {
  if (rolloverPercent.trim() === '') return {}
  return {
    ...(!isWhole(rolloverPercent, 100) && { rolloverPercent: 'Enter a whole number from 1 to 100.' }),
    ...(!isWhole(rolloverPeriods, 12) && { rolloverPeriods: 'Enter a whole number from 1 to 12.' }),
  }
}

function isWhole(text: string, most: number): boolean {
  const value = Number(text)
  return text.trim() !== '' && Number.isInteger(value) && value >= 1 && value <= most
}

function linesOf(text: string): string[] | null {
  const lines = text.split(/[\s,]+/).filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}
