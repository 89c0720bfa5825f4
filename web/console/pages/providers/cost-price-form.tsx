/** Needed if the provider publishes no price, or if the organization pays another price. */
import { useState, type ReactNode } from 'react'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAccountPrices } from '../../providers/account-price-queries.ts'
import { useChange } from '../../operations/use-operation.ts'
import { useModelsOf } from '../../name-suggestions.ts'
import { requiredRates } from '../../providers/provider-kinds.ts'
import { ModelNameField } from '../../prices/model-name-field.tsx'
import { PriceEditor } from '../../prices/price-editor.tsx'
import type { Revised } from '../../forms-with-revision.tsx'

export function CostPriceForm({
  account,
  model: given,
  onDone,
  onReload,
}: {
  readonly account: Revised<ProviderAccount>
  readonly model: string | null
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  const [{ ifMatch, value }] = useState(account)
  const { label } = value
  const [model, setModel] = useState(given ?? '')
  const [isAsked, setAsked] = useState(false)
  const models = useModelsOf(label)
  const prices = useAccountPrices([label])
  const price = useChange('providers.price')
  const own = prices.priceOf({ provider: label, model })
  const before = own?.price ?? null
  const target = { id: label, model }
  return (
    <div className="flex flex-col gap-4">
      <ModelNameField
        help="Enter the exact model ID of the provider."
        isFixed={given !== null}
        maxLength={200}
        suggestions={models}
        value={model}
        onChange={setModel}
      />
      {!prices.isReady ? (
        <Skeleton className="h-40" />
      ) : (
        model.trim() !== '' && (
          <PriceEditor
            key={own === undefined ? 'none' : model}
            action="Set price"
            before={before}
            required={requiredRates(value.kind, model.trim())}
            draft={`cost ${label} ${model}`}
            copy={{ operation: 'providers.price', inputOf: (next) => ({ ...target, price: next }) }}
            traffic={{
              side: 'cost',
              isOne: (row) => row.provider === label && row.providerModel === model,
              known: before ? [{ side: 'cost', price: before }] : [],
              words: `${model} at ${label}`,
            }}
            save={async (next) => {
              await price.mutateAsync({ ...target, price: next, ...ifMatch })
              toast(`Set the price of ${model} on ${label}.`)
              onDone()
            }}
            onCancel={onDone}
            onReload={onReload}
          />
        )
      )}
      {own?.pricedBy === 'account' && (
        <div className="border-t border-line pt-4">
          <Button onClick={() => setAsked(true)}>Remove price</Button>
        </div>
      )}
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`Remove the price of ${model} on ${label}?`}
        action="Remove price"
        onConfirm={async () => {
          await price.mutateAsync({ ...target, price: null, ...ifMatch })
          onDone()
        }}
      >
        <p>
          The published price applies again, if one exists. Without a published price, a model is served only
          in bundles with a sell price, and the sell price is recorded as the cost.
        </p>
        <p>Past charges are not affected.</p>
      </Confirm>
    </div>
  )
}
