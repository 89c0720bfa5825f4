import type { Tone } from '#web/ui/state.tsx'

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  paid: ['positive', 'Paid'],
  open: ['neutral', 'To be paid'],
  past_due: ['negative', 'Past due'],
}

/** The tone and the words for the status of an invoice. */
export function invoiceState(status: string): readonly [Tone, string] {
  return states[status] ?? ['neutral', status]
}
