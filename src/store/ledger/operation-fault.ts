/**
 * The reason why one operation of a batch was rejected. The fault is thrown before the operation changes anything.
 * Sending the operation again would fail the same way.
 */
export class OperationFault extends Error {
  override readonly name: string = 'OperationFault'
}

/** The call has neither a hold nor a settlement: it was released, or never reserved. */
export class NoSuchHold extends OperationFault {
  override readonly name = 'NoSuchHold'
}

/**
 * Rejects invalid numbers, with which the code in money/ would stop the ledger for all callers.
 * @param what describes the operation in the error message, together with `id`
 */
export function assertCounts(what: string, id: string, values: readonly number[]): void {
  const wrong = values.find((value) => !Number.isSafeInteger(value) || value < 0)
  if (wrong !== undefined)
    throw new OperationFault(`the ${what} ${id} has a number that is no count: ${wrong}`)
}

export function noSuchHold(callId: string): NoSuchHold {
  return new NoSuchHold(`no hold is open for call ${callId}, and it was never settled`)
}

/** Converts a fault to an error. The fault may come from another thread as plain data. */
export function faultOf({
  message,
  name,
}: {
  readonly name: string
  readonly message: string
}): OperationFault {
  return name === 'NoSuchHold' ? new NoSuchHold(message) : new OperationFault(message)
}
