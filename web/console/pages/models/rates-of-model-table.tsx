import type { ReactNode } from 'react'
import type { Bundle, Price } from '#sdk/generated/types.ts'
import { Money, Nothing } from '#web/ui/formatted-values.tsx'
import { factsOf } from '#money/price.ts'
import { namedDimensions, perWords } from '../../prices/price-text.ts'
import type { PricedName } from './price-list-rows.ts'

const cell = 'border-b border-line px-2 py-1.5 first:pl-0 last:pr-0'
const head = 'border-b border-line px-2 py-1.5 first:pl-0 last:pr-0 text-13 font-medium text-ink-3'

export function RatesTable({
  bundle,
  line: { cost, isAllowed, sell, source },
}: {
  readonly line: PricedName
  readonly bundle: Bundle | undefined
}): ReactNode {
  const dimensions = namedDimensions(sell, cost)
  if (dimensions.length === 0) return null
  const sellReason = sell === null ? 'Sold at cost' : 'The sell price has no rate for this unit'
  return (
    <div>
      <h3 className="mb-1 text-14 font-semibold">Rates</h3>
      <p className="mb-2 text-13 text-ink-2">
        {source && (
          <>
            Costs are the prices of the provider account <bdi>{source.provider}</bdi>.{' '}
          </>
        )}
        {bundle && !isAllowed && `The bundle ${bundle.slug} does not allow this model. `}
        {bundle &&
          isAllowed &&
          (sell === null
            ? `The bundle ${bundle.slug} sells this model at cost.`
            : `Prices are the sell prices of the bundle ${bundle.slug}.`)}
      </p>
      <table className="w-full border-collapse text-14" aria-label="Rates">
        <thead>
          <tr>
            <th scope="col" className={`${head} text-left`}>
              Unit
            </th>
            <th scope="col" className={`${head} text-right`}>
              Price
            </th>
            <th scope="col" className={`${head} text-right`}>
              Cost
            </th>
            <th scope="col" className={`${head} text-right`}>
              Margin
            </th>
          </tr>
        </thead>
        <tbody>
          {dimensions.map((dimension) => {
            const sold = sell?.[dimension]
            const paid = cost?.[dimension]
            return (
              <tr key={dimension}>
                <th scope="row" className={`${cell} text-left font-normal`}>
                  {factsOf(dimension).label} <span className="text-13 text-ink-3">{perWords(dimension)}</span>
                </th>
                <td className={`${cell} text-right`}>
                  <Money micros={sold} reason={sellReason} />
                </td>
                <td className={`${cell} text-right`}>
                  <Money micros={paid} reason="The account has no rate for this unit" />
                </td>
                <td className={`${cell} text-right`}>
                  {sold === undefined || paid === undefined ? (
                    <Nothing reason="A margin requires a sell price and a cost" />
                  ) : (
                    <Money micros={BigInt(sold) - BigInt(paid)} signed />
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {cost && <Large price={cost} words="The cost" />}
      {sell && <Large price={sell} words="The sell price" />}
    </div>
  )
}

function Large({ price, words }: { readonly price: Price; readonly words: string }): ReactNode {
  const tiers = price.tiers ?? []
  if (tiers.length === 0) return null
  return (
    <p className="mt-2 text-13 text-ink-2">
      {words} has different rates for inputs above{' '}
      {tiers.map(({ aboveInputTokens }) => aboveInputTokens.toLocaleString('en-GB')).join(', ')} tokens.
    </p>
  )
}
