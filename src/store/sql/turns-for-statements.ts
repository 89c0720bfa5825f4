/**
 * Decides which caller's statement runs next on the reading connections and on the writing connection. The callers use
 * the control plane or the portals.
 *
 * - An organization has at most two statements in progress, so that it never takes all connections.
 * - An end user has at most one statement in progress, so that one browser cannot use up the organization's share.
 * - Further statements wait. Organizations take turns, and so do the callers of each organization.
 * - A request is rejected if too many requests wait, or if it has waited for too long.
 *
 * After its first read, a request is no longer rejected because too many requests wait. Its further statements wait.
 * Transactions run one at a time, and no transaction is rejected.
 */
import { Failure } from '#domain/errors.ts'
import type { Reader } from '#domain/store-interface.ts'

export interface TurnLimits {
  /** Maximum number of SQL statements or transactions in progress, for all organizations together. */
  readonly atOnce: number
  readonly ofOrganization: number
  readonly ofEndUser: number
  /**
   * Limits on waiting requests: of one caller in the team, of one end user, and of all end users of an organization
   * together.
   */
  readonly waitingOfCaller: number
  readonly waitingOfEndUser: number
  readonly waitingOfEndUsers: number
  readonly waitingOfOrganization: number
  readonly waitingOfAll: number
  /** Maximum wait of a statement. After a longer wait, the statement is rejected when its turn comes. */
  readonly waitMsMax: number
}

/** The limits for reads on both engines. Each engine sets `atOnce`, the number of its connections. */
export const readLimits: Omit<TurnLimits, 'atOnce'> = {
  ofOrganization: 2,
  ofEndUser: 1,
  waitingOfCaller: 32,
  waitingOfEndUser: 8,
  waitingOfEndUsers: 192,
  waitingOfOrganization: 256,
  waitingOfAll: 2_048,
  waitMsMax: 10_000,
}

/** Only one transaction is open at a time. The rate limit for requests also limits the number of transactions. */
export const transactionLimits: TurnLimits = {
  atOnce: 1,
  ofOrganization: 1,
  ofEndUser: 1,
  waitingOfCaller: Infinity,
  waitingOfEndUser: Infinity,
  waitingOfEndUsers: Infinity,
  waitingOfOrganization: Infinity,
  waitingOfAll: Infinity,
  waitMsMax: Infinity,
}

interface Waiting {
  readonly request: TakingRequest
  readonly sinceMs: number
  readonly begin: () => void
  readonly refuse: (error: Failure) => void
}

interface Caller {
  readonly isEndUser: boolean
  running: number
  waitingRequests: number
  readonly line: Waiting[]
}

interface Organization {
  running: number
  waitingRequests: number
  waitingOfEndUsers: number
  /** In the order of their next turns. */
  readonly callers: Map<string, Caller>
}

export interface OwnTurns {
  /** Runs `read` when it is the caller's turn. @throws Failure too_many_reads, overloaded */
  run<T>(read: () => Promise<T>): Promise<T>
}

export class Turns {
  readonly #limits: TurnLimits
  readonly #monotonicMs: () => number
  /** In the order of their next turns. */
  readonly #organizations = new Map<string, Organization>()
  #running = 0
  #waitingRequests = 0

  constructor(limits: TurnLimits, monotonicMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#monotonicMs = monotonicMs
  }

  get organizationsReading(): number {
    return this.#organizations.size
  }

  of(reader: Reader): OwnTurns {
    const request = new TakingRequest(reader)
    return { run: (read) => this.#run(request, read) }
  }

  async #run<T>(request: TakingRequest, read: () => Promise<T>): Promise<T> {
    const organization = this.#organizationOf(request)
    const caller = callerOf(organization, request)
    if (this.#running < this.#limits.atOnce && this.#isFree(organization, caller))
      this.#begin(organization, caller, request)
    else await this.#wait(organization, caller, request)
    try {
      return await read()
    } finally {
      this.#end(organization, caller, request)
    }
  }

  #isFree(organization: Organization, { isEndUser, running }: Caller): boolean {
    const { ofEndUser, ofOrganization } = this.#limits
    return organization.running < ofOrganization && (!isEndUser || running < ofEndUser)
  }

