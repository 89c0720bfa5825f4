const prefix = 'led_'
// Digits of 2^53, the largest exact integer of JavaScript.
const digits = 16

/** Returns the ID of a ledger entry: its sequence as text that sorts correctly. */
export function ledgerEntryId(sequence: number): string {
  return prefix + String(sequence).padStart(digits, '0')
}
