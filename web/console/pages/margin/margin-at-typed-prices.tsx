import { useState, type ReactNode } from 'react'
import type { MarginOutput } from '#sdk/generated/operations.ts'
import { Button } from '#web/ui/button.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Money, Nothing } from '#web/ui/formatted-values.tsx'
import { costAt, marginAt, percentAt, tenthsOfText } from './calculate-margin-at-prices.ts'

export function WhatIf({
  change,
  onChange,
  totals,
}: {
  readonly totals: MarginOutput['totals']
  /** The price change in the URL, in percent. */
  readonly change: string | null
  readonly onChange: (change: string | null) => void
}): ReactNode {
  const [text, setText] = useState(change ?? '10')
  const tenths = tenthsOfText(text)
  const margin = tenths === null ? null : marginAt(totals, tenths)
  const percent = margin === null ? null : percentAt(margin, BigInt(totals.revenueMicros))
  return (
    <section>
      <h2 className="mb-2 text-16 font-semibold">Estimate a provider price change</h2>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (tenths !== null) onChange(text.trim().replace('%', '').trim())
        }}
      >
        <Field
          label="Price change in percent"
          fault={tenths === null ? 'Enter a number from −100 to 1000, like 10 or −12.5.' : undefined}
        >
          {(control) => (
            <span className="flex gap-2">
              <input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                className={`${inputClass} figures max-w-28`}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
              <Button type="submit" disabled={tenths === null}>
                Show in table
              </Button>
              {change !== null && (
                <Button kind="quiet" onClick={() => onChange(null)}>
                  Remove from table
                </Button>
              )}
            </span>
          )}
        </Field>
      </form>
      <Facts
        className="mt-3"
        facts={[
          [
            'Cost',
            tenths === null ? (
              <Nothing reason="The change is not a number" />
            ) : (
              <span key="cost" data-what-if="cost">
                <Money micros={costAt(totals.costMicros, tenths)} />{' '}
                <span className="text-13 text-ink-3">
                  instead of <Money micros={totals.costMicros} />
                </span>
              </span>
            ),
          ],
          [
            'Margin',
            margin === null ? (
              <Nothing reason="The change is not a number" />
            ) : (
              <span key="margin" data-what-if="margin">
                <Money micros={margin} signed />{' '}
                <span className="text-13 text-ink-3">
                  instead of <Money micros={totals.marginMicros} />
                </span>
              </span>
            ),
          ],
          [
            'Percentage of revenue',
            percent === null ? (
              <Nothing reason="No revenue in this range" />
            ) : (
              `${percent.replace('-', '\u2212')}\u2009%`
            ),
          ],
        ]}
      />
      <p className="mt-2 text-13 text-ink-2">
        The estimate keeps the requests and the revenue, and applies the price change to every account. Models
        without a sell price are sold at cost, so their charges would also change. The estimate does not
        change these charges.
      </p>
    </section>
  )
}
