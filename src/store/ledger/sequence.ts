const prefix = 'led_'
const digits = 13

/** A ledger entry's id: its sequence in text that sorts as it counts. */
export function ledgerEntryId(sequence: number): string {
  return prefix + String(sequence).padStart(digits, '0')
}
