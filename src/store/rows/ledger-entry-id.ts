const prefix = 'led_'
// Decimal digits of 2^53, up to which JavaScript numbers are exact integers.
const digits = 16

/** The sequence number as text that sorts in the same order. */
export function ledgerEntryId(sequence: number): string {
  return prefix + String(sequence).padStart(digits, '0')
}
