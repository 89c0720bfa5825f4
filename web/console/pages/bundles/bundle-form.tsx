/** Creates a bundle, or changes the fields of one. */
import { useState, type ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { FormBody, moneyFault, MoneyField, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls.ts'
import { onClientLeftOf } from '../../client-left.ts'
import { CopyAs } from '../../copy-as.tsx'
import { ChangedMeanwhile, type Revised } from '../../revised.tsx'
import { MeaningForPeople } from './people.tsx'

type Values = {
  slug: string
  displayName: string
  price: string
  interval: string
  limit: string
  limitPeriod: string
  policy: string
  overdraft: string
  basis: string
  currency: string
  leaving: string
}

export function BundleForm({
  bundle,
  onCancel,
  onDone,
  onReload = () => {},
}: {
  /** Omitted for a new bundle. */
  readonly bundle?: Revised<Bundle>
  readonly onCancel: () => void
  readonly onDone: (slug: string) => void
  readonly onReload?: () => void
}): ReactNode {
  const [read] = useState(bundle)
  const before = read?.value
  const touches = ['onboarding', 'doctor', 'models', 'apps']
  const create = useChange('bundles.create', { touches })
  const edit = useChange('bundles.edit', { touches })
  const initial = valuesOf(before)
  const form = useForm<Values>({
    draft: before ? `bundle ${before.slug}` : 'new bundle',
    initial,
    check: checked,
    async send(values) {
      if (read) await edit.mutateAsync({ ...editOf(values, initial), ...read.ifMatch })
      else await create.mutateAsync(createOf(values))
      toast(before ? `Changed ${values.displayName}` : `Created ${values.displayName}`)
      onDone(values.slug)
    },
    fieldOf: {
      priceMicros: 'price',
      spendLimitMicros: 'limit',
      spendLimitPeriod: 'limitPeriod',
      terminationPolicy: 'policy',
      maxOverdraftMicros: 'overdraft',
      debitBasis: 'basis',
      creditCurrency: 'currency',
      onClientLeft: 'leaving',
    },
  })
  const { values } = form
  return (
    <FormBody
      form={form}
      action={before ? 'Save the bundle' : 'Create the bundle'}
      onCancel={onCancel}
      isDisabled={before !== undefined && !form.isChanged}
    >
      {before && (
        <MeaningForPeople slug={before.slug}>
          What you change holds for them from the next call on. Who pays keeps the price that they came for
          until they are put on it again; what was granted stays as it was granted.
        </MeaningForPeople>
      )}
      <TextField
        form={form}
        name="displayName"
        label="Name"
        help="People see it in the portal."
        maxLength={128}
      />
      {!before && (
        <TextField
          form={form}
          name="slug"
          label="Slug"
          help="Used in calls of the API, like pro."
          maxLength={63}
        />
      )}
      <div className="grid gap-4 phone:grid-cols-2">
        <MoneyField
          form={form}
          name="price"
          label="Price"
          help="Left out: being on it costs nothing."
          isOptional
        />
        <SelectField
          form={form}
          name="interval"
          label="Billed every"
          options={[
            ['month', 'month'],
            ['year', 'year'],
          ]}
        />
        <MoneyField
          form={form}
          name="limit"
          label="Limit of each person"
          help="Left out: no limit."
          isOptional
        />
        <SelectField
          form={form}
          name="limitPeriod"
          label="The limit starts anew every"
          options={[
            ['day', 'day'],
            ['week', 'week'],
            ['month', 'month'],
            ['total', 'never'],
          ]}
        />
      </div>
      <SelectField
        form={form}
        name="basis"
        label="People spend at"
        help="Holds, charges, caps and limits are computed from this price, and the portal shows it."
        options={[
          ['provider_cost', 'what the provider charges'],
          ['sell_price', 'the sell price'],
        ]}
      />
      <SelectField
        form={form}
        name="policy"
        label="When a stream has spent what was held for it"
        options={[
          ['hard_token', 'it stops'],
          ['grace', 'it may run on by an amount, at your cost'],
          ['complete_message', 'it is never cut; the rest is your cost'],
        ]}
      />
      {values.policy === 'grace' && (
        <MoneyField form={form} name="overdraft" label="How far past its hold" help="Of one call." />
      )}
      <SelectField
        form={form}
        name="leaving"
        label="When a client leaves a stream"
        help="Stopping charges what was delivered, reading on what was generated."
        options={[
          ['', 'as the provider account is set'],
          ['cut', 'stop the stream'],
          ['drain', 'read on for the usage'],
        ]}
      />
      <TextField
        form={form}
        name="currency"
        label="Name of its credits"
        help="Like sparks, if it includes credits of its own and not dollars."
        maxLength={32}
        isOptional
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs
          operation={before ? 'bundles.edit' : 'bundles.create'}
          input={before ? editOf(values, initial) : createOf(values)}
        />
      </div>
    </FormBody>
  )
}

function valuesOf(bundle: Bundle | undefined): Values {
  const dollars = (micros: string | null | undefined): string =>
    micros === null || micros === undefined ? '' : typedDollars(micros)
  return {
    slug: bundle?.slug ?? '',
    displayName: bundle?.displayName ?? '',
    price: dollars(bundle?.priceMicros),
    interval: bundle?.interval ?? 'month',
    limit: dollars(bundle?.spendLimitMicros),
    limitPeriod: bundle?.spendLimitPeriod ?? 'month',
    policy: bundle?.terminationPolicy ?? 'hard_token',
    overdraft: typedDollars(bundle?.maxOverdraftMicros ?? '0'),
    basis: bundle?.debitBasis ?? 'provider_cost',
    currency: bundle?.creditCurrency ?? '',
    leaving: bundle?.onClientLeft ?? '',
  }
}

function checked(values: Values): Partial<Record<keyof Values, string>> {
  const faults: Partial<Record<keyof Values, string>> = {}
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(values.slug))
    faults.slug = 'Small letters, digits and -, with a letter or digit at both ends.'
  if (values.displayName.trim() === '') faults.displayName = 'People see it in the portal.'
  const price = values.price.trim() === '' ? undefined : moneyFault(values.price)
  if (price !== undefined) faults.price = price
  const limit = values.limit.trim() === '' ? undefined : moneyFault(values.limit)
  if (limit !== undefined) faults.limit = limit
  const overdraft = values.policy === 'grace' ? moneyFault(values.overdraft, { least: 1n }) : undefined
  if (overdraft !== undefined) faults.overdraft = overdraft
  return faults
}

type Fields = Omit<
  Parameters<ReturnType<typeof useChange<'bundles.create'>>['mutateAsync']>[0],
  'slug' | 'ifMatch'
>

function fieldsOf(values: Values): Fields {
  return {
    displayName: values.displayName.trim(),
    priceMicros: microsOfText(values.price),
    interval: values.interval as 'month',
    spendLimitMicros: microsOfText(values.limit),
    spendLimitPeriod: values.limitPeriod as 'month',
    terminationPolicy: values.policy as 'grace',
    maxOverdraftMicros: values.policy === 'grace' ? (microsOfText(values.overdraft) ?? '0') : '0',
    debitBasis: values.basis as 'sell_price',
    creditCurrency: values.currency.trim() === '' ? null : values.currency.trim(),
    onClientLeft: onClientLeftOf(values.leaving),
  }
}

function createOf(values: Values): Fields & { slug: string } {
  const { creditCurrency, debitBasis, onClientLeft, priceMicros, spendLimitMicros, ...fields } =
    fieldsOf(values)
  return {
    slug: values.slug,
    ...fields,
    // Omitted fields get their defaults. If no one has chosen a debit basis, it is asked for with the first sell price.
    ...(debitBasis !== 'provider_cost' && { debitBasis }),
    ...(priceMicros !== null && { priceMicros }),
    ...(spendLimitMicros !== null && { spendLimitMicros }),
    ...(creditCurrency !== null && { creditCurrency }),
    ...(onClientLeft !== null && { onClientLeft }),
  }
}

/** Returns only changed fields, so that another member's change of another field is kept. */
function editOf(values: Values, initial: Values): Partial<Fields> & { slug: string } {
  const before = fieldsOf(initial) as Record<string, unknown>
  const changed = Object.entries(fieldsOf(values)).filter(([name, value]) => before[name] !== value)
  return { slug: values.slug, ...(Object.fromEntries(changed) as Partial<Fields>) }
}
