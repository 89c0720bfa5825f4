import { useState, type ReactNode } from 'react'
import { bundlePriceDimensions, modelsOfName } from '#domain/prices/price-dimensions-required-in-bundle.ts'
import type { Bundle, Price } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAccountPrices } from '../../providers/account-price-queries.ts'
import { useAllRows } from '../../load-all-rows.ts'
import { useChange } from '../../operations/use-operation.ts'
import { useNames } from '../../name-suggestions.ts'
import { ModelNameField } from '../../prices/model-name-field.tsx'
import { PriceEditor } from '../../prices/price-editor.tsx'
import { priceRemoved } from '../../prices/price-text.ts'
import type { Proof } from '../../prices/reprice-requests.ts'
import type { Revised } from '../../forms-with-revision.tsx'
import { MeaningForPeople } from './end-users-of-bundle.tsx'

export function BundlePriceForm({
  bundle: read,
  inCredits,
  model: given,
  onDone,
  onReload,
}: {
  readonly bundle: Revised<Bundle>
  readonly inCredits: boolean
  readonly model: string | null
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  const [{ ifMatch, value: bundle }] = useState(read)
  const [model, setModel] = useState(given ?? '')
  const [isAsked, setAsked] = useState(false)
  const [basis, setBasis] = useState(bundle.warnings.length > 0 ? '' : 'sell_price')
  // Each price form asks for the debit basis until a member has decided whether to charge the sell prices.
  const asksForBasis =
    !inCredits &&
    bundle.debitBasis === 'provider_cost' &&
    (bundle.warnings.length > 0 || bundle.prices.every((one) => one.price === null))
  const names = useNames()
  const price = useChange('bundles.price')
  const { slug } = bundle
  const own = bundle.prices.find((one) => one.model === model)
  const before = (inCredits ? own?.credits : own?.price) ?? null
  const required = bundlePriceDimensions(useModelsOfName(model))
  const known = useProofs(model, inCredits ? null : before)
  const inputOf = (next: Price | null) => ({
    slug,
    model,
    ...(inCredits ? { credits: next } : { price: next }),
    ...(asksForBasis && next !== null && isBasis(basis) && { debitBasis: basis }),
  })
  return (
    <div className="flex flex-col gap-4">
      <MeaningForPeople slug={slug}>
        The new price applies to the next request of each end user. Past charges are not affected.
      </MeaningForPeople>
      <ModelNameField
        help="The name of a model or router, as end users request it."
        isFixed={given !== null}
        maxLength={128}
        suggestions={names}
        value={model}
        onChange={setModel}
      />
      {asksForBasis && (
        <Field
          label="End users are charged"
          help="For all models of the bundle. The portal shows end users the price they are charged."
        >
          {(control) => (
            <select
              {...control}
              className={inputClass}
              value={basis}
              onChange={(event) => setBasis(event.target.value)}
            >
              <option value="sell_price">The sell price</option>
              <option value="provider_cost">The provider price</option>
              <option value="">Nothing chosen yet (the provider price applies)</option>
            </select>
          )}
        </Field>
      )}
      {model !== '' && (
        <PriceEditor
          key={own === undefined ? 'none' : model}
          action={inCredits ? 'Set credit price' : 'Set price'}
          before={before}
          required={required}
          draft={`${inCredits ? 'credits' : 'price'} ${slug} ${model}`}
          copy={{ operation: 'bundles.price', inputOf }}
          {...(inCredits
            ? { unit: bundle.creditCurrency ?? 'credits' }
            : {
                traffic: {
                  side: 'sell' as const,
                  isOne: (row) => row.requestedModel === model && row.bundle === slug,
                  known,
                  words: `${model} in ${slug}`,
                },
              })}
          save={async (next) => {
            await price.mutateAsync({ ...inputOf(next), ...ifMatch })
            toast(`Set the price of ${model} in ${bundle.displayName}`)
            onDone()
          }}
          onCancel={onDone}
          onReload={onReload}
        />
      )}
      {before !== null && (
        <div className="border-t border-line pt-4">
          <Button onClick={() => setAsked(true)}>{inCredits ? 'Remove credit price' : 'Remove price'}</Button>
        </div>
      )}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={inCredits ? `Remove the credit price of ${model}?` : `Remove the price of ${model}?`}
        action={inCredits ? 'Remove credit price' : 'Remove price'}
        onConfirm={async () => {
          await price.mutateAsync({ ...inputOf(null), ...ifMatch })
          onDone()
        }}
      >
        <p>
          {inCredits
            ? 'Starting with the next request, credit pools no longer pay for this model.'
            : priceRemoved}
        </p>
        <p>Past charges are not affected.</p>
      </Confirm>
    </div>
  )
}

function isBasis(text: string): text is 'sell_price' | 'provider_cost' {
  return text === 'sell_price' || text === 'provider_cost'
}

/** Empty while the model names are loading. */
function useModelsOfName(name: string): readonly string[] {
  const models = useAllRows('models.list').data?.rows ?? []
  const routers = useAllRows('routers.list').data?.rows ?? []
  return modelsOfName(name, (one) => {
    const found = models.find((each) => each.name === one)
    if (found) return { models: found.sources.map(({ model }) => model), names: [] }
    const router = routers.find((each) => each.name === one)
    return router === undefined
      ? null
      : {
          models: router.targets.flatMap(({ model }) => model ?? []),
          names: router.targets.flatMap(({ alias, router: next }) => alias ?? next ?? []),
        }
  })
}

/** Past requests of the model may have been charged at these prices. */
function useProofs(model: string, before: Price | null): readonly Proof[] {
  const models = useAllRows('models.list').data?.rows ?? []
  const sources = models.find(({ name }) => name === model)?.sources ?? []
  const { priceOf } = useAccountPrices(sources.map(({ provider }) => provider))
  const costs = sources.flatMap((source): Proof[] => {
    const cost = priceOf(source)?.price
    return cost ? [{ side: 'cost', price: cost }] : []
  })
  return [...(before ? [{ side: 'sell', price: before } as const] : []), ...costs]
}
