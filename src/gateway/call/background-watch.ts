import type { BackgroundCall } from '#domain/background/background-calls.ts'
import type { Mode } from '#domain/accounts/account.ts'
import type { Usage } from '#money/usage.ts'
import type { BackgroundReport } from '#wire/responses/non-streaming-response.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { ReservedCall } from './call-states.ts'

/** The responses that providers generate in the background for calls of this process (gateway/background). */
export interface BackgroundWatch {
  /**
   * Stores the provider's ID of the response with the hold of the call. Resolves when it is durable. From then on, the
   * hold outlives this process.
   */
  begin(call: ReservedCall, responseId: string): Promise<void>
  /** Call after the call's own stream has ended with the response. */
  streamed(callId: string): void
  /** Looks for the end of the response from now on, and then settles the call. */
  watch(call: ReservedCall, responseId: string): void
  /** Returns null if the call has ended. */
  find(applicationId: string, mode: Mode, callId: string): Promise<BackgroundCall | null>
  /**
   * Settles the call if the provider reports in this body that the response has ended. Safe to repeat, in any process.
   * @returns whether the response has ended
   */
  settleIfOver(call: BackgroundCall, body: ByteText): Promise<boolean>
  /** Settles the call by this report of the provider. Safe to repeat, in any process. */
  settleReported(call: BackgroundCall, report: BackgroundReport): Promise<void>
  /** Stores the usage that a stream has delivered. It is charged at least if the provider reports no usage. */
  noteDelivered(call: BackgroundCall, usage: Usage): Promise<void>
}
