/** Requests to such a source are rejected, or a part of the cost is assumed. */
import type { ReactNode } from 'react'
import type { MarginOutput } from '#sdk/generated/operations.ts'
import type { Finding } from '#sdk/generated/types.ts'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Money } from '#web/ui/formatted-values.tsx'
import { Go } from '../../shell/console-links.tsx'

const codes = new Set(['name_unpriced', 'dimension_unpriced'])

export function UnpricedSources({
  findings,
  totals,
}: {
  readonly findings: readonly Finding[]
  readonly totals: MarginOutput['totals'] | undefined
}): ReactNode {
  const found = findings.filter(({ code }) => codes.has(code))
  const isAssumed = totals !== undefined && totals.assumedCalls > 0
  if (found.length === 0 && !isAssumed) return null
  return (
    <div className="mb-8">
      <Note tone={found.length > 0 ? 'negative' : 'held'} title={titleOf(found.length)}>
        {isAssumed && (
          <p data-assumed>
            <Count of={totals.assumedCalls} /> {totals.assumedCalls === 1 ? 'request' : 'requests'} in this
            range used units without a rate. <Money micros={totals.assumedMicros} /> of the provider cost
            below was computed at assumed rates.
          </p>
        )}
        {found.some(({ severity }) => severity === 'error') && (
          <p>Rejected requests cost nothing and are not in the totals below.</p>
        )}
        <ul className="mt-1 flex flex-col gap-1">
          {found.map(({ message, resource }) => (
            <li key={message} className="wrap-anywhere">
              <Go to={resource.type === 'router' ? '/routers' : '/models'} search={{ open: resource.id }}>
                <bdi>{resource.id}</bdi>
              </Go>
              : <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      </Note>
    </div>
  )
}

function titleOf(count: number): string {
  if (count === 0) return 'Some costs were computed at assumed rates'
  return `${count} ${count === 1 ? 'source has' : 'sources have'} no complete price`
}
