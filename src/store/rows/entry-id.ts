const prefix = 'led_'
// Digits of 2^53, the largest exact integer of JavaScript.
const digits = 16

/** A ledger entry's id: its sequence as text in sorting order. */
export function ledgerEntryId(sequence: number): string {
  return prefix + String(sequence).padStart(digits, '0')
}
