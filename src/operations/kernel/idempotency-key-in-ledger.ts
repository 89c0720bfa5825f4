/**
 * The ledger stores the idempotency keys of all credits together, although a key is valid for only one operation. Keys
 * of `grants.issue` are stored as they were sent, because grants show their keys.
 */
export function idempotencyKeyInLedger(operationId: string, key: string | null): string | null {
  return key === null ? null : `${operationId} ${key}`
}
