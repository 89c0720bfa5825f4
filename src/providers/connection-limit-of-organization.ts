export interface ShareMember {
  /** Returns false if no connection is idle. */
  closeIdle(): boolean
  openForWaiting(): void
}

export interface ShareLimits {
  /** Maximum number of open connections over all accounts of the organization. */
  readonly connectionsMax: number
  /** Maximum number of exchanges of the organization that wait for a connection. Exchanges beyond this number fail. */
  readonly waitingMax: number
}

/**
 * Limits the connections of one organization. Each connection needs a file descriptor of the process, so without a
 * limit one organization could prevent all others from connecting.
 *
 * If the limit is reached and an account needs a connection, an idle connection of another account is closed. If no
 * connection is idle, accounts wait in line until a connection closes.
 */
export class ConnectionShare {
  readonly #limits: ShareLimits
  readonly #members = new Set<ShareMember>()
  /** Accounts that wait for a connection, oldest first. No connection stays idle while an account waits. */
  readonly #starved = new Set<ShareMember>()
  #open = 0
  #waiting = 0

  constructor(limits: ShareLimits) {
    this.#limits = limits
  }

  get open(): number {
    return this.#open
  }

  get isUnused(): boolean {
    return this.#members.size === 0
  }

  get isAwaited(): boolean {
    return this.#starved.size > 0
  }

  join(member: ShareMember): void {
    this.#members.add(member)
  }

  leave(member: ShareMember): void {
    this.#members.delete(member)
    this.#starved.delete(member)
  }

  /** Returns false and queues the account if the limit is reached. */
  take(member: ShareMember): boolean {
    if (this.#open >= this.#limits.connectionsMax && !this.#closeIdle()) {
      this.await(member)
      return false
    }
    this.#open++
    return true
  }

  /** A repeated call has no effect. */
  await(member: ShareMember): void {
    this.#starved.add(member)
  }

  /** Call this function once for each counted connection that closes. */
  giveBack(): void {
    this.#open--
    while (this.#open < this.#limits.connectionsMax) {
      const [next] = this.#starved
      if (next === undefined) return
      this.#starved.delete(next)
      next.openForWaiting()
    }
  }

  /** Returns false if too many exchanges already wait. */
  wait(): boolean {
    if (this.#waiting >= this.#limits.waitingMax) return false
    this.#waiting++
    return true
  }

  /**
   * Call this function once for each exchange that is sent or canceled.
   * @param left number of exchanges of the account that still wait
   */
  waited(member: ShareMember, left: number): void {
    this.#waiting--
    if (left === 0) this.#starved.delete(member)
  }

  #closeIdle(): boolean {
    for (const member of this.#members) if (member.closeIdle()) return true
    return false
  }
}
