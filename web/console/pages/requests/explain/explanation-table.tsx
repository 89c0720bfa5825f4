/** A table that is wider than the page scrolls horizontally. */
import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'

export interface Head {
  readonly words: string
  readonly isNumber?: boolean
}

export function SmallTable({
  foot,
  heads,
  label,
  rows,
}: {
  readonly label: string
  readonly heads: readonly Head[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
  readonly foot?: readonly (readonly ReactNode[])[]
}): ReactNode {
  const place = (at: number): string =>
    classNames(
      'border-b border-line px-2 py-1.5 align-top first:pl-0 last:pr-0',
      heads[at]?.isNumber === true ? 'figures text-right whitespace-nowrap' : 'text-left wrap-anywhere',
    )
  return (
    <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label} className="w-full border-collapse text-14">
        <thead>
          <tr>
            {heads.map(({ words }, at) => (
              <th key={words} scope="col" className={classNames(place(at), 'text-13 font-medium text-ink-3')}>
                {words}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ cells, key }) => (
            <tr key={key}>
              {cells.map((cell, at) =>
                at === 0 ? (
                  <th key={heads[at]?.words} scope="row" className={classNames(place(at), 'font-normal')}>
                    {cell}
                  </th>
                ) : (
                  <td key={heads[at]?.words} className={place(at)}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot className="font-medium">
            {foot.map((cells, line) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines of a sum keep their order
              <tr key={line}>
                {cells.map((cell, at) => (
                  <td key={heads[at]?.words} className={classNames(place(at), 'border-edge')}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tfoot>
        )}
      </table>
    </div>
  )
}
