import { useState, type ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { FormBody, moneyFault, MoneyField, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { clientLeftLabels, onClientLeftOf } from '../../providers/disconnect-setting-text.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { labelFault, nameHelp, nameMissing } from '../../help-and-errors-of-fields.ts'
import { resetPeriods } from '../../reset-period-options.ts'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'
import { MeaningForPeople } from './end-users-of-bundle.tsx'
import { gatewayDefault, providerDefault, ruleWords } from './bundle-in-words.ts'

/** Keeps the bundle's rules by kind of tool, which only the API and the command line can change. */
const byKind = 'by_kind'

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
  /** Empty means that the gateway's setting applies. */
  tools: string
}

export function BundleForm({
  bundle,
  onCancel,
  onDone,
  onReload = () => {},
}: {
  readonly bundle?: Revised<Bundle>
  readonly onCancel: () => void
  readonly onDone: (slug: string) => void
  readonly onReload?: () => void
}): ReactNode {
  const [read] = useState(bundle)
  const before = read?.value
  const create = useChange('bundles.create')
  const edit = useChange('bundles.edit')
  const initial = valuesOf(before)
  const form = useForm<Values>({
    draft: before ? `bundle ${before.slug}` : 'new bundle',
    initial,
    check: checked,
    async send(values) {
      if (read) await edit.mutateAsync({ ...editOf(values, initial), ...read.ifMatch })
      else await create.mutateAsync({ ...createOf(values), isNew: true })
      toast(before ? `Changed ${values.displayName}` : `Created ${values.displayName}`)
      onDone(values.slug)
    },
    ifExists: before
      ? undefined
      : { name: 'slug', fault: 'A bundle with this slug already exists. Enter another slug.' },
    fieldOf: {
      priceMicros: 'price',
      spendLimitMicros: 'limit',
      spendLimitPeriod: 'limitPeriod',
      terminationPolicy: 'policy',
      maxOverdraftMicros: 'overdraft',
      debitBasis: 'basis',
      creditCurrency: 'currency',
      onClientLeft: 'leaving',
      providerTools: 'tools',
    },
  })
  const { values } = form
  return (
    <FormBody
      form={form}
      action={before ? 'Save bundle' : 'Create bundle'}
      onCancel={onCancel}
      isDisabled={before !== undefined && !form.isChanged}
    >
      {before && (
        <MeaningForPeople slug={before.slug}>
          Changes apply to the next request of each end user. End users who pay for the bundle keep their
          price until you put them on the bundle again. Credit that was already granted doesn't change.
        </MeaningForPeople>
      )}
      <TextField form={form} name="displayName" label="Name" help={nameHelp} maxLength={128} />
      {!before && (
        <TextField
          form={form}
          name="slug"
          label="Slug"
          help="Identifies the bundle in the API. For example: pro. The slug can't be changed later."
          maxLength={63}
        />
      )}
      <div className="grid gap-4 phone:grid-cols-2">
        <MoneyField
          form={form}
          name="price"
          label="Price"
          help="Leave empty if the bundle is free."
          isOptional
        />
        <SelectField
          form={form}
          name="interval"
          label="Billing interval"
          options={[
            ['month', 'Monthly'],
            ['year', 'Yearly'],
          ]}
        />
        <MoneyField
          form={form}
          name="limit"
          label="Spend limit per end user"
          help="Leave empty for no limit."
          isOptional
        />
        <SelectField form={form} name="limitPeriod" label="Limit resets" options={resetPeriods} />
      </div>
      <SelectField
        form={form}
        name="basis"
        label="End users are charged"
        help="Holds, charges, caps and limits are computed from this price. The portal shows this price."
        options={[
          ['provider_cost', 'The provider price'],
          ['sell_price', 'The sell price'],
        ]}
      />
      <SelectField
        form={form}
        name="policy"
        label="When a stream uses up its hold"
        options={[
          ['hard_token', 'Stop the stream'],
          ['grace', 'Continue up to a set amount, at your cost'],
          ['complete_message', 'Let every stream finish, at your cost'],
        ]}
      />
      {values.policy === 'grace' && (
        <MoneyField form={form} name="overdraft" label="Maximum amount over the hold" help="Per request." />
      )}
      <SelectField
        form={form}
        name="leaving"
        label="When a client disconnects"
        help="If the stream is stopped, the delivered output is charged. If the rest of the stream is read, all generated output is charged."
        options={[['', providerDefault], ...(Object.entries(clientLeftLabels) as [string, string][])]}
      />
      <SelectField
        form={form}
        name="tools"
        label="Tools that providers run"
        help="This rule applies to web search and other tools that providers run, unless a request forces the model to use a tool."
        options={[
          ['', gatewayDefault],
          ...(Object.entries(ruleWords) as [string, string][]),
          ...(initial.tools === byKind
            ? [[byKind, 'Keep the rules for each kind of tool'] as [string, string]]
            : []),
        ]}
      />
      <TextField
        form={form}
        name="currency"
        label="Credit name"
        help="Name of the bundle's own credits, like sparks. Leave empty to count in dollars."
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
    tools:
      typeof bundle?.providerTools === 'object' && bundle.providerTools !== null
        ? byKind
        : (bundle?.providerTools ?? ''),
  }
}

function checked(values: Values): Partial<Record<keyof Values, string>> {
  const faults: Partial<Record<keyof Values, string>> = {}
  const slug = labelFault(values.slug)
  if (slug !== undefined) faults.slug = slug
  if (values.displayName.trim() === '') faults.displayName = nameMissing
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
  'slug' | 'ifMatch' | 'isNew'
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
    providerTools: values.tools === '' ? null : (values.tools as 'drop'),
  }
}

function createOf(values: Values): Fields & { slug: string } {
  const {
    creditCurrency,
    debitBasis,
    onClientLeft,
    priceMicros,
    providerTools,
    spendLimitMicros,
    ...fields
  } = fieldsOf(values)
  return {
    slug: values.slug,
    ...fields,
    // If no debit basis was chosen, the form of the first sell price asks for one.
    ...(debitBasis !== 'provider_cost' && { debitBasis }),
    ...(priceMicros !== null && { priceMicros }),
    ...(spendLimitMicros !== null && { spendLimitMicros }),
    ...(creditCurrency !== null && { creditCurrency }),
    ...(onClientLeft !== null && { onClientLeft }),
    ...(providerTools !== null && { providerTools }),
  }
}

/** Omits unchanged fields, so that another member's change of such a field is kept. */
function editOf(values: Values, initial: Values): Partial<Fields> & { slug: string } {
  const before = fieldsOf(initial) as Record<string, unknown>
  const changed = Object.entries(fieldsOf(values)).filter(([name, value]) => before[name] !== value)
  return { slug: values.slug, ...(Object.fromEntries(changed) as Partial<Fields>) }
}
