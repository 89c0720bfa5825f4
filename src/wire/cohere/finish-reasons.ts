/** Whether the provider has failed, so that the answer is not complete. */
export function hasFailed(finishReason: string | null): boolean {
  return finishReason === 'ERROR' || finishReason === 'TIMEOUT'
}
