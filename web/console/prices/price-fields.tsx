/** Rates are in dollars per million tokens or per use. */
import type { ReactNode } from 'react'
import { allDimensions, type Dimension, factsOf } from '#money/price.ts'
import { Field, inputClass, TextAreaField, type Form } from '#web/ui/form.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { moneyText, microsOfText } from '#web/ui/money-text.ts'
import { perWords, soldRates, type PriceValues } from './price-text.ts'

const usual: readonly Dimension[] = ['input', 'output', 'cacheRead', 'cacheWrite']
const unusual = allDimensions.filter((one) => !usual.includes(one))

export function PriceFields<V extends PriceValues & Record<string, string | boolean>>({
  form,
  required = soldRates,
  unit = '$',
}: {
  readonly form: Form<V>
  /** Shown first. */
  readonly required?: readonly Dimension[]
  /** `$`, or the name of credits. */
  readonly unit?: string
}): ReactNode {
  const first = [...usual, ...required.filter((dimension) => !usual.includes(dimension))]
  const others = unusual.filter((dimension) => !first.includes(dimension))
  const isOpen = [...others, 'rest' as const].some((name) => form.values[name] !== '')
  const field = (dimension: Dimension): ReactNode => (
    <RateField
      key={dimension}
      form={form}
      dimension={dimension}
      isOptional={!required.includes(dimension)}
      unit={unit}
    />
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 phone:grid-cols-2">{first.map(field)}</div>
      <details open={isOpen || undefined}>
        <summary className="cursor-pointer text-13 text-ink-2">Other rates, tiers and multipliers</summary>
        <div className="mt-3 flex flex-col gap-4">
          <div className="grid gap-4 phone:grid-cols-2">{others.map(field)}</div>
          <TextAreaField
            form={form}
            name="rest"
            label="Tiers and multipliers"
            help="JSON object. tiers sets rates for large inputs, and serviceTiers sets multipliers in thousandths."
            isMono
            isOptional
          />
        </div>
      </details>
    </div>
  )
}

function RateField<V extends PriceValues & Record<string, string | boolean>>({
  dimension,
  form,
  isOptional,
  unit,
}: {
  readonly form: Form<V>
  readonly dimension: Dimension
  readonly isOptional: boolean
  readonly unit: string
}): ReactNode {
  const value = form.values[dimension]
  const micros = microsOfText(value)
  const per = perWords(dimension)
  const isDollars = unit === '$'
  return (
    <Field
      label={factsOf(dimension).label}
      help={micros === null ? `${isDollars ? 'Dollars' : unit} ${per}` : amountWords(micros, unit, per)}
      fault={form.faults[dimension]}
      isOptional={isOptional}
    >
      {(control) => (
        <span className="relative">
          {isDollars && (
            <span aria-hidden className="absolute top-0 left-3 leading-9 text-ink-3">
              $
            </span>
          )}
          <input
            {...control}
            inputMode="decimal"
            autoComplete="off"
            className={classNames(inputClass, 'figures', isDollars && 'pl-6')}
            value={value}
            onChange={(event) => form.set(dimension, event.target.value)}
            onBlur={() => form.leave(dimension)}
          />
        </span>
      )}
    </Field>
  )
}

function amountWords(micros: string, unit: string, per: string): string {
  return unit === '$' ? `${moneyText(micros)} ${per}` : `${moneyText(micros).replace('$', '')} ${unit} ${per}`
}
