import type { ReactNode } from 'react'
import { AlignedNumber, decimalsOf } from './aligned-number.tsx'
import type { TableTwin } from './chart-frame.tsx'

export default function ChartTable({
  foot,
  heads,
  label,
  rows,
}: TableTwin & { readonly label: string }): ReactNode {
  const decimals = heads.map((_, n) =>
    decimalsOf([...rows, ...(foot ? [foot] : [])].map((cells) => cells[n] ?? '')),
  )
  return (
    <div
      role="group"
      aria-label={`${label}, table`}
      tabIndex={0}
      className="mt-2 max-h-80 overflow-auto rounded border border-line"
    >
      <table className="figures w-full border-separate border-spacing-0 text-13">
        <thead>
          <tr>
            {heads.map((head, n) => (
              <th
                key={n}
                scope="col"
                title={head}
                className={`sticky top-0 max-w-40 truncate border-b border-line bg-surface-2 px-3 py-2 font-medium text-ink-2 ${alignment(n)}`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], n) => (
            <tr key={n}>
              <th
                scope="row"
                className="border-b border-line px-3 py-1.5 text-left font-normal whitespace-nowrap text-ink-2"
              >
                {name}
              </th>
              {cells.map((cell, m) => (
                <td
                  key={m}
                  className="border-b border-line px-3 py-1.5 text-right whitespace-nowrap text-ink"
                >
                  <AlignedNumber text={cell} decimals={decimals[m + 1] ?? 0} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot>
            <tr>
              {foot.map((cell, n) => {
                const look = `sticky bottom-0 border-t border-line bg-surface px-3 py-2 font-medium whitespace-nowrap text-ink ${alignment(n)}`
                return n === 0 ? (
                  <th key={n} scope="row" className={look}>
                    {cell}
                  </th>
                ) : (
                  <td key={n} className={look}>
                    <AlignedNumber text={cell} decimals={decimals[n] ?? 0} />
                  </td>
                )
              })}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  )
}

const alignment = (column: number): string => (column === 0 ? 'text-left' : 'text-right')
