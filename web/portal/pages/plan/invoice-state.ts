import type { Tone } from '#web/ui/status-notes-and-placeholders.tsx'

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  paid: ['positive', 'Paid'],
  open: ['neutral', 'Open'],
  past_due: ['negative', 'Past due'],
}

export function invoiceState(status: string): readonly [Tone, string] {
  return states[status] ?? ['neutral', status]
}
