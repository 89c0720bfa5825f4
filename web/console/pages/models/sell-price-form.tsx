import { useState, type ReactNode } from 'react'
import type { Bundle, Model } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAccountPrices } from '../../providers/account-price-queries.ts'
import { useChange } from '../../operations/use-operation.ts'
import { PriceEditor } from '../../prices/price-editor.tsx'
import { priceRemoved } from '../../prices/price-text.ts'
import type { Proof } from '../../prices/reprice-requests.ts'
import { OnceRead, useRevised, type Revised } from '../../forms-with-revision.tsx'

export function SellPriceForm({
  model,
  onDone,
  slug,
}: {
  readonly model: Model
  readonly slug: string
  readonly onDone: () => void
}): ReactNode {
  const query = useRevised('bundles.show', { slug })
  const { data, error, refetch } = query
  const reload = (): void => {
    void refetch()
    onDone()
  }
  if (error && !data) return <FailureNote error={error} onRetry={() => void refetch()} />
  return (
    <OnceRead noun="bundles" query={query}>
      {(bundle) => <Editor bundle={bundle} model={model} onDone={onDone} onReload={reload} />}
    </OnceRead>
  )
}

function Editor({
  bundle: read,
  model,
  onDone,
  onReload,
}: {
  readonly bundle: Revised<Bundle>
  readonly model: Model
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  const [{ ifMatch, value: bundle }] = useState(read)
  const [isAtCost, setAtCost] = useState(false)
  const price = useChange('bundles.price')
  const { priceOf } = useAccountPrices(model.sources.map(({ provider }) => provider))
  const { slug } = bundle
  const before = bundle.prices.find((one) => one.model === model.name)?.price ?? null
  const costs = model.sources.flatMap((source): Proof[] => {
    const cost = priceOf(source)?.price
    return cost ? [{ side: 'cost', price: cost }] : []
  })
  return (
    <>
      <PriceEditor
        action="Set price"
        before={before}
        draft={`price ${slug} ${model.name}`}
        copy={{ operation: 'bundles.price', inputOf: (next) => ({ slug, model: model.name, price: next }) }}
        traffic={{
          side: 'sell',
          isOne: (row) => row.requestedModel === model.name && row.bundle === slug,
          known: [...(before ? [{ side: 'sell', price: before } as const] : []), ...costs],
          words: `${model.name} in ${slug}`,
        }}
        save={async (next) => {
          await price.mutateAsync({ slug, model: model.name, price: next, ...ifMatch })
          toast(`Set the price of ${model.name} in ${slug}`)
          onDone()
        }}
        onCancel={onDone}
        onReload={onReload}
      />
      {before !== null && (
        <div className="mt-4 border-t border-line pt-4">
          <Button onClick={() => setAtCost(true)}>Remove price</Button>
        </div>
      )}
      <Confirm
        isOpen={isAtCost}
        onClose={() => setAtCost(false)}
        title={`Remove the price of ${model.name} in ${slug}?`}
        action="Remove price"
        onConfirm={async () => {
          await price.mutateAsync({ slug, model: model.name, price: null, ...ifMatch })
          onDone()
        }}
      >
        <p>{priceRemoved}</p>
        <p>Past charges are not affected.</p>
      </Confirm>
    </>
  )
}
