import type { ReactNode } from 'react'
import { spaced } from '#explain/amounts-in-explanation-text.ts'
import { exactTimeText } from '#web/ui/number-text.ts'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import type { Told } from './waterfall-phases.ts'
import { SmallTable } from './explanation-table.tsx'

type Limit = NonNullable<NonNullable<Told['policy']>['limits']>[number]

export function Limits({ limits }: { readonly limits: readonly Limit[] }): ReactNode {
  return (
    <SmallTable
      label="Limits that applied"
      heads={[
        { words: 'Limit' },
        { words: 'Maximum', isNumber: true },
        { words: 'Used', isNumber: true },
        { words: 'Held', isNumber: true },
        { words: 'Available', isNumber: true },
        { words: 'Resets' },
        { words: 'Result' },
      ]}
      rows={limits.map((limit) => ({
        key: `${limit.name} ${limit.scope}`,
        cells: [
          <span key="name">
            {spaced(limit.name ?? 'limit')} <bdi className="font-mono text-13 text-ink-2">{limit.scope}</bdi>
          </span>,
          <Money key="ceiling" micros={limit.limitMicros} aligned />,
          <Money key="used" micros={limit.usedMicros} aligned reason="not known" />,
          <Money key="held" micros={limit.heldMicros} aligned reason="not known" />,
          <Money key="left" micros={limit.availableMicros} aligned reason="not known" />,
          typeof limit.resetsAt === 'string' ? exactTimeText(limit.resetsAt) : 'never',
          limit.verdict === 'refused' ? (
            <State key="verdict" tone="negative" words="rejected" />
          ) : (
            <State key="verdict" tone="positive" words="passed" />
          ),
        ],
      }))}
    />
  )
}
