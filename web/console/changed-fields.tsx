import type { ReactNode } from 'react'
import { differencesOf } from './configuration-differences.ts'

/** Each changed field before and after, distinguished by words and not by color alone. */
export function ChangedFields({
  after,
  before,
}: {
  readonly before: unknown
  readonly after: unknown
}): ReactNode {
  const differences = differencesOf(before, after)
  if (differences.length === 0) {
    return <p className="text-ink-2">No fields changed. The new values were the same as before.</p>
  }
  return (
    <table className="w-full table-fixed text-13">
      <thead>
        <tr className="text-left text-ink-3">
          <th scope="col" className="border-b border-line py-2 pr-3 font-medium">
            Field
          </th>
          <th scope="col" className="border-b border-line py-2 pr-3 font-medium">
            Before
          </th>
          <th scope="col" className="border-b border-line py-2 font-medium">
            After
          </th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ after: now, before: was, path }) => (
          <tr key={path} className="align-top">
            <th scope="row" className="border-b border-line py-2 pr-3 text-left font-normal wrap-anywhere">
              {path}
            </th>
            <td className="border-b border-line py-2 pr-3 wrap-anywhere text-negative">
              {was === null ? (
                <span className="text-ink-3">not set</span>
              ) : (
                <del className="no-underline">{was}</del>
              )}
            </td>
            <td className="border-b border-line py-2 wrap-anywhere text-positive">
              {now === null ? (
                <span className="text-ink-3">removed</span>
              ) : (
                <ins className="no-underline">{now}</ins>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
