import type { ReactNode } from 'react'
import type { Subscription } from '#sdk/generated/types.ts'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { unitsText } from '../../prices/dollars-or-credits-text.ts'

type Pool = Subscription['pools'][number]

export function Pools({ plan }: { readonly plan: Subscription }): ReactNode {
  if (plan.pools.length === 0) {
    return (
      <Section title="Included">
        <p className="text-14 text-ink-2">This plan includes no credit. The wallet pays for all requests.</p>
      </Section>
    )
  }
  const names = new Map(plan.pools.map(({ displayName, slug }) => [slug, displayName]))
  return (
    <Section
      title="Included"
      about="Included credit is used before the wallet. Credit that was granted earlier is used first."
    >
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Included credit">
        <table className="w-full border-collapse text-14">
          <thead>
            <tr className="text-13 text-ink-3">
              {['Pool', 'Granted', 'Consumed', 'Remaining', 'When used up'].map((head, at) => (
                <th
                  key={head}
                  scope="col"
                  className={`h-9 border-b border-line px-2 font-medium whitespace-nowrap first:pl-0 ${at > 0 && at < 4 ? 'text-right' : 'text-left'}`}
                >
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {plan.pools.map((pool) => (
              <Row key={`${pool.slug} ${pool.granted}`} pool={pool} names={names} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}

function Row({
  names,
  pool,
}: {
  readonly pool: Pool
  readonly names: ReadonlyMap<string, string>
}): ReactNode {
  const left = String(BigInt(pool.granted) - BigInt(pool.consumed))
  return (
    <>
      <tr>
        <td className="h-9 px-2 pl-0 font-medium">
          <bdi className="block max-w-60 truncate" title={pool.displayName}>
            {pool.displayName}
          </bdi>
        </td>
        {[pool.granted, pool.consumed, left].map((units, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the columns keep their order
          <td key={at} className="figures px-2 text-right">
            <Units units={units} unit={pool.unit} />
          </td>
        ))}
        <td className="px-2 text-ink-2">{thenWords(pool, names)}</td>
      </tr>
      <tr>
        <td colSpan={5} className="border-b border-line px-2 pb-2 pl-0 text-13 text-ink-3">
          {pool.rolledOver !== '0' && (
            <span data-rolled-over>
              Carried over from earlier months: <Units units={pool.rolledOver} unit={pool.unit} />.{' '}
            </span>
          )}
          {pool.aliases.length === 0
            ? 'Not used yet.'
            : pool.aliases.map(({ consumed, requestedModel }, at) => (
                <span key={requestedModel}>
                  {at > 0 && ', '}
                  <bdi>{requestedModel}</bdi> <Units units={consumed} unit={pool.unit} />
                </span>
              ))}
        </td>
      </tr>
    </>
  )
}

function Units({ unit, units }: { readonly units: string; readonly unit: string }): ReactNode {
  return unit === 'micros' ? (
    <Money micros={units} />
  ) : (
    <span className="figures whitespace-nowrap">{unitsText(units, 'credits', { currency: unit })}</span>
  )
}

function thenWords({ spilloverTo, thenOnDemand }: Pool, names: ReadonlyMap<string, string>): string {
  if (spilloverTo !== null) return names.get(spilloverTo) ?? spilloverTo
  return thenOnDemand ? 'wallet, then on-demand' : 'requests are rejected'
}
