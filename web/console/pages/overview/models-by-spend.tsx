/** The shown amounts add up to the total. */
import type { ReactNode } from 'react'
import type { UsageSeries } from '#sdk/generated/types.ts'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Money, Percent } from '#web/ui/formatted-values.tsx'
import type { CallSearch } from '../../calls/request-filters.ts'
import { Go } from '../../shell/console-links.tsx'
import { groupName, partOf } from '../../chart-usage-series.ts'

const head = 'h-9 border-b border-line px-2 text-13 font-medium text-ink-3 first:pl-0 last:pr-0'
const cell = 'h-9 border-b border-line px-2 first:pl-0 last:pr-0'

export function ModelsBySpend({ series }: { readonly series: UsageSeries | undefined }): ReactNode {
  return (
    <Section
      title="Models by spend"
      action={
        <Go to="/margin" search={{ by: 'model' }}>
          Margin by model
        </Go>
      }
    >
      {series ? <Table series={series} /> : <Skeleton className="h-72" />}
    </Section>
  )
}

function Table({ series: { all, groups, other } }: { readonly series: UsageSeries }): ReactNode {
  const whole = BigInt(all.totals.chargeMicros)
  const rows = [
    ...groups.map(({ group, totals }) => ({ key: `name ${group ?? ''}`, name: group, totals })),
    ...(other ? [{ key: 'other', name: undefined, totals: other.totals }] : []),
  ]
  return (
    <table aria-label="Models by spend" className="figures w-full border-collapse text-14">
      <thead>
        <tr>
          <th scope="col" className={`${head} text-left`}>
            Model
          </th>
          <th scope="col" className={`${head} hidden text-right phone:table-cell`}>
            Requests
          </th>
          <th scope="col" className={`${head} text-right`}>
            Share
          </th>
          <th scope="col" className={`${head} text-right`}>
            Charged
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, totals }) => (
          <tr key={key}>
            <th scope="row" className={`${cell} w-full max-w-0 truncate text-left font-normal`}>
              {name === undefined || name === null ? (
                <span className="text-ink-2">{name === null ? groupName(name) : 'Other'}</span>
              ) : (
                <Go
                  to="/requests"
                  search={{ model: name } satisfies CallSearch}
                  title={name}
                  className="hover:underline"
                >
                  <bdi>{name}</bdi>
                </Go>
              )}
            </th>
            <td className={`${cell} hidden text-right phone:table-cell`}>
              <Count of={totals.calls} />
            </td>
            <td className={`${cell} text-right text-ink-2`}>
              <Percent part={partOf(BigInt(totals.chargeMicros), whole)} reason="No charges" />
            </td>
            <td className={`${cell} text-right`}>
              <Money micros={totals.chargeMicros} aligned />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="font-medium">
          <th scope="row" className={`${cell} text-left font-medium`}>
            Total
          </th>
          <td className={`${cell} hidden text-right phone:table-cell`}>
            <Count of={all.totals.calls} />
          </td>
          <td className={cell} />
          <td className={`${cell} text-right`}>
            <Money micros={all.totals.chargeMicros} aligned data-figure="charged" />
          </td>
        </tr>
      </tfoot>
    </table>
  )
}
