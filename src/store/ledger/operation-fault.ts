/**
 * The reason why one operation of a batch was rejected while the others ran. It is thrown before the operation changes
 * anything. Sending the operation again would fail the same way.
 */
export class OperationFault extends Error {
  override readonly name: string = 'OperationFault'
}

/** The call to settle or extend has neither a hold nor a settlement: it was released, or never reserved. */
export class NoSuchHold extends OperationFault {
  override readonly name = 'NoSuchHold'
}

/**
 * Rejects numbers that would make money/ stop the ledger, because one caller's mistake must not stop the ledger for all
 * callers.
 * @param what and `id` describe the operation in the message, which is created only for a fault
 */
export function assertCounts(what: string, id: string, values: readonly number[]): void {
  const wrong = values.find((value) => !Number.isSafeInteger(value) || value < 0)
  if (wrong !== undefined)
    throw new OperationFault(`the ${what} ${id} has a number that is no count: ${wrong}`)
}

export function noSuchHold(callId: string): NoSuchHold {
  return new NoSuchHold(`no hold is open for call ${callId}, and it was never settled`)
}

/** Returns the fault that an engine reported, which may have come from another thread. */
export function faultOf({
  message,
  name,
}: {
  readonly name: string
  readonly message: string
}): OperationFault {
  return name === 'NoSuchHold' ? new NoSuchHold(message) : new OperationFault(message)
}
