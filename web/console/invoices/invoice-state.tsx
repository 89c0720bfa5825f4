import type { ReactNode } from 'react'
import type { Invoice } from '#sdk/generated/types.ts'
import type { Known } from '#web/ui/known-words.ts'
import { State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { When } from '#web/ui/formatted-values.tsx'

export const invoiceStates: Readonly<Record<string, readonly [Tone, string]>> = {
  open: ['held', 'Open'],
  past_due: ['negative', 'Past due'],
  paid: ['positive', 'Paid'],
  void: ['neutral', 'Void'],
} satisfies Readonly<Record<Known<Invoice['status']>, readonly [Tone, string]>>

export function InvoiceState({
  dueAt,
  status,
}: {
  readonly status: string
  readonly dueAt: string
}): ReactNode {
  const [tone, words] = invoiceStates[status] ?? ['neutral', status]
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <State tone={tone} words={words} />
      {(status === 'open' || status === 'past_due') && (
        <span className="text-13 text-ink-3">
          due <When at={dueAt} />
        </span>
      )}
    </span>
  )
}
