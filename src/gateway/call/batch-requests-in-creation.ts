import type { AccountKey } from '#domain/billing/money-account-key.ts'

/**
 * Counts the requests of batches that are being created. The store cannot count them, because their holds do not name a
 * batch yet (domain/background/background-holds-interface.ts `batched`).
 */
export class RequestsInCreation {
  readonly #requests = new Map<string, number>()

  /**
   * Call `end` later with the same number.
   * @returns the number of requests that the end user is creating, including these
   */
  begin(owner: AccountKey, requests: number): number {
    return this.#change(owner, requests)
  }

  end(owner: AccountKey, requests: number): void {
    this.#change(owner, -requests)
  }

  #change({ endUserId, mode }: AccountKey, requests: number): number {
    const key = `${mode} ${endUserId}`
    const after = (this.#requests.get(key) ?? 0) + requests
    if (after > 0) this.#requests.set(key, after)
    else this.#requests.delete(key)
    return after
  }
}