  #begin(organization: Organization, caller: Caller, request: TakingRequest): void {
    request.hasRead = true
    this.#running += 1
    organization.running += 1
    caller.running += 1
  }

  #end(organization: Organization, caller: Caller, request: TakingRequest): void {
    this.#running -= 1
    organization.running -= 1
    caller.running -= 1
    this.#forgetIfIdle(organization, caller, request)
    this.#beginNext()
  }

  #wait(organization: Organization, caller: Caller, request: TakingRequest): Promise<void> {
    if (request.waiting === 0 && !request.hasRead) {
      try {
        this.#assertRoom(organization, caller)
      } catch (error) {
        this.#forgetIfIdle(organization, caller, request)
        throw error
      }
    }
    if (request.waiting++ === 0) this.#count(organization, caller, 1)
    return new Promise((resolve, reject) => {
      caller.line.push({ request, sinceMs: this.#monotonicMs(), begin: resolve, refuse: reject })
    })
  }

  #assertRoom(organization: Organization, caller: Caller): void {
    const limits = this.#limits
    const ofCaller = caller.isEndUser ? limits.waitingOfEndUser : limits.waitingOfCaller
    if (caller.waitingRequests >= ofCaller) throw tooMany('caller')
    const isFull =
      organization.waitingRequests >= limits.waitingOfOrganization ||
      (caller.isEndUser && organization.waitingOfEndUsers >= limits.waitingOfEndUsers)
    if (isFull) throw tooMany('organization')
    if (this.#waitingRequests >= limits.waitingOfAll)
      throw new Failure('overloaded', { retryAfterSeconds: 1 })
  }

  #beginNext(): void {
    while (this.#running < this.#limits.atOnce) {
      const next = this.#next()
      if (next === null) return
      const { caller, organization, waiting } = next
      const { request } = waiting
      request.waiting -= 1
      if (request.waiting === 0) this.#count(organization, caller, -1)
      if (this.#monotonicMs() - waiting.sinceMs > this.#limits.waitMsMax) {
        waiting.refuse(tooMany('caller'))
        this.#forgetIfIdle(organization, caller, request)
      } else {
        this.#begin(organization, caller, request)
        waiting.begin()
      }
    }
  }

  /** Null if no statement may begin. */
  #next(): { organization: Organization; caller: Caller; waiting: Waiting } | null {
    for (const [organizationId, organization] of this.#organizations) {
      if (organization.waitingRequests === 0) continue
      for (const [callerId, caller] of organization.callers) {
        if (caller.line.length === 0 || !this.#isFree(organization, caller)) continue
        const waiting = caller.line.shift()
        if (waiting === undefined) continue
        moveBehind(organization.callers, callerId, caller)
        moveBehind(this.#organizations, organizationId, organization)
        return { organization, caller, waiting }
      }
    }
    return null
  }

  #count(organization: Organization, caller: Caller, change: 1 | -1): void {
    this.#waitingRequests += change
    organization.waitingRequests += change
    if (caller.isEndUser) organization.waitingOfEndUsers += change
    caller.waitingRequests += change
  }

  #organizationOf({ reader }: TakingRequest): Organization {
    let organization = this.#organizations.get(reader.organizationId)
    if (organization === undefined) {
      organization = { running: 0, waitingRequests: 0, waitingOfEndUsers: 0, callers: new Map() }
      this.#organizations.set(reader.organizationId, organization)
    }
    return organization
  }

  #forgetIfIdle(organization: Organization, caller: Caller, { reader }: TakingRequest): void {
    if (caller.running > 0 || caller.line.length > 0) return
    organization.callers.delete(reader.callerId)
    if (organization.callers.size === 0) this.#organizations.delete(reader.organizationId)
  }
}

class TakingRequest {
  readonly reader: Reader
  waiting = 0
  hasRead = false

  constructor(reader: Reader) {
    this.reader = reader
  }
}

function callerOf(organization: Organization, { reader }: TakingRequest): Caller {
  let caller = organization.callers.get(reader.callerId)
  if (caller === undefined) {
    caller = { isEndUser: reader.isEndUser, running: 0, waitingRequests: 0, line: [] }
    organization.callers.set(reader.callerId, caller)
  }
  return caller
}

function moveBehind<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
}

function tooMany(owner: 'caller' | 'organization'): Failure {
  return new Failure('too_many_reads', { owner, retryAfterSeconds: 1 })
}
