import { readFileSync, statSync } from 'node:fs'
import { Resolver, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'

/** Calls the callback once, with all addresses of the host. */
export type Resolve = (
  hostname: string,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

export interface NameResolverOptions {
  /** Each server is `address:port`. Defaults to the DNS servers of the system. */
  readonly servers?: readonly string[]
  /** Timeout of one attempt. Each query is attempted at most twice. */
  readonly timeoutMs?: number
  readonly hostsFile?: string
  readonly resolverFile?: string
  readonly monotonicMs?: () => number
}

/** Limit of one organization. Look-ups beyond this number wait. */
export const lookUpsMax = 8
/** Limit of one organization. Look-ups beyond this number fail immediately. */
export const waitingMax = 1_000
const failureKeptMs = 5_000
/** The oldest failure is removed first. */
const failuresMax = 10_000
/**
 * How long to wait for the addresses of the other family (IPv4 or IPv6) after the first response (RFC 8305, "Resolution
 * Delay").
 */
const otherFamilyMs = 50
/** How long the hosts file and the resolver file are cached before their time stamps are checked again. */
const filesKeptMs = 5_000

/**
 * Resolves host names of customers. Node's `dns.lookup` would run on the few threads that all organizations share.
 *
 * A zone that never responds occupies a thread for ten seconds, so a few such zones would block every new connection.
 * This resolver queries the DNS servers over its own sockets (c-ares), so such a zone costs only a timer.
 *
 * - Each name has one look-up in flight per organization, and all callers share its result.
 * - A failed look-up is cached for five seconds. A successful look-up is not cached, so that the outbound guard checks
 *   the current addresses for each connection.
 * - Each organization has at most eight look-ups in flight. Further look-ups of the organization wait, and other
 *   organizations are not affected.
 *
 * The hosts file, `localhost` and the search list of resolv.conf have the same effect as in other programs. Other name
 * services of the system (mDNS, NIS) are not used.
 */
export class NameResolver {
  readonly #options: Required<Pick<NameResolverOptions, 'timeoutMs' | 'monotonicMs'>> & NameResolverOptions
  readonly #shares = new Map<string, Share>()
  readonly #failures = new Map<string, { readonly error: Error; readonly untilMs: number }>()
  #system: SystemNames | null = null

  constructor(options: NameResolverOptions = {}) {
    this.#options = { timeoutMs: 2_000, monotonicMs: () => performance.now(), ...options }
  }

  get active(): number {
    let active = 0
    for (const { line, running } of this.#shares.values()) active += running + line.length
    return active
  }

  /** The look-ups of the returned resolver count toward the organization's limit. */
  of(organizationId: string): Resolve {
    return (hostname, callback) => {
      const name = hostname.toLowerCase()
      const known = this.#known(name)
      if (known !== null) return void setImmediate(callback, known.error, known.addresses)
      this.#enter(organizationId, name, callback)
    }
  }

  /** Returns null if the name needs a query. */
  #known(name: string): { error: Error | null; addresses: LookupAddress[] } | null {
    const literal = isIP(name)
    if (literal !== 0) return { error: null, addresses: [{ address: name, family: literal }] }
    const local = this.#names().hosts.get(name) ?? loopbackOf(name)
    if (local !== null) return { error: null, addresses: local }
    // A name under `invalid` never exists, even if a server returns an address (RFC 6761, section 6.4).
    if (name.endsWith('.invalid')) return { error: noSuchName(name), addresses: [] }
    const failure = this.#failures.get(name)
    if (failure === undefined) return null
    if (failure.untilMs > this.#options.monotonicMs()) return { error: failure.error, addresses: [] }
    this.#failures.delete(name)
    return null
  }

  #enter(organizationId: string, name: string, callback: Callback): void {
    let share = this.#shares.get(organizationId)
    if (share === undefined)
      this.#shares.set(organizationId, (share = { running: 0, line: [], callbacks: new Map() }))
    const joined = share.callbacks.get(name)
    if (joined !== undefined) return void joined.push(callback)
    if (share.line.length >= waitingMax) {
      const error = new Error(`look up ${name}: ${waitingMax} other names of this organization are waiting`)
      return void setImmediate(callback, error, [])
    }
    share.callbacks.set(name, [callback])
    if (share.running >= lookUpsMax) share.line.push(name)
    else this.#start(organizationId, share, name)
  }

  #start(organizationId: string, share: Share, name: string): void {
    share.running += 1
    this.#query(name, (error, addresses) => {
      share.running -= 1
      if (error !== null) this.#keepFailure(name, error)
      const callbacks = share.callbacks.get(name) ?? []
      share.callbacks.delete(name)
      const next = share.line.shift()
      if (next !== undefined) this.#start(organizationId, share, next)
      else if (share.running === 0) this.#shares.delete(organizationId)
      for (const callback of callbacks) callback(error, addresses)
    })
  }

  #keepFailure(name: string, error: Error): void {
    this.#failures.delete(name)
    if (this.#failures.size >= failuresMax) {
      const [oldest] = this.#failures.keys()
      if (oldest !== undefined) this.#failures.delete(oldest)
    }
    this.#failures.set(name, { error, untilMs: this.#options.monotonicMs() + failureKeptMs })
  }

  #query(name: string, done: Callback): void {
    const { resolver, search } = this.#names()
    const spellings = spellingsOf(name, search)
    const ask = (at: number): void => {
      const spelling = spellings[at]
      if (spelling === undefined) return done(noSuchName(name), [])
      bothFamilies(resolver, spelling, (error, addresses) => {
        if (addresses.length > 0) return done(null, addresses)
        // A zone that does not respond is not queried again for another spelling.
        if (error !== null && !hasNoAddress(error)) return done(error, [])
        ask(at + 1)
      })
    }
    ask(0)
  }

  /** Reads the hosts file and resolv.conf again if they have changed, because networks change while a server runs. */
  #names(): SystemNames {
    const {
      hostsFile = '/etc/hosts',
      monotonicMs,
      resolverFile = '/etc/resolv.conf',
      servers,
      timeoutMs,
    } = this.#options
    const nowMs = monotonicMs()
    if (this.#system !== null && nowMs - this.#system.readAtMs < filesKeptMs) return this.#system
    const stamp = `${stampOf(hostsFile)} ${stampOf(resolverFile)}`
    if (this.#system?.stamp === stamp) return (this.#system = { ...this.#system, readAtMs: nowMs })
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    return (this.#system = {
      readAtMs: nowMs,
      stamp,
      resolver,
      hosts: hostsOf(textOf(hostsFile)),
      search: searchOf(textOf(resolverFile)),
    })
  }
}

