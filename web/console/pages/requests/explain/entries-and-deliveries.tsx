import type { ReactNode } from 'react'
import { spaced } from '#explain/amounts-in-explanation-text.ts'
import { countText } from '#web/ui/number-text.ts'
import { State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { Id, Money, When } from '#web/ui/formatted-values.tsx'
import { Go } from '../../../shell/console-links.tsx'
import type { Told } from './waterfall-phases.ts'
import { SmallTable } from './explanation-table.tsx'

export function Entries({ entries }: { readonly entries: Told['ledger'] }): ReactNode {
  if (entries.length === 0) return <p className="text-ink-2">No ledger entries, because no money moved.</p>
  return (
    <SmallTable
      label="Ledger entries"
      heads={[
        { words: 'Entry' },
        { words: 'Kind' },
        { words: 'Source' },
        { words: 'Amount', isNumber: true },
        { words: 'Balance after', isNumber: true },
      ]}
      rows={entries.map((entry) => ({
        key: entry.id,
        cells: [
          <Id key="id" text={entry.id} />,
          spaced(entry.kind),
          <bdi key="source">{entry.source}</bdi>,
          entry.unit === 'micros' ? (
            <Money key="amount" micros={entry.amountUnits} aligned signed />
          ) : (
            `${countText(entry.amountUnits)} millionths of a credit`
          ),
          entry.unit === 'micros' ? (
            <Money key="after" micros={entry.balanceAfterUnits} aligned />
          ) : (
            countText(entry.balanceAfterUnits)
          ),
        ],
      }))}
    />
  )
}

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  delivered: ['positive', 'delivered'],
  waiting: ['held', 'waiting'],
  not_delivered: ['negative', 'not delivered'],
  attempted: ['neutral', 'sent, result no longer stored'],
}

export function Deliveries({ deliveries }: { readonly deliveries: Told['emitters'] }): ReactNode {
  if (deliveries.length === 0)
    return <p className="text-ink-2">No emitter sends an event for this request.</p>
  return (
    <SmallTable
      label="Emitters"
      heads={[
        { words: 'Emitter' },
        { words: 'Status' },
        { words: 'Attempts', isNumber: true },
        { words: 'Sent' },
      ]}
      rows={deliveries.map((one) => {
        const [tone, words] = states[one.state] ?? ['neutral', spaced(one.state)]
        return {
          key: one.emitterId,
          cells: [
            <Go key="name" to="/emitters" search={{ open: one.emitterId }}>
              <bdi>{one.name}</bdi>
            </Go>,
            <span key="state">
              <State tone={tone} words={words} />
              {one.reason !== null && <bdi className="ml-2 text-ink-2">{one.reason}</bdi>}
            </span>,
            one.attempts ?? '–',
            <When key="sent" at={one.sentAt} reason="not sent yet, or no longer stored" />,
          ],
        }
      })}
    />
  )
}
