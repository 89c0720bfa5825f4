/** The connections of one account, as its organization's share sees them. */
export interface ShareMember {
  /** Closes the connection that has been idle longest. Returns false if no connection is idle. */
  closeIdle(): boolean
  /** Opens a connection for the exchange that has waited longest, if there is one. */
  openForWaiting(): void
}

export interface ShareLimits {
  /** Maximum number of open connections over all accounts of the organization. */
  readonly connectionsMax: number
  /** Maximum number of exchanges of the organization that wait for a connection. Further exchanges fail. */
  readonly waitingMax: number
}

/**
 * The share of one organization in the sockets of the process. Each connection is a file descriptor, so an organization
 * without a limit could prevent all others from connecting.
 *
 * If the share is used up, an idle connection of another account is closed first. If all connections are in use,
 * accounts wait in line for the next one that closes.
 */
export class ConnectionShare {
  readonly #limits: ShareLimits
  readonly #members = new Set<ShareMember>()
  /** Accounts that wait for the share, in the order of their turns. While one waits, no connection stays idle. */
  readonly #starved = new Set<ShareMember>()
  #open = 0
  #waiting = 0

  constructor(limits: ShareLimits) {
    this.#limits = limits
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open
  }

  /** Whether the organization has no account with connections. */
  get isUnused(): boolean {
    return this.#members.size === 0
  }

  /** Whether an account waits for a connection of another account to close. */
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

  /** Counts a new connection. If the share is used up, returns false, and the account gets its turn later. */
  take(member: ShareMember): boolean {
    if (this.#open >= this.#limits.connectionsMax && !this.#closeIdle()) {
      this.await(member)
      return false
    }
    this.#open++
    return true
  }

  /** Gives the member a turn when a connection closes. Repeating it changes nothing. */
  await(member: ShareMember): void {
    this.#starved.add(member)
  }

  /** Called once for each connection that was counted, when it closes. */
  giveBack(): void {
    this.#open--
    while (this.#open < this.#limits.connectionsMax) {
      const [next] = this.#starved
      if (next === undefined) return
      this.#starved.delete(next)
      next.openForWaiting()
    }
  }

  /** Counts an exchange that waits. Returns false if too many wait. */
  wait(): boolean {
    if (this.#waiting >= this.#limits.waitingMax) return false
    this.#waiting++
    return true
  }

  /**
   * Called once for each exchange that waited, when it begins or is withdrawn.
   * @param left number of exchanges of the member that still wait
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