type Callback = Parameters<Resolve>[1]

/** Returns an error with the same code as an error of `dns.lookup`. */
function noSuchName(name: string): Error {
  return Object.assign(new Error(`look up ${name}: no such name`), { code: 'ENOTFOUND' })
}

interface Share {
  running: number
  readonly line: string[]
  /** The look-up of the name may be running or waiting. */
  readonly callbacks: Map<string, Callback[]>
}

interface SystemNames {
  readonly readAtMs: number
  readonly stamp: string
  readonly resolver: Resolver
  readonly hosts: ReadonlyMap<string, LookupAddress[]>
  readonly search: readonly string[]
}

function bothFamilies(resolver: Resolver, name: string, done: Callback): void {
  const found: LookupAddress[] = []
  let open = 2
  let failure: Error | null = null
  let timer: NodeJS.Timeout | null = null
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    if (timer !== null) clearTimeout(timer)
    // IPv4 addresses come first, because hosts without IPv6 are more common than hosts without IPv4.
    done(
      found.length > 0 ? null : failure,
      found.toSorted((one, other) => one.family - other.family),
    )
  }
  const answered = (family: 4 | 6) => (error: Error | null, addresses?: string[]) => {
    if (isDone) return
    open -= 1
    for (const address of error === null ? (addresses ?? []) : []) found.push({ address, family })
    if (error !== null && (failure === null || !hasNoAddress(error))) failure = error
    if (open === 0) return finish()
    if (found.length > 0) timer = setTimeout(finish, otherFamilyMs)
  }
  resolver.resolve4(name, answered(4))
  resolver.resolve6(name, answered(6))
}

function hasNoAddress(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME'
}

/**
 * With a dot in the name, the given name comes before its completions by the search domains. Without a dot, the
 * completions come first.
 */
function spellingsOf(name: string, search: readonly string[]): readonly string[] {
  const longer = search.map((domain) => `${name}.${domain}`)
  return name.includes('.') ? [name, ...longer] : [...longer, name]
}

/** Names under `localhost` resolve to the loopback address without a query (RFC 6761). */
function loopbackOf(name: string): LookupAddress[] | null {
  if (name !== 'localhost' && !name.endsWith('.localhost')) return null
  return [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
}

function hostsOf(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const known = hosts.get(key) ?? []
      if (!known.some((each) => each.address === address)) hosts.set(key, [...known, { address, family }])
    }
  }
  return hosts
}

/** If resolv.conf has several `search` or `domain` lines, the last line applies. */
function searchOf(text: string): readonly string[] {
  let search: readonly string[] = []
  for (const line of text.split('\n')) {
    const [word, ...domains] = line.trim().split(/\s+/)
    if (word === 'search' || word === 'domain') search = domains.filter((domain) => domain !== '.')
  }
  return search.map((domain) => domain.replace(/\.$/, ''))
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? 'none' : `${found.mtimeMs} ${found.size}`
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
