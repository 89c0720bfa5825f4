/**
 * Why one operation of a batch was not done while the others were. Thrown before the operation changes
 * anything; sending it again would fail the same way.
 */
export class OperationFault extends Error {
  override readonly name: string = 'OperationFault'
}

/** A settle or an extension of a call without a hold or a settlement: it was released, or never reserved. */
export class NoSuchHold extends OperationFault {
  override readonly name = 'NoSuchHold'
}

/**
 * Refuses numbers that money/ would stop the ledger for: one caller's mistake must not stop everyone's money.
 * @param what and `id` name the operation in the message, which is built only on a fault
 */
export function assertCounts(what: string, id: string, values: readonly number[]): void {
  for (const value of values) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new OperationFault(`the ${what} ${id} has a number that is no count: ${value}`)
    }
  }
}

export function noSuchHold(callId: string): NoSuchHold {
  return new NoSuchHold(`no hold is open for call ${callId}, and it was never settled`)
}
