import type { ReactNode } from 'react'
import { steps } from '#cli/operations/recipe-of-first-request.ts'
import type { ModelsAddInput, ProvidersPriceInput } from '#sdk/generated/operations.ts'
import type { Model, ProviderAccount } from '#sdk/generated/types.ts'
import { FormBody, moneyFault, MoneyField, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText } from '#web/ui/money-text.ts'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAccountPrices } from '../../providers/account-price-queries.ts'
import { useAllRows } from '../../load-all-rows.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { modelNameFault } from '../../help-and-errors-of-fields.ts'
import { useModelsOf } from '../../name-suggestions.ts'
import { useScope } from '../../application-and-mode.ts'
import { useMay } from '../../sign-in/member-session.ts'
import type { StepProps } from './setup-step-props.ts'

export function ModelStep(props: StepProps): ReactNode {
  const { mode } = useScope()
  const accounts = useAllRows('providers.list').data?.rows
  const models = useAllRows('models.list').data?.rows
  if (!accounts || !models) return <Skeleton className="h-24" />
  const usable = accounts.filter(({ kind }) => mode === 'test' || kind !== 'simulator')
  if (usable.length === 0)
    return <p className="text-14 text-ink-2">Connect a provider account in the step above first.</p>
  return <Fields {...props} accounts={usable} unserved={models[0]} />
}

/** @param unserved a model to complete instead of adding a model */
function Fields({
  accounts,
  application,
  onDone,
  unserved,
}: StepProps & {
  readonly accounts: readonly ProviderAccount[]
  readonly unserved: Model | undefined
}): ReactNode {
  const mayPrice = useMay('admin')
  const add = useChange('models.add')
  const price = useChange('providers.price')
  const enable = useChange('models.enable')
  const [account] = accounts
  const isSimulator = account?.kind === 'simulator'
  const source = unserved?.sources.find(({ provider }) => accounts.some(({ label }) => label === provider))
  const prices = useAccountPrices(accounts.map(({ label }) => label))
  const lacksPrice = ({ model, provider }: { provider: string; model: string }): boolean => {
    if (!prices.isReady || model.trim() === '') return false
    return (prices.priceOf({ provider, model: model.trim() })?.missing.length ?? 1) > 0
  }
  const form = useForm({
    draft: 'first name',
    initial: {
      name: unserved?.name ?? `${application}/fast`,
      provider: source?.provider ?? account?.label ?? '',
      model: source?.model ?? (isSimulator ? 'simulated-1' : ''),
      input: isSimulator ? '0.15' : '',
      output: isSimulator ? '0.60' : '',
    },
    check(values) {
      const input = lacksPrice(values) ? moneyFault(values.input) : undefined
      const name = modelNameFault(values.name)
      const output = lacksPrice(values) ? moneyFault(values.output) : undefined
      return {
        ...(name !== undefined && { name }),
        ...(values.model.trim() === '' && { model: 'Enter the provider’s model ID.' }),
        ...(input !== undefined && { input }),
        ...(output !== undefined && { output }),
      }
    },
    async send(values) {
      if (lacksPrice(values)) await price.mutateAsync(pricingOf(values))
      const { status } = await add.mutateAsync(inputOf(values))
      if (status === 'disabled') await enable.mutateAsync({ name: values.name })
      onDone()
    },
    fieldOf: { price: 'input' },
  })
  const { values } = form
  const models = useModelsOf(values.provider)
  const needsPrice = lacksPrice(values)
  return (
    <FormBody
      form={form}
      action={`Add ${values.name.length > 24 ? 'model' : values.name}`}
      isDisabled={needsPrice && !mayPrice}
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        help="The model name that end users request."
        maxLength={128}
      />
      <div className="grid gap-4 phone:grid-cols-2">
        <SelectField
          form={form}
          name="provider"
          label="Account"
          options={accounts.map(({ label }) => [label, label])}
        />
        <TextField
          form={form}
          name="model"
          label="Model"
          help="The exact model ID of the provider."
          suggestions={models}
          maxLength={200}
        />
      </div>
      {needsPrice && (
        <>
          <Note>
            The account has no complete price for {values.model}. Enter{' '}
            {isSimulator ? 'a simulated cost' : 'what the provider charges'}. Holds and charges are computed
            from this price. {!mayPrice && ' Setting a price requires the admin role.'}
          </Note>
          <div className="grid gap-4 phone:grid-cols-2">
            <MoneyField form={form} name="input" label="Input, per million tokens" />
            <MoneyField form={form} name="output" label="Output, per million tokens" />
          </div>
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <CopyAs operation="models.add" input={inputOf(values)} />
        {needsPrice && (
          <CopyAs
            operation="providers.price"
            input={pricingOf(values)}
            words="API request to set the price"
          />
        )}
      </div>
    </FormBody>
  )
}

function inputOf({
  model,
  name,
  provider,
}: {
  readonly name: string
  readonly provider: string
  readonly model: string
}): ModelsAddInput {
  return steps.model(provider, { name, upstream: model.trim() }).input
}

/** If cache writes have no rate of their own, they cost as much as input. */
function pricingOf({
  input,
  model,
  output,
  provider,
}: {
  readonly provider: string
  readonly model: string
  readonly input: string
  readonly output: string
}): ProvidersPriceInput {
  const rate = microsOfText(input) ?? '0'
  const price = { input: rate, cacheWrite: rate, output: microsOfText(output) ?? '0' }
  return steps.price(provider, model.trim(), price).input
}
