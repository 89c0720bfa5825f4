/** Sources without a price: their calls are refused or go elsewhere, and are no zero in any sum. */
import type { ReactNode } from 'react'
import type { Finding } from '#sdk/generated/types.ts'
import { Note } from '#web/ui/state.tsx'
import { Go } from '../../shell/go.tsx'

const codes = new Set(['name_unpriced', 'dimension_unpriced'])

export function Unpriced({ findings }: { readonly findings: readonly Finding[] }): ReactNode {
  const found = findings.filter(({ code }) => codes.has(code))
  if (found.length === 0) return null
  return (
    <div className="mb-8">
      <Note
        tone="negative"
        title={`${found.length} ${found.length === 1 ? 'source has' : 'sources have'} no price`}
      >
        <p>Nothing of them is in the sums below: without a price no call is let through.</p>
        <ul className="mt-1 flex flex-col gap-1">
          {found.map(({ message, resource }) => (
            <li key={message} className="wrap-anywhere">
              <Go to="/models" search={{ open: resource.id }}>
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
