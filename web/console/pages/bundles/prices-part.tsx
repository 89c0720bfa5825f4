import type { ReactNode } from 'react'
import type { Bundle, Price } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { ButtonText } from '#web/ui/button-text.tsx'
import { Id, Nothing } from '#web/ui/formatted-values.tsx'
import { decimalsOf, Rate } from '../../prices/rate-cell.tsx'
import { useSetSearch } from '../../url-parameters.ts'
import { creditText } from './bundle-in-words.ts'

const head = 'border-b border-line px-2 py-1.5 text-13 font-medium text-ink-3 first:pl-0 last:pr-0'
const cell = 'border-b border-line px-2 py-1 first:pl-0 last:pr-0'

export function PricesPart({
  bundle: { creditCurrency, prices },
  may,
}: {
  readonly bundle: Bundle
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  const inputs = decimalsOf(prices.map(({ price }) => price?.input))
  const outputs = decimalsOf(prices.map(({ price }) => price?.output))
  const hasCredits = creditCurrency !== null
  return (
    <section>
      <h3 className="mb-1 text-14 font-semibold">Prices</h3>
      <p className="mb-2 text-13 text-ink-2">
        {prices.length === 0
          ? 'No prices yet. Every model is sold at the provider price. Set a price to sell a model at another price.'
          : 'Models without a price in this bundle are sold at the provider price.'}
      </p>
      {prices.length > 0 && (
        <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label="Prices">
          <table className="w-full border-collapse text-14" aria-label="Model prices">
            <thead>
              <tr>
                <th scope="col" className={`${head} text-left`}>
                  Model
                </th>
                <th scope="col" className={`${head} text-right`}>
                  Input <span className="font-normal">/ M</span>
                </th>
                <th scope="col" className={`${head} text-right`}>
                  Output <span className="font-normal">/ M</span>
                </th>
                {hasCredits && (
                  <th scope="col" className={`${head} text-right`}>
                    {creditCurrency} <span className="font-normal">in / out per M</span>
                  </th>
                )}
                <th scope="col" className={`${head} text-right`}>
                  <span className="sr-only">Edit</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {prices.map(({ credits, model, price }) => (
                <tr key={model}>
                  <th scope="row" className={`${cell} max-w-48 truncate text-left font-normal`}>
                    <Id text={model} />
                  </th>
                  <td className={`${cell} text-right`}>
                    <Rate micros={price?.input} decimals={inputs} reason="Sold at cost" />
                  </td>
                  <td className={`${cell} text-right`}>
                    <Rate micros={price?.output} decimals={outputs} reason="Sold at cost" />
                  </td>
                  {hasCredits && <td className={`${cell} text-right`}>{creditRates(credits)}</td>}
                  <td className={`${cell} text-right whitespace-nowrap`}>
                    <Button
                      size="small"
                      kind="quiet"
                      disabled={!may}
                      aria-label={`Edit price of ${model}`}
                      onClick={() => setSearch({ act: 'price', model })}
                    >
                      Edit
                    </Button>
                    {hasCredits && (
                      <Button
                        size="small"
                        kind="quiet"
                        disabled={!may}
                        aria-label={`Edit credit price of ${model}`}
                        onClick={() => setSearch({ act: 'credits', model })}
                      >
                        Edit credits
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hasCredits && (
        <div className="mt-2">
          <Button
            size="small"
            className="max-w-full"
            disabled={!may}
            onClick={() => setSearch({ act: 'credits', model: null })}
          >
            <ButtonText>Set price in {creditCurrency}</ButtonText>
          </Button>
        </div>
      )}
    </section>
  )
}

function creditRates(credits: Price | null): ReactNode {
  if (credits === null) return <Nothing reason="Credits can't pay for this model" />
  const { input, output } = credits
  return (
    <span className="figures whitespace-nowrap">
      {input === undefined ? '–' : creditText(input)} / {output === undefined ? '–' : creditText(output)}
    </span>
  )
}
