import { useState, type ReactNode } from 'react'
import type { Dimension } from '#money/price.ts'
import type { Price } from '#sdk/generated/types.ts'
import { FormBody, useForm } from '#web/ui/form.tsx'
import { CopyAs } from '../copy-as-code.tsx'
import type { OperationId } from '../operations/use-operation.ts'
import { PriceFields } from './price-fields.tsx'
import { PricePreview, type Traffic } from './price-preview.tsx'
import { priceFaults, priceOf, priceValues, soldRates, type PriceValues } from './price-text.ts'
import { ChangedMeanwhile } from '../forms-with-revision.tsx'

export function PriceEditor({
  action,
  before,
  copy,
  draft,
  required = soldRates,
  onCancel,
  onReload,
  save,
  traffic,
  unit,
}: {
  readonly action: ReactNode
  readonly before: Price | null
  readonly copy: { readonly operation: OperationId; readonly inputOf: (price: Price) => object }
  readonly draft: string
  readonly required?: readonly Dimension[]
  readonly save: (price: Price) => Promise<unknown>
  readonly onCancel: () => void
  readonly onReload: () => void
  /** Requests of the last seven days. Without them, the preview compares only the rates. */
  readonly traffic?: Traffic
  readonly unit?: string
}): ReactNode {
  const [initial] = useState(() => priceValues(before))
  const form = useForm<PriceValues>({
    draft,
    initial,
    check: (values) => priceFaults(values, { required }),
    send: (values) => save(priceOf(values)),
    fieldOf: { price: 'input', credits: 'input' },
  })
  const isSound = Object.keys(priceFaults(form.values, { required })).length === 0
  return (
    <FormBody form={form} action={action} onCancel={onCancel}>
      <PriceFields form={form} required={required} {...(unit !== undefined && { unit })} />
      {form.isChanged && isSound && traffic && (
        <PricePreview before={before} after={priceOf(form.values)} traffic={traffic} />
      )}
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      {isSound && (
        <div>
          <CopyAs operation={copy.operation} input={copy.inputOf(priceOf(form.values))} />
        </div>
      )}
    </FormBody>
  )
}
