/**
 * Why one operation of a batch was not done, while the others were. Thrown before the operation has
 * changed anything; sending it again would end the same way.
 */
export class OperationFault extends Error {
  override readonly name: string = 'OperationFault'
}

/** A settle or an extension of a call that has no hold and never settled: released, or never reserved. */
export class NoSuchHold extends OperationFault {
  override readonly name = 'NoSuchHold'
}

/**
 * Numbers that money/ would take for a broken ledger, and stop it for, are here only a wrong request:
 * one caller's mistake must not stop everyone's money.
 * @param what and `id` name the operation in the message, which is made only when it is needed
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
