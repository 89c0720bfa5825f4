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

export function noSuchHold(callId: string): NoSuchHold {
  return new NoSuchHold(`no hold is open for call ${callId}, and it was never settled`)
}
