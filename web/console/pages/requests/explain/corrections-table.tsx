import type { ReactNode } from 'react'
import { Money, When } from '#web/ui/formatted-values.tsx'
import type { Told } from './waterfall-phases.ts'
import { SmallTable } from './explanation-table.tsx'

const heads = [
  { words: 'Type' },
  { words: 'Charge', isNumber: true },
  { words: 'Reason' },
  { words: 'By' },
  { words: 'When' },
]

const kinds: Readonly<Record<string, string>> = { refund: 'Refund', late_usage: 'Late usage report' }

export function Corrections({ corrections }: Pick<Told, 'corrections'>): ReactNode {
  return (
    <SmallTable
      label="Corrections"
      heads={heads}
      rows={corrections.map(({ actor, chargeMicros, createdAt, id, kind, reason }) => ({
        key: id,
        cells: [
          kinds[kind] ?? kind,
          <Money key="charge" micros={chargeMicros} />,
          <bdi key="reason">
            {kind === 'refund' ? reason : 'The usage was reported after the interrupted request had ended.'}
          </bdi>,
          <bdi key="by">{actor ?? 'the server'}</bdi>,
          <When key="at" at={createdAt} />,
        ],
      }))}
    />
  )
}
