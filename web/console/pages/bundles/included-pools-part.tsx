import type { ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { useSetSearch } from '../../url-parameters.ts'
import { amountWords, grantWords, spillWords } from './bundle-in-words.ts'

export function IncludesPart({
  bundle: { creditCurrency, includes },
  may,
}: {
  readonly bundle: Bundle
  readonly may: boolean
}): ReactNode {
  const setSearch = useSetSearch()
  return (
    <section>
      <h3 className="mb-1 text-14 font-semibold">Included credit</h3>
      {includes.length === 0 ? (
        <p className="text-14 text-ink-2">
          No included credit. End users on this bundle pay from their wallet.
        </p>
      ) : (
        <ul>
          {includes.map((include) => (
            <li
              key={include.slug}
              className="flex items-start justify-between gap-3 border-b border-line py-2"
            >
              <div className="min-w-0 text-14">
                <p>
                  <span className="figures font-medium" data-amount={include.amount}>
                    {amountWords(include, creditCurrency)}
                  </span>{' '}
                  <bdi className="wrap-anywhere">{include.displayName}</bdi>
                </p>
                <p className="text-13 text-ink-2">
                  Granted {grantWords(include)}. When this credit is used up: {spillWords(include)}.
                </p>
                <p className="text-13 text-ink-2 wrap-anywhere">
                  {include.models === null
                    ? 'Pays for every model in the bundle.'
                    : `Pays for ${include.models.join(', ')}.`}
                  {include.price !== null && ` Separate price: ${moneyText(include.price)}.`}
                </p>
              </div>
              <Button
                size="small"
                kind="quiet"
                disabled={!may}
                aria-label={`Edit ${include.displayName}`}
                onClick={() => setSearch({ act: 'include', include: include.slug })}
              >
                Edit
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
