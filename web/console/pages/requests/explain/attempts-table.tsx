import type { ReactNode } from 'react'
import { spaced } from '#explain/amounts-in-explanation-text.ts'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Duration, Money } from '#web/ui/formatted-values.tsx'
import type { Told } from './waterfall-phases.ts'
import { SmallTable } from './explanation-table.tsx'

export function Attempts({ attempts }: { readonly attempts: Told['attempts'] }): ReactNode {
  return (
    <SmallTable
      label="Attempts"
      heads={[
        { words: 'Attempt' },
        { words: 'Response' },
        { words: 'Started at', isNumber: true },
        { words: 'Connected', isNumber: true },
        { words: 'First byte', isNumber: true },
        { words: 'Duration', isNumber: true },
        { words: 'Cost', isNumber: true },
      ]}
      rows={attempts.map((one, at) => ({
        key: `${at}`,
        cells: [
          <span key="target">
            {one.n ?? at + 1} <bdi className="text-ink-2">{one.target}</bdi>
          </span>,
          <State key="status" {...stateOf(one)} />,
          <Duration key="at" ms={one.atMs} />,
          <Duration
            key="connect"
            ms={one.connectMs}
            reason="No new connection, because a connection was already open or not needed"
          />,
          <Duration key="first" ms={one.firstByteMs} reason="No data received" />,
          <Duration key="took" ms={one.durationMs} />,
          <Money key="cost" micros={one.costMicros} aligned reason="Unknown" />,
        ],
      }))}
    />
  )
}

function stateOf(one: Told['attempts'][number]): {
  readonly tone: 'positive' | 'negative'
  readonly words: string
} {
  const { code, failure, status } = one
  // An interrupted response has status 200 and an error code.
  const isCut = typeof failure === 'string' || typeof code === 'string'
  const isGood = typeof status === 'number' && status >= 200 && status < 300 && !isCut
  const words = [
    typeof status === 'number' ? String(status) : 'no response',
    typeof failure === 'string' && `interrupted: ${spaced(failure)}`,
    typeof code === 'string' && spaced(code),
    one.notRepeated === 'retry_budget' && 'not repeated: retry budget used up',
  ].filter((word) => word !== false)
  return { tone: isGood ? 'positive' : 'negative', words: words.join(', ') }
}
