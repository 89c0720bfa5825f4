const prefix = 'led_'
// As many as an integer has that JavaScript counts exactly: 2^53.
const digits = 16

/** A ledger entry's id: its sequence in text that sorts as it counts. */
export function ledgerEntryId(sequence: number): string {
  return prefix + String(sequence).padStart(digits, '0')
}
